"""The two Laplace kernels: of the l1 and of the l2 distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from fkeax.kernels.distances import magnitude
from fkeax.kernels.matern import Matern
from fkeax.kernels.protocol import Scalar, check_positive
from fkeax.kernels.radial import Radial
from fkeax.numerics import pytrees


@pytrees.register
@dataclass(frozen=True)
class LaplaceL1:
    """The Laplace kernel of the l1 distance, ``exp(-||x - y||_1 / bandwidth)``: a product over coordinates.

    Frequencies have independent Cauchy coordinates of scale ``1 / bandwidth``. Its matrices need differences, not
    inner products: ``n m d`` absolute values instead of a matrix product.

    Attributes:
        bandwidth: In the units of the data, as a sum over coordinates: l1 distances grow with d, l2 with its root.

    Example:
        >>> import jax.numpy as jnp
        >>> round(float(LaplaceL1(2.0)(jnp.asarray([1.0, 0.0]), jnp.asarray([0.0, 1.0]))), 6)  # exp(-1)
        0.367879
    """

    bandwidth: Scalar

    name = "laplace-l1"
    shift_invariant: ClassVar[bool] = True
    unit_diagonal: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse a bandwidth that is a plain number and not positive."""
        check_positive(self.bandwidth, "bandwidth")

    def __call__(self, x: Float[Array, "d"], y: Float[Array, "d"]) -> Float[Array, ""]:
        """Return ``k(x, y)`` for one pair of points."""
        return self.of_l1_distance(jnp.sum(magnitude(x - y)))

    def of_l1_distance(self, distance: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """Return ``k`` elementwise from l1 distances."""
        return jnp.exp(-distance / self.bandwidth)

    def sample_frequencies(
        self, key: Key[Array, ""], num_frequencies: int, dimension: int, dtype: np.dtype | type
    ) -> Float[Array, "r d"]:
        """Draw frequencies (radians per unit) independently from the spectral density.

        Drawn in float32 and widened, so that one key means one map in every precision.
        """
        cauchy = jax.random.cauchy(key, (num_frequencies, dimension), jnp.float32)
        return cauchy.astype(dtype) / self.bandwidth

    def frequency_quantiles(self, levels: np.ndarray) -> np.ndarray:
        """Return quantiles of the standard Cauchy law at levels in (0, 1)."""
        return np.tan(np.pi * (levels - 0.5))


@pytrees.register
@dataclass(frozen=True)
class LaplaceL2(Radial):
    """The Laplace kernel of the l2 distance, ``exp(-||x - y||_2 / bandwidth)``: the Matern kernel of smoothness 1/2.

    Frequencies follow a multivariate Cauchy law of scale ``1 / bandwidth``.

    Attributes:
        bandwidth: In the units of the data.

    Example:
        >>> import jax.numpy as jnp
        >>> round(float(LaplaceL2(5.0)(jnp.asarray([3.0, 0.0]), jnp.asarray([0.0, 4.0]))), 6)  # exp(-1)
        0.367879
    """

    bandwidth: Scalar

    name = "laplace-l2"

    @property
    def _as_matern(self) -> Matern:
        return Matern(self.bandwidth, 0.5)

    def of_squared_distance(self, squared: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """Return ``k`` elementwise from squared l2 distances; 1 at 0, where the gradient is taken as 0."""
        return self._as_matern.of_squared_distance(squared)

    def of_products(
        self, xy: Float[Array, "*shape"], xx: Float[Array, "*shape"], yy: Float[Array, "*shape"]
    ) -> Float[Array, "*shape"]:
        """Return ``k`` from inner products of centred points; 1 for points that rounding cannot tell apart."""
        return self._as_matern.of_products(xy, xx, yy)

    def mixing_scales(self, key: Key[Array, ""], num_frequencies: int) -> Float[Array, "r"]:
        """Draw mixing scales independently, in float32."""
        return self._as_matern.mixing_scales(key, num_frequencies)

    def mixing_quantiles(self, levels: np.ndarray) -> np.ndarray:
        """Return quantiles of the mixing scale; eager, in float64."""
        return self._as_matern.mixing_quantiles(levels)
