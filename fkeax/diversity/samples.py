"""The samples a score is asked for: a matrix held somewhere, or a stream of batches, checked and cut the same way."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import cast

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax import kernels
from fkeax.kernels import Kernel
from fkeax.numerics import batching, checks
from fkeax.numerics.row_blocks import RowBlocks

MAX_BATCH_ROWS = 65_536  # beyond, a batch gains no speed and only takes memory
_CENTRE_ROWS = 1_024

Rows = ArrayLike | Iterable[object]
"""Samples as a caller may give them: an array, nested lists, or an iterable of 2-D batches."""


@dataclass(frozen=True)
class Samples:
    """Rows to be scored.

    Attributes:
        matrix: All rows, NumPy, memory map, blocks on the disk or JAX; None for a stream.
        stream: The batches of a stream; None for a matrix.
        num_samples: None for a stream.
        dimension: Columns; for a stream, of its first batch.
        source_dtype: Dtype as it came.
        batch_size: Rows of a padded batch.
    """

    matrix: np.ndarray | jax.Array | RowBlocks | None
    stream: Iterator[np.ndarray] | None
    num_samples: int | None
    dimension: int
    source_dtype: np.dtype
    batch_size: int

    @property
    def dtype(self) -> np.dtype:
        """What the rows are computed in."""
        return checks.working_dtype(self.source_dtype)

    @property
    def whole(self) -> np.ndarray | jax.Array | None:
        """All rows as one array, read from the disk if they lie there in blocks; None for a stream."""
        return np.asarray(self.matrix) if isinstance(self.matrix, RowBlocks) else self.matrix

    @property
    def on_accelerator(self) -> bool:
        """Whether the rows are a JAX array that lives off the host, where they are scanned rather than fetched."""
        return isinstance(self.matrix, jax.Array) and next(iter(self.matrix.devices())).platform != "cpu"

    def subset(self, rows: np.ndarray) -> Samples:
        """Return the samples of these row numbers, copied; of a matrix only."""
        if self.matrix is None:
            raise ValueError("x is a stream of batches; this needs all samples at once: pass an (n, d) array.")
        matrix = np.asarray(self.matrix[rows])
        size = batching.padded_size(matrix.shape[0], self.batch_size)
        return replace(self, matrix=matrix, num_samples=matrix.shape[0], batch_size=size)

    def chunks(self, kernel: Kernel) -> Iterator[np.ndarray]:
        """Yield host rows in chunks of at most ``batch_size``, checked row by row."""
        source = self.stream
        if self.matrix is not None:
            host = self.matrix if isinstance(self.matrix, RowBlocks) else np.asarray(self.matrix)
            source = batching.matrix_chunks(host, self.batch_size)
        first_row = 0
        for chunk in source or ():
            check_rows(chunk, kernel, first_row)
            yield chunk
            first_row += chunk.shape[0]

    def in_batches_of(self, size: int) -> Samples:
        """Return the samples in batches of at most ``size`` rows."""
        if size >= self.batch_size:
            return self
        stream = self.stream
        if stream is not None:
            stream = (part for chunk in stream for part in batching.matrix_chunks(chunk, size))
        return replace(self, stream=stream, batch_size=size)

    def all_rows(self, kernel: Kernel, dtype: np.dtype) -> jax.Array:
        """Return all rows on the device in ``dtype``, centred for a shift-invariant kernel before any cast."""
        if self.matrix is None:
            raise ValueError("x is a stream of batches; this needs all samples at once: pass an (n, d) array.")
        host = np.asarray(self.matrix)
        check_rows(host, kernel, 0)
        return centred_rows(host, kernel, dtype)


def samples(x: Rows, batch_size: int) -> Samples:
    """Return ``x`` as samples: a matrix if it is array-like, a stream if it is any other iterable of 2-D batches."""
    batch_size = min(batch_size, MAX_BATCH_ROWS)
    is_list_of_batches = isinstance(x, (list, tuple)) and len(x) > 0 and getattr(x[0], "ndim", 0) == 2
    if not is_list_of_batches and (
        hasattr(x, "__array__") or isinstance(x, (list, tuple)) or not isinstance(x, Iterable)
    ):
        matrix = x if isinstance(x, RowBlocks) else checks.matrix(x)
        size = batching.padded_size(matrix.shape[0], batch_size)
        return Samples(matrix, None, matrix.shape[0], matrix.shape[1], np.dtype(matrix.dtype), size)
    if isinstance(x, (str, bytes, dict)):
        came = type(x).__name__
        raise TypeError(
            f"x must be an (n, d) array (numpy.load a file first) or an iterable of 2-D batches; got {came}."
        )
    stream = batching.rebatched(cast("Iterable[object]", x), batch_size)
    first = next(stream, None)
    if first is None:
        raise ValueError("x must have at least one row; the iterable yielded none.")
    return Samples(None, itertools.chain([first], stream), None, first.shape[1], first.dtype, batch_size)


def check_rows(rows: np.ndarray, kernel: Kernel, first_row: int) -> None:
    """Raise if a row is not finite, or is 0 under the cosine kernel."""
    checks.finite_rows(rows, first_row=first_row)
    if kernel.name == "cosine":
        zero = kernels.zero_rows(rows)
        if zero.size:
            raise ValueError(
                f"x has {zero.size} rows of length 0, which have no cosine, the first at row {first_row + zero[0]} "
                "(rows counted from 0)."
            )


def centre_of(rows: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return the median of the first rows, rounded to ``dtype``, so that every wider dtype holds it exactly.

    The median rather than the mean: one row far away must not carry the centre off to where the others coincide. Any
    point near the data serves, so ``_CENTRE_ROWS`` of them are enough.
    """
    with np.errstate(over="ignore"):
        centre = np.median(rows[:_CENTRE_ROWS].astype(np.float64), axis=0).astype(dtype)
    if not np.isfinite(centre).all():
        raise ValueError(f"x holds numbers too large for {dtype}; scale it, or compute in float64.")
    return centre


def centred_rows(rows: np.ndarray, kernel: Kernel, dtype: np.dtype) -> jax.Array:
    """Return host rows on the device in ``dtype``, centred first if the kernel is shift-invariant."""
    centre = centre_of(rows, dtype) if kernel.shift_invariant else None
    return jax.numpy.asarray(batching.pad(rows, None, rows.shape[0], centre=centre, dtype=dtype).rows)
