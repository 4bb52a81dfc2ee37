"""Sine and cosine of angles in turns: error bounds, exactness, derivatives."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax.numerics import trig
from tests.helpers import tolerances


def _reference(turns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values in extended precision, where there is one, after an exact reduction to half a turn."""
    rest = np.fmod(turns.astype(np.longdouble), 1)  # fmod loses nothing
    rest -= np.round(rest)  # nor does this
    angle = 8 * np.arctan(np.longdouble(1)) * rest
    return np.cos(angle), np.sin(angle)


def _largest_error(turns: np.ndarray) -> float:
    cosine, sine = trig.cos_sin_turns(jnp.asarray(turns))
    exact_cosine, exact_sine = _reference(turns)
    return float(max(np.abs(np.asarray(cosine) - exact_cosine).max(), np.abs(np.asarray(sine) - exact_sine).max()))


@pytest.mark.parametrize("reach", [0.5, 1.0, 30.0, 1e4, 1e7, 1e30, 1.5e38])
def test_float32_error_at_any_reach(reach):
    turns = np.random.default_rng(0).uniform(-reach, reach, 200_000).astype(np.float32)
    assert _largest_error(turns) <= tolerances.trig_error("float32")


@pytest.mark.parametrize("stride", [61, pytest.param(1, marks=pytest.mark.slow)])
def test_float32_error_on_the_floats_of_a_binade(stride):
    """The floats of [1/8, 1/4), where both polynomials reach the end of their range, all of them or one in 61."""
    bits = np.arange(np.float32(0.125).view(np.uint32), np.float32(0.25).view(np.uint32), stride, dtype=np.uint32)
    turns = bits.view(np.float32)
    assert _largest_error(turns) <= tolerances.trig_error("float32")


def test_largest_floats_are_finite_angles():
    top = np.finfo(np.float32).max
    cosine, sine = trig.cos_sin_turns(jnp.asarray([top, -top]))
    np.testing.assert_allclose(np.asarray(cosine), 1.0, atol=tolerances.trig_error("float32"))
    np.testing.assert_allclose(np.asarray(sine), 0.0, atol=tolerances.trig_error("float32"))


@pytest.mark.parametrize("reach", [0.5, 30.0, 1e7, 1e15])
def test_float64_error(x64, reach):
    turns = np.random.default_rng(1).uniform(-reach, reach, 100_000)
    assert _largest_error(turns) <= tolerances.trig_error("float64")


def test_quarter_turns_are_exact_up_to_the_polynomials():
    quarters = np.arange(-4096, 4097, dtype=np.float32) / 4
    cosine, sine = trig.cos_sin_turns(jnp.asarray(quarters))
    np.testing.assert_array_equal(np.asarray(sine)[::2], 0.0)  # half turns: the reduced angle is exactly 0
    expected = np.array([1, 0, -1, 0])[np.arange(-4096, 4097) % 4]
    np.testing.assert_allclose(np.asarray(cosine), expected, atol=tolerances.trig_error("float32"))


def test_symmetries_are_exact():
    turns = jnp.asarray(np.random.default_rng(2).uniform(0, 50, 10_000).astype(np.float32))
    cosine, sine = trig.cos_sin_turns(turns)
    mirrored_cosine, mirrored_sine = trig.cos_sin_turns(-turns)
    np.testing.assert_array_equal(np.asarray(cosine), np.asarray(mirrored_cosine))
    np.testing.assert_array_equal(np.asarray(sine), -np.asarray(mirrored_sine))


def test_dtype_is_kept(x64):
    for dtype in (jnp.float32, jnp.float64):
        assert {v.dtype for v in trig.cos_sin_turns(jnp.zeros(3, dtype))} == {jnp.dtype(dtype)}


def test_derivatives_are_each_other():
    turns = jnp.asarray(np.linspace(-3.0, 3.0, 101, dtype=np.float32))
    (cosine, sine), (cosine_dot, sine_dot) = jax.jvp(trig.cos_sin_turns, (turns,), (jnp.ones_like(turns),))
    # one rounding of 2 pi and one of the product, on values of size 2 pi
    allowed = 2.0 * math.pi * 4.0 * tolerances.roundoff("float32")
    np.testing.assert_allclose(np.asarray(cosine_dot), -2.0 * math.pi * np.asarray(sine, np.float64), atol=allowed)
    np.testing.assert_allclose(np.asarray(sine_dot), 2.0 * math.pi * np.asarray(cosine, np.float64), atol=allowed)
    gradient = jax.grad(lambda t: trig.cos_sin_turns(t)[1])(jnp.float32(0.0))
    assert float(gradient) == pytest.approx(2.0 * math.pi, rel=1e-6)


def test_second_derivative_and_vmap():
    turn = jnp.float32(0.1)
    second = jax.grad(jax.grad(lambda t: trig.cos_sin_turns(t)[0]))(turn)
    assert float(second) == pytest.approx(-((2 * math.pi) ** 2) * math.cos(0.2 * math.pi), rel=1e-5)
    grid = jnp.asarray(np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4))
    mapped = jax.vmap(trig.cos_sin_turns)(grid)
    for one, whole in zip(mapped, trig.cos_sin_turns(grid), strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(whole))
