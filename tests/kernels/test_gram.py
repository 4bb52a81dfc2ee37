"""Kernel matrices and streamed row sums, against loops in float64."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax import kernels
from tests.helpers import oracle, tolerances


def _data(seed: int, n: int = 37, d: int = 5, dtype: str = "float32") -> np.ndarray:
    x = np.random.default_rng(seed).standard_normal((n, d))
    return (x - x.mean(axis=0)).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gaussian_gram(x64, dtype):
    x = _data(0, dtype=dtype)
    exact = oracle.gaussian_gram(x, 1.3)
    matrix = np.asarray(kernels.gram(kernels.Gaussian(1.3), jnp.asarray(x)))
    assert matrix.dtype == dtype
    assert np.all(np.abs(matrix - exact) <= tolerances.gaussian_gram_error(x.astype(np.float64), exact, 1.3, dtype))
    np.testing.assert_array_equal(np.diag(matrix), 1.0)
    np.testing.assert_array_equal(matrix, matrix.T)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cosine_and_linear_gram(x64, dtype):
    x = _data(1, dtype=dtype)
    cosine = np.asarray(kernels.gram(kernels.Cosine(), jnp.asarray(x)))
    assert np.all(np.abs(cosine - oracle.cosine_gram(x)) <= tolerances.cosine_gram_error(37, 5, dtype))
    linear = np.asarray(kernels.gram(kernels.Linear(), jnp.asarray(x)))
    sizes = np.linalg.norm(x, axis=1)
    assert np.all(np.abs(linear - oracle.linear_gram(x)) <= tolerances.growth(5, dtype) * np.outer(sizes, sizes))


def test_duplicates_have_kernel_value_one_within_the_bound():
    x = np.repeat(_data(2, 10), 2, axis=0)
    exact = oracle.gaussian_gram(x, 1.0)
    matrix = np.asarray(kernels.gram(kernels.Gaussian(1.0), jnp.asarray(x)))
    assert matrix.max() <= 1.0
    assert np.all(np.abs(matrix - exact) <= tolerances.gaussian_gram_error(x.astype(np.float64), exact, 1.0, "float32"))


@pytest.mark.parametrize("block_rows", [1, 5, 36, 37, 64])
def test_row_powers_leave_the_diagonal_out(x64, block_rows):
    x = _data(3, dtype="float64")
    weights = np.random.default_rng(4).uniform(0, 1, 37)
    gram = oracle.gaussian_gram(x, 1.3) * (1 - np.eye(37))
    sums = kernels.row_powers(kernels.Gaussian(1.3), jnp.asarray(x), jnp.asarray(weights), block_rows=block_rows)
    np.testing.assert_allclose(np.asarray(sums.second), gram**2 @ weights, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(sums.fourth), gram**4 @ weights, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(sums.doubled), gram**4 @ weights, rtol=1e-12)  # exp(-4q) = exp(-q)^4


ALL = [
    kernels.Gaussian(1.3),
    kernels.LaplaceL1(4.0),
    kernels.LaplaceL2(1.3),
    kernels.Matern(1.3, 1.5),
    kernels.Matern(1.3, 2.5),
    kernels.RationalQuadratic(1.3, 0.6),
    kernels.Cosine(),
    kernels.Linear(),
    kernels.Polynomial(3, 0.2, 1.0),
]


@jax.jit
def _all_ways(kernel: kernels.Kernel, x: jax.Array) -> tuple:
    pairs = jax.vmap(lambda a: jax.vmap(lambda b: kernel(a, b))(x))(x)
    doubled = jax.vmap(lambda a: jax.vmap(lambda b: kernel(2 * a, 2 * b))(x))(x)
    matrices = kernels.gram(kernel, x), kernels.cross_gram(kernel, x[:5], x)
    return pairs, doubled, *matrices, kernels.row_powers(kernel, x, jnp.ones(12), block_rows=5)


@pytest.mark.parametrize("kernel", ALL, ids=lambda kernel: kernel.name)
def test_matrices_hold_the_kernel_of_every_pair(x64, kernel):
    """Squared distances are off by some 10 eps |x|^2 = 1e-14, their roots by 1e-14 / distance."""
    pairs, doubled, gram, cross, sums = _all_ways(kernel, jnp.asarray(_data(5, n=12, dtype="float64")))
    pairs, others = np.asarray(pairs), 1 - np.eye(12)
    np.testing.assert_allclose(np.asarray(gram), pairs, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(np.asarray(cross), pairs[:5], rtol=1e-12, atol=1e-13)
    if kernel.unit_diagonal:
        np.testing.assert_array_equal(np.diag(np.asarray(gram)), 1.0)

    np.testing.assert_allclose(np.asarray(sums.second), (pairs**2 * others).sum(axis=1), rtol=1e-11)
    np.testing.assert_allclose(np.asarray(sums.fourth), (pairs**4 * others).sum(axis=1), rtol=1e-11)
    if kernel.shift_invariant:
        np.testing.assert_allclose(np.asarray(sums.doubled), (np.asarray(doubled) * others).sum(axis=1), rtol=1e-11)
    else:
        assert sums.doubled is None


def test_a_kernel_without_values_is_refused():
    with pytest.raises(TypeError, match="kernel must have of_products or of_l1_distance"):
        kernels.cross_gram(_Valueless(), jnp.ones((2, 1)), jnp.ones((2, 1)))


class _Valueless:
    name, shift_invariant, unit_diagonal = "none", False, False

    def __call__(self, x, y):
        return jnp.sum(x * y)


def test_rows_of_zeros_are_found():
    x = np.ones((4, 2), np.float32)
    x[[1, 3]] = 0.0
    np.testing.assert_array_equal(kernels.zero_rows(x), [1, 3])
