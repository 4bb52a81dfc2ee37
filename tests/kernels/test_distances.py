"""l1 distances in tiles, and the rounding of l2 distances from inner products."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial import distance

from fkeax import kernels
from fkeax.kernels.distances import l1_distances


@pytest.mark.parametrize(("n", "m", "d"), [(1, 1, 1), (7, 5, 8), (300, 257, 19)])
def test_l1_distances(x64, n, m, d):
    """Several tiles, with columns and rows to pad: exact to d roundings."""
    random = np.random.default_rng(n)
    x, y = random.standard_normal((n, d)), random.standard_normal((m, d))
    np.testing.assert_allclose(
        np.asarray(jax.jit(l1_distances)(jnp.asarray(x), jnp.asarray(y))), distance.cdist(x, y, "cityblock"), rtol=1e-14
    )


def test_l1_distances_hold_no_difference_tensor():
    """Temporary memory of value and gradient stays below a tenth of the n m d numbers that must never exist.

    The gradient is a sum of signs, exact in float32.
    """
    n, m, d = 64, 48, 512
    random = np.random.default_rng(5)
    x, y = random.standard_normal((n, d)).astype(np.float32), random.standard_normal((m, d)).astype(np.float32)
    value = jax.jit(l1_distances).lower(x, y).compile()
    gradient = jax.jit(jax.grad(lambda a, b: jnp.sum(l1_distances(a, b)))).lower(x, y).compile()
    for compiled in (value, gradient):
        assert compiled.memory_analysis().temp_size_in_bytes < 0.1 * n * m * d * 4
    np.testing.assert_array_equal(np.asarray(gradient(x, y)), np.sign(x[:, None] - y[None]).sum(axis=1))


@pytest.mark.parametrize("kernel", [kernels.LaplaceL1(3.0), kernels.LaplaceL2(3.0), kernels.Matern(3.0, 1.5)], ids=str)
def test_duplicates_have_kernel_value_one(kernel):
    """The root of rounding noise of size eps |x|^2 would give 1 - sqrt(eps) |x| / s instead."""
    x = np.random.default_rng(6).standard_normal((20, 784)).astype(np.float32)
    x = np.concatenate([x - x.mean(axis=0), (x - x.mean(axis=0))[::-1]])
    matrix = np.asarray(jax.jit(kernels.cross_gram)(kernel, jnp.asarray(x), jnp.asarray(x)))
    assert np.all(matrix[np.arange(40), np.arange(40)[::-1]] == 1.0)
    assert np.all(np.diag(matrix) == 1.0)


def test_near_points_are_told_apart(x64):
    """At a distance of 1e-6 |x| in float64, above the resolution of 2.4e-7: off by (2.4e-7/1e-6)^2 at most."""
    x = np.array([[3.0, 4.0], [3.0, 4.0 + 5e-6]])
    value = float(kernels.cross_gram(kernels.LaplaceL2(5e-6), jnp.asarray(x), jnp.asarray(x))[0, 1])
    assert value == pytest.approx(np.exp(-1.0), rel=0.06)
