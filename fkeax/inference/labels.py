"""Random relabellings of two samples, drawn by threshold rather than by sorting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import ArrayLike
from jaxtyping import Array, Bool, Int, Integer, Key

from fkeax.numerics import checks

_LARGEST = 2**31 - 1

Groups = ArrayLike | Sequence[object]
"""A label for each row, numbers or words."""


def split_threshold(values: Int[Array, "b n"], rank: Integer[Array, "b"]) -> Int[Array, "b"]:
    """Return, for each row, a threshold that exactly ``rank`` entries do not exceed, or the rank-th smallest entry.

    The second where ties make the first impossible. Found by counting: random bits are spread evenly, so steps by
    interpolation close in within a few counts, and every third step halves the bracket in case they are not. A handful
    of counts costs a fraction of sorting the row, and vectorises on every device.

    Args:
        values: Not negative.
        rank: From 1 to n.

    Example:
        >>> import jax.numpy as jnp
        >>> int(jnp.sum(jnp.asarray([9, 4, 7]) <= split_threshold(jnp.asarray([[9, 4, 7]]), jnp.asarray([2]))))
        2
    """
    shape = values.shape[:1]
    start = (
        jnp.zeros((), jnp.int32),
        jnp.full(shape, -1, jnp.int32),
        jnp.full(shape, _LARGEST, jnp.int32),
        jnp.zeros(shape, jnp.int32),
        jnp.full(shape, values.shape[1], jnp.int32),
    )

    def unfinished(state: tuple[Array, ...]) -> Array:
        _, low, high, _, count_high = state
        return jnp.any((count_high != rank) & (high - 1 > low))

    def narrow(state: tuple[Array, ...]) -> tuple[Array, ...]:
        step, low, high, count_low, count_high = state
        width = high.astype(jnp.float32) - low.astype(jnp.float32)
        share = (rank - count_low).astype(jnp.float32) / jnp.maximum(count_high - count_low, 1).astype(jnp.float32)
        share = jnp.where(step % 3 == 2, 0.5, share)
        middle = low + (share * jnp.minimum(width, 2.0**30)).astype(jnp.int32) * jnp.where(width > 2.0**30, 2, 1)
        middle = jnp.clip(middle, low + 1, jnp.maximum(high - 1, low + 1))
        count = jnp.sum(values <= middle[:, None], axis=1, dtype=jnp.int32)
        enough = count >= rank
        return (
            step + 1,
            jnp.where(enough, low, middle),
            jnp.where(enough, middle, high),
            jnp.where(enough, count_low, count),
            jnp.where(enough, count, count_high),
        )

    return lax.while_loop(unfinished, narrow, start)[2]


def balanced_labels(
    key: Key[Array, ""], num_draws: int, num_units: int, num_first: Integer[Array, ""] | int
) -> Bool[Array, "b n"]:
    """Draw uniform subsets of exactly ``num_first`` of ``num_units`` units, one a row, as indicators.

    Every unit draws 31 random bits and the ``num_first`` smallest are in. Units that tie at the threshold, which
    happens once in about ``2^31 / num_units`` draws, are taken in order. Draw b depends on the key and b alone.

    Args:
        key: Consumed once.
        num_draws: Rows of the result (static).
        num_units: Columns of the result (static).
        num_first: How many are in, at least 1; may be traced.

    Example:
        >>> import jax
        >>> balanced_labels(jax.random.key(0), 3, 10, 4).sum(axis=1).tolist()
        [4, 4, 4]
    """
    bits = jax.random.bits(key, (num_draws, num_units), jnp.uint32)  # counters run row by row: B changes no row
    values = (bits >> 1).astype(jnp.int32)
    rank = jnp.broadcast_to(jnp.asarray(num_first, jnp.int32), (num_draws,))
    return smallest(values, rank)


def smallest(values: Int[Array, "b n"], rank: Integer[Array, "b"]) -> Bool[Array, "b n"]:
    """Return indicators of the ``rank`` smallest entries of each row; ties at the threshold are taken in order.

    Example:
        >>> import jax.numpy as jnp
        >>> smallest(jnp.asarray([[5, 3, 5, 5]]), jnp.asarray([2])).tolist()
        [[True, True, False, False]]
    """
    inside = values <= split_threshold(values, rank)[:, None]

    def in_order(_: None) -> Array:
        places = jnp.argsort(jnp.argsort(values, axis=1, stable=True), axis=1)
        return places < rank[:, None]

    exact = jnp.all(jnp.sum(inside, axis=1, dtype=jnp.int32) == rank)
    return lax.cond(exact, lambda _: inside, in_order, None)


@dataclass(frozen=True)
class Units:
    """What a permutation moves: single rows, or groups of rows that belong together.

    Attributes:
        of_row: For each row of the pooled sample, the number of its unit.
        num_units: How many there are.
        num_first: How many of them make up the first sample; units are numbered first sample first.
        grouped: Whether the caller gave groups.
        equal_sizes: Whether all units have the same number of rows; then every relabelling keeps the sample sizes.
    """

    of_row: np.ndarray
    num_units: int
    num_first: int
    grouped: bool
    equal_sizes: bool

    @property
    def scheme(self) -> str:
        """What one permutation is, in words."""
        if not self.grouped:
            return "permutations of rows"
        if self.equal_sizes:
            return "permutations of groups"
        return (
            "permutations of groups of unequal size: the number of groups on either side stays, that of rows moves; "
            "exact if groups, sizes included, are exchangeable"
        )


def permutation_units(num_first_rows: int, num_second_rows: int, groups: Groups | None = None) -> Units:
    """Return the units of a permutation test of two samples.

    Args:
        num_first_rows: Rows of the first sample.
        num_second_rows: Rows of the second.
        groups: A label for each row, the first sample's rows first; rows of one label depend on each other and move
            together. None: every row moves alone.

    Raises:
        ValueError: If the labels do not match the rows, a group has rows in both samples, or a sample is one group.
    """
    num_rows = num_first_rows + num_second_rows
    if groups is None:
        return Units(np.arange(num_rows), num_rows, num_first_rows, grouped=False, equal_sizes=True)
    labels = np.asarray(checks.own_array(groups, "groups"))
    if labels.shape != (num_rows,):
        raise ValueError(
            f"groups must hold one label for each of the {num_rows} rows, the reference's first; "
            f"got shape {labels.shape}."
        )
    names, of_row, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    num_inside = np.bincount(of_row[:num_first_rows], minlength=names.size)
    torn = np.flatnonzero((num_inside > 0) & (num_inside < sizes))
    if torn.size:
        raise ValueError(
            f"groups must not reach across the samples; group {names[torn[0]]!s} has rows in both"
            + (f", and so have {torn.size - 1} more." if torn.size > 1 else ".")
        )
    first = num_inside > 0
    num_first = int(first.sum())
    if num_first < 2 or names.size - num_first < 2:
        raise ValueError(
            f"groups must number at least 2 in each sample; got {num_first} and {names.size - num_first}: "
            "a sample that is one group cannot be told from chance."
        )
    order = np.argsort(~first, kind="stable")
    rank = np.empty(names.size, np.intp)
    rank[order] = np.arange(names.size)
    return Units(rank[of_row], names.size, num_first, grouped=True, equal_sizes=bool((sizes == sizes[0]).all()))
