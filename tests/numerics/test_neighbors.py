"""Blocked neighbours, balls, near pairs and order statistics against scikit-learn and NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from fkeax.numerics import near_pairs, neighbors, selection


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(neighbors, "BLOCK_BYTES", 4096)


def test_nearest_against_sklearn(small_blocks):
    random = np.random.default_rng(0)
    points, queries = random.standard_normal((150, 5)) + 1000, random.standard_normal((40, 5)) + 1000
    expected, indices = NearestNeighbors(n_neighbors=4, algorithm="brute").fit(points).kneighbors(queries)
    found, numbers = neighbors.nearest(queries, points, 4, exclude_self=False)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert (numbers == indices).all()
    own, numbers = neighbors.nearest(points, points, 3, exclude_self=True)
    expected, indices = NearestNeighbors(n_neighbors=3, algorithm="brute").fit(points).kneighbors()
    np.testing.assert_allclose(own, expected, rtol=1e-5)
    assert (numbers == indices).all()


def test_duplicates_are_neighbours_at_distance_zero():
    points = np.random.default_rng(1).standard_normal((30, 20)).astype(np.float32)
    points[7] = points[3]
    distances, indices = neighbors.nearest(points, points, 1, exclude_self=True)
    assert (distances[7, 0], indices[7, 0]) == (0.0, 3)
    assert (distances[3, 0], indices[3, 0]) == (0.0, 7)


def test_float64(x64):
    points = np.random.default_rng(2).standard_normal((60, 3))
    found, _ = neighbors.nearest(points, points, 2, exclude_self=True)
    expected = NearestNeighbors(n_neighbors=2, algorithm="brute").fit(points).kneighbors()[0]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_balls_against_numpy(small_blocks):
    random = np.random.default_rng(3)
    first, second = random.standard_normal((70, 2)), random.standard_normal((50, 2))
    first_radii, second_radii = random.uniform(0.1, 1.0, 70), random.uniform(0.1, 1.0, 50)
    distances = np.sqrt(((first[:, None] - second[None]) ** 2).sum(-1))
    around_first, around_second = neighbors.mutual_ball_counts(first, second, first_radii, second_radii)
    assert (around_second.containing == (distances <= second_radii).sum(axis=1)).all()
    assert (around_second.inside == (distances <= second_radii).sum(axis=0)).all()
    assert (around_first.containing == (distances <= first_radii[:, None]).sum(axis=0)).all()
    assert (around_first.inside == (distances <= first_radii[:, None]).sum(axis=1)).all()
    alone = neighbors.ball_counts(first, second, second_radii)
    assert (alone.inside == around_second.inside).all()


def test_too_few_points():
    points = np.zeros((3, 2), np.float32)
    with pytest.raises(ValueError, match="between 1 and 2"):
        neighbors.nearest(points, points, 3, exclude_self=True)
    with pytest.raises(ValueError, match="one width"):
        neighbors.nearest(points, np.zeros((3, 4)), 1, exclude_self=False)


def test_near_pairs_against_all_distances():
    random = np.random.default_rng(4)
    rows = random.standard_normal((300, 12)) + 50
    rows[100:110] = rows[:10] + 0.01 * random.standard_normal((10, 12))
    distances = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(-1))
    expected = np.argwhere(np.triu(distances <= 0.1, 1))
    assert near_pairs.near_pairs(rows, 0.1).tolist() == expected.tolist()
    assert len(expected) == 10
    assert near_pairs.near_pairs(rows * 1e-6, 0.1) is None  # all rows are near each other


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1, 2, 5])
def test_row_hashes(dtype, width):
    random = np.random.default_rng(5)
    rows = random.integers(-1, 2, (400, width)).astype(dtype) * 0.1
    hashes = near_pairs.row_hashes(rows)
    _, by_row = np.unique(rows + 0.0, axis=0, return_inverse=True)
    _, by_hash = np.unique(hashes, return_inverse=True)
    assert len(np.unique(np.stack([by_row, by_hash], axis=1), axis=0)) == by_row.max() + 1 == by_hash.max() + 1


def test_order_statistics_are_exact():
    random = np.random.default_rng(6)
    for values in (random.standard_normal(300_001), np.sort(random.integers(0, 4, 200_000).astype(float))):
        for k in (0, 17, values.size // 2, values.size - 1):
            assert selection.kth_smallest(values, k) == np.partition(values, k)[k]
    padded = np.concatenate([random.standard_normal(10_000) ** 2, np.full(5000, np.inf)])
    assert selection.median_of_smallest(padded, 10_000) == np.median(padded[:10_000])
    many = np.random.default_rng(3).chisquare(9, 200_000)  # enough for a bracket
    assert selection.median_of_smallest(many, many.size) == np.median(many)
    assert selection.order_statistics(many, 70, 90) == tuple(np.sort(many)[[70, 90]])
