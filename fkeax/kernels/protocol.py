"""What the rest of the package asks of a kernel, in parts: values, spectral density, explicit features.

A kernel is a registered dataclass whose numbers are traced, so it crosses ``jit`` and ``vmap`` and a sweep over
bandwidths compiles once. Callers ask for the narrowest protocol that serves them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

import jax
import numpy as np
from jaxtyping import Array, Float, Key

from fkeax.numerics import checks

Scalar = Float[Array, "*k"] | float  # one number; with leading axes in a stack of kernels that a vmap takes apart


@runtime_checkable
class Kernel(Protocol):
    """A positive semi-definite function of two points.

    Attributes:
        name: Its name in settings and on the command line.
        shift_invariant: Whether it depends on ``x - y`` alone; then data are centred first and Fourier features exist.
        unit_diagonal: Whether ``k(x, x) = 1`` for every x.
    """

    shift_invariant: ClassVar[bool]
    unit_diagonal: ClassVar[bool]

    @property
    def name(self) -> str:
        """Its name in settings and on the command line."""
        ...

    def __call__(self, x: Float[Array, "d"], y: Float[Array, "d"]) -> Float[Array, ""]:
        """Return ``k(x, y)`` for one pair of points."""
        ...


@runtime_checkable
class ProductKernel(Kernel, Protocol):
    """A kernel whose values follow from inner products: every one here but the Laplace kernel of the l1 distance."""

    def of_products(
        self, xy: Float[Array, "*shape"], xx: Float[Array, "*shape"], yy: Float[Array, "*shape"]
    ) -> Float[Array, "*shape"]:
        """Return ``k`` elementwise from inner products ``x.y``, ``x.x`` and ``y.y``."""
        ...


@runtime_checkable
class ExplicitKernel(ProductKernel, Protocol):
    """A kernel with a feature map of finite length: ``k(x, y) = features(x) . features(y)``, the dual route."""

    def features(self, x: Float[Array, "d"]) -> Float[Array, "f"]:
        """Return the explicit features of one point."""
        ...

    def feature_dimension(self, dimension: int) -> int:
        """Return how many features a point of this dimension has."""
        ...


@runtime_checkable
class SpectralKernel(Kernel, Protocol):
    """A shift-invariant kernel ``kappa((x - y) / bandwidth)`` with a spectral density (Bochner's theorem).

    Attributes:
        bandwidth: In the units of the data.
    """

    @property
    def bandwidth(self) -> Scalar:
        """The scale of ``x - y``, in the units of the data."""
        ...

    def sample_frequencies(
        self, key: Key[Array, ""], num_frequencies: int, dimension: int, dtype: np.dtype | type
    ) -> Float[Array, "r d"]:
        """Draw frequencies (radians per unit) independently from the spectral density."""
        ...


@runtime_checkable
class RadialKernel(SpectralKernel, ProductKernel, Protocol):
    """A function of the l2 distance that is a scale mixture of Gaussians.

    Its frequencies are ``z m / bandwidth`` with ``z ~ N(0, I)`` and an independent mixing scale m; schemes of
    :mod:`fkeax.features` stratify the length of z and m.

    Attributes:
        mixture: Whether m is random; it is 1 for the Gaussian kernel.
    """

    mixture: ClassVar[bool]

    def of_squared_distance(self, squared: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """Return ``k`` elementwise from squared l2 distances."""
        ...

    def mixing_quantiles(self, levels: np.ndarray) -> np.ndarray:
        """Return quantiles of the mixing scale m at levels in (0, 1); eager, in float64."""
        ...


@runtime_checkable
class L1Kernel(SpectralKernel, Protocol):
    """A function of the l1 distance; its frequencies have independent coordinates."""

    def of_l1_distance(self, distance: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """Return ``k`` elementwise from l1 distances."""
        ...

    def frequency_quantiles(self, levels: np.ndarray) -> np.ndarray:
        """Return quantiles of one coordinate of a frequency, times the bandwidth, at levels in (0, 1)."""
        ...


AnySpectral = TypeVar("AnySpectral", bound=SpectralKernel)


def with_bandwidth(kernel: AnySpectral, bandwidth: Scalar) -> AnySpectral:
    """Return the same kernel at another bandwidth; half of it gives the kernel at twice the difference.

    Example:
        >>> from fkeax.kernels import Matern
        >>> with_bandwidth(Matern(1.0, 2.5), 3.0)
        Matern(bandwidth=3.0, nu=2.5)
    """
    return replace(kernel, bandwidth=bandwidth)  # pyright: ignore[reportArgumentType]  (kernels are dataclasses)


def check_positive(value: object, name: str) -> None:
    """Raise if a parameter is a plain number that is not positive and finite, or a string.

    Tracers, arrays and the placeholders with which JAX rebuilds dataclasses pass: their value is not known here.
    """
    if isinstance(value, (bool, int, float, str, np.number)) and not isinstance(value, jax.Array):
        checks.positive_number(value, name)
