"""The error bounds cover real rounding errors and are not absurdly loose."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.helpers import oracle, tolerances

ORDERS = (0.5, 1.0, 1.5, 2.0, 4.0, math.inf)


def _float32_gram(x: np.ndarray, bandwidth: float) -> np.ndarray:
    centred = (x - x.mean(axis=0)).astype(np.float32)
    norms = np.sum(centred**2, axis=1)
    squared = np.maximum(norms[:, None] + norms[None, :] - 2 * centred @ centred.T, 0)
    return np.exp(-squared / np.float32(2 * bandwidth**2))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_gram_bound_covers_float32(seed):
    x = np.random.default_rng(seed).standard_normal((60, 40)).astype(np.float32).astype(np.float64)
    gram = oracle.gaussian_gram(x, 5.0)
    bound = tolerances.gaussian_gram_error(x, gram, 5.0, "float32")
    error = np.abs(_float32_gram(x, 5.0) - gram)
    assert np.all(error <= bound)
    assert bound.max() < 1e-3


@pytest.mark.parametrize("order", ORDERS)
def test_score_error_covers_perturbed_spectra(order):
    rng = np.random.default_rng(0)
    spectrum = 0.7 ** np.arange(30)
    spectrum /= spectrum.sum()
    exact = oracle.hill_number(spectrum, order)
    for _ in range(50):
        noise = rng.standard_normal(30)
        noise -= noise.mean()
        moved = np.abs(spectrum + 1e-6 * noise / np.linalg.norm(noise))
        error = float(np.linalg.norm(moved / moved.sum() - spectrum))
        relative = abs(oracle.hill_number(moved, order, cutoff=0.0) / exact - 1.0)
        assert relative <= tolerances.score_error(spectrum, order, error)


def test_score_error_of_a_cut_spectrum():
    spectrum = 0.7 ** np.arange(30)
    spectrum /= spectrum.sum()
    cut = spectrum[spectrum > 1e-2 * spectrum.max()]
    dropped = tolerances.dropped_mass(spectrum, 1e-2 * spectrum.max(), 0.0)
    assert dropped == pytest.approx(1.0 - cut.sum(), rel=1e-12)
    for order in ORDERS:
        relative = abs(oracle.hill_number(cut, order) / oracle.hill_number(spectrum, order, cutoff=0.0) - 1.0)
        assert relative <= tolerances.score_error(spectrum, order, 0.0, dropped)


def test_order_zero_has_no_bound():
    with pytest.raises(ValueError, match="positive"):
        tolerances.score_error(np.array([1.0]), 0.0, 1e-6)


def test_growth_is_below_the_worst_case():
    assert tolerances.growth(10**6, "float32") == pytest.approx(6e3 * 2.0**-24)
    assert tolerances.growth(4, "float64") == 4 * 2.0**-53


def test_covariance_bound_covers_float32():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((200, 16)).astype(np.float32)
    frequencies = (rng.standard_normal((12, 16)) / 4).astype(np.float32)
    angles = x @ frequencies.T
    phi = np.concatenate([np.cos(angles), np.sin(angles)], axis=1) / np.float32(math.sqrt(12))
    error = np.linalg.norm(phi.T @ phi / np.float32(200) - oracle.covariance(frequencies, np.zeros(16), x))
    bound = tolerances.covariance_error(frequencies.astype(np.float64), x.astype(np.float64), "float32")
    assert error <= bound < 1e-3
