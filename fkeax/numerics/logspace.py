"""Logarithms that are exact, and differentiable, at zero."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float


def log_positive(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """Return ``log x`` where ``x > 0`` and 0 elsewhere, with a zero derivative there.

    The inner ``where`` keeps the unused branch finite; without it reverse differentiation multiplies 0 by infinity.

    Example:
        >>> import jax.numpy as jnp
        >>> [float(v) for v in log_positive(jnp.asarray([0.0, 1.0]))]
        [0.0, 0.0]
    """
    return jnp.where(x > 0, jnp.log(jnp.where(x > 0, x, 1)), 0)


def xlogx(x: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """Return ``x log x``, 0 at 0.

    Example:
        >>> import jax.numpy as jnp
        >>> float(xlogx(jnp.asarray(0.0)))
        0.0
    """
    return x * log_positive(x)
