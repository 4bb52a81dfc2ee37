"""Spectral and location/covariance summaries: definitions by eigenvalues and square roots, errors by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import sqrtm

from fkeax.sensitivity import location_covariance, spectral_summaries
from tests.helpers.statistics import spread_ratio, spread_ratio_bounds

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize(("n", "d"), [(50, 6), (6, 50), (20, 20)])
def test_spectral_definitions(n, d):
    """On both sides of n = d, far from the origin; 1e-9 as small eigenvalues are squares of rounding."""
    x = 100 + RANDOM.standard_normal((n, d)) / np.arange(1, d + 1)
    values = np.linalg.eigvalsh(np.cov(x, rowvar=False))[::-1]
    shares = values[values > 1e-12 * values[0]] / values.sum()
    found = spectral_summaries(x)
    assert found["covariance-effective-dimension"].value == pytest.approx(1 / np.square(shares).sum(), rel=1e-9)
    assert found["covariance-vendi"].value == pytest.approx(np.exp(-(shares * np.log(shares)).sum()), rel=1e-9)
    assert found["covariance-n90"].value == np.flatnonzero(np.cumsum(shares) >= 0.9)[0] + 1
    assert found["covariance-n90"].stderr is None
    assert bool(found["covariance-vendi"].diagnostics["warnings"]) == (n <= d)


def test_infinitesimal_jackknife_by_reweighting():
    """The influence of a row is the derivative in its weight: finite differences give the same error."""
    x = RANDOM.standard_normal((30, 4)) * [3, 2, 1, 1]

    def summaries(weights):
        weights = weights / weights.sum()
        centred = x - weights @ x
        values = np.linalg.eigvalsh((weights[:, None] * centred).T @ centred)
        shares = values / values.sum()
        return np.asarray([1 / np.square(shares).sum(), np.exp(-(shares * np.log(shares)).sum())])

    step = 1e-6
    influence = [(summaries(1 + step * row) - summaries(1 - step * row)) / (2 * step) * 30 for row in np.eye(30)]
    expected = np.linalg.norm(influence, axis=0) / 30
    found = spectral_summaries(x)
    assert found["covariance-effective-dimension"].stderr == pytest.approx(expected[0], rel=1e-6)
    assert found["covariance-vendi"].stderr == pytest.approx(expected[1], rel=1e-6)


def test_debiased_dimension_and_errors():
    """200 samples of 60 rows of a skewed law in 60 equal axes: the sample's dimension is near 30.

    Formulas for Gaussian data alone would be off by 10 %: the fourth cumulant is 6. Ratios of unbiased parts are off by
    their relative variance, 1 % here; |z| < 4.5 beyond that has false-alarm rate 1e-5.
    """
    found = [spectral_summaries(RANDOM.exponential(size=(60, 60))) for _ in range(200)]
    debiased = np.asarray([each["covariance-effective-dimension-debiased"].value for each in found])
    assert np.mean([each["covariance-effective-dimension"].value for each in found]) < 35
    assert abs(debiased.mean() - 60) < 4.5 * debiased.std() / 200**0.5 + 0.6


@pytest.mark.slow
def test_spectral_errors_over_draws():
    """400 draws: the spread agrees with the errors reported, up to F bounds at 1e-4 and a bias of order 1/n, 15 %."""
    values = 1 / np.arange(1, 9)
    found = [spectral_summaries((RANDOM.exponential(size=(200, 8)) - 1) * np.sqrt(values)) for _ in range(400)]
    plain = [each["covariance-effective-dimension"].value for each in found]
    errors = [each["covariance-effective-dimension"].stderr for each in found]
    low, high = spread_ratio_bounds(400, 200, 1e-4)
    assert 0.85 * low < spread_ratio(plain, errors) < 1.15 * high


def test_location_covariance_definitions():
    x, y = RANDOM.standard_normal((60, 5)), 2 + RANDOM.standard_normal((80, 5)) * np.arange(1, 6)
    first, second = np.cov(x, rowvar=False), np.cov(y, rowvar=False)
    rho = np.trace(first) ** 0.5
    found = {name: result.value for name, result in location_covariance(x, y).items()}
    assert found["mean-shift"] == pytest.approx(np.linalg.norm(x.mean(0) - y.mean(0)) / rho)
    assert found["trace-ratio"] == pytest.approx(np.trace(second) / np.trace(first))
    crossed = np.real(np.trace(sqrtm(sqrtm(first) @ second @ sqrtm(first))))
    assert found["bures"] == pytest.approx((np.trace(first) + np.trace(second) - 2 * crossed) ** 0.5 / rho)
    assert found["covariance-difference"] == pytest.approx(np.linalg.norm(second - first) / np.linalg.norm(first))


@pytest.mark.slow
def test_location_errors_over_draws():
    """300 draws: spreads of shift and trace ratio agree with the errors reported (F bounds at 1e-4, 10 % beyond)."""
    shifts, ratios = [], []
    for _ in range(300):
        found = location_covariance(RANDOM.standard_normal((80, 3)), 1 + 1.5 * RANDOM.standard_normal((60, 3)))
        shifts.append(found["mean-shift"])
        ratios.append(found["trace-ratio"])
    low, high = spread_ratio_bounds(300, 60, 1e-4)
    for results in (shifts, ratios):
        ratio = spread_ratio([r.value for r in results], [r.stderr for r in results])
        assert 0.9 * low < ratio < 1.1 * high


def test_no_error_where_means_agree():
    x = RANDOM.standard_normal((50, 8))
    found = location_covariance(x, RANDOM.permuted(x, axis=0))["mean-shift"]
    assert found.stderr is None
    assert "does not stand out" in found.diagnostics["stderr_reason"]


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.ones((5, 2)), "x has equal rows only"),
        (np.ones((3, 2)), "x must have at least 4 rows"),
        (np.full((5, 2), np.nan), "x must be finite"),
    ],
)
def test_unfit_rows(x, message):
    with pytest.raises(ValueError, match=message):
        spectral_summaries(x)


def test_constant_samples():
    x = RANDOM.standard_normal((20, 2))
    with pytest.raises(ValueError, match="reference has equal rows only"):
        location_covariance(np.ones((20, 2)), x)
    found = location_covariance(x, np.ones((20, 2)))
    assert found["trace-ratio"].value == 0
    assert found["bures"].value == pytest.approx(1)
