"""Random Fourier features: the map, its kernel, its error law."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax import features, kernels
from tests.helpers import oracle, statistics, tolerances


def _map(seed: int, r: int, d: int, dtype: str = "float32") -> features.FourierMap:
    centre = jnp.asarray(np.random.default_rng(seed).standard_normal(d).astype(dtype))
    return features.sample_fourier_map(jax.random.key(seed), kernels.Gaussian(1.5), r, centre)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("r", "d"), [(1, 1), (7, 3), (300, 5)])
def test_features_of_a_point(x64, dtype, r, d):
    """r = 300 is cut into blocks; the order of the features must not show it."""
    fourier_map = _map(1, r, d, dtype)
    x = np.random.default_rng(2).standard_normal((6, d)).astype(dtype)
    phi = jax.vmap(lambda point: features.featurize(fourier_map, point))(jnp.asarray(x))
    assert phi.dtype == dtype
    frequencies, centre = (np.asarray(v, np.float64) for v in (fourier_map.frequencies, fourier_map.centre))
    exact = oracle.features(frequencies, centre, x)
    allowed = (
        tolerances.angle_error(frequencies, x - centre, dtype)
        + tolerances.trig_error(dtype)
        + 2 * tolerances.roundoff(dtype)
    )
    assert np.abs(np.asarray(phi) - exact).max() * math.sqrt(r) <= allowed
    # cos^2 + sin^2 = 1 to the error of the trigonometry alone, whatever the angle
    norms = np.sum(np.asarray(phi, np.float64) ** 2, axis=1)
    np.testing.assert_allclose(
        norms, 1.0, atol=2 * math.sqrt(2) * tolerances.trig_error(dtype) + 4 * tolerances.roundoff(dtype)
    )


def test_parts_are_the_features_in_order():
    fourier_map = _map(3, 300, 4)
    point = jnp.asarray(np.random.default_rng(4).standard_normal(4).astype(np.float32))
    parts = features.featurize_parts(fourier_map, point - fourier_map.centre)
    assert [part.shape[0] for part in parts] == fourier_map.part_widths
    joined = np.concatenate([np.asarray(part) for part in parts]) / math.sqrt(300)
    np.testing.assert_allclose(joined, np.asarray(features.featurize(fourier_map, point)), rtol=2e-7)


def test_the_centre_changes_no_inner_product(x64):
    frequencies = np.random.default_rng(5).standard_normal((20, 3))
    x = jnp.asarray(np.random.default_rng(6).standard_normal((8, 3)))

    def proxy(centre: np.ndarray) -> np.ndarray:
        fourier_map = features.FourierMap(jnp.asarray(frequencies), jnp.asarray(centre))
        phi = np.asarray(jax.vmap(lambda point: features.featurize(fourier_map, point))(x))
        return phi @ phi.T

    np.testing.assert_allclose(proxy(np.zeros(3)), proxy(np.array([10.0, -3.0, 0.2])), atol=1e-13)


def test_kernel_mean_and_variance():
    """400 independent maps of r = 8: the inner product has mean k and variance ((1 + k(2D))/2 - k^2)/r.

    |z| < 4.5 for the mean (rate 7e-6) and variance ratio inside its 1 - 1e-5 interval, widened by the excess
    kurtosis, which lies between -3/2 and 0 here over r: the chi-square interval is conservative.
    """
    x, y, bandwidth, r = np.array([0.3, -0.2, 0.5]), np.array([-0.4, 0.6, 0.1]), 0.9, 8
    keys = jax.random.split(jax.random.key(7), 400)

    def inner(key):
        fourier_map = features.sample_fourier_map(key, kernels.Gaussian(bandwidth), r, jnp.zeros(3))
        first = features.featurize(fourier_map, jnp.asarray(x, jnp.float32))
        return jnp.dot(first, features.featurize(fourier_map, jnp.asarray(y, jnp.float32)))

    draws = np.asarray(jax.vmap(inner)(keys), np.float64)
    q = float(np.sum((x - y) ** 2)) / (2 * bandwidth**2)
    kernel, doubled = math.exp(-q), math.exp(-4 * q)
    assert abs(statistics.z_score(draws, kernel)) < 4.5
    low, high = statistics.spread_ratio_bounds(400, 10**6, 1e-5)
    assert low < draws.std(ddof=1) / math.sqrt(((1 + doubled) / 2 - kernel**2) / r) < high


def test_maps_of_different_keys_differ_and_of_one_key_agree():
    first, second, third = (np.asarray(_map(seed, 5, 2).frequencies) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, second)
    assert not np.any(first == third)


def test_features_are_differentiable_in_the_point():
    """d phi/dx = [-W sin | W cos]/sqrt(r)."""
    fourier_map = _map(8, 6, 3)
    point = jnp.asarray([0.1, 0.2, -0.3], jnp.float32)
    jacobian = np.asarray(jax.jacrev(lambda x: features.featurize(fourier_map, x))(point))
    phi, frequencies = np.asarray(features.featurize(fourier_map, point)), np.asarray(fourier_map.frequencies)
    expected = np.concatenate([-frequencies * phi[6:, None], frequencies * phi[:6, None]])
    np.testing.assert_allclose(jacobian, expected, atol=1e-6)
