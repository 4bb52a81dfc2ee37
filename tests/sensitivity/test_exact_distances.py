"""What changes say of their transport distance, against optimal assignment and matrix square roots.

With the draw as its own corpus, the distance of the empirical laws is the one that is claimed: exactly for an optimal
map, as a bound for others. The assignment is scipy's, on squared distances from differences: float64 rounding of sums
of 300 of them is below 1e-12 relative, and 1e-10 leaves room for the map's own.
"""

from __future__ import annotations

import jax
import numpy as np
import pytest
from scipy.linalg import sqrtm
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from fkeax.sensitivity import CHANGES, InfeasibleChange, apply_change, describe_corpus
from fkeax.sensitivity.rank_two import plane_distance
from fkeax.sensitivity.rotation import largest_rotation

EXACT = (
    "null",
    "shift",
    "shift-principal",
    "shift-reference",
    "contraction",
    "rank-one",
    "rank-one-shrink",
    "rank-one-random",
    "temperature",
)
UPPER = ("drop", "drop-reserve", "drop-mean-matched", "drop-least", "collapse", "rank-two-random")
STRENGTH = 0.3


def assigned_w2(x, y):
    costs = cdist(x, y, "sqeuclidean")
    return float(costs[linear_sum_assignment(costs)].mean()) ** 0.5


def bures(first, second):
    root = np.real(sqrtm(first))
    return float(np.trace(first) + np.trace(second) - 2 * np.real(np.trace(sqrtm(root @ second @ root)))) ** 0.5


def changed(name, rows, corpus, strength=STRENGTH):
    return apply_change(name, jax.random.key(3), corpus, rows, strength, reference=rows[::-1], reserve=rows)


@pytest.mark.parametrize("name", EXACT)
def test_exact(name, rows, corpus):
    found = changed(name, rows, corpus)
    assert found.w2_kind == "exact"
    assert assigned_w2(rows, found.samples) == pytest.approx(found.w2, rel=1e-10, abs=1e-12)
    if name not in ("null", "temperature"):
        assert found.w2 == pytest.approx(STRENGTH * corpus.rho, rel=1e-12)


@pytest.mark.parametrize("name", UPPER)
def test_upper_bound(name, rows, corpus):
    found = changed(name, rows, corpus)
    assert found.w2_kind == "upper bound"
    assert 0 < assigned_w2(rows, found.samples) <= found.w2 * (1 + 1e-10)


@pytest.mark.parametrize("name", ["rotation", "rank-two"])
def test_lower_bound_is_the_bures_distance(name, rows, corpus):
    """Both covariances are the draw's own, so the ratio is 1 to the square root of rounding, 1e-7."""
    found = changed(name, rows, corpus)
    assert found.w2_kind == "lower bound"
    assert found.w2 <= assigned_w2(rows, found.samples) * (1 + 1e-10)
    after = np.cov(found.samples, rowvar=False, bias=True)
    assert bures(corpus.covariance, after) / (STRENGTH * corpus.rho) == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(np.linalg.eigvalsh(after)[::-1], corpus.eigenvalues, rtol=1e-9)


def test_rotation_is_the_first_crossing(rows, corpus):
    """At smaller angles of the same rotation the distance is smaller."""
    angle = changed("rotation", rows, corpus).details["theta"]
    path = corpus.derived["rotation path"]
    distances = [path.distance(share * angle) for share in np.linspace(0, 1, 40)]
    assert (np.diff(distances) > 0).all()


def test_one_rotation_for_a_corpus_and_strength(rows, corpus):
    """The rotation belongs to the audit: whatever the key of the draw."""
    first, second = (CHANGES["rotation"].affine(jax.random.key(seed), STRENGTH, corpus, None).matrix for seed in (1, 2))
    assert first is second
    np.testing.assert_allclose(first @ first.T, np.eye(len(first)), atol=1e-13)
    assert np.linalg.det(first) == pytest.approx(1)


@pytest.mark.parametrize("dimension", [4, 5])
def test_odd_and_even_dimensions(dimension):
    rows = np.random.default_rng(dimension).standard_normal((60, dimension)) * np.arange(1, dimension + 1)
    corpus = describe_corpus(jax.random.key(0), rows, num_modes=0)
    found = apply_change("rotation", jax.random.key(1), corpus, rows, 0.2)
    after = np.cov(found.samples, rowvar=False, bias=True)
    assert bures(corpus.covariance, after) == pytest.approx(0.2 * corpus.rho, rel=1e-6)


def test_largest_rotation_by_the_best_permutation():
    """The closed form against all pairings of four axes: rotations by right angles reach it."""
    values = np.asarray([5.0, 2.0, 1.0, 0.5])
    roots = np.sqrt(values)
    costs = roots[:, None] * roots[None, :]
    worst = costs[linear_sum_assignment(costs)].sum()
    assert largest_rotation(values) == pytest.approx((2 * (values.sum() - worst)) ** 0.5)


def test_plane_distance_against_square_roots():
    turn = np.asarray([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])
    spread = np.diag([4.0, 0.5])
    assert plane_distance(4.0, 0.5, 0.7) == pytest.approx(bures(spread, turn @ spread @ turn.T), rel=1e-9)


def test_infeasible_strengths_name_the_largest(rows, corpus):
    for name, message in (
        ("rotation", r"strength must be at most [\d.]+ for a rotation of this spectrum"),
        ("rank-two", r"strength must be at most [\d.]+ for a rank-two rotation"),
        ("rank-one-shrink", r"strength must be at most [\d.]+ for a shrinkage"),
    ):
        with pytest.raises(InfeasibleChange, match=message):
            changed(name, rows, corpus, 1.3)


def test_rotation_out_of_reach_of_the_random_one(rows, corpus):
    """Between what one random rotation reaches and what the best one would."""
    largest = largest_rotation(corpus.eigenvalues) / corpus.rho
    with pytest.raises(InfeasibleChange, match="for the random rotation of this corpus"):
        changed("rotation", rows, corpus, 0.9999 * largest)


def test_flat_spectrum_has_no_rotation():
    rows = np.concatenate([np.eye(4), -np.eye(4)])
    corpus = describe_corpus(jax.random.key(0), rows, num_modes=0)
    with pytest.raises(InfeasibleChange):
        apply_change("rotation", jax.random.key(1), corpus, rows, 0.1)
