"""The kernel of the energy distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float

from fkeax.kernels.distances import joined_duplicates, root
from fkeax.numerics import pytrees


@pytrees.register
@dataclass(frozen=True)
class Energy:
    """The negative distance ``-||x - y||_2``, whose squared MMD is the energy distance.

    Only conditionally positive definite: quadratic forms are non-negative for weights that sum to 0. That is all that a
    comparison of two samples needs; its own spectrum has a negative eigenvalue, so it has no diversity score and no
    Fourier features. It has no bandwidth: the energy distance scales with the data.

    Example:
        >>> import jax.numpy as jnp
        >>> float(Energy()(jnp.asarray([3.0, 0.0]), jnp.asarray([0.0, 4.0])))
        -5.0
    """

    name = "energy"
    shift_invariant: ClassVar[bool] = True
    unit_diagonal: ClassVar[bool] = False

    def __call__(self, x: Float[Array, "d"], y: Float[Array, "d"]) -> Float[Array, ""]:
        """Return ``k(x, y)`` for one pair of points."""
        return -root(jnp.sum(jnp.square(x - y)))

    def of_squared_distance(self, squared: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """Return ``k`` elementwise from squared l2 distances."""
        return -root(squared)

    def of_products(
        self, xy: Float[Array, "*shape"], xx: Float[Array, "*shape"], yy: Float[Array, "*shape"]
    ) -> Float[Array, "*shape"]:
        """Return ``k`` from inner products of centred points; 0 for points that rounding cannot tell apart."""
        return -root(joined_duplicates(xy, xx, yy))
