"""Summaries of a frontier without most of the plug-in's bias, from the labels of two samples.

The plug-in summary of two empirical histograms is biased by about ``k / n``: FI and the midpoint upward, MAUVE
downward, even where P = Q. The delete-half jackknife measures that bias on the sample itself. Random halves of both
samples have twice the bias, so that ``2 S(P_n, Q_n) - mean S(halves)``, the mean over the four pairs of a half of P and
a half of Q, has none of first order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import ArrayLike
from jaxtyping import Array, Float, Int, Key

from fkeax.numerics import checks, pytrees

SUMMARY_NAMES = ("fi", "mid", "mauve")  # the order in which Summaries returns them


@runtime_checkable
class HistogramStatistic(Protocol):
    """A statistic of two histograms that is a pytree, such as :class:`fkeax.frontier.Summaries`."""

    def __call__(self, p: Float[Array, "k"], q: Float[Array, "k"]) -> Float[Array, "statistics"]:
        """Return one or more numbers as a vector."""
        ...


@pytrees.register
@dataclass(frozen=True)
class DebiasedSummaries:
    """What the delete-half jackknife found, one entry for each statistic.

    Attributes:
        value: ``2 S - mean S(halves)``. May leave the range of the statistic by noise: FI below 0, MAUVE above 1.
        stderr: Standard error of the value: the two errors below, combined.
        sampling_error: Of the samples, by a jackknife over groups of rows.
        halving_error: Of the random choice of halves, from their spread: 0 for infinitely many halvings.
        plug_in: ``S(P_n, Q_n)``, whose bias is about ``plug_in - value``.
    """

    value: Float[Array, "statistics"]
    stderr: Float[Array, "statistics"]
    sampling_error: Float[Array, "statistics"]
    halving_error: Float[Array, "statistics"]
    plug_in: Float[Array, "statistics"]


def delete_half_jackknife(
    key: Key[Array, ""],
    statistic: HistogramStatistic,
    labels_p: ArrayLike,
    labels_q: ArrayLike,
    *,
    num_buckets: int,
    num_halvings: int = 8,
    num_groups: int = 20,
) -> DebiasedSummaries:
    """Return summaries of the frontier between the laws of two labelled samples, free of bias of first order.

    Mean bias over 24 draws of P from Dir(2) with 500 bins, Q from Dir(4 k P) or Q = P:

    ====================  =============  ===================  =============
    FI / MAUVE            plug-in        Krichevsky-Trofimov  this
    ====================  =============  ===================  =============
    n = 2,000             .093 / -.264   .049 / -.130         .000 / -.014
    n = 5,000             .035 / -.090   .023 / -.056         -.003 / .025
    n = 2,000, Q = P      .097 / -.203   .064 / -.107         .000 / .079
    ====================  =============  ===================  =============

    The bins count as given: neither the information lost by binning nor the noise of a random quantizer is in the value
    or its error. Rows must be independent.

    The standard error adds, in squares, that of the random halvings and that of a jackknife which deletes groups of
    rows of both samples in turn. It is too large rather than too small, for a jackknife counts second-order terms
    twice: 1.1 to 1.7 times the actual spread in the three cases above.

    Args:
        key: Consumed once: rows are put into groups, and groups cut into halves, at random.
        statistic: Such as ``Summaries(KL(), 5.0, mixtures)``; a pytree, traced. MAUVE on the scale of areas, not of
            their logarithm, whose bias is not of the form that halves can measure.
        labels_p: The bin of each row of P, from 0 to ``num_buckets - 1``.
        labels_q: The same of Q; another number of rows is fine.
        num_buckets: Static.
        num_halvings: Static; at least 2.
        num_groups: Static; at least 2, at most half the rows of either side.

    Returns:
        Values, errors and the plug-in, in float32, or float64 under ``jax.enable_x64``.

    Raises:
        ValueError: Labels out of range, too few rows for the groups, or a count below its minimum.
        TypeError: The key is no typed key, or labels are not whole numbers.

    Cost:
        ``4 num_halvings (num_groups + 1)`` evaluations of the statistic, and as many sorts of the rows as halvings.

    Example:
        >>> import jax, numpy as np
        >>> from fkeax.frontier import KL, Summaries, compatible_mixtures
        >>> rng = np.random.default_rng(0)
        >>> labels = rng.integers(0, 50, size=(2, 400))  # P = Q
        >>> statistic = Summaries(KL(), 5.0, compatible_mixtures())
        >>> found = delete_half_jackknife(jax.random.key(0), statistic, labels[0], labels[1], num_buckets=50)
        >>> bool(abs(found.value[0]) < 3 * found.stderr[0] < found.plug_in[0])  # FI is 0
        True

    References:
        Not in the MAUVE paper, which smooths the histograms instead (Section 4.1.1); the jackknife is Quenouille's.
    """
    key_p, key_q = jax.random.split(checks.typed_key(key, "the random halves"))
    halvings = checks.count(num_halvings, "num_halvings", minimum=2)
    groups = checks.count(num_groups, "num_groups", minimum=2)
    buckets = checks.count(num_buckets, "num_buckets")
    sides = [_checked_labels(labels_p, "labels_p", buckets), _checked_labels(labels_q, "labels_q", buckets)]
    for name, side in zip(("labels_p", "labels_q"), sides, strict=True):
        if len(side) < 2 * groups:
            raise ValueError(f"num_groups must be at most half the rows; got {groups} for {len(side)} rows of {name}.")
    return _jackknife(key_p, key_q, statistic, *sides, num_buckets=buckets, num_halvings=halvings, num_groups=groups)


def _checked_labels(labels: ArrayLike, name: str, num_buckets: int) -> Int[Array, "n"]:
    array = np.asarray(labels)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be whole numbers; got dtype {array.dtype}.")
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} must be one vector with the bin of each row; got shape {array.shape}.")
    if array.min() < 0 or array.max() >= num_buckets:
        raise ValueError(
            f"{name} must lie from 0 to num_buckets - 1 = {num_buckets - 1}; "
            f"they range from {array.min()} to {array.max()}."
        )
    return jnp.asarray(array, jnp.int32)


def _counts_by_half_and_group(
    key: Key[Array, ""], labels: Int[Array, "n"], num_buckets: int, num_halvings: int, num_groups: int
) -> Int[Array, "halvings 2 groups k"]:
    """Count labels in every half of every group, for several random halvings of the same groups.

    Any split that does not look at the labels makes two independent samples of independent rows, so halves may be
    balanced inside each group.
    """
    num_rows = labels.shape[0]
    key_groups, key_halves = jax.random.split(key)
    shuffled = jax.random.permutation(key_groups, labels)
    group = jnp.arange(num_rows, dtype=jnp.int32) % num_groups
    group = jnp.sort(group)
    half = jnp.arange(num_rows, dtype=jnp.int32) % 2
    cell = (half * num_groups + group) * num_buckets

    def count(key_half: Key[Array, ""]) -> Int[Array, "cells"]:
        _, _, mixed = lax.sort((group, jax.random.bits(key_half, (num_rows,)), shuffled), num_keys=2)
        return jnp.zeros(2 * num_groups * num_buckets, jnp.int32).at[cell + mixed].add(1)

    counts = lax.map(count, jax.random.split(key_halves, num_halvings))
    return counts.reshape(num_halvings, 2, num_groups, num_buckets)


@partial(jax.jit, static_argnames=("num_buckets", "num_halvings", "num_groups"))
def _jackknife(
    key_p: Key[Array, ""],
    key_q: Key[Array, ""],
    statistic: HistogramStatistic,
    labels_p: Int[Array, "n"],
    labels_q: Int[Array, "m"],
    *,
    num_buckets: int,
    num_halvings: int,
    num_groups: int,
) -> DebiasedSummaries:
    dtype = checks.working_dtype(np.float64)
    counts_p = _counts_by_half_and_group(key_p, labels_p, num_buckets, num_halvings, num_groups)
    counts_q = _counts_by_half_and_group(key_q, labels_q, num_buckets, num_halvings, num_groups)

    def law(counts: Int[Array, "k"]) -> Float[Array, "k"]:
        values = counts.astype(dtype)
        return values / jnp.sum(values)

    def without(group: Int[Array, ""]) -> tuple[Float[Array, "statistics"], Float[Array, "halvings statistics"]]:
        """Return the plug-in and the mean over pairs of halves without a group; the last group is none."""
        kept = (jnp.arange(num_groups) != group).astype(jnp.int32)[None, None, :, None]
        halves_p, halves_q = jnp.sum(counts_p * kept, axis=2), jnp.sum(counts_q * kept, axis=2)
        whole = statistic(law(jnp.sum(halves_p[0], axis=0)), law(jnp.sum(halves_q[0], axis=0)))

        def mean_of_pairs(sides: tuple[Int[Array, "2 k"], Int[Array, "2 k"]]) -> Float[Array, "statistics"]:
            over_q = jax.vmap(lambda p, q: statistic(law(p), law(q)), in_axes=(None, 0))
            return jnp.mean(jax.vmap(over_q, in_axes=(0, None))(*sides), axis=(0, 1))

        return whole, lax.map(mean_of_pairs, (halves_p, halves_q))

    wholes, halved = lax.map(without, jnp.arange(num_groups + 1))
    values = 2 * wholes - jnp.mean(halved, axis=1)
    spread = jnp.square(values[:-1] - jnp.mean(values[:-1], axis=0, keepdims=True))
    sampling = jnp.sum(spread, axis=0) * ((num_groups - 1) / num_groups)
    halving = jnp.var(halved[-1], axis=0, ddof=1) / num_halvings
    return DebiasedSummaries(
        values[-1], jnp.sqrt(sampling + halving), jnp.sqrt(sampling), jnp.sqrt(halving), wholes[-1]
    )
