"""Random Fourier features: maps whose inner products approximate a shift-invariant kernel."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Key

from fkeax.numerics import linalg, trig

_MAX_FREQUENCY_BLOCKS = 5  # with cosines and sines apart, ten column parts: 11/20 of a whole symmetric product
_MIN_BLOCK_FREQUENCIES = 256  # narrower parts make matrix products too small to run at full speed


@runtime_checkable
class SpectralKernel(Protocol):
    """A kernel with a spectral density to draw frequencies from (Bochner's theorem)."""

    def sample_frequencies(
        self, key: Key[Array, ""], num_frequencies: int, dimension: int, dtype: np.dtype | type
    ) -> Float[Array, "r d"]:
        """Draw frequencies independently from the spectral density."""
        ...


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class FourierMap:
    """A feature map ``phi(x) = [cos(W (x - c)), sin(W (x - c))] / sqrt(r)`` with ``||phi(x)|| = 1``.

    The centre is part of the map, fixed before the first point: it changes no inner product, but keeps angles small
    where data sit far from the origin, and states made with one map can be merged.

    Attributes:
        frequencies: ``W``, one frequency a row, in radians per unit of the data.
        centre: ``c``, in the units of the data.
    """

    frequencies: Float[Array, "*k r d"]
    centre: Float[Array, "*k d"]

    @property
    def num_frequencies(self) -> int:
        """The number r of frequencies; there are 2r features."""
        return self.frequencies.shape[-2]

    @property
    def block_edges(self) -> list[int]:
        """Where the frequencies are cut into blocks for products by parts."""
        num_blocks = min(_MAX_FREQUENCY_BLOCKS, max(1, self.num_frequencies // _MIN_BLOCK_FREQUENCIES))
        return [self.num_frequencies * i // num_blocks for i in range(num_blocks + 1)]

    @property
    def part_widths(self) -> list[int]:
        """Widths of the parts that :func:`featurize_parts` returns."""
        return 2 * np.diff(self.block_edges).tolist()


def sample_fourier_map(
    key: Key[Array, ""], kernel: SpectralKernel, num_frequencies: int, centre: Float[Array, "d"]
) -> FourierMap:
    """Draw a Fourier map with independent frequencies from the kernel's spectral density (FKEA paper, eq. (1)).

    Inner products of the features are unbiased for the kernel, with variance ``((1 + k(2D))/2 - k(D)^2) / r``.

    Args:
        key: Consumed once.
        kernel: Such as ``fkeax.kernels.Gaussian(bandwidth)``.
        num_frequencies: The paper's r; the map has 2r features.
        centre: A point near the data, such as their mean; also sets the dimension and the dtype.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from fkeax.kernels import Gaussian
        >>> fourier_map = sample_fourier_map(jax.random.key(0), Gaussian(1.0), 5000, jnp.zeros(2))
        >>> x, y = featurize(fourier_map, jnp.zeros(2)), featurize(fourier_map, jnp.ones(2))
        >>> round(float(x @ x), 3), abs(float(x @ y) - 0.367879) < 0.05  # exp(-1); five standard errors
        (1.0, True)
    """
    return FourierMap(kernel.sample_frequencies(key, num_frequencies, centre.shape[0], centre.dtype), centre)


def phases(fourier_map: FourierMap, centred: Float[Array, "d"]) -> Float[Array, "r"]:
    """Return the angles ``W (x - c)`` of one point, given as ``x - c``, in turns."""
    return lax.dot_general(
        centred / (2 * math.pi), fourier_map.frequencies, (((0,), (1,)), ((), ())), precision=linalg.PRECISION
    )


def featurize_parts(fourier_map: FourierMap, centred: Float[Array, "d"]) -> tuple[Float[Array, "_"], ...]:
    """Return the features of one point, ``x - c``, times ``sqrt(r)``, in parts: cosines block by block, then sines.

    The parts stay apart so that symmetric products need no slices; joined, they are ``[cos | sin]`` in the order of the
    frequencies.
    """
    turns = phases(fourier_map, centred)
    cosines, sines = [], []
    for start, stop in itertools.pairwise(fourier_map.block_edges):
        cosine, sine = trig.cos_sin_turns(turns[start:stop])
        cosines.append(cosine)
        sines.append(sine)
    return (*cosines, *sines)


def featurize(fourier_map: FourierMap, point: Float[Array, "d"]) -> Float[Array, "f"]:
    """Return the 2r features of one point, ``[cos | sin] / sqrt(r)``; ``vmap`` it for a batch.

    Deviation from the paper: eq. (5) and Theorem 2 put eigenvector entries inside the sine and cosine; the frequencies
    belong there.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from fkeax.kernels import Gaussian
        >>> fourier_map = sample_fourier_map(jax.random.key(0), Gaussian(1.0), 3, jnp.zeros(2))
        >>> jax.vmap(lambda x: featurize(fourier_map, x))(jnp.zeros((4, 2))).shape
        (4, 6)
    """
    parts = featurize_parts(fourier_map, point - fourier_map.centre)
    return jnp.concatenate(parts) / math.sqrt(fourier_map.num_frequencies)
