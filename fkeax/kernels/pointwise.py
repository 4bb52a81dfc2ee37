"""Kernels as functions of one pair of points, and the same from inner products for blocks of pairs.

A kernel is a registered dataclass, so it crosses ``jit`` and ``vmap`` with its bandwidth traced: a sweep over
bandwidths compiles once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from fkeax.numerics import linalg

Scalar = Float[Array, ""] | float


@runtime_checkable
class Kernel(Protocol):
    """What the rest of the package asks of a kernel.

    Attributes:
        name: Its name in settings and on the command line.
        shift_invariant: Whether it depends on ``x - y`` alone; then data are centred first and Fourier features exist.
        unit_diagonal: Whether ``k(x, x) = 1`` for every x.
    """

    name: ClassVar[str]
    shift_invariant: ClassVar[bool]
    unit_diagonal: ClassVar[bool]

    def __call__(self, x: Float[Array, "d"], y: Float[Array, "d"]) -> Float[Array, ""]:
        """Return ``k(x, y)`` for one pair of points."""
        ...

    def of_products(
        self, xy: Float[Array, "*shape"], xx: Float[Array, "*shape"], yy: Float[Array, "*shape"]
    ) -> Float[Array, "*shape"]:
        """Return ``k`` elementwise from inner products ``x.y``, ``x.x`` and ``y.y``."""
        ...


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Gaussian:
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

    name: ClassVar[str] = "gaussian"
    shift_invariant: ClassVar[bool] = True
    unit_diagonal: ClassVar[bool] = True

    def __call__(self, x: Float[Array, "d"], y: Float[Array, "d"]) -> Float[Array, ""]:
        """Return ``k(x, y)`` for one pair of points."""
        return jnp.exp(-jnp.sum(jnp.square(x - y)) / (2 * self.bandwidth**2))

    def of_products(
        self, xy: Float[Array, "*shape"], xx: Float[Array, "*shape"], yy: Float[Array, "*shape"]
    ) -> Float[Array, "*shape"]:
        """Return ``k`` from inner products; the points must be centred, or the squared distance cancels."""
        squared_distance = jnp.maximum(xx + yy - 2 * xy, 0)
        return jnp.exp(-squared_distance / (2 * self.bandwidth**2))

    def sample_frequencies(
        self, key: Key[Array, ""], num_frequencies: int, dimension: int, dtype: np.dtype | type
    ) -> Float[Array, "r d"]:
        """Draw frequencies (radians per unit) independently from the spectral density.

        Drawn in float32 and widened, so that one key means one map in every precision.
        """
        normal = jax.random.normal(key, (num_frequencies, dimension), jnp.float32)
        return normal.astype(dtype) / self.bandwidth


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Cosine:
    """The cosine kernel ``x.y / (||x|| ||y||)``: inner products of unit rows. Not shift-invariant; no point may be 0.

    Example:
        >>> import jax.numpy as jnp
        >>> float(Cosine()(jnp.asarray([3.0, 4.0]), jnp.asarray([1.0, 0.0]))) == float(jnp.float32(0.6))
        True
    """

    name: ClassVar[str] = "cosine"
    shift_invariant: ClassVar[bool] = False
    unit_diagonal: ClassVar[bool] = True

    def __call__(self, x: Float[Array, "d"], y: Float[Array, "d"]) -> Float[Array, ""]:
        """Return ``k(x, y)`` for one pair of points."""
        return jnp.dot(self.features(x), self.features(y), precision=linalg.PRECISION)

    def of_products(
        self, xy: Float[Array, "*shape"], xx: Float[Array, "*shape"], yy: Float[Array, "*shape"]
    ) -> Float[Array, "*shape"]:
        """Return ``k`` from inner products."""
        return xy / (jnp.sqrt(xx) * jnp.sqrt(yy))

    def features(self, x: Float[Array, "d"]) -> Float[Array, "d"]:
        """Return the explicit feature map of one point: the point over its length."""
        scale = jnp.max(jnp.abs(x))  # first, so that the squares neither overflow nor vanish
        scaled = x / scale
        return scaled / jnp.sqrt(jnp.sum(jnp.square(scaled)))


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Linear:
    """The linear kernel ``x.y``. Its diagonal is not 1: scores divide by the trace, so long rows weigh more.

    Example:
        >>> import jax.numpy as jnp
        >>> float(Linear()(jnp.asarray([3.0, 4.0]), jnp.asarray([1.0, 1.0])))
        7.0
    """

    name: ClassVar[str] = "linear"
    shift_invariant: ClassVar[bool] = False
    unit_diagonal: ClassVar[bool] = False

    def __call__(self, x: Float[Array, "d"], y: Float[Array, "d"]) -> Float[Array, ""]:
        """Return ``k(x, y)`` for one pair of points."""
        return jnp.dot(x, y, precision=linalg.PRECISION)

    def of_products(
        self, xy: Float[Array, "*shape"], xx: Float[Array, "*shape"], yy: Float[Array, "*shape"]
    ) -> Float[Array, "*shape"]:
        """Return ``k`` from inner products."""
        del xx, yy
        return xy

    def features(self, x: Float[Array, "d"]) -> Float[Array, "d"]:
        """Return the explicit feature map of one point: the point."""
        return x
