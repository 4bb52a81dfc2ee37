"""Batches of one shape: host data cut, centred, cast, padded and masked; a row sample drawn on the way.

A pad row is not harmless: the features of the zero vector are ``cos 0 = 1``, a mode of its own. Every batch therefore
carries weights, and padding has weight 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import jax
import numpy as np

from fkeax.numerics import checks
from fkeax.numerics.row_blocks import RowBlocks


@dataclass(frozen=True)
class Batch:
    """Rows of one shape, owned by the batch, with weights; padding rows are zeros of weight 0."""

    rows: np.ndarray
    weights: np.ndarray


def padded_size(num_rows: int, batch_size: int) -> int:
    """Return the next power of two, at most ``batch_size``: few shapes to compile, at most half of a batch wasted."""
    return min(batch_size, 1 << max(num_rows - 1, 0).bit_length())


def pad(
    rows: np.ndarray, weights: np.ndarray | None, size: int, *, centre: np.ndarray | None, dtype: np.dtype
) -> Batch:
    """Return ``rows`` minus ``centre``, cast to ``dtype`` and padded to ``size`` rows.

    The subtraction comes before the cast, in the wider of the two dtypes: float64 data far from the origin keep their
    spread. The result never shares memory with ``rows``, which the caller may overwrite at once.

    Raises:
        ValueError: If a number is too large for ``dtype``.
    """
    num_rows = rows.shape[0]
    out = np.zeros((size, rows.shape[1]), dtype)
    try:
        with np.errstate(over="raise"):
            if centre is None:
                out[:num_rows] = rows
            else:
                wide = np.result_type(rows.dtype, dtype)
                np.subtract(rows, centre, out=out[:num_rows], dtype=wide, casting="same_kind")
    except FloatingPointError as error:
        raise ValueError(f"x holds numbers too large for {dtype}; scale it, or compute in float64.") from error
    full = np.zeros(size, dtype)
    full[:num_rows] = 1 if weights is None else weights
    return Batch(out, full)


def host_rows(batch: object, name: str) -> np.ndarray:
    """Return one batch of an iterable as a host matrix; tensors of other libraries come through ``__array__``."""
    if isinstance(batch, (tuple, list)) and len(batch) > 0 and hasattr(batch[0], "shape"):
        raise TypeError(
            f"{name} yields tuples, as a data loader with labels does; batches must be (rows, d) arrays: "
            f"pass (b[0] for b in {name})."
        )
    if isinstance(batch, np.ndarray) and batch.ndim == 2 and batch.shape[0] == 0:
        return batch  # an empty batch changes nothing
    return np.asarray(checks.matrix(batch, f"every batch of {name}"))


def matrix_chunks(x: np.ndarray | RowBlocks, batch_size: int) -> Iterator[np.ndarray]:
    """Yield views of ``batch_size`` rows; a memory map is read as it is consumed."""
    for start in range(0, x.shape[0], batch_size):
        yield np.asarray(x[start : start + batch_size])


def rebatched(batches: Iterable[object], batch_size: int, name: str = "x") -> Iterator[np.ndarray]:
    """Yield the rows of an iterable of 2-D batches, in order, as owned chunks of ``batch_size`` rows and a rest.

    Raises:
        ValueError: If a batch is not 2-D, or its width differs from the first one's; it names the batch's number.
    """
    buffer: np.ndarray | None = None
    filled = 0
    for number, item in enumerate(batches):
        rows = host_rows(item, name)
        if rows.shape[0] == 0:
            continue
        if buffer is None:
            buffer = np.empty((batch_size, rows.shape[1]), rows.dtype)
        if rows.shape[1] != buffer.shape[1]:
            raise ValueError(
                f"{name} must yield batches of one width; batch {number} has {rows.shape[1]} columns, "
                f"the first had {buffer.shape[1]}."
            )
        if np.result_type(rows.dtype, buffer.dtype) != buffer.dtype:
            buffer = buffer.astype(np.result_type(rows.dtype, buffer.dtype))
        taken = 0
        while taken < rows.shape[0]:
            step = min(batch_size - filled, rows.shape[0] - taken)
            buffer[filled : filled + step] = rows[taken : taken + step]
            filled, taken = filled + step, taken + step
            if filled == batch_size:
                yield buffer.copy()
                filled = 0
    if buffer is not None and filled:
        yield buffer[:filled].copy()


_INDEX_CHUNK = 65_536


class RowSample:
    """A uniform sample without replacement of at most ``size`` rows of a stream of unknown length.

    Every row draws a priority and the smallest ones stay (a bottom-k sample). Priorities are drawn in row order, so the
    sample does not depend on how the stream is cut.
    """

    def __init__(self, size: int, seed: np.ndarray):
        self._size = size
        self._random = np.random.default_rng(seed)
        self._priorities = np.empty(0)
        self._rows: np.ndarray | None = None

    def update(self, rows: np.ndarray) -> None:
        """Offer rows; those that stay are copied."""
        priorities = self._random.random(rows.shape[0])
        if self._rows is None:
            self._rows = np.empty((0, rows.shape[1]), rows.dtype)
        if self._priorities.size == self._size:
            candidates = np.flatnonzero(priorities < self._priorities.max())
            rows, priorities = rows[candidates], priorities[candidates]
        if rows.shape[0] == 0:
            return
        merged = np.concatenate([self._priorities, priorities])
        keep = np.sort(np.argsort(merged, kind="stable")[: self._size])
        self._priorities = merged[keep]
        self._rows = np.concatenate([self._rows, rows])[keep]

    def indices(self, num_rows: int) -> np.ndarray:
        """Return the row numbers that a stream of ``num_rows`` rows would leave in a fresh sample of the same seed."""
        numbers, priorities = np.empty(0, np.int64), np.empty(0)
        for start in range(0, num_rows, _INDEX_CHUNK):  # the same draws as at once, in memory that does not grow with n
            stop = min(start + _INDEX_CHUNK, num_rows)
            numbers = np.concatenate([numbers, np.arange(start, stop)])
            priorities = np.concatenate([priorities, self._random.random(stop - start)])
            keep = np.sort(np.argsort(priorities, kind="stable")[: self._size])
            numbers, priorities = numbers[keep], priorities[keep]
        return numbers

    @classmethod
    def of(cls, size: int, priorities: np.ndarray, rows: np.ndarray) -> RowSample:
        """Return a sample of rows drawn already; it can be merged, and draws nothing itself."""
        sample = cls(size, np.zeros(1, np.uint32))
        keep = np.sort(np.argsort(priorities, kind="stable")[:size])
        sample._priorities, sample._rows = priorities[keep], rows[keep]
        return sample

    @property
    def rows(self) -> np.ndarray:
        """The sampled rows, in stream order."""
        if self._rows is None:
            raise ValueError("the sample is empty: no row was offered.")
        return self._rows

    @property
    def priorities(self) -> np.ndarray:
        """What each sampled row drew."""
        return self._priorities

    def merge(self, other: RowSample) -> RowSample:
        """Return the sample that one stream of both streams' rows would have left, for independent seeds."""
        rows = np.concatenate([self.rows, other.rows])
        return RowSample.of(self._size, np.concatenate([self._priorities, other._priorities]), rows)


def key_seed(key: jax.Array) -> np.ndarray:
    """Return a typed key's data as a seed for NumPy's generators, used where rows are drawn on the host."""
    return np.asarray(jax.random.key_data(key)).ravel()
