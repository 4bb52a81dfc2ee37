"""The Frechet distance: closed forms, the textbook formula, streaming, extrapolation."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from scipy import linalg

from fkeax.twosample import (
    finalize_gaussian,
    frechet,
    frechet_from_states,
    frechet_infinity,
    init_gaussian,
    merge_gaussians,
    update_gaussian,
)


def textbook(x: np.ndarray, y: np.ndarray) -> float:
    """The formula with a matrix square root, as FID code has it."""
    first, second = np.cov(x, rowvar=False), np.cov(y, rowvar=False)
    root = linalg.sqrtm(first @ second)
    return float(((x.mean(0) - y.mean(0)) ** 2).sum() + np.trace(first) + np.trace(second) - 2 * np.trace(root).real)


@pytest.mark.parametrize(("n", "m", "d"), [(200, 150, 5), (40, 300, 12)])
def test_textbook_formula(n, m, d):
    random = np.random.default_rng(0)
    x, y = random.standard_normal((n, d)) + 3, random.standard_normal((m, d)) @ random.standard_normal((d, d))
    assert frechet(x, y).value == pytest.approx(textbook(x, y), rel=1e-9)


def test_commuting_covariances_have_a_closed_form():
    """Rows whose sample moments are exact: means and diagonal covariances a^2, b^2 give |dmu|^2 + sum (a - b)^2."""
    white = np.random.default_rng(1).standard_normal((100, 4))
    white -= white.mean(axis=0)
    white = white @ np.linalg.inv(linalg.cholesky(np.cov(white, rowvar=False)))
    a, b, shift = np.asarray([1.0, 2, 3, 4]), np.asarray([2.0, 2, 1, 0.5]), np.asarray([1.0, 0, -2, 0])
    expected = float((shift**2).sum() + ((a - b) ** 2).sum())
    assert frechet(white * a, white[::-1] * b + shift).value == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("shape", [(60, 8), (20, 50)])
def test_equal_samples_are_at_distance_zero(shape):
    """To 1e-14 of tr S times the rank, with n < d as well; a matrix square root leaves 1e-7."""
    x = np.random.default_rng(2).standard_normal(shape) + 5
    trace = float(x.var(axis=0, ddof=1).sum())
    assert abs(frechet(x, x[::-1]).value) < 1e-13 * trace


def test_fewer_rows_than_columns():
    """The 20 x 30 sample seen in a basis of its span gives the same distance."""
    random = np.random.default_rng(3)
    x, y = random.standard_normal((12, 30)), random.standard_normal((14, 30)) + 0.5
    basis = np.linalg.qr(np.concatenate([x, y]).T)[0]
    result = frechet(x, y)
    assert result.value == pytest.approx(frechet(x @ basis, y @ basis).value, rel=1e-10)
    assert any("12 rows for 30 columns" in warning for warning in result.diagnostics["warnings"])


def test_states_merge_to_the_same_distance():
    random = np.random.default_rng(4)
    x, y = random.standard_normal((300, 6)) + 1e4, random.standard_normal((200, 6)) * 1.3 + 1e4
    states = []
    for rows in (x, y):
        parts = [update_gaussian(init_gaussian(6), part) for part in np.array_split(rows, [17, 17, 130])]
        states.append(merge_gaussians(merge_gaussians(parts[3], parts[0]), merge_gaussians(parts[1], parts[2])))
    mean, covariance = finalize_gaussian(states[0])
    np.testing.assert_allclose(mean, x.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(covariance, np.cov(x, rowvar=False), rtol=1e-7, atol=1e-9)
    assert frechet_from_states(*states).value == pytest.approx(frechet(x, y).value, rel=1e-7)
    with pytest.raises(ValueError, match="at least 2 rows; the state has 0"):
        finalize_gaussian(init_gaussian(3))
    with pytest.raises(ValueError, match="rows must have 6 columns"):
        update_gaussian(states[0], np.ones((2, 5)))


@pytest.mark.slow
def test_extrapolation_removes_the_bias():
    """P = Q, d = 20: over 10 data sets the plain value reads c/n, the extrapolated one is within 4 errors of 0."""
    plain, extrapolated = [], []
    for seed in range(10):
        x, y = np.random.default_rng(seed).standard_normal((2, 600, 20))
        plain.append(frechet(x, y).value)
        extrapolated.append(frechet_infinity(x, y, key=jax.random.key(seed)).value)
    assert np.mean(plain) > 10 * abs(np.mean(extrapolated))
    assert abs(np.mean(extrapolated)) < 4 * np.std(extrapolated, ddof=1) / 10**0.5 + 0.05 * np.mean(plain)


def test_extrapolation_refuses_too_few_rows():
    x = np.ones((5, 2))
    with pytest.raises(ValueError, match="smallest_share must lie below 1 and leave at least 2 rows"):
        frechet_infinity(x, x, key=jax.random.key(0))
    with pytest.raises(ValueError, match="key is needed"):
        frechet_infinity(x, x)
