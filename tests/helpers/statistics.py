"""Bounds for tests of random quantities, with their false-alarm rates.

Keys are fixed, so a passing test passes for ever; the rate says how likely a right implementation fails at a new key.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


def z_score(draws: ArrayLike, expected: float) -> float:
    """(mean - expected) in units of the standard error of the mean; a constant sample equal to `expected` gives 0."""
    values = np.asarray(draws, np.float64)
    deviation = float(values.mean()) - expected
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    if error == 0.0:
        return 0.0 if deviation == 0.0 else math.copysign(math.inf, deviation)
    return deviation / error


def false_alarm_rate(bound: float, num_draws: int) -> float:
    """P(|z| >= bound) of `z_score` for Gaussian draws: Student's t with num_draws - 1 degrees of freedom."""
    return float(2.0 * stats.t.sf(bound, num_draws - 1))


def spread_ratio_bounds(num_draws: int, num_units: int, level: float) -> tuple[float, float]:
    """Interval of (spread over draws)/(root mean square of reported errors) that holds with probability 1 - level.

    The squared spread of `num_draws` Gaussian values is chi-square with num_draws - 1 degrees of freedom; each reported
    variance averages about `num_units` independent squares (points or frequencies), so that the mean of them behaves
    like a chi-square with num_draws x num_units. The ratio is the root of an F variable.
    """
    first, second = num_draws - 1, num_draws * num_units
    return (
        math.sqrt(float(stats.f.ppf(level / 2.0, first, second))),
        math.sqrt(float(stats.f.isf(level / 2.0, first, second))),
    )


def spread_ratio(values: Sequence[float], reported_errors: Sequence[float]) -> float:
    """Standard deviation of values over draws, divided by the root mean square of their reported standard errors."""
    errors = np.asarray(reported_errors, np.float64)
    return float(np.std(np.asarray(values, np.float64), ddof=1) / np.sqrt(np.mean(errors**2)))
