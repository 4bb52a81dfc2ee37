"""Kernels at one pair of points, against their definitions in float64."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax import kernels
from tests.helpers import oracle


def _pairs(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((6, 4)).astype(np.float32)


KERNELS = {
    "gaussian": (kernels.Gaussian(1.7), lambda x: oracle.gaussian_gram(x, 1.7)),
    "cosine": (kernels.Cosine(), oracle.cosine_gram),
    "linear": (kernels.Linear(), oracle.linear_gram),
}


@pytest.mark.parametrize("name", KERNELS)
def test_every_pair(name):
    kernel, reference = KERNELS[name]
    x = _pairs(0)
    values = jax.vmap(lambda a: jax.vmap(lambda b: kernel(a, b))(jnp.asarray(x)))(jnp.asarray(x))
    # d = 4 products, one root or exponential: a dozen roundings of numbers of size |a||b|, 12 u = 7e-7
    scale = np.linalg.norm(x, axis=1)
    sizes = np.outer(scale, scale) if name == "linear" else 1.0
    assert np.all(np.abs(np.asarray(values) - reference(x)) <= 1e-6 * sizes)


def test_gaussian_by_hand():
    value = kernels.Gaussian(5.0)(jnp.asarray([0.0, 0.0]), jnp.asarray([3.0, 4.0]))
    assert float(value) == pytest.approx(math.exp(-0.5), rel=3e-7)


def test_cosine_neither_overflows_nor_vanishes():
    for scale in (1e-30, 1e30):
        x, y = jnp.asarray([3.0, 4.0]) * scale, jnp.asarray([1.0, 0.0]) * scale
        assert float(kernels.Cosine()(x, y)) == pytest.approx(0.6, rel=3e-7)


def test_bandwidth_is_traced():
    """Two bandwidths, one trace."""
    traces = []

    @jax.jit
    def value(kernel, x):
        traces.append(1)
        return kernel(x, jnp.zeros_like(x))

    narrow = value(kernels.Gaussian(jnp.float32(1.0)), jnp.ones(3))
    wide = value(kernels.Gaussian(jnp.float32(9.0)), jnp.ones(3))
    assert len(traces) == 1
    assert float(narrow) < float(wide)


def test_gaussian_derivative_in_the_bandwidth():
    """d/ds exp(-q/(2 s^2)) = q/s^3 exp(-q/(2 s^2))."""
    x = jnp.asarray([1.0, 2.0])
    slope = jax.grad(lambda s: kernels.Gaussian(s)(x, jnp.zeros(2)))(jnp.float32(1.5))
    assert float(slope) == pytest.approx(5 / 1.5**3 * math.exp(-5 / 4.5), rel=1e-6)


def test_frequencies_follow_the_spectral_density():
    """N(0, I/s^2): moments of 30 x 2,000 x 3 numbers; |z| < 4.5 each, false-alarm rate 7e-6 a moment."""
    bandwidth = 2.5
    draws = kernels.Gaussian(bandwidth).sample_frequencies(jax.random.key(1), 60_000, 3, jnp.float32)
    scaled = np.asarray(draws, np.float64) * bandwidth
    root = math.sqrt(scaled.size)
    assert abs(scaled.mean()) * root < 4.5
    assert abs((scaled**2).mean() - 1.0) * root / math.sqrt(2.0) < 4.5
    assert abs((scaled**4).mean() - 3.0) * root / math.sqrt(96.0) < 4.5
    cross = (scaled[:, 0] * scaled[:, 1]).mean() * math.sqrt(60_000)
    assert abs(cross) < 4.5
