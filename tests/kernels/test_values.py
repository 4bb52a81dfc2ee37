"""Kernels at one pair of points, against scikit-learn, SciPy and closed forms in float64."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import special
from scipy.spatial import distance
from sklearn.gaussian_process import kernels as reference
from sklearn.metrics import pairwise

from fkeax import kernels
from fkeax.kernels import protocol

X = np.random.default_rng(0).standard_normal((6, 4))

ORACLES = {
    "gaussian": (kernels.Gaussian(1.7), lambda x: pairwise.rbf_kernel(x, gamma=1 / (2 * 1.7**2))),
    "laplace-l1": (kernels.LaplaceL1(1.7), lambda x: pairwise.laplacian_kernel(x, gamma=1 / 1.7)),
    "laplace-l2": (kernels.LaplaceL2(1.7), lambda x: np.exp(-distance.cdist(x, x) / 1.7)),
    "matern12": (kernels.Matern(1.7, 0.5), lambda x: reference.Matern(1.7, nu=0.5)(x)),
    "matern32": (kernels.Matern(1.7, 1.5), lambda x: reference.Matern(1.7, nu=1.5)(x)),
    "matern52": (kernels.Matern(1.7, 2.5), lambda x: reference.Matern(1.7, nu=2.5)(x)),
    "rational-quadratic": (kernels.RationalQuadratic(1.7, 0.6), lambda x: reference.RationalQuadratic(1.7, 0.6)(x)),
    "cosine": (kernels.Cosine(), pairwise.cosine_similarity),
    "linear": (kernels.Linear(), pairwise.linear_kernel),
    "polynomial": (
        kernels.Polynomial(3, 0.25, 1.0),
        lambda x: pairwise.polynomial_kernel(x, degree=3, gamma=0.25, coef0=1.0),
    ),
}
_every_pair = jax.jit(lambda kernel, x: jax.vmap(lambda a: jax.vmap(lambda b: kernel(a, b))(x))(x))

SHIFT_INVARIANT = [name for name, (kernel, _) in ORACLES.items() if kernel.shift_invariant]


@pytest.mark.parametrize("name", ORACLES)
def test_every_pair(x64, name):
    """Some ten roundings each: 1e-14 relative to the largest value, float64 having 1.1e-16."""
    kernel, oracle = ORACLES[name]
    assert kernel.name == name
    values = np.asarray(_every_pair(kernel, jnp.asarray(X)))
    expected = oracle(X)
    # scikit-learn expands the squared distance: 1e-14 of it is its own rounding
    np.testing.assert_allclose(values, expected, rtol=1e-13, atol=2e-14 * np.abs(expected).max())


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
def test_matern_is_the_bessel_form(x64, nu):
    """2^(1-nu)/Gamma(nu) u^nu K_nu(u), u = sqrt(2 nu) t/s."""
    t = np.array([0.01, 0.3, 1.0, 4.0])
    u = math.sqrt(2 * nu) * t / 1.3
    values = jax.vmap(lambda a: kernels.Matern(1.3, nu)(a[None], jnp.zeros(1)))(jnp.asarray(t))
    np.testing.assert_allclose(
        np.asarray(values), 2 ** (1 - nu) / special.gamma(nu) * u**nu * special.kv(nu, u), rtol=1e-12
    )


def test_limits(x64):
    """Large alpha gives the Gaussian kernel, to d^4/(8 alpha s^4) k; Matern 1/2 and the l2 Laplace kernel are one."""
    x, y = jnp.asarray(X[0]), jnp.asarray(X[1])
    gaussian = float(kernels.Gaussian(2.0)(x, y))
    quadratic = float(kernels.RationalQuadratic(2.0, 1e9)(x, y))
    assert quadratic == pytest.approx(gaussian, rel=1e-8)
    assert float(kernels.LaplaceL2(2.0)(x, y)) == float(kernels.Matern(2.0, 0.5)(x, y))


def test_gaussian_by_hand():
    value = kernels.Gaussian(5.0)(jnp.asarray([0.0, 0.0]), jnp.asarray([3.0, 4.0]))
    assert float(value) == pytest.approx(math.exp(-0.5), rel=3e-7)


def test_cosine_neither_overflows_nor_vanishes():
    for scale in (1e-30, 1e30):
        x, y = jnp.asarray([3.0, 4.0]) * scale, jnp.asarray([1.0, 0.0]) * scale
        assert float(kernels.Cosine()(x, y)) == pytest.approx(0.6, rel=3e-7)


@pytest.mark.parametrize("name", SHIFT_INVARIANT)
def test_coincident_points(name):
    """Value exactly 1; gradients in point and bandwidth 0, from the point and from inner products."""
    kernel, _ = ORACLES[name]
    x = jnp.asarray(X[0], jnp.float32)
    value_and_gradients = jax.jit(jax.value_and_grad(lambda a, s: kernels.with_bandwidth(kernel, s)(a, x), (0, 1)))
    value, (gradient, slope) = value_and_gradients(x, jnp.float32(1.7))
    assert float(value) == 1.0
    np.testing.assert_array_equal(np.asarray(gradient), 0.0)
    assert float(slope) == 0.0
    if isinstance(kernel, kernels.ProductKernel):
        two = jnp.float32(2.0)
        assert math.isfinite(float(jax.jit(jax.grad(lambda xy: kernel.of_products(xy, two, two)))(two)))


def test_bandwidth_and_alpha_are_traced():
    """Two settings, one trace."""
    traces = []

    @jax.jit
    def value(kernel, x):
        traces.append(1)
        return kernel(x, jnp.zeros_like(x))

    one, ten = jnp.float32(1.0), jnp.float32(10.0)
    narrow = value(kernels.RationalQuadratic(one, ten), jnp.ones(3))
    wide = value(kernels.RationalQuadratic(ten, one), jnp.ones(3))
    assert len(traces) == 1
    assert float(narrow) < float(wide)


def test_gaussian_derivative_in_the_bandwidth():
    """d/ds exp(-q/(2 s^2)) = q/s^3 exp(-q/(2 s^2))."""
    x = jnp.asarray([1.0, 2.0])
    slope = jax.grad(lambda s: kernels.Gaussian(s)(x, jnp.zeros(2)))(jnp.float32(1.5))
    assert float(slope) == pytest.approx(5 / 1.5**3 * math.exp(-5 / 4.5), rel=1e-6)


@pytest.mark.parametrize("bandwidth", [0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize("family", [kernels.Gaussian, kernels.LaplaceL1, kernels.LaplaceL2])
def test_bandwidth_out_of_range(family, bandwidth):
    with pytest.raises(ValueError, match="bandwidth must be"):
        family(bandwidth)


def test_parameters_out_of_range():
    with pytest.raises(ValueError, match=r"nu must be 0\.5, 1\.5 or 2\.5; got 2\.0"):
        kernels.Matern(1.0, 2.0)
    with pytest.raises(ValueError, match="alpha must be a positive number; got -1"):
        kernels.RationalQuadratic(1.0, -1)


def test_values_that_are_not_known_pass():
    """JAX rebuilds dataclasses around tracers and placeholders; the check must not look at those."""
    for value in (None, object(), jnp.asarray(-1.0)):
        protocol.check_positive(value, "bandwidth")
    with pytest.raises(TypeError, match="bandwidth must be a number; got 'wide'"):
        protocol.check_positive("wide", "bandwidth")
    stacked = jax.vmap(kernels.Gaussian)(jnp.asarray([1.0, 2.0]))
    assert stacked.bandwidth.shape == (2,)
