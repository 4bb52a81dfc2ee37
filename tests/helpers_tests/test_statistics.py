"""The statistical bounds hold at their stated rates, on simulated Gaussian draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.helpers import statistics


def test_z_score_by_hand():
    assert statistics.z_score([1.0, 3.0], 0.0) == pytest.approx(2.0)
    assert statistics.z_score([2.0, 2.0], 2.0) == 0.0
    assert statistics.z_score([2.0, 2.0], 1.0) == math.inf


def test_false_alarm_rate_of_four_sigma_at_thirty_draws():
    assert statistics.false_alarm_rate(4.0, 30) == pytest.approx(4.0e-4, rel=0.05)


def test_z_score_false_alarms_at_their_rate():
    """2,000 repetitions at a bound of rate 5 %: the count is binomial, within 5 standard deviations (rate 6e-7)."""
    draws = np.random.default_rng(0).standard_normal((2000, 30))
    alarms = sum(abs(statistics.z_score(row, 0.0)) > 2.0452 for row in draws)
    assert abs(alarms - 100) < 5 * math.sqrt(2000 * 0.05 * 0.95)


def test_spread_ratio_bounds_hold_at_their_level():
    """Simulated means of m points with their usual errors: 5 % of ratios outside, within 5 standard deviations."""
    rng, repeats, draws, units = np.random.default_rng(1), 800, 20, 15
    low, high = statistics.spread_ratio_bounds(draws, units - 1, 0.05)
    outside = 0
    for _ in range(repeats):
        x = rng.standard_normal((draws, units))
        ratio = statistics.spread_ratio(list(x.mean(axis=1)), list(x.std(axis=1, ddof=1) / math.sqrt(units)))
        outside += not low < ratio < high
    assert abs(outside - 0.05 * repeats) < 5 * math.sqrt(repeats * 0.05 * 0.95)
