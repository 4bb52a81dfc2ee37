"""Frontiers of quantized samples: histograms over shared buckets, over several random quantizers.

The default estimator. What one quantizer finds depends on its random start by as much as good models differ, so
several are averaged and their spread is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import ArrayLike
from jaxtyping import Array, Float, Int

from fkeax.frontier.curve import FrontierCurve, Mixtures, PairedMasses, frontier_curve
from fkeax.frontier.debiased import delete_half_jackknife
from fkeax.frontier.generators import Generator
from fkeax.frontier.summaries import Summaries
from fkeax.numerics import batching, checks
from fkeax.quantize import PooledRows, Quantization, pool_rows, quantize_rows, smooth

MIN_COUNT_PER_BUCKET = 5  # of the smaller sample, on average: below, a plug-in is mostly bias
_NUM_GROUPS = 20


@dataclass(frozen=True)
class NullFloor:
    """Summaries when both samples come from one law, at the same sizes and buckets.

    The pooled rows are dealt to the two sides at random, which only needs the counts of the buckets. It is the floor of
    the plug-in: what P against P scores at this size.

    Attributes:
        mean: ``[FI, midpoint, MAUVE]``, over the draws.
        extreme: Beyond what 5 % of the draws go: the 95 % quantile of FI and midpoint, the 5 % quantile of MAUVE.
        num_draws: How many.
    """

    mean: np.ndarray
    extreme: np.ndarray
    num_draws: int


@dataclass(frozen=True)
class BucketCosts:
    """Which buckets carry the cost of the frontier's midpoint, and which samples sit there.

    Attributes:
        buckets: Numbers, by falling cost of both types together.
        mass_p: Share of P's samples in each.
        mass_q: Share of Q's.
        type_one: What each adds to ``D_f(Q||R)``, R half way: Q makes what P does not.
        type_two: What each adds to ``D_f(P||R)``: Q misses what P makes.
        rows_p: Row numbers of P's samples in each, nearest to its centre first.
        rows_q: The same of Q.
    """

    buckets: np.ndarray
    mass_p: np.ndarray
    mass_q: np.ndarray
    type_one: np.ndarray
    type_two: np.ndarray
    rows_p: tuple[np.ndarray, ...]
    rows_q: tuple[np.ndarray, ...]

    def to_dict(self, num_buckets: int = 10, num_rows: int = 5) -> list[dict[str, object]]:
        """Return the costliest buckets as plain dictionaries, with a few rows of each side."""
        return [
            {
                "bucket": int(self.buckets[i]),
                "mass_p": float(self.mass_p[i]),
                "mass_q": float(self.mass_q[i]),
                "type_one": float(self.type_one[i]),
                "type_two": float(self.type_two[i]),
                "rows_p": self.rows_p[i][:num_rows].tolist(),
                "rows_q": self.rows_q[i][:num_rows].tolist(),
            }
            for i in range(min(num_buckets, self.buckets.size))
        ]


@dataclass(frozen=True)
class QuantizedFrontier:
    """What several quantizers found; rows of the summaries are quantizers, columns ``[FI, midpoint, MAUVE]``.

    Attributes:
        curve: Mean over the quantizers of the frontiers of the empirical histograms.
        plug_in: From empirical histograms.
        smoothed: From histograms smoothed as Krichevsky and Trofimov do, half a count more in each bucket.
        debiased: By the delete-half jackknife; None for fewer than 40 rows on a side.
        sampling_error: Of the plug-in, by a jackknife over groups of rows; None likewise.
        debiased_error: Of the debiased ones, quantizer noise apart; None likewise.
        floor: Of the first quantizer.
        costs: Of the first quantizer.
        num_buckets: k.
        quantizers: All of them.
        pooled: The rows that were quantized.
    """

    curve: FrontierCurve
    plug_in: Float[np.ndarray, "seeds 3"]
    smoothed: Float[np.ndarray, "seeds 3"]
    debiased: Float[np.ndarray, "seeds 3"] | None
    sampling_error: Float[np.ndarray, "seeds 3"] | None
    debiased_error: Float[np.ndarray, "seeds 3"] | None
    floor: NullFloor
    costs: BucketCosts
    num_buckets: int
    quantizers: tuple[Quantization, ...]
    pooled: PooledRows

    def warnings(self) -> list[str]:
        """Return sentences that a reader should see."""
        found = []
        per_bucket = min(self.pooled.sizes) / self.num_buckets
        if per_bucket < MIN_COUNT_PER_BUCKET:
            found.append(
                f"the smaller sample has {per_bucket:.2g} rows a bucket on average: below {MIN_COUNT_PER_BUCKET}, "
                "summaries of histograms are mostly bias; take fewer buckets or more samples"
            )
        unconverged = sum(not quantizer.clusters.converged for quantizer in self.quantizers)
        if unconverged:
            found.append(f"{unconverged} of {len(self.quantizers)} k-means did not converge")
        return found


def quantized_frontier(
    key: jax.Array,
    reference: ArrayLike,
    generated: ArrayLike,
    generator: Generator,
    *,
    scale: float,
    mixtures: Mixtures | None,
    curve_mixtures: Mixtures,
    num_buckets: int | None = None,
    num_seeds: int = 5,
    unit_rows: bool = True,
    explained_variance: float | None = 0.9,
    start: str = "rows",
    num_restarts: int = 5,
    num_null_draws: int = 100,
    smoothed_floor: bool = False,
) -> QuantizedFrontier:
    """Return frontier and summaries over shared buckets of both samples, from several quantizers.

    Args:
        key: Split into one for each quantizer and one for resampling.
        reference: Samples of P, (n, d).
        generated: Samples of Q, (m, d).
        generator: f.
        scale: The constant c of the area.
        mixtures: The grid of the area; None for the exact one.
        curve_mixtures: The grid of the curve.
        num_buckets: k; ``max(2, round(min(n, m) / 10))`` unless given.
        num_seeds: Quantizers, each of its own random start.
        unit_rows: Rows are scaled to length 1 first.
        explained_variance: As :func:`fkeax.quantize.pool_rows`.
        start: As :func:`fkeax.quantize.kmeans`.
        num_restarts: As :func:`fkeax.quantize.kmeans`, for each quantizer.
        num_null_draws: Of the floor.
        smoothed_floor: Whether the floor is that of the smoothed histograms.

    Cost:
        ``num_seeds * num_restarts`` runs of k-means on the n + m rows; then little.

    References:
        MAUVE paper, Section 4.1, Algorithm 1.
    """
    seeds = checks.count(num_seeds, "num_seeds")
    pooled = pool_rows([reference, generated], unit_rows=unit_rows, explained_variance=explained_variance)
    key_resampling, *keys = jax.random.split(key, seeds + 1)
    quantizers = tuple(
        quantize_rows(pooled, num_buckets=num_buckets, start=start, num_restarts=num_restarts, key=one) for one in keys
    )
    number = quantizers[0].num_buckets
    statistic = Summaries(generator, jnp.asarray(scale, checks.working_dtype(np.float64)), mixtures)
    counts = [tuple(np.bincount(side, minlength=number) for side in one.labels) for one in quantizers]
    pseudo_count = 0.5 * smoothed_floor
    parts = [
        _histograms(counts, "empirical"),
        _histograms(counts, "krichevsky-trofimov"),
        _dealt(key_resampling, *counts[0], num_draws=num_null_draws, pseudo_count=pseudo_count),
    ]
    enough = min(pooled.sizes) >= 2 * _NUM_GROUPS
    if enough:
        parts += [_without_groups(quantizer) for quantizer in quantizers]
    plug_in, smoothed, dealt, *without = _summaries_of(statistic, parts)
    debiased = errors = None
    if enough:
        resampling = jax.random.split(key_resampling, seeds)
        found = [
            delete_half_jackknife(one, statistic, *quantizer.labels, num_buckets=number, num_groups=_NUM_GROUPS)
            for one, quantizer in zip(resampling, quantizers, strict=True)
        ]
        debiased, errors = (np.asarray([getattr(one, name) for one in found]) for name in ("value", "stderr"))
    curves = _curves(generator, curve_mixtures, *(jnp.asarray(side) for side in parts[0]))
    return QuantizedFrontier(
        curve=FrontierCurve(
            curve_mixtures, jnp.mean(curves.divergence_p, axis=0), jnp.mean(curves.divergence_q, axis=0)
        ),
        plug_in=plug_in,
        smoothed=smoothed,
        debiased=debiased,
        sampling_error=np.asarray([_jackknife_error(values) for values in without]) if enough else None,
        debiased_error=errors,
        floor=_floor(dealt),
        costs=bucket_costs(generator, quantizers[0], pooled),
        num_buckets=number,
        quantizers=quantizers,
        pooled=pooled,
    )


def bucket_costs(generator: Generator, quantization: Quantization, pooled: PooledRows) -> BucketCosts:
    """Return what each bucket of two samples costs at the midpoint of the frontier, costliest first."""
    number = quantization.num_buckets
    p, q = (np.bincount(labels, minlength=number) / labels.size for labels in quantization.labels)
    dtype = checks.working_dtype(np.float64)
    costs = _midpoint_costs(generator, jnp.asarray(p, dtype), jnp.asarray(q, dtype))
    type_one, type_two = (np.asarray(side, np.float64) for side in costs)
    order = np.argsort(-(type_one + type_two), kind="stable")
    rows = []
    for labels, distances in zip(quantization.labels, quantization.squared_distances(pooled), strict=True):
        by_bucket = np.lexsort((distances, labels))
        parts = np.split(by_bucket, np.cumsum(np.bincount(labels, minlength=number))[:-1])
        rows.append(tuple(parts[bucket] for bucket in order))
    return BucketCosts(order, p[order], q[order], type_one[order], type_two[order], *rows)


Histograms = tuple[Float[np.ndarray, "_ k"], Float[np.ndarray, "_ k"]]  # of P and of Q, pair by pair


def _histograms(counts: Sequence[tuple[np.ndarray, ...]], smoothing: str) -> Histograms:
    """Return the laws of both sides for every quantizer."""
    first, second = (
        np.stack([np.asarray(smooth(pair[side].astype(np.float64), smoothing)) for pair in counts]) for side in (0, 1)
    )
    return first, second


def _without_groups(quantization: Quantization) -> Histograms:
    """Return the empirical laws without every twentieth row of both sides in turn."""
    sides = []
    for labels in quantization.labels:
        cells = np.arange(labels.size) % _NUM_GROUPS * quantization.num_buckets + labels
        groups = np.bincount(cells, minlength=_NUM_GROUPS * quantization.num_buckets).reshape(_NUM_GROUPS, -1)
        kept = groups.sum(axis=0) - groups
        sides.append(kept / kept.sum(axis=1, keepdims=True))
    return sides[0], sides[1]


def _dealt(
    key: jax.Array,
    counts_p: Int[np.ndarray, "k"],
    counts_q: Int[np.ndarray, "k"],
    *,
    num_draws: int,
    pseudo_count: float,
) -> Histograms:
    """Return the laws of random deals of the pooled rows to two sides of the same sizes."""
    draws = checks.count(num_draws, "num_null_draws", minimum=2)
    random = np.random.default_rng(batching.key_seed(key))
    pooled, num_p, num_q = counts_p + counts_q, int(counts_p.sum()), int(counts_q.sum())
    dealt = random.multivariate_hypergeometric(pooled, num_p, size=draws, method="marginals")
    total_p, total_q = (size + pseudo_count * pooled.size for size in (num_p, num_q))
    return (dealt + pseudo_count) / total_p, (pooled - dealt + pseudo_count) / total_q


def _summaries_of(statistic: Summaries, parts: Sequence[Histograms]) -> list[Float[np.ndarray, "_ 3"]]:
    """Return the summaries of all pairs of all parts, from one compiled call."""
    dtype = checks.working_dtype(np.float64)
    p, q = (jnp.asarray(np.concatenate([part[side] for part in parts]), dtype) for side in (0, 1))
    values = np.asarray(_summaries(statistic, p, q), np.float64)
    return np.split(values, np.cumsum([part[0].shape[0] for part in parts])[:-1])


@jax.jit
def _summaries(statistic: Summaries, p: Float[Array, "pairs k"], q: Float[Array, "pairs k"]) -> Float[Array, "pairs 3"]:
    return lax.map(lambda pair: statistic(*pair), (p, q))


@jax.jit
def _curves(
    generator: Generator, mixtures: Mixtures, p: Float[Array, "pairs k"], q: Float[Array, "pairs k"]
) -> FrontierCurve:
    return lax.map(lambda pair: frontier_curve(PairedMasses(*pair, *pair), generator, mixtures), (p, q))


@jax.jit
def _midpoint_costs(
    generator: Generator, p: Float[Array, "k"], q: Float[Array, "k"]
) -> tuple[Float[Array, "k"], Float[Array, "k"]]:
    return generator.mixed(q, p, 0.5, 0.5), generator.mixed(p, q, 0.5, 0.5)


def _jackknife_error(values: Float[np.ndarray, "groups 3"]) -> Float[np.ndarray, "3"]:
    spread = np.square(values - values.mean(axis=0)).sum(axis=0)
    return np.sqrt(spread * (_NUM_GROUPS - 1) / _NUM_GROUPS)


def _floor(values: Float[np.ndarray, "draws 3"]) -> NullFloor:
    extreme = np.array([*np.quantile(values[:, :2], 0.95, axis=0), np.quantile(values[:, 2], 0.05)])
    return NullFloor(values.mean(axis=0), extreme, values.shape[0])
