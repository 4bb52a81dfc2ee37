"""Batches of one shape, re-cut streams, and the row sample."""

from __future__ import annotations

import numpy as np
import pytest

from fkeax.numerics import batching


def test_padding_is_masked_and_owned():
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    batch = batching.pad(rows, None, 8, centre=np.ones(2, np.float32), dtype=np.dtype(np.float32))
    rows[...] = np.nan
    np.testing.assert_array_equal(batch.rows[:3], np.arange(6).reshape(3, 2) - 1.0)
    np.testing.assert_array_equal(batch.rows[3:], 0.0)
    np.testing.assert_array_equal(batch.weights, [1, 1, 1, 0, 0, 0, 0, 0])


def test_centring_happens_before_the_cast():
    rows = np.array([[1e8 + 0.5], [1e8 - 0.25]])
    batch = batching.pad(rows, None, 2, centre=np.array([1e8]), dtype=np.dtype(np.float32))
    np.testing.assert_array_equal(batch.rows, [[0.5], [-0.25]])


@pytest.mark.parametrize("size", [1, 2, 4, 5, 7, 100])
def test_rebatched_keeps_rows_and_order(size):
    x = np.arange(34).reshape(17, 2).astype(np.float64)
    chunks = list(batching.rebatched([x[:0], x[:3], x[3:4], x[4:12], x[:0], x[12:]], size))
    np.testing.assert_array_equal(np.concatenate(chunks), x)
    assert all(len(chunk) == size for chunk in chunks[:-1])
    assert 0 < len(chunks[-1]) <= size


def test_rebatched_chunks_are_owned():
    buffer = np.zeros((2, 1))

    def reuse():
        for value in range(6):
            buffer[...] = value
            yield buffer

    chunks = list(batching.rebatched(reuse(), 3))
    np.testing.assert_array_equal(np.concatenate(chunks)[:, 0], np.repeat(np.arange(6), 2))


def test_rebatched_widens_to_the_widest_dtype():
    narrow, wide = np.ones((2, 1), np.float32), np.full((2, 1), 1 / 3)
    chunks = np.concatenate(list(batching.rebatched([narrow, wide], 8)))
    assert chunks.dtype == np.float64
    assert chunks[-1, 0] == 1 / 3


def test_padded_sizes_are_few():
    assert {batching.padded_size(n, 64) for n in range(1, 200)} == {1, 2, 4, 8, 16, 32, 64}
    assert all(batching.padded_size(n, 64) >= min(n, 64) for n in range(1, 200))


@pytest.mark.parametrize("cut", [1, 7, 50, 1000])
def test_row_sample_does_not_depend_on_the_cut(cut):
    x = np.arange(300).reshape(300, 1).astype(np.float64)
    sample = batching.RowSample(20, np.array([5], np.uint32))
    for start in range(0, 300, cut):
        sample.update(x[start : start + cut])
    whole = batching.RowSample(20, np.array([5], np.uint32))
    whole.update(x)
    np.testing.assert_array_equal(sample.rows, whole.rows)
    assert len(np.unique(sample.rows)) == 20
    assert np.all(np.diff(sample.rows[:, 0]) > 0)


def test_row_sample_is_uniform():
    """2,000 samples of 5 rows from 20: every row's count is binomial (2000, 1/4); all within 5 sd (false-alarm rate
    1e-5).
    """
    x = np.arange(20).reshape(20, 1)
    counts = np.zeros(20)
    for seed in range(2000):
        sample = batching.RowSample(5, np.array([seed], np.uint32))
        sample.update(x[:11])
        sample.update(x[11:])
        counts[sample.rows[:, 0]] += 1
    assert np.all(np.abs(counts - 500) < 5 * np.sqrt(2000 * 0.25 * 0.75))


def test_short_streams_are_kept_whole():
    sample = batching.RowSample(10, np.array([0], np.uint32))
    sample.update(np.zeros((0, 2)))
    sample.update(np.ones((3, 2)))
    assert sample.rows.shape == (3, 2)
