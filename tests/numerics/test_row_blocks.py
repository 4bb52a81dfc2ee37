"""An array in blocks is cut and indexed as the whole array is, and holds one block at a time."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from fkeax.numerics.row_blocks import Block, RowBlocks

X = np.arange(24.0).reshape(8, 3)
CUTS = (0, 3, 3, 4, 8)  # a block without rows among them


def blocks(dtype: str = "float64") -> RowBlocks:
    parts = [X[first:stop] for first, stop in itertools.pairwise(CUTS)]
    return RowBlocks([Block(len(part), lambda part=part: part) for part in parts], 3, dtype)


@pytest.mark.parametrize(
    "rows",
    [
        0,
        -1,
        7,
        slice(None),
        slice(2, 5),
        slice(3, 4),
        slice(5, 2),
        slice(-2, None),
        slice(7, 1, -2),
        slice(0, 100, 3),
        [],
        [7, 0, 0, -3],
        np.array([[1, 2], [6, 3]]),
        X[:, 0] > 5,
        (slice(1, 6), 2),
        (slice(1, 6), slice(0, 2)),
        (4, 1),
    ],
)
def test_rows_are_those_of_the_whole_array(rows) -> None:
    plain = rows if not isinstance(rows, list) else np.array(rows, int)
    np.testing.assert_array_equal(blocks()[rows], X[plain])


def test_as_an_array() -> None:
    x = blocks("float32")
    assert (x.shape, x.ndim, len(x), x.dtype) == ((8, 3), 2, 8, np.float32)
    assert np.asarray(x).dtype == np.float32
    assert np.asarray(x, "int64").dtype == np.int64
    np.testing.assert_array_equal(np.asarray(x), X)
    np.testing.assert_array_equal(np.stack(list(x)), X)
    np.testing.assert_array_equal(np.concatenate(list(x.chunks(3))), X)
    assert x.astype("float16")[2:5].dtype == np.float16
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(x, copy=False)


def test_one_block_at_a_time() -> None:
    held: list[int] = []

    def read(number: int) -> np.ndarray:
        held.append(number)
        return np.full((2, 1), number)

    x = RowBlocks([Block(2, lambda number=number: read(number)) for number in range(5)], 1, int)
    for _ in x.chunks(1):
        pass
    assert held == [0, 1, 2, 3, 4]
    x[[9, 0, 8, 1]]
    assert held[5:] == [0, 4]


@pytest.mark.parametrize("rows", [8, -9, [0, 8], np.ones(3, bool), [0.5]])
def test_rows_out_of_range(rows) -> None:
    with pytest.raises(IndexError):
        blocks()[rows]


def test_a_block_that_changed_is_an_error() -> None:
    x = RowBlocks([Block(2, lambda: np.zeros((3, 1)))], 1, float)
    with pytest.raises(ValueError, match=r"rows 0 to 1 changed on the disk .* expected shape \(2, 1\), got \(3, 1\)"):
        np.asarray(x)
