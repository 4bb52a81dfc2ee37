"""Sine and cosine of the same angle, together, with the angle counted in turns.

On CPU, XLA's ``sin`` and ``cos`` each repeat a range reduction made for the worst case and cost as much as the matrix
product that feeds them. Angles that are counted in turns need no such reduction: ``t - round(t)`` is
exact in floating point, so two short polynomials on half of the circle give both functions to one rounding error, for
every finite angle.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

# Minimax (Remez exchange, 40 digits) in v = h^2 for |h| <= 1/2, lowest power first: sin(pi h) / h to 1.4e-8, cos(pi h)
# to 2.2e-10.
_SINE = (3.1415926401840513, -5.167710090333068, 2.5500776597467376, -0.5982921595859755, 0.07765940846519566)
_COSINE = (
    0.9999999997806521,
    -4.934802137228322,
    4.058709164341296,
    -1.3352120566536518,
    0.23493755890074913,
    -0.02439671653696151,
)


def _polynomial(coefficients: tuple[float, ...], v: Array) -> Array:
    value = jnp.full_like(v, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        value = value * v + coefficient
    return value


@jax.custom_jvp
def cos_sin_turns(turns: Float[Array, "*shape"]) -> tuple[Float[Array, "*shape"], Float[Array, "*shape"]]:
    """Return ``cos(2 pi t)`` and ``sin(2 pi t)``.

    The absolute error is at most 1.5e-7 in float32 for every finite ``t`` (the rounding of ``t`` itself, which moves
    the angle by up to ``2 pi eps |t| / 2``, is the caller's). In float64 the library functions are used behind the same
    exact reduction.

    Args:
        turns: Angles in turns (1 is a full circle), float32 or float64.

    Returns:
        The cosines and the sines, in the dtype of ``turns``. Differentiable: the derivative of one is the other.

    Example:
        >>> import jax.numpy as jnp
        >>> cosine, sine = cos_sin_turns(jnp.asarray([0.0, 0.25, 1000.5]))
        >>> [round(float(v), 6) + 0.0 for v in cosine], [round(float(v), 6) + 0.0 for v in sine]
        ([1.0, 0.0, -1.0], [0.0, 1.0, 0.0])
    """
    circle = turns - jnp.round(turns)  # in [-1/2, 1/2], exact
    half_turns = jnp.round(2 * circle)  # -1, 0 or 1
    rest = 2 * circle - half_turns  # in [-1/2, 1/2], exact
    sign = 1 - 2 * jnp.abs(half_turns)
    if turns.dtype == jnp.float32:
        v = rest * rest
        return sign * _polynomial(_COSINE, v), sign * rest * _polynomial(_SINE, v)
    return sign * jnp.cos(math.pi * rest), sign * jnp.sin(math.pi * rest)


@cos_sin_turns.defjvp
def _cos_sin_turns_jvp(primals, tangents):
    (turns,), (turns_dot,) = primals, tangents
    cosine, sine = cos_sin_turns(turns)
    angle_dot = 2 * math.pi * turns_dot
    return (cosine, sine), (-sine * angle_dot, cosine * angle_dot)
