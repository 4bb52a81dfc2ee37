"""The Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from fkeax.kernels.protocol import Scalar
from fkeax.kernels.radial import Radial
from fkeax.numerics import pytrees


@pytrees.register
@dataclass(frozen=True)
class Gaussian(Radial):
    """The Gaussian kernel ``exp(-||x - y||^2 / (2 bandwidth^2))``.

    Its spectral density is ``N(0, I / bandwidth^2)``: Fourier features with frequencies drawn from it have this kernel
    as their mean inner product (FKEA paper, Section 3.2).

    Attributes:
        bandwidth: The standard deviation sigma, in the units of the data. Note that other packages call ``2 sigma^2``,
            ``sigma^2`` or ``sqrt(2) sigma`` the bandwidth.

    Example:
        >>> import jax.numpy as jnp
        >>> round(float(Gaussian(2.0)(jnp.asarray([0.0, 2.0]), jnp.asarray([0.0, 0.0]))), 6)
        0.606531
    """

    bandwidth: Scalar

    name = "gaussian"
    mixture: ClassVar[bool] = False

    def of_squared_distance(self, squared: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """Return ``k`` elementwise from squared l2 distances."""
        return jnp.exp(-squared / (2 * self.bandwidth**2))

    def mixing_quantiles(self, levels: np.ndarray) -> np.ndarray:
        """Return the mixing scale, which is 1."""
        return np.ones_like(levels)

    def sample_frequencies(
        self, key: Key[Array, ""], num_frequencies: int, dimension: int, dtype: np.dtype | type
    ) -> Float[Array, "r d"]:
        """Draw frequencies (radians per unit) independently from the spectral density.

        Drawn in float32 and widened, so that one key means one map in every precision.
        """
        normal = jax.random.normal(key, (num_frequencies, dimension), jnp.float32)
        return normal.astype(dtype) / self.bandwidth
