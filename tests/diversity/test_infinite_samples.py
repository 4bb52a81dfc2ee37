"""FKEA at n = infinity for given frequencies, from the characteristic function: the error of r without the error of
n.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax import features
from fkeax.diversity import streaming
from tests.helpers import closed_forms as forms
from tests.helpers import statistics, tolerances

MEAN = np.array([0.4, -0.9])
DEVIATIONS = [0.7, 1.1]
NUM_FREQUENCIES = 8


def _map(dtype: str) -> features.FourierMap:
    frequencies = np.random.default_rng(0).standard_normal((NUM_FREQUENCIES, 2)) / 1.3
    return features.FourierMap(jnp.asarray(frequencies, dtype), jnp.zeros(2, dtype))


def _population(fourier_map: features.FourierMap) -> np.ndarray:
    function = forms.gaussian_characteristic_function(MEAN, np.diag(np.square(DEVIATIONS)))
    return forms.population_covariance(np.asarray(fourier_map.frequencies, np.float64), function)


def test_weighted_quadrature_nodes_give_the_population_covariance(x64):
    """Gauss-Hermite nodes as weighted samples integrate the features exactly: no statistical error is left."""
    fourier_map = _map("float64")
    nodes, weights = forms.gauss_hermite(40, DEVIATIONS)
    state = streaming.update(streaming.init(fourier_map), nodes + MEAN, weights)
    np.testing.assert_allclose(np.asarray(streaming.finalize(state)), _population(fourier_map), atol=1e-13)


def test_the_centre_rotates_the_covariance_only(x64):
    fourier_map = _map("float64")
    nodes, weights = forms.gauss_hermite(40, DEVIATIONS)
    moved = features.FourierMap(fourier_map.frequencies, jnp.asarray(MEAN))
    state = streaming.update(streaming.init(moved), nodes + MEAN, weights)
    found = np.linalg.eigvalsh(np.asarray(streaming.finalize(state)))
    np.testing.assert_allclose(found, np.linalg.eigvalsh(_population(fourier_map)), atol=1e-13)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_growing_stream_converges_at_its_own_rate(seed):
    """Pinelis' inequality: P(||C_n - C||_F >= t) <= 2 exp(-n t^2/(2 b^2)), b = sup||phi phi^T - C||_F <= sqrt 2.

    With p = 1e-6 (the false-alarm rate of each assertion), n t^2 = 4 log(2/p).
    """
    fourier_map = _map("float32")
    population = _population(fourier_map)
    rng = np.random.default_rng(seed)
    state, seen = streaming.init(fourier_map), 0
    for upto in (200, 2_000, 20_000, 200_000):
        rows = (MEAN + rng.standard_normal((upto - seen, 2)) * DEVIATIONS).astype(np.float32)
        state, seen = streaming.update(state, rows), upto
        error = float(np.linalg.norm(np.asarray(streaming.finalize(state), np.float64) - population))
        rounding = tolerances.covariance_error(np.asarray(fourier_map.frequencies, np.float64), rows, "float32")
        assert error <= math.sqrt(4.0 * math.log(2 / 1e-6) / upto) + rounding
        assert state.num_samples == upto


def test_mean_error_of_the_covariance_at_finite_n():
    """30 data sets of n = 100: n ||C_n - C||_F^2 averages to 1 - ||C||_F^2, as ||phi|| = 1. |z| < 4, false-alarm rate
    4e-4.
    """
    fourier_map = _map("float32")
    population = _population(fourier_map)

    @jax.jit
    def covariance(x):
        return streaming.finalize(streaming.scan_rows(streaming.init(fourier_map), x, batch_size=100))

    draws = []
    for seed in range(30):
        x = (MEAN + np.random.default_rng(100 + seed).standard_normal((100, 2)) * DEVIATIONS).astype(np.float32)
        draws.append(100 * float(np.sum((np.asarray(covariance(jnp.asarray(x)), np.float64) - population) ** 2)))
    assert abs(statistics.z_score(draws, 1.0 - float(np.sum(population**2)))) < 4
