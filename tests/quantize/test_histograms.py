"""Bins and counts: given classes, lattices, weights, refusals."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax import quantize


def test_given_labels_share_their_bins() -> None:
    found = quantize.given_labels(np.array([7, -1, 7]), np.array([3, -1]))
    assert [side.tolist() for side in found.labels] == [[2, 0, 2], [1, 0]]
    assert found.names.tolist() == [-1, 3, 7]
    assert found.num_buckets == 3
    assert found.labels[0].dtype == np.int32
    text = quantize.given_labels(np.array(["b", "a"]), np.array(["c"]))
    assert text.names.tolist() == ["a", "b", "c"]


def test_lattice_is_the_rounding_of_coordinates() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(200, 3)), rng.normal(size=(150, 3)).astype(np.float32)
    found = quantize.lattice_labels(first, jnp.asarray(second), cell_width=0.7)
    for rows, labels in zip((first, second), found.labels, strict=True):
        np.testing.assert_array_equal(found.names[labels], np.rint(rows.astype(np.float64) / 0.7).astype(int))
    assert found.num_buckets == len(np.unique(found.names, axis=0))
    moved = quantize.lattice_labels(first + 5.0, cell_width=0.7, origin=np.full(3, 5.0))
    # Rounding of x + 5 - 5 may move a row at a cell's edge; none of these lies that close.
    alone = quantize.lattice_labels(first, cell_width=0.7)
    np.testing.assert_array_equal(moved.labels[0], alone.labels[0])
    assert quantize.lattice_labels(first, second, cell_width=1e3).num_buckets == 1


def test_counts() -> None:
    labels = np.random.default_rng(1).integers(0, 9, 500)
    np.testing.assert_array_equal(
        np.asarray(quantize.counts_from_labels(labels, 12)), np.bincount(labels, minlength=12)
    )
    weights = np.random.default_rng(2).uniform(size=500).astype(np.float32)
    found = quantize.counts_from_labels(labels, 12, weights)
    np.testing.assert_allclose(np.asarray(found), np.bincount(labels, weights, 12), rtol=1e-5)
    traced = jax.jit(lambda x, w: (quantize.counts_from_labels(x, 12), quantize.counts_from_labels(x, 12, w)))
    plain, weighted = traced(jnp.asarray(labels), jnp.asarray(weights))
    np.testing.assert_array_equal(np.asarray(plain), np.bincount(labels, minlength=12))
    np.testing.assert_allclose(np.asarray(weighted), np.asarray(found), rtol=1e-6)
    assert quantize.counts_from_labels(np.array([], np.int32), 3).tolist() == [0, 0, 0]


def test_sparse_bins() -> None:
    mean, empty = quantize.sparse_bins(jnp.asarray([0, 2, 4, 0]))
    assert (float(mean), float(empty)) == (1.5, 0.5)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: quantize.given_labels(), ValueError, "at least one vector of classes; got none"),
        (lambda: quantize.given_labels(np.array([])), ValueError, r"sample 0 must be one vector.*got shape \(0,\)"),
        (lambda: quantize.given_labels(np.array([np.nan])), ValueError, "sample 0 must hold classes; got NaN"),
        (lambda: quantize.given_labels(np.array([1]), np.array(["a"])), TypeError, "classes of one type"),
        (lambda: quantize.lattice_labels(cell_width=1.0), ValueError, r"at least one \(n, d\) array"),
        (
            lambda: quantize.lattice_labels(np.ones((2, 2)), cell_width=-1.0),
            ValueError,
            "cell_width must be a positive",
        ),
        (
            lambda: quantize.lattice_labels(np.ones((2, 2)), np.ones((2, 3)), cell_width=1.0),
            ValueError,
            "sample 0 has 2, sample 1 has 3",
        ),
        (
            lambda: quantize.lattice_labels(np.full((2, 2), np.nan), cell_width=1.0),
            ValueError,
            "NaN or infinity in row",
        ),
        (lambda: quantize.lattice_labels(np.ones((1, 1)), cell_width=1e-300), ValueError, "cells have no number"),
        (
            lambda: quantize.lattice_labels(np.ones((2, 2)), cell_width=1.0, origin=np.zeros(3)),
            ValueError,
            r"origin must be a point of dimension 2; got shape \(3,\)",
        ),
        (lambda: quantize.counts_from_labels(np.array([0, 5]), 5), ValueError, "from 0 to 4; they range from 0 to 5"),
        (lambda: quantize.counts_from_labels(np.array([0.0]), 5), TypeError, "whole numbers; got dtype float"),
        (
            lambda: quantize.counts_from_labels(np.array([0, 1]), 5, np.ones(3)),
            ValueError,
            "weights must be 2 numbers",
        ),
    ],
)
def test_refusals(call, error, message) -> None:
    with pytest.raises(error, match=message):
        call()
