"""What kernels of the l2 distance share: values from points and from inner products, and frequencies by mixing."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from fkeax.kernels.protocol import Scalar, check_positive


class Radial:
    """The common part of the kernels that are scale mixtures of Gaussians; see :class:`RadialKernel`."""

    bandwidth: Scalar

    shift_invariant: ClassVar[bool] = True
    unit_diagonal: ClassVar[bool] = True
    mixture: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse a bandwidth that is a plain number and not positive."""
        check_positive(self.bandwidth, "bandwidth")

    @abstractmethod
    def of_squared_distance(self, squared: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """Return ``k`` elementwise from squared l2 distances."""

    def __call__(self, x: Float[Array, "d"], y: Float[Array, "d"]) -> Float[Array, ""]:
        """Return ``k(x, y)`` for one pair of points."""
        return self.of_squared_distance(jnp.sum(jnp.square(x - y)))

    def of_products(
        self, xy: Float[Array, "*shape"], xx: Float[Array, "*shape"], yy: Float[Array, "*shape"]
    ) -> Float[Array, "*shape"]:
        """Return ``k`` from inner products; the points must be centred, or the squared distance cancels."""
        return self.of_squared_distance(jnp.maximum(xx + yy - 2 * xy, 0))

    def mixing_scales(self, key: Key[Array, ""], num_frequencies: int) -> Float[Array, "r"]:
        """Draw mixing scales m independently, in float32; a kernel that is no mixture draws none."""
        del key
        return jnp.ones(num_frequencies, jnp.float32)

    def sample_frequencies(
        self, key: Key[Array, ""], num_frequencies: int, dimension: int, dtype: np.dtype | type
    ) -> Float[Array, "r d"]:
        """Draw frequencies (radians per unit) independently from the spectral density.

        Drawn in float32 and widened, so that one key means one map in every precision.
        """
        key_normal, key_mixing = jax.random.split(key)
        normal = jax.random.normal(key_normal, (num_frequencies, dimension), jnp.float32)
        scales = self.mixing_scales(key_mixing, num_frequencies)
        return (normal * scales[:, None]).astype(dtype) / self.bandwidth
