"""Intervals for VENDI from leaving groups of samples out.

The target is the expected score of n fresh samples, *not* the population's score: VENDI grows with n, and an interval
from one n says nothing about another.

No naive bootstrap: a resample repeats rows, a repeat adds weight but no new eigenvalue, and every score here reads low
on it (n points far from each other score n; a resample of them about 0.56 n at order 1 and 0.50 n at order 2). Leaving
rows out repeats none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from fkeax.diversity.grouped_pairs import Labels, group_numbers
from fkeax.diversity.log_vendi import log_vendi
from fkeax.numerics import accumulate, linalg, student
from fkeax.numerics.accumulate import MomentState

NUM_GROUPS = 10


@dataclass(frozen=True)
class SubsamplingInterval:
    """An interval for the expected VENDI score of as many fresh samples.

    Attributes:
        order: In [0, inf].
        value: The score of all samples.
        stderr: Standard error of the score over fresh samples, by the delta method from ``log V``.
        lower: Lower end.
        upper: Upper end; may exceed n.
        level: Nominal coverage.
        num_groups: Groups that were left out one at a time.
        method: In words.
    """

    order: float
    value: float
    stderr: float
    lower: float
    upper: float
    level: float
    num_groups: int
    method: str


def random_groups(
    num_rows: int, *, seed: int | Sequence[int], num_groups: int = NUM_GROUPS, groups: Labels | None = None
) -> np.ndarray:
    """Return a number of a group for every row, at random: rows that belong together stay together.

    Args:
        num_rows: Rows to divide.
        seed: Of the division.
        num_groups: How many to make, at most one a row, or one a label of ``groups``.
        groups: Labels of rows that depend on each other, such as frames of a clip.

    Raises:
        ValueError: For fewer than two rows or groups, or labels that do not match the rows.

    Example:
        >>> np.bincount(random_groups(25, seed=0, num_groups=4)).tolist()
        [7, 6, 6, 6]
    """
    if num_rows < 2:
        raise ValueError(f"x must have at least 2 rows for an interval from leaving some out; got {num_rows}.")
    if num_groups < 2:
        raise ValueError(f"num_groups must be at least 2; got {num_groups}.")
    units = np.arange(num_rows) if groups is None else group_numbers(groups, num_rows)
    num_units = int(units.max()) + 1
    place = np.random.default_rng(seed).permutation(num_units)
    return place[units] % min(num_groups, num_units)


def interval_from_gram(
    gram: np.ndarray, orders: Sequence[float], groups: np.ndarray, *, level: float = 0.95
) -> tuple[SubsamplingInterval, ...]:
    """Return intervals from a kernel matrix: its sub-matrices without each group of rows, of which no row is copied.

    Args:
        gram: Symmetric (n, n) kernel matrix of samples that count alike.
        orders: In [0, inf].
        groups: The group of each row, 0 to G - 1, such as from :func:`random_groups`.
        level: Nominal coverage.

    Returns:
        One entry an order.

    Raises:
        ValueError: If the matrix is not square, or the groups do not match its rows or are fewer than two.

    Cost:
        G + 1 spectra of about n x n, eigenvalues only; one matrix beside the given one at a time.
    """
    if gram.ndim != 2 or gram.shape[0] != gram.shape[1]:
        raise ValueError(f"gram must be a square kernel matrix; got shape {gram.shape}.")
    numbers = group_numbers(groups, gram.shape[0])
    sizes = np.bincount(numbers)
    spectra = [linalg.eigenvalues(gram)]
    for group in range(sizes.size):
        kept = np.flatnonzero(numbers != group)
        spectra.append(linalg.eigenvalues(gram[np.ix_(kept, kept)], overwrite=True))
    return _intervals(log_vendi(spectra, orders), sizes.astype(np.float64), orders, level)


def interval_from_moments(
    moments: Sequence[MomentState], orders: Sequence[float], *, level: float = 0.95
) -> tuple[SubsamplingInterval, ...]:
    """Return intervals from the sums of each group under one feature map: the sums of the others are their total less.

    Given the frequencies: the error and the bias of random features are not in the interval.

    Args:
        moments: One a group, each of at least one row. Groups of dependent rows must not be divided between them.
        orders: In [0, inf].
        level: Nominal coverage.

    Returns:
        One entry an order.

    Raises:
        ValueError: For fewer than two groups, or a group without rows.

    Cost:
        G + 1 spectra of f x f, eigenvalues only. The G states are in memory at once, with two more of the same size.
    """
    if len(moments) < 2:
        raise ValueError(f"moments must hold at least 2 groups; got {len(moments)}.")
    sizes = np.asarray([moment.weight.to_float() for moment in moments])
    if not (sizes > 0).all():
        raise ValueError(f"moments must each hold at least one row; that of group {int(np.argmin(sizes))} is empty.")
    total = reduce(accumulate.merge_moments, moments)
    spectra = [linalg.block_eigenvalues(total.blocks)]
    for moment in moments:
        rest = tuple(whole - part for whole, part in zip(total.blocks, moment.blocks, strict=True))
        spectra.append(linalg.block_eigenvalues(rest))
    return _intervals(log_vendi(spectra, orders), sizes, orders, level)


def _intervals(
    logs: np.ndarray, sizes: np.ndarray, orders: Sequence[float], level: float
) -> tuple[SubsamplingInterval, ...]:
    """Return the intervals from ``log V`` of all rows (first) and without each group."""
    num_groups = sizes.size
    variances = delete_group_variance(logs[0], logs[1:], sizes)
    quantile = student.central_quantile(level, num_groups - 1)
    method = (
        f"delete-group jackknife of log V over {num_groups} groups of samples, Student's t with {num_groups - 1} "
        "degrees of freedom; target: the expected score of as many fresh samples"
    )
    found = []
    for order, log_score, variance in zip(orders, logs[0], variances, strict=True):
        value, stderr = math.exp(log_score), math.sqrt(variance)
        reach = math.exp(quantile * stderr)
        found.append(
            SubsamplingInterval(
                float(order), value, value * stderr, value / reach, value * reach, level, num_groups, method
            )
        )
    return tuple(found)


def delete_group_variance(whole: np.ndarray, without: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the delete-group jackknife variance of statistics of samples in groups that may differ in size.

    From pseudo-values ``h t - (h - 1) t_(g)``, h = n / n_g, each weighted by ``1 / (h - 1)``; for equal sizes that is
    ``(G - 1)/G sum (t_(g) - mean)^2``.

    Args:
        whole: Statistics of all samples, one an order.
        without: Statistics without each group, one row a group.
        sizes: Rows of each group, or their weight.

    References:
        Busing, Meijer and van der Leeden, Delete-m jackknife for unequal m, Statistics and Computing 9 (1999).
    """
    shares = (sizes.sum() / sizes)[:, None]
    pseudo = shares * whole - (shares - 1) * without
    centre = sizes.size * whole - ((1 - 1 / shares) * without).sum(axis=0)
    return (np.square(pseudo - centre) / (shares - 1)).mean(axis=0)
