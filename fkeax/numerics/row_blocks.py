"""An (n, d) array in pieces that are read when their rows are asked for: shards, row groups, compressed chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

_ITERATED_ROWS = 1_024


@dataclass(frozen=True)
class Block:
    """Some consecutive rows.

    Attributes:
        num_rows: How many.
        read: Returns them as a (num_rows, d) array, from disk or mapped.
    """

    num_rows: int
    read: Callable[[], np.ndarray]


class RowBlocks:
    """An (n, d) array whose rows lie in blocks; at most one block is held in memory.

    It has ``shape``, ``dtype`` and ``len``, and gives copies or views of rows for a number, a slice, an array of
    numbers or a mask; ``numpy.asarray`` of it reads everything. Rows are cast to ``dtype`` after they are cut out, so
    that a block that is mapped from the disk stays there.

    Args:
        blocks: The pieces, in order.
        dimension: Columns of every piece.
        dtype: What rows are returned in.

    Example:
        >>> x = RowBlocks([Block(2, lambda: np.zeros((2, 3))), Block(1, lambda: np.ones((1, 3)))], 3, np.float32)
        >>> x.shape, x[1:].tolist()
        ((3, 3), [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    """

    ndim = 2

    def __init__(self, blocks: Sequence[Block], dimension: int, dtype: DTypeLike):
        self._blocks = tuple(blocks)
        self._starts = np.concatenate([[0], np.cumsum([block.num_rows for block in self._blocks], dtype=np.int64)])
        self._held: tuple[int, np.ndarray] | None = None
        self.shape = (int(self._starts[-1]), dimension)
        self.dtype = np.dtype(dtype)

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"RowBlocks(shape={self.shape}, dtype={self.dtype}, {len(self._blocks)} blocks)"

    def __iter__(self) -> Iterator[np.ndarray]:
        for chunk in self.chunks(_ITERATED_ROWS):
            yield from chunk

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, tuple):
            first, *others = rows
            return self[first][(slice(None), *others) if not isinstance(first, (int, np.integer)) else tuple(others)]
        if isinstance(rows, slice):
            start, stop, step = rows.indices(len(self))
            return self._cut(start, stop) if step == 1 else self._gather(np.arange(start, stop, step))
        if isinstance(rows, (int, np.integer)):
            return self._gather(np.array([self._checked(int(rows))]))[0]
        wanted = np.asarray(rows)
        if wanted.dtype == bool:
            if wanted.shape != (len(self),):
                raise IndexError(f"a mask must have one entry for each of the {len(self)} rows; got {wanted.shape}.")
            return self._gather(np.flatnonzero(wanted))
        wanted = wanted.astype(np.int64) if wanted.size == 0 else wanted
        if wanted.dtype.kind not in "iu":
            raise IndexError(f"rows are chosen by numbers, a slice or a mask; got dtype {wanted.dtype}.")
        for end in (wanted.min(), wanted.max()) if wanted.size else ():
            self._checked(int(end))
        wanted = wanted.astype(np.int64)
        found = self._gather(np.where(wanted < 0, wanted + len(self), wanted).ravel())
        return found.reshape(*wanted.shape, self.shape[1])

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        if copy is False and len(self._blocks) > 1:
            raise ValueError("an array in blocks cannot become one array without a copy.")
        whole = self._cut(0, len(self))
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def astype(self, dtype: DTypeLike, copy: bool = True) -> RowBlocks:
        """Return the same rows in another dtype, cast as they are read; nothing is copied now, whatever ``copy``."""
        del copy
        return self if self.dtype == dtype else RowBlocks(self._blocks, self.shape[1], dtype)

    def chunks(self, num_rows: int) -> Iterator[np.ndarray]:
        """Yield all rows in order, at most ``num_rows`` at a time."""
        for start in range(0, len(self), num_rows):
            yield self._cut(start, min(start + num_rows, len(self)))

    def _checked(self, row: int) -> int:
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {row} is out of range for {len(self)} rows.")
        return row % len(self)

    def _read(self, number: int) -> np.ndarray:
        if self._held is None or self._held[0] != number:
            self._held = None  # before the next block is read: never two at once
            block = self._blocks[number]
            rows = block.read()
            if rows.shape != (block.num_rows, self.shape[1]):
                raise ValueError(
                    f"rows {self._starts[number]} to {self._starts[number + 1] - 1} changed on the disk while they "
                    f"were read: expected shape {(block.num_rows, self.shape[1])}, got {rows.shape}."
                )
            self._held = (number, rows)
        return self._held[1]

    def _cut(self, start: int, stop: int) -> np.ndarray:
        if stop <= start:
            return np.empty((0, self.shape[1]), self.dtype)
        first = int(np.searchsorted(self._starts, start, side="right")) - 1
        if stop <= self._starts[first + 1]:
            offset = int(self._starts[first])
            return self._read(first)[start - offset : stop - offset].astype(self.dtype, copy=False)
        out = np.empty((stop - start, self.shape[1]), self.dtype)
        number, at = first, start
        while at < stop:
            offset, end = int(self._starts[number]), min(int(self._starts[number + 1]), stop)
            if end > at:
                out[at - start : end - start] = self._read(number)[at - offset : end - offset]
            number, at = number + 1, max(at, end)
        return out

    def _gather(self, rows: np.ndarray) -> np.ndarray:
        out = np.empty((rows.size, self.shape[1]), self.dtype)
        owners = np.searchsorted(self._starts, rows, side="right") - 1
        order = np.argsort(owners, kind="stable")
        bounds = np.flatnonzero(np.diff(owners[order])) + 1
        for places in np.split(order, bounds):
            if places.size:
                number = int(owners[places[0]])
                out[places] = self._read(number)[rows[places] - self._starts[number]]
        return out
