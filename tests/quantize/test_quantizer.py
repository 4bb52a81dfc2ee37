"""Joint buckets: symmetric in the samples, blind to the order of rows, right on known cases."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from fkeax.quantize import pool_rows, quantize, quantize_rows


def _pair(seed: int = 0, n: int = 200, m: int = 170, d: int = 10) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.standard_normal((n, d)).astype(np.float32), (random.standard_normal((m, d)) + 0.5).astype(np.float32)


def test_swapping_the_samples_swaps_the_labels_to_the_bit():
    p, q = _pair()
    there, back = quantize(p, q, key=jax.random.key(0)), quantize(q, p, key=jax.random.key(0))
    np.testing.assert_array_equal(there.labels[0], back.labels[1])
    np.testing.assert_array_equal(there.labels[1], back.labels[0])
    assert there.clusters.objectives == back.clusters.objectives
    assert there.num_buckets == 17


def test_the_order_of_rows_does_not_matter():
    p, q = _pair(1)
    shuffle = np.random.default_rng(0).permutation(len(p))
    there, back = quantize(p, q, key=jax.random.key(1)), quantize(p[shuffle], q, key=jax.random.key(1))
    np.testing.assert_array_equal(there.labels[0][shuffle], back.labels[0])
    np.testing.assert_array_equal(there.labels[1], back.labels[1])


def test_more_than_two_samples_share_their_buckets():
    p, q = _pair(2)
    r = q + np.float32(0.01)
    key = jax.random.key(2)
    found, moved = quantize(p, q, r, num_buckets=8, key=key), quantize(r, p, q, num_buckets=8, key=key)
    assert [len(rows) for rows in found.labels] == [200, 170, 170]
    for here, there in zip(found.labels, (moved.labels[1], moved.labels[2], moved.labels[0]), strict=True):
        np.testing.assert_array_equal(here, there)
    same = (found.labels[1] == found.labels[2]).mean()
    assert same > 0.9  # a shift of 0.01 moves few rows over a border


def test_another_key_gives_other_buckets():
    p, q = _pair(3)
    pooled = pool_rows([p, q])
    first, second = (quantize_rows(pooled, num_restarts=1, key=jax.random.key(seed)) for seed in (0, 1))
    assert first.clusters.objective != second.clusters.objective


def test_equal_samples_share_every_label():
    p, _ = _pair(4)
    found = quantize(p, p.copy(), key=jax.random.key(0))
    np.testing.assert_array_equal(*found.labels)


def test_distances_come_back_in_the_order_of_the_samples():
    p, q = _pair(5)
    pooled = pool_rows([p, q], unit_rows=False, explained_variance=None)
    found = quantize_rows(pooled, num_buckets=6, key=jax.random.key(0))
    for rows, labels, distances in zip((p, q), found.labels, found.squared_distances(pooled), strict=True):
        np.testing.assert_allclose(distances, np.square(rows - found.clusters.centres[labels]).sum(axis=1), rtol=1e-4)


def test_unit_rows_take_lengths_away():
    p, q = _pair(6)
    lengths = np.random.default_rng(0).uniform(0.1, 10, (len(p), 1)).astype(np.float32)
    first, second = pool_rows([p, q]), pool_rows([p * lengths, q])
    np.testing.assert_allclose(first.rows[np.argsort(first.order)], second.rows[np.argsort(second.order)], atol=1e-5)
    huge = pool_rows([p * np.float32(1e25), q])  # squares of the rows overflow float32
    np.testing.assert_allclose(first.rows[np.argsort(first.order)], huge.rows[np.argsort(huge.order)], atol=1e-5)


def test_repeats_are_found_whatever_the_sample():
    p, q = _pair(7)
    pooled = pool_rows([p, np.concatenate([q, p[:20]])])
    assert int(pooled.is_repeat.sum()) == 20


@pytest.mark.parametrize(
    ("samples", "sentence"),
    [
        ([], "samples must be at least one"),
        ([np.ones((3, 2)), np.ones((3, 4))], "sample 0 has 2, sample 1 has 4."),
        ([np.ones((3, 2)), np.asarray([[1.0, 1.0], [0.0, 0.0]])], "1 rows of length 0.*in sample 1 at row 1"),
        ([np.ones((3, 2)), np.asarray([[1.0, np.inf]])], "sample 1 must be finite; NaN or infinity in row 0"),
    ],
)
def test_bad_samples_are_named(samples, sentence):
    with pytest.raises(ValueError, match=sentence):
        quantize(*samples, key=jax.random.key(0))


def test_more_buckets_than_rows_are_refused():
    with pytest.raises(ValueError, match=r"num_buckets must be at most the number of rows, 4; got 5."):
        quantize(np.eye(2), np.eye(2) + 1, num_buckets=5, key=jax.random.key(0))
