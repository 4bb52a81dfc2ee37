"""Frontiers of quantized samples: the plug-in, the floor, the costly buckets, the published case."""

from __future__ import annotations

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax.frontier import (
    KL,
    QuantizedFrontier,
    Summaries,
    compatible_mixtures,
    fi_from_histograms,
    mauve_from_histograms,
    mid_from_histograms,
    quantized_frontier,
)
from fkeax.quantize import krichevsky_trofimov
from tests.helpers import gaussian_pair

N, M, K = 200, 200, 20  # those of other tests of this room: one compile


@functools.cache
def _found(swapped: bool = False) -> QuantizedFrontier:
    p, q = gaussian_pair.draw(np.random.default_rng(0), N, M)
    if swapped:
        p, q = q, p
    return quantized_frontier(
        jax.random.key(0),
        p,
        q,
        KL(),
        scale=5.0,
        mixtures=compatible_mixtures(),
        curve_mixtures=compatible_mixtures(),
        num_buckets=K,
        num_seeds=2,
        unit_rows=False,
        explained_variance=None,
        num_restarts=2,
    )


def _law(labels: np.ndarray) -> np.ndarray:
    return np.bincount(labels, minlength=K) / labels.size


@pytest.mark.slow
def test_summaries_are_those_of_the_histograms():
    found = _found()
    for quantizer, plug_in, smoothed in zip(found.quantizers, found.plug_in, found.smoothed, strict=True):
        p, q = (_law(labels) for labels in quantizer.labels)
        expected = [fi_from_histograms(p, q), mid_from_histograms(p, q), mauve_from_histograms(p, q)]
        np.testing.assert_allclose(plug_in, np.asarray(expected), rtol=1e-5)
        p, q = (krichevsky_trofimov(np.bincount(labels, minlength=K)) for labels in quantizer.labels)
        np.testing.assert_allclose(smoothed[2], np.asarray(mauve_from_histograms(p, q)), rtol=1e-5)


def test_swapping_the_samples_mirrors_everything():
    there, back = _found(), _found(swapped=True)
    np.testing.assert_allclose(there.plug_in, back.plug_in, rtol=1e-5)
    np.testing.assert_allclose(there.curve.divergence_p, back.curve.divergence_q[::-1], rtol=1e-4, atol=1e-7)
    np.testing.assert_array_equal(there.costs.rows_p[0], back.costs.rows_q[0])


def test_costs_of_buckets_add_up_to_twice_the_midpoint():
    found = _found()
    costs = found.costs
    assert costs.type_one.sum() + costs.type_two.sum() == pytest.approx(2 * found.plug_in[0, 1], rel=1e-5)
    total = costs.type_one + costs.type_two
    assert (np.diff(total) <= 1e-9).all()
    labels_p, labels_q = found.quantizers[0].labels
    for bucket, mass, rows_p, rows_q in zip(costs.buckets, costs.mass_p, costs.rows_p, costs.rows_q, strict=True):
        assert set(rows_p) == set(np.flatnonzero(labels_p == bucket))
        assert set(rows_q) == set(np.flatnonzero(labels_q == bucket))
        assert mass == pytest.approx(len(rows_p) / N)
    distances = found.quantizers[0].squared_distances(found.pooled)[0]
    assert (np.diff(distances[costs.rows_p[0]]) >= 0).all()


def test_the_costly_buckets_are_where_the_shift_is():
    """Buckets with more of Q than of P cost type I, the others type II, and they lie up and down the shifted axis."""
    found = _found()
    centres = found.quantizers[0].clusters.centres[found.costs.buckets]
    more_q = found.costs.mass_q > found.costs.mass_p
    assert (found.costs.type_one[more_q] <= found.costs.type_two[more_q] + 0.05).all()
    assert centres[more_q, 0].mean() > centres[~more_q, 0].mean() + 0.5


def test_the_floor_is_what_two_samples_of_one_law_score(key):
    """Against 100 pairs of multinomial samples of the pooled law. Both means carry a standard error; within 4 of them
    (P < 1e-4 each).
    """
    found = _found()
    pooled = _law(np.concatenate(found.quantizers[0].labels))
    random = np.random.default_rng(1)
    statistic = jax.jit(
        lambda p, q: jax.lax.map(lambda pair: Summaries(KL(), 5.0, compatible_mixtures())(*pair), (p, q))
    )
    p, q = (jnp.asarray(random.multinomial(size, pooled, 100) / size, jnp.float32) for size in (N, M))
    values = np.asarray(statistic(p, q))
    error = values.std(axis=0, ddof=1) * np.sqrt(1 / 100 + 1 / found.floor.num_draws)
    assert (np.abs(values.mean(axis=0) - found.floor.mean) < 4 * error).all()
    assert (found.floor.extreme[:2] > found.floor.mean[:2]).all()
    assert found.floor.extreme[2] < found.floor.mean[2]


def test_sparse_buckets_and_unfinished_clusters_are_warned_of():
    found = _found()
    assert found.warnings() == []
    sparse = dataclasses.replace(found, num_buckets=50).warnings()
    assert sparse == [
        "the smaller sample has 4 rows a bucket on average: below 5, summaries of histograms are mostly bias; "
        "take fewer buckets or more samples"
    ]
    first = found.quantizers[0]
    stopped = dataclasses.replace(first, clusters=dataclasses.replace(first.clusters, converged=False))
    warnings = dataclasses.replace(found, quantizers=(stopped, found.quantizers[1])).warnings()
    assert warnings == ["1 of 2 k-means did not converge"]


@pytest.mark.slow
def test_the_published_case():
    """5,000 + 5,000 rows in 768 dimensions, k = 500: mauve-text gives .8139 +- .0135 over its seeds, FI .0915 +- .0045.

    The mean over 8 keys is within 3 standard errors, of its own spread and the stated one's (12 seeds): P < 1 % for
    each number. The labels alone matter, so only they are computed.
    """
    from fkeax.quantize import pool_rows, quantize_rows

    random = np.random.default_rng(0)
    p, q = random.standard_normal((5000, 768)), random.standard_normal((5000, 768)) + 0.1
    pooled = pool_rows([p.astype(np.float32), q.astype(np.float32)])
    values = []
    for seed in range(8):
        found = quantize_rows(pooled, key=jax.random.key(seed))
        laws = [np.bincount(labels, minlength=found.num_buckets) / 5000 for labels in found.labels]
        values.append([float(mauve_from_histograms(*laws)), float(fi_from_histograms(*laws))])
    mean, spread = np.mean(values, axis=0), np.std(values, axis=0, ddof=1)
    for i, (stated, stated_spread) in enumerate([(0.8139, 0.0135), (0.0915, 0.0045)]):
        assert abs(mean[i] - stated) < 3 * np.hypot(spread[i] / np.sqrt(8), stated_spread / np.sqrt(12))
