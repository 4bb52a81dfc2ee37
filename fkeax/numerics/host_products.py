"""Products on the host by BLAS, in place: the fast way on CPU.

BLAS computes half of ``F^T F`` (``syrk``) and adds it to the running sum without a pass of its own; XLA on CPU can do
neither, and takes up to twice as long for a plain product. All calls go to SciPy's library: NumPy has another one, and
idle threads of the one spin for a while where threads of the other would work.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float


def project(
    rows: Float[np.ndarray, "b d"], directions: Float[np.ndarray, "r d"], scale: float, out: Float[np.ndarray, "b r"]
) -> None:
    """Write ``scale * rows directions^T``, all three row-major and of one dtype."""
    from scipy.linalg import blas

    (gemm,) = blas.get_blas_funcs(("gemm",), (out,))
    found = gemm(scale, directions.T, rows.T, c=out.T, trans_a=True, overwrite_c=True)
    if not np.shares_memory(found, out):
        out[:] = found.T


class PairedProductSums:
    """Running sums ``A^T A``, ``A^T B`` and ``B^T B`` over rows that come in two parts of one width.

    Memory: three (width, width) matrices, updated in place.
    """

    def __init__(self, width: int, dtype: np.dtype):
        from scipy.linalg import blas  # the host edge, like LAPACK in fkeax.numerics.linalg

        empty = np.empty(0, dtype)
        self._syrk, self._gemm = blas.get_blas_funcs(("syrk", "gemm"), (empty,))
        # Column-major, as BLAS works in place only there; the transposes of row-major rows are column-major for free.
        self._first, self._cross, self._second = (np.zeros((width, width), dtype, order="F") for _ in range(3))

    def add(self, first: np.ndarray, second: np.ndarray) -> None:
        """Add rows: two row-major (b, width) matrices."""
        a, b = first.T, second.T
        self._first = self._syrk(1.0, a, beta=1.0, c=self._first, overwrite_c=True)
        self._cross = self._gemm(1.0, b, a, beta=1.0, c=self._cross, trans_b=True, overwrite_c=True)
        self._second = self._syrk(1.0, b, beta=1.0, c=self._second, overwrite_c=True)

    def blocks(self) -> tuple[Float[Array, "_ _"], Float[Array, "_ _"], Float[Array, "_ _"]]:
        """Return the sums as :func:`fkeax.numerics.linalg.symmetric_blocks` lays them out, and give up their memory."""
        first = jnp.asarray(_mirrored(self._first.T))
        self._first = _NOTHING
        cross = jnp.asarray(self._cross.T)
        self._cross = _NOTHING
        second = jnp.asarray(_mirrored(self._second.T))
        self._second = _NOTHING
        return first, cross, second


_NOTHING = np.zeros((0, 0))
_TILE = 512


def _mirrored(lower: np.ndarray) -> np.ndarray:
    """Fill the upper triangle of a matrix from its lower one, in place and tile by tile, and return it."""
    for start in range(0, lower.shape[0], _TILE):
        stop = start + _TILE
        square = lower[start:stop, start:stop]
        square[:] = np.tril(square) + np.tril(square, -1).T
        lower[start:stop, stop:] = lower[stop:, start:stop].T
    return lower
