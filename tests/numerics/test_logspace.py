"""x log x: value and derivative at 0 and elsewhere."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax.numerics import logspace


def test_values_at_zero_and_elsewhere():
    x = np.array([0.0, 1e-30, 0.1, 1.0, 7.5], np.float32)
    expected = [0.0] + [float(v) * math.log(float(v)) for v in x[1:]]
    # log and one product: 2 ulp of the result each at most
    np.testing.assert_allclose(np.asarray(logspace.xlogx(jnp.asarray(x))), expected, rtol=5e-7)


def test_negative_noise_counts_as_zero():
    assert float(logspace.xlogx(jnp.float32(-1e-9))) == 0.0
    assert float(logspace.log_positive(jnp.float32(-1e-9))) == 0.0


def test_derivative_is_finite_at_zero_and_right_elsewhere():
    gradient = jax.vmap(jax.grad(logspace.xlogx))(jnp.asarray([0.0, 0.5, 1.0, 2.0], jnp.float32))
    assert np.isfinite(float(gradient[0]))
    np.testing.assert_allclose(np.asarray(gradient)[1:], [1 + math.log(0.5), 1.0, 1 + math.log(2.0)], rtol=1e-6)


@pytest.mark.parametrize("function", [logspace.xlogx, logspace.log_positive])
def test_forward_and_reverse_agree(function):
    x = jnp.asarray([0.0, 1e-20, 0.3, 4.0], jnp.float32)
    forward = jax.jvp(function, (x,), (jnp.ones_like(x),))[1]
    reverse = jax.grad(lambda v: jnp.sum(function(v)))(x)
    np.testing.assert_array_equal(np.asarray(forward), np.asarray(reverse))
    assert np.isfinite(np.asarray(forward)).all()


def test_dtype_is_kept(x64):
    for dtype in (jnp.float32, jnp.float64):
        assert logspace.xlogx(jnp.ones(2, dtype)).dtype == dtype
