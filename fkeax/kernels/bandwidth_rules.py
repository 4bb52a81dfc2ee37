"""Rules for a bandwidth as words, for Python and settings alike: ``7.0``, ``median``, ``rke=10``, ``mean-k2=0.05``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import jax
import numpy as np

from fkeax.kernels.bandwidth import Bandwidth, given_bandwidth, median_bandwidth
from fkeax.kernels.bandwidth_target import bandwidth_for_mean_square, bandwidth_for_rke
from fkeax.kernels.protocol import SpectralKernel


@runtime_checkable
@runtime_checkable
class BandwidthRule(Protocol):
    """A way to choose a bandwidth, called with the rows it may look at."""

    def __call__(self, x: np.ndarray | jax.Array, *, kernel: SpectralKernel, key: jax.Array | None = None) -> Bandwidth:
        """Return the bandwidth for a kernel (whose own is ignored) on the rows of x."""
        ...


@dataclass(frozen=True)
class GivenRule:
    """A bandwidth that was given as a number."""

    value: float

    def __call__(
        self, x: np.ndarray | jax.Array | None = None, *, kernel: SpectralKernel, key: jax.Array | None = None
    ) -> Bandwidth:
        """Return the number."""
        del x, kernel, key
        return given_bandwidth(self.value)

    def __str__(self) -> str:
        return f"{self.value!r}"


@dataclass(frozen=True)
class MedianRule:
    """The median pairwise distance; see :func:`median_bandwidth`."""

    def __call__(self, x: np.ndarray | jax.Array, *, kernel: SpectralKernel, key: jax.Array | None = None) -> Bandwidth:
        """Return the median distance that the kernel is a function of."""
        return median_bandwidth(x, kernel=kernel, key=key)

    def __str__(self) -> str:
        return "median"


@dataclass(frozen=True)
class RkeRule:
    """The bandwidth at which the rows have a given RKE; see :func:`bandwidth_for_rke`."""

    rke: float

    def __call__(self, x: np.ndarray | jax.Array, *, kernel: SpectralKernel, key: jax.Array | None = None) -> Bandwidth:
        """Return that bandwidth."""
        return bandwidth_for_rke(x, self.rke, kernel=kernel, key=key)

    def __str__(self) -> str:
        return f"rke={self.rke!r}"


@dataclass(frozen=True)
class MeanSquareRule:
    """The bandwidth at which distinct rows have a given mean ``k^2``; see :func:`bandwidth_for_mean_square`."""

    mean_square: float

    def __call__(self, x: np.ndarray | jax.Array, *, kernel: SpectralKernel, key: jax.Array | None = None) -> Bandwidth:
        """Return that bandwidth."""
        return bandwidth_for_mean_square(x, self.mean_square, kernel=kernel, key=key)

    def __str__(self) -> str:
        return f"mean-k2={self.mean_square!r}"


def parse_bandwidth(text: object) -> BandwidthRule:
    """Return the rule that a number or a text names: ``7.0``, ``"median"``, ``"rke=10"`` or ``"mean-k2=0.05"``.

    Raises:
        ValueError: If it is none of these, or its number is out of range whatever the data.
        TypeError: If it is neither a text nor a number.

    Example:
        >>> parse_bandwidth("rke=10"), parse_bandwidth(7), str(parse_bandwidth("mean-k2=0.05"))
        (RkeRule(rke=10.0), GivenRule(value=7.0), 'mean-k2=0.05')
    """
    if not isinstance(text, str):
        return GivenRule(given_bandwidth(text).value)
    word, equals, number = (part.strip() for part in text.partition("="))
    if word == "median" and not equals:
        return MedianRule()
    value = _number(number if equals else word)
    if value is None or (equals and word not in ("rke", "mean-k2")):
        raise ValueError(
            f"bandwidth must be a positive number, 'median', 'rke=NUMBER' or 'mean-k2=NUMBER'; got {text!r}."
        )
    if not equals:
        return GivenRule(given_bandwidth(value).value)
    if word == "rke":
        if not 1 < value < np.inf:
            raise ValueError(f"bandwidth='rke=NUMBER' needs a number above 1; got {text!r}.")
        return RkeRule(value)
    if not 0 < value < 1:
        raise ValueError(f"bandwidth='mean-k2=NUMBER' needs a number between 0 and 1; got {text!r}.")
    return MeanSquareRule(value)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
