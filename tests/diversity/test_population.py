"""The population RKE: the U-statistic behind it, and its standard error over fresh data sets."""

from __future__ import annotations

import math

import jax
import numpy as np
import pytest

import fkeax
from tests.helpers import closed_forms as forms
from tests.helpers import oracle, statistics


def _population(x: np.ndarray, bandwidth: float, **settings) -> fkeax.Result:
    return fkeax.score(x, metrics=("rke",), bandwidth=bandwidth, **settings)["rke-population"]


def test_exact_value_is_the_u_statistic(x64):
    x = np.random.default_rng(0).standard_normal((40, 3))
    gram = oracle.gaussian_gram(x, 1.0)
    result = _population(x, 1.0, method="exact")
    assert float(result) == pytest.approx(1 / oracle.off_diagonal_second_moment(gram), rel=1e-10)


def test_stderr_is_near_the_jackknife(x64):
    """Two consistent estimates of one variance differ by O(1/n) relative: 10 % of the error at n = 150."""
    x = np.random.default_rng(1).standard_normal((150, 2))
    gram = oracle.gaussian_gram(x, 1.0)
    result = _population(x, 1.0, method="exact")
    expected = math.sqrt(oracle.u_statistic_variance(gram)) / oracle.off_diagonal_second_moment(gram) ** 2
    assert result.stderr == pytest.approx(expected, rel=0.1)


def _calibration(draw, bandwidth: float, num_sets: int, **settings) -> tuple[float, list[float], list[float]]:
    values, errors = [], []
    for seed in range(num_sets):
        keyed = {"key": jax.random.key(seed)} if settings.get("method") == "fkea" else {}
        result = _population(draw(np.random.default_rng(seed)), bandwidth, **settings, **keyed)
        values.append(float(result))
        errors.append(float(result.stderr))
    return statistics.spread_ratio(values, errors), values, errors


@pytest.mark.parametrize("law", ["gaussian", "clusters"])
def test_stderr_is_calibrated_over_fresh_data(law):
    """80 data sets of 150 points: spread over reported error inside the F interval of level 1e-4; truth within 4.3
    (1e-4).
    """
    if law == "gaussian":
        truth = forms.gaussian_rke(np.eye(3), 2.0)

        def draw(rng):
            return rng.standard_normal((150, 3))
    else:
        means, shares = [np.zeros(2), np.array([3.0, 0.0]), np.array([0.0, 4.0])], [0.6, 0.3, 0.1]
        truth = 1 / forms.mixture_second_moment(shares, means, [0.04 * np.eye(2)] * 3, 2.0)

        def draw(rng):
            return np.stack(means)[rng.choice(3, 150, p=shares)] + 0.2 * rng.standard_normal((150, 2))

    ratio, values, _ = _calibration(draw, 2.0, 80, method="exact")
    low, high = statistics.spread_ratio_bounds(80, 149, 1e-4)
    assert low < ratio < high
    # the U-statistic, not its inverse, is unbiased
    assert abs(statistics.z_score(1 / np.array(values), 1 / truth)) < 4.3


def test_stderr_covers_frequencies_and_data_on_the_feature_route():
    """60 fresh data sets with fresh frequencies: the reported error must cover both sources; F interval of level 1e-4.

    The effective number of squares behind each reported variance is at least min(r, n) - 1 = 63.
    """
    ratio, values, _ = _calibration(
        lambda rng: rng.standard_normal((200, 3)), 2.0, 60, method="fkea", num_frequencies=64
    )
    low, high = statistics.spread_ratio_bounds(60, 63, 1e-4)
    assert low < ratio < high
    assert abs(statistics.z_score(1 / np.array(values), 1 / forms.gaussian_rke(np.eye(3), 2.0))) < 4.3


def test_duplication_changes_the_u_statistic_but_no_plain_score(x64):
    x = np.random.default_rng(2).standard_normal((30, 2))
    once, twice = (fkeax.score(rows, bandwidth=1.0, method="exact") for rows in (x, np.concatenate([x, x])))
    for name in ("vendi-1", "vendi-1.5", "vendi-inf", "rke"):
        assert float(twice[name]) == pytest.approx(float(once[name]), rel=1e-9)
    assert float(twice["rke-population"]) < float(once["rke-population"]) * 0.99


def test_one_sample_has_no_population_value():
    result = _population(np.zeros((1, 2), np.float32), 1.0, method="exact")
    assert result.value is None
    assert result.diagnostics["reason"]
