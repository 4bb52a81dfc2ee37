"""The rational quadratic kernel."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from fkeax.kernels.protocol import Scalar, check_positive
from fkeax.kernels.radial import Radial
from fkeax.numerics import pytrees, quasi_random


@pytrees.register
@dataclass(frozen=True)
class RationalQuadratic(Radial):
    """The rational quadratic kernel ``(1 + ||x - y||^2 / (2 alpha bandwidth^2))^-alpha``.

    A mixture of Gaussian kernels of many bandwidths: frequencies are ``z sqrt(g) / bandwidth`` with ``z ~ N(0, I)`` and
    ``g ~ Gamma(alpha, rate alpha)``. As alpha grows it tends to the Gaussian kernel of the same bandwidth; small alpha
    sees far pairs.

    Attributes:
        bandwidth: In the units of the data.
        alpha: Positive.

    Example:
        >>> import jax.numpy as jnp
        >>> float(RationalQuadratic(1.0, 0.5)(jnp.asarray([1.0, 1.0]), jnp.asarray([0.0, -1.0])))  # (1 + 5)^-1/2
        0.408248...
    """

    bandwidth: Scalar
    alpha: Scalar

    name = "rational-quadratic"

    def __post_init__(self) -> None:
        """Refuse parameters that are plain numbers and not positive."""
        super().__post_init__()
        check_positive(self.alpha, "alpha")

    def of_squared_distance(self, squared: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """Return ``k`` elementwise from squared l2 distances."""
        # By log1p: for large alpha, 1 + a small number loses the digits that the power then brings up.
        return jnp.exp(-self.alpha * jnp.log1p(squared / (2 * self.alpha * self.bandwidth**2)))

    def mixing_scales(self, key: Key[Array, ""], num_frequencies: int) -> Float[Array, "r"]:
        """Draw ``sqrt(g)``, ``g ~ Gamma(alpha, rate alpha)``, independently, in float32."""
        alpha = jnp.asarray(self.alpha, jnp.float32)
        return jnp.sqrt(jax.random.gamma(key, alpha, (num_frequencies,), jnp.float32) / alpha)

    def mixing_quantiles(self, levels: np.ndarray) -> np.ndarray:
        """Return quantiles of ``sqrt(g)``; eager, in float64."""
        alpha = float(self.alpha)
        return np.sqrt(quasi_random.gamma_quantiles(levels, alpha) / alpha)
