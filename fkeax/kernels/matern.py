"""The Matern kernels of half-integer smoothness."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from fkeax.kernels.distances import joined_duplicates, root
from fkeax.kernels.protocol import Scalar
from fkeax.kernels.radial import Radial
from fkeax.numerics import pytrees, quasi_random

_NAMES = {0.5: "matern12", 1.5: "matern32", 2.5: "matern52"}


@pytrees.register
@dataclass(frozen=True)
class Matern(Radial):
    """The Matern kernel of smoothness ``nu`` in {1/2, 3/2, 5/2}.

    With ``u = sqrt(2 nu) ||x - y|| / bandwidth``: ``exp(-u)``, ``(1 + u) exp(-u)`` and ``(1 + u + u^2/3) exp(-u)``. As
    nu grows it tends to the Gaussian kernel of the same bandwidth. Frequencies follow a multivariate Student t of ``2
    nu`` degrees of freedom and scale ``1 / bandwidth``: normal vectors over ``sqrt(chi^2_{2 nu} / (2 nu))``. Their
    tails are heavy: angles are large, and one cosine has nearly its largest variance, 1/2, at short distances already.

    Attributes:
        bandwidth: In the units of the data.
        nu: Static; samples of the Gaussian process of this kernel have fewer than nu derivatives.

    Raises:
        ValueError: If nu is none of the three, or the bandwidth a plain number that is not positive.

    Example:
        >>> import jax.numpy as jnp
        >>> round(float(Matern(2.0, 1.5)(jnp.asarray([3.0]), jnp.asarray([1.0]))), 6)  # (1 + sqrt 3) exp(-sqrt 3)
        0.483358
    """

    bandwidth: Scalar
    nu: float = field(metadata={"static": True})

    def __post_init__(self) -> None:
        """Refuse a smoothness without a closed form, and a bandwidth that is a plain number and not positive."""
        super().__post_init__()
        if self.nu not in _NAMES:
            raise ValueError(f"nu must be 0.5, 1.5 or 2.5; got {self.nu!r}.")

    @property
    def name(self) -> str:
        """Its name in settings: matern12, matern32 or matern52."""
        return _NAMES[self.nu]

    def of_squared_distance(self, squared: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """Return ``k`` elementwise from squared l2 distances; 1 at 0, where the gradient is taken as 0."""
        u = root(squared) * (math.sqrt(2 * self.nu) / self.bandwidth)
        if self.nu == 0.5:
            return jnp.exp(-u)
        if self.nu == 1.5:
            return (1 + u) * jnp.exp(-u)
        return (1 + u + jnp.square(u) / 3) * jnp.exp(-u)

    def of_products(
        self, xy: Float[Array, "*shape"], xx: Float[Array, "*shape"], yy: Float[Array, "*shape"]
    ) -> Float[Array, "*shape"]:
        """Return ``k`` from inner products of centred points; 1 for points that rounding cannot tell apart."""
        return self.of_squared_distance(joined_duplicates(xy, xx, yy))

    def mixing_scales(self, key: Key[Array, ""], num_frequencies: int) -> Float[Array, "r"]:
        """Draw ``1 / sqrt(chi^2_{2 nu} / (2 nu))`` independently, in float32."""
        degrees = round(2 * self.nu)
        squares = jnp.square(jax.random.normal(key, (num_frequencies, degrees), jnp.float32))
        return 1 / jnp.sqrt(jnp.mean(squares, axis=1))

    def mixing_quantiles(self, levels: np.ndarray) -> np.ndarray:
        """Return quantiles of ``1 / sqrt(chi^2_{2 nu} / (2 nu))``; eager, in float64."""
        return 1 / np.sqrt(quasi_random.gamma_quantiles(1 - levels, self.nu) / self.nu)
