"""Random relabellings: exact sizes, uniform, groups whole."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from fkeax.inference import balanced_labels, permutation_units, row_labels
from fkeax.inference.labels import smallest


@pytest.mark.parametrize(("num_first", "num_units"), [(1, 7), (7, 7), (3, 7), (780, 1560)])
def test_every_draw_has_the_right_size(key, num_first, num_units):
    labels = balanced_labels(key, 40, num_units, num_first)
    assert (labels.sum(axis=1) == num_first).all()


@pytest.mark.slow
def test_all_subsets_are_equally_likely():
    """Chi-square of 20,000 draws of 3 of 6 over 20 subsets; false alarm 1e-3."""
    labels = np.asarray(balanced_labels(jax.random.key(7), 20_000, 6, 3))
    codes = labels @ (1 << np.arange(6))
    counts = [np.count_nonzero(codes == sum(1 << i for i in chosen)) for chosen in itertools.combinations(range(6), 3)]
    assert sum(counts) == 20_000
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("largest", [1, 2, 5, 2**31 - 1])
def test_ties_are_taken_in_order(largest):
    random = np.random.default_rng(largest % 97)
    values = random.integers(0, largest, (30, 25), endpoint=True).astype(np.int32)
    ranks = random.integers(1, 25, 30, endpoint=True).astype(np.int32)
    found = np.asarray(smallest(jnp.asarray(values), jnp.asarray(ranks)))
    for row, rank, label in zip(values, ranks, found, strict=True):
        expected = np.zeros(25, bool)
        expected[np.argsort(row, kind="stable")[:rank]] = True
        assert (label == expected).all()


def test_draws_do_not_depend_on_how_many(key):
    assert (balanced_labels(key, 5, 30, 12) == balanced_labels(key, 9, 30, 12)[:5]).all()


def test_groups_move_whole(key):
    groups = np.repeat(["a", "b", "c", "d", "e"], [3, 1, 2, 4, 2])
    units = permutation_units(4, 8, groups)
    assert (units.num_units, units.num_first, units.equal_sizes) == (5, 2, False)
    assert "unequal" in units.scheme
    labels = np.asarray(row_labels(key, units, 50))
    assert (labels[:, 0] == [1] * 4 + [0] * 8).all()
    for name in "abcde":
        assert (np.ptp(labels[groups == name], axis=0) == 0).all()
    first_rows = [0, 3, 4, 6, 10]
    assert (labels[first_rows].sum(axis=0) == 2).all()


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ([0, 0, 1, 1, 2], "one label for each of the 6 rows"),
        ([0, 0, 1, 1, 2, 2], "must not reach across the samples; group 1"),
        ([0, 0, 0, 1, 2, 3], "at least 2 in each sample; got 1 and 3"),
    ],
)
def test_groups_that_do_not_fit(groups, words):
    with pytest.raises(ValueError, match=words):
        permutation_units(3, 3, groups)
