"""Explicit features of kernels of inner products."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax import kernels

X = np.random.default_rng(3).standard_normal((5, 3))

_features_and_gram = jax.jit(lambda kernel, x: (jax.vmap(kernel.features)(x), kernels.gram(kernel, x)))


@pytest.mark.parametrize(
    "kernel",
    [
        kernels.Cosine(),
        kernels.Linear(),
        kernels.Polynomial(1, 2.0, 0.5),
        kernels.Polynomial(2, 0.3, 0),
        kernels.Polynomial(3, 1 / 3, 1.0),
        kernels.Polynomial(4, 0.3, 2.0),
    ],
    ids=str,
)
def test_features_have_the_kernel_as_inner_product(x64, kernel):
    """Up to 35 terms of sizes whose sum of magnitudes is at most a few hundred: 1e-13 relative to it."""
    phi, gram = (np.asarray(v) for v in _features_and_gram(kernel, jnp.asarray(X)))
    assert phi.shape == (5, kernel.feature_dimension(3))
    np.testing.assert_allclose(phi @ phi.T, gram, rtol=1e-13, atol=1e-11)


def test_number_of_monomials():
    """All of degree at most p in d variables, or of degree p exactly."""
    assert kernels.Polynomial(3, 1.0, 1.0).feature_dimension(10) == math.comb(13, 3)
    assert kernels.Polynomial(3, 1.0, 0.0).feature_dimension(10) == math.comb(12, 3)
    assert kernels.Polynomial(3, 1.0, None).feature_dimension(10) == math.comb(12, 3)


def test_the_layout_is_the_same_under_jit():
    """A traced offset may be anything; one that is plainly 0 is absent from the structure itself."""
    for kernel in (kernels.Polynomial(2, 0.3, 0.0), kernels.Polynomial(2, 0.3, 1.0)):
        phi = jax.jit(lambda k, x: k.features(x))(kernel, jnp.ones(3))
        assert phi.shape == (kernel.feature_dimension(3),)


def test_kid_cubic_by_hand():
    """(x.y/d + 1)^3."""
    value = kernels.Polynomial(3, 1 / 2, 1)(jnp.asarray([1.0, 3.0]), jnp.asarray([2.0, 2.0]))
    assert float(value) == 125.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 1.0), "degree must be at least 1; got 0"),
        ((3, 0.0), "scale must be a positive number"),
        ((3, 1.0, -1.0), "offset must be a positive number"),
    ],
)
def test_polynomial_parameters_out_of_range(arguments, words):
    with pytest.raises(ValueError, match=words):
        kernels.Polynomial(*arguments)
