"""k-means against scikit-learn from the same start, the two routes against each other, and degenerate rows."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.cluster import KMeans as SklearnKMeans

from fkeax.numerics.grouped import grouped_row_sums
from fkeax.quantize import device_lloyd, host_lloyd, kmeans, minibatch_kmeans

_device = jax.jit(device_lloyd.lloyd, static_argnames="max_iterations")


@functools.cache
def _rows(n: int = 1500, d: int = 6) -> np.ndarray:
    random = np.random.default_rng(0)
    centres = random.standard_normal((12, d)) * 1.5
    return (centres[random.integers(12, size=n)] + random.standard_normal((n, d))).astype(np.float32)


def _start(x: np.ndarray, k: int, seed: int = 1) -> np.ndarray:
    return x[np.random.default_rng(seed).choice(len(x), k, replace=False)]


def _plain_lloyd(x: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, int]:
    """The iteration as the textbooks have it, with all distances by differences, in float64."""
    x, centres, labels = x.astype(np.float64), centres.astype(np.float64), None
    for iteration in range(500):
        new = np.stack([np.square(x - c).sum(axis=1) for c in centres], axis=1).argmin(axis=1)
        if labels is not None and (new == labels).all():
            return labels, iteration
        labels = new
        centres = np.stack([x[labels == j].mean(axis=0) for j in range(len(centres))])
    raise AssertionError("no convergence")


@pytest.mark.parametrize("k", [1, 5, 60])
def test_no_worse_than_scikit_learn_from_the_same_start(k):
    """Both stop where no row changes its cluster; float32 may break a near tie another way: 1e-5 of the objective."""
    x = _rows()
    start = _start(x, k)
    theirs = SklearnKMeans(k, n_init=1, algorithm="lloyd", init=start, tol=0, max_iter=500).fit(x)
    ours = kmeans(x, start=start)
    assert ours.converged
    assert ours.objective <= theirs.inertia_ * (1 + 1e-5)


@pytest.mark.parametrize("k", [5, 60])
def test_skipping_centres_that_stand_still_changes_no_label(x64, k):
    """In float64, where ties are none, labels and iterations are those of the plain iteration, on both routes."""
    x = _rows().astype(np.float64)
    x -= x.mean(axis=0)
    start = _start(x, k)
    labels, iterations = _plain_lloyd(x, start)
    host = host_lloyd.lloyd(x, start, tolerance=0.0, max_iterations=500)
    device = _device(jnp.asarray(x), jnp.asarray(start), jnp.asarray(0.0), max_iterations=500)
    for found in (host, device):
        np.testing.assert_array_equal(np.asarray(found.labels), labels)
        assert int(found.num_iterations) == iterations
        assert bool(found.converged)
        means = grouped_row_sums(x, labels, k) / np.bincount(labels, minlength=k)[:, None]
        np.testing.assert_allclose(np.asarray(found.centres), means, rtol=1e-12, atol=1e-12)


def test_objective_is_that_of_labels_and_means():
    x = _rows()
    found = kmeans(x, num_clusters=9, num_restarts=3, key=jax.random.key(0))
    wide = x.astype(np.float64)
    inside = sum(np.square(wide[found.labels == j] - wide[found.labels == j].mean(axis=0)).sum() for j in range(9))
    assert found.objective == pytest.approx(inside, rel=1e-5)
    assert min(found.objectives) == pytest.approx(found.objective, rel=1e-5)
    assert len(found.objectives) == 3


def test_shift_of_a_thousand_changes_nothing_but_rounding():
    x = np.round(_rows() * 64) / 64  # exact in float32 after the shift, too
    start = _start(x, 20)
    near, far = kmeans(x, start=start), kmeans(x + np.float32(1024), start=start + np.float32(1024))
    assert far.objective == pytest.approx(near.objective, rel=1e-5)


@pytest.mark.parametrize("route", ["host", "device"])
def test_empty_clusters_are_refilled_from_the_farthest_rows(route):
    x = np.asarray([[0.0], [0.1], [5.0], [9.0]], np.float32) - np.float32(3)
    start = np.asarray([[-3.0], [100.0], [100.0]], np.float32)  # two centres that no row is nearest to
    if route == "host":
        found = host_lloyd.lloyd(x, start, tolerance=0.0, max_iterations=50)
    else:
        found = _device(jnp.asarray(x), jnp.asarray(start), jnp.zeros((), jnp.float32), max_iterations=50)
    assert sorted(np.bincount(np.asarray(found.labels), minlength=3).tolist()) == [1, 1, 2]
    assert bool(found.converged)


@pytest.mark.parametrize("start", ["rows", "plus-plus"])
def test_fewer_distinct_rows_than_clusters(start):
    x = np.repeat(np.asarray([[0.0, 0.0], [1.0, 2.0], [5.0, 1.0]]), 4, axis=0)
    found = kmeans(x, num_clusters=6, start=start, key=jax.random.key(2))
    assert found.converged
    assert found.objective == 0.0
    assert len(np.unique(found.labels)) == 3


def test_ineligible_rows_start_no_cluster_while_others_last():
    x = np.repeat(np.arange(4.0)[:, None], 50, axis=0)
    eligible = np.zeros(200, bool)
    eligible[::50] = True
    for seed in range(5):
        found = kmeans(x, num_clusters=4, num_restarts=1, eligible=eligible, key=jax.random.key(seed), max_iterations=1)
        assert found.objective == 0.0


def test_plus_plus_starts_lower_than_random_rows_on_separated_groups():
    """Ten groups 100 apart: k-means++ misses one with probability under 1e-3 a draw; random rows nearly always do."""
    random = np.random.default_rng(5)
    x = np.repeat(np.arange(10.0)[:, None] * 100, 30, axis=0) + random.standard_normal((300, 1))
    found = kmeans(x, num_clusters=10, start="plus-plus", num_restarts=1, key=jax.random.key(3))
    assert found.objective < 2 * 300


def test_a_tolerance_and_a_limit_stop_earlier_and_say_so():
    x = _rows()
    start = _start(x, 60)
    full = kmeans(x, start=start)
    loose = kmeans(x, start=start, tolerance=1e-2)
    assert loose.converged
    assert loose.num_iterations < full.num_iterations
    assert not kmeans(x, start=start, max_iterations=1).converged


def test_minibatches_come_close_to_the_whole():
    """Centres are off their means by sampling noise of a few thousand rows: within 3 % of the converged objective."""
    x = _rows(20_000)
    whole = kmeans(x, num_clusters=12, start="plus-plus", key=jax.random.key(0))
    found = minibatch_kmeans(x, num_clusters=12, batch_rows=2000, key=jax.random.key(1))
    assert found.converged
    assert found.labels.shape == (20_000,)
    assert found.objective < 1.03 * max(whole.objectives)


@pytest.mark.parametrize(
    ("arguments", "kind", "sentence"),
    [
        ({"num_clusters": 3}, ValueError, "key is needed for the start of k-means"),
        ({"key": jax.random.key}, ValueError, "num_clusters is needed unless start holds the first centres."),
        ({"num_clusters": 11}, ValueError, "num_clusters must be at most the number of rows, 10; got 11."),
        ({"num_clusters": 2, "start": "best"}, ValueError, "start must be one of rows, plus-plus; got 'best'."),
        ({"start": np.zeros((2, 3))}, ValueError, r"start must hold k centres of 2 numbers.*got shape \(2, 3\)."),
        ({"start": np.zeros((2, 2)), "num_clusters": 3}, ValueError, "num_clusters is 3, but start holds 2 centres."),
        ({"num_clusters": 2, "tolerance": -1.0}, ValueError, "tolerance must be at least 0; got -1.0."),
    ],
)
def test_bad_arguments_are_named(arguments, kind, sentence):
    key = arguments.pop("key", None)
    with pytest.raises(kind, match=sentence):
        kmeans(np.eye(10, 2), key=None if key is None else key(0), **arguments)


def test_non_finite_rows_are_named():
    x = np.eye(5)
    x[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN or infinity in row 3"):
        kmeans(x, num_clusters=2, key=jax.random.key(0))
