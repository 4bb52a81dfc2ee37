"""Nearest-neighbour ratios: against a plain search, with duplicates, and against the law of the labels."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from fkeax.frontier import nearest_ratios
from tests.helpers import gaussian_pair


def _plain(p: np.ndarray, q: np.ndarray, k: int, own: int) -> tuple[np.ndarray, np.ndarray]:
    """The definition: sort all other rows by distance, count the first k by side."""
    pooled, n, m = np.concatenate([p, q]), len(p), len(q)
    values = []
    for i, x in enumerate(pooled):
        distance = np.sqrt(np.sum((pooled - x) ** 2, axis=1))
        distance[i] = np.inf
        nearest = np.argsort(distance)[:k]
        of_p, of_q = int(np.sum(nearest < n)), int(np.sum(nearest >= n))
        if i < n:
            values.append(np.inf if of_q == 0 else ((of_p + own) / n) / (of_q / m))
        else:
            values.append((of_p / n) / ((of_q + own) / m))
    return np.array(values[:n]), np.array(values[n:])


@pytest.mark.parametrize("k", [1, 7])
def test_against_a_plain_search(k):
    p, q = gaussian_pair.draw(np.random.default_rng(0), 40, 30)
    found = nearest_ratios(p, q, num_neighbors=k)
    at_p, at_q = _plain(p, q, k, own=1)
    np.testing.assert_allclose(found.at_p, at_p)
    np.testing.assert_allclose(found.at_q, at_q)


def test_without_the_own_point():
    p, q = gaussian_pair.draw(np.random.default_rng(1), 40, 30)
    found = nearest_ratios(p, q, num_neighbors=25, own_point="excluded")
    at_p, at_q = _plain(p, q, 25, own=0)
    np.testing.assert_allclose(found.at_p, at_p)
    np.testing.assert_allclose(found.at_q, at_q)


def test_a_lonely_sample_is_refused_without_its_own_point():
    p = np.arange(5.0)[:, None]
    q = np.concatenate([np.arange(5.0)[:, None] + 0.1, [[0.05]]])
    with pytest.raises(
        ValueError, match=r"own_point='excluded' leaves .* samples without a neighbour of their own side"
    ):
        nearest_ratios(p, q, num_neighbors=1, own_point="excluded")


def test_swapping_the_samples_inverts_the_ratios():
    p, q = gaussian_pair.draw(np.random.default_rng(2), 40, 30)
    there, back = nearest_ratios(p, q, num_neighbors=7), nearest_ratios(q, p, num_neighbors=7)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(there.at_p, 1 / back.at_q)
        np.testing.assert_allclose(there.at_q, 1 / back.at_p)


def test_duplicates_count_in_proportion_whatever_the_order():
    """Six copies in P and three in Q of one point, k = 2: a copy in Q sees 6 and 2 of the 8 others, 1.5 and 0.5."""
    far_p, far_q = np.arange(4.0)[:, None] + 50, np.arange(7.0)[:, None] - 90
    p, q = np.concatenate([np.zeros((6, 1)), far_p]), np.concatenate([far_q, np.zeros((3, 1))])
    found = nearest_ratios(p, q, num_neighbors=2)
    np.testing.assert_allclose(found.at_q[7:], (1.5 / 10) / (1.5 / 10))
    np.testing.assert_allclose(found.at_p[:6], ((2 * 5 / 8 + 1) / 10) / ((2 * 3 / 8) / 10))


def test_estimate_within_the_law_of_the_labels():
    """Given the places, labels are independent: 30 redraws give the estimator's mean, bias included, and its spread.

    The estimate lies within 4 of their standard deviations (P < 1e-3 for t with 29 degrees of freedom), and the bias
    at n = 1000, k = 32 in 4 dimensions, binomial noise up and wide neighbourhoods down, is under a quarter of FI.
    """
    random = np.random.default_rng(3)
    p, q = gaussian_pair.draw(random, 1000, 1000)
    pooled = np.concatenate([p, q])
    neighbors = NearestNeighbors(n_neighbors=33).fit(pooled).kneighbors(pooled, return_distance=False)[:, 1:]

    def estimate(of_p: np.ndarray) -> float:
        n, m = int(of_p.sum()), int((~of_p).sum())
        first = of_p[neighbors].sum(axis=1) + of_p
        second = 32 + 1 - first
        with np.errstate(divide="ignore"):
            r = (first / n) / (second / m)
        return gaussian_pair.pooled_fi(r[of_p], r[~of_p])

    found = nearest_ratios(p, q)
    assert found.diagnostics["num_neighbors"] == 32
    value = gaussian_pair.pooled_fi(found.at_p, found.at_q)
    assert value == pytest.approx(estimate(np.arange(2000) < 1000), rel=1e-6)
    mean, spread = gaussian_pair.relabelled(random, pooled, estimate, 30)
    assert abs(value - mean) < 4 * spread
    assert abs(mean - gaussian_pair.FI) < 0.25 * gaussian_pair.FI


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"num_neighbors": 9}, "num_neighbors must be at most 8, all other samples of both sides; got 9."),
        ({"num_neighbors": 0}, "num_neighbors must be at least 1; got 0."),
        ({"own_point": "twice"}, "own_point must be one of counted, excluded; got 'twice'."),
    ],
)
def test_bad_arguments_are_named(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        nearest_ratios(np.eye(4), np.eye(5, 4), **settings)
