"""Gradients of VENDI and RKE in the samples: right by central differences, finite at repeated and zero eigenvalues."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fkeax
from fkeax.diversity import gradients
from fkeax.features import FourierMap, sample_fourier_map
from fkeax.kernels import Gaussian, LaplaceL1, LaplaceL2, Matern

ORDERS = (0.5, 1.0, 1.5, 2.0, math.inf)
STEP = 1e-5
KERNEL = Gaussian(1.2)


def _map() -> FourierMap:
    return sample_fourier_map(jax.random.key(0), KERNEL, 8, jnp.zeros(2))


def _points(n: int) -> jax.Array:
    return jnp.asarray(np.random.default_rng(n).standard_normal((n, 2)))


# n < 2r and n > 2r: the spectrum of either product.
VENDI = {
    "exact": (lambda x, a: gradients.exact_vendi(KERNEL, x, a), 7),
    "features, few samples": (lambda x, a: gradients.fourier_vendi(_map(), x, a), 7),
    "features, many samples": (lambda x, a: gradients.fourier_vendi(_map(), x, a), 25),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if "many" in name else []) for name in VENDI]
)
def test_vendi_against_central_differences(x64, name: str):
    """Error of a central difference: h^2 f'''/6, about 1e-9, and rounding 1e-15/h = 1e-10, both relative to scores of a
    few units; steep third derivatives at order 1/2, where eigenvalues are small, ask for 1e-5.
    """
    function, n = VENDI[name]
    x = _points(n)
    direction = jnp.asarray(np.random.default_rng(9).standard_normal(x.shape))
    value = jax.jit(function)
    gradient = jax.jit(jax.grad(function))
    for order in map(jnp.asarray, ORDERS):
        difference = (value(x + STEP * direction, order) - value(x - STEP * direction, order)) / (2 * STEP)
        found = jnp.vdot(gradient(x, order), direction)
        assert float(found) == pytest.approx(float(difference), rel=1e-5, abs=1e-7), f"order {order}"


@pytest.mark.slow
def test_rke_against_central_differences_and_vendi_of_order_two(x64):
    x = _points(7)
    pairs = (
        (lambda y: gradients.exact_rke(KERNEL, y), lambda y: gradients.exact_vendi(KERNEL, y, 2.0)),
        (lambda y: gradients.fourier_rke(_map(), y), lambda y: gradients.fourier_vendi(_map(), y, 2.0)),
    )
    for rke, vendi in pairs:
        np.testing.assert_allclose(jax.jit(jax.grad(rke))(x), jax.jit(jax.grad(vendi))(x), rtol=1e-8, atol=1e-10)
        assert float(jax.jit(rke)(x)) == pytest.approx(float(jax.jit(vendi)(x)), rel=1e-12)


@pytest.mark.parametrize("dtype", ["float32", pytest.param("float64", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", VENDI)
def test_gradients_are_finite_at_repeated_and_zero_eigenvalues(x64, name: str, dtype: str):
    """Identical points, pairs of equal points, and points so far apart that all eigenvalues are equal."""
    function, n = VENDI[name]
    gradient = jax.jit(jax.grad(function))
    far = 1e3 * jnp.arange(2.0 * n).reshape(n, 2)
    for x in (jnp.ones((n, 2)), jnp.repeat(_points(n), 2, axis=0)[:n], far):
        for order in ORDERS:
            found = gradient(x.astype(dtype) if "exact" in name else x, jnp.asarray(order, x.dtype))
            assert bool(jnp.isfinite(found).all()), f"order {order}"


@pytest.mark.slow
def test_identical_points_have_gradient_zero_and_more_samples_than_rank_agree(x64):
    """By symmetry 0; duplicating the data halves each sample's share of the gradient."""
    gradient = jax.jit(jax.grad(gradients.exact_vendi, argnums=1))
    assert float(jnp.abs(gradient(KERNEL, jnp.ones((7, 2)))).max()) == 0
    x = _points(7)
    once, twice = gradient(KERNEL, x), gradient(KERNEL, jnp.concatenate([x, x]))
    np.testing.assert_allclose(twice[:7], once / 2, atol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", [LaplaceL1(1.0), LaplaceL2(1.0), Matern(1.0, 1.5), fkeax.Cosine()])
def test_other_kernels_are_finite_with_duplicates(kernel):
    x = jnp.concatenate([_points(7), _points(7)[:3]])
    found = jax.jit(jax.grad(gradients.exact_vendi, argnums=1))(kernel, x)
    assert bool(jnp.isfinite(found).all())


@pytest.mark.slow
def test_values_are_those_of_the_public_scores(x64):
    x, score = _points(7), jax.jit(gradients.exact_vendi)
    for order in ORDERS:
        public = float(fkeax.vendi(np.asarray(x), order=order, kernel=KERNEL))
        assert float(score(KERNEL, x, order)) == pytest.approx(public, rel=1e-8)


def test_the_example_raises_the_diversity_of_real_digits():
    path = Path(__file__).parents[2] / "docs" / "examples" / "raise_diversity.py"
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):  # optax is not strict
        before, after = runpy.run_path(str(path))["main"]()
    assert after > 2 * before
    assert after <= 16
