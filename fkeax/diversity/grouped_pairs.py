"""Pairs of samples from different groups: rows that depend on each other, such as the frames of one clip.

The population RKE of grouped rows is ``1 / E k(x, x')^2`` over two rows of *different* groups: a row drawn at random,
and another one from a group that is independent of its own. Pairs within a group would measure how alike the frames of
a clip are. Ungrouped rows are the special case of one group a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import ArrayLike
from jaxtyping import Array, Float, Integer

from fkeax import kernels
from fkeax.diversity.pairs import BLOCK_BYTES, between_variance, hoeffding_stderr
from fkeax.inference import jackknife_variance
from fkeax.kernels import Kernel
from fkeax.numerics import checks

Labels = ArrayLike | Sequence[int] | Sequence[str]


@dataclass(frozen=True)
class GroupedPairs:
    """Moments of ``k^2`` over pairs of rows from different groups, and what their errors are made of.

    The mean is a ratio, of the sum of ``k^2`` over such pairs to the number of them; its errors take a group, its size
    included, as one independent draw.

    Attributes:
        second: Mean of ``k^2`` over pairs of rows from different groups, every such pair counting once.
        within: Mean of ``k^2`` over pairs of rows of one group, a row with itself included.
        group_share: Share of the latter among all pairs, ``sum n_g^2 / n^2``; 1/n for groups of one row.
        between: Estimate of the variance between groups of their mean over all others (zeta_1), not below 0.
        spread: Variance of the means over pairs of groups (zeta_2).
        leave_one_out: ``second`` without each group, in the order of the sorted labels; empty below three groups.
        num_groups: How many groups it was measured on.
    """

    second: float
    within: float
    group_share: float
    between: float
    spread: float
    leave_one_out: np.ndarray
    num_groups: int

    def u_statistic_stderr(self, num_groups: int | None = None) -> float | None:
        """Return the standard error of ``second`` for independent groups, Hoeffding's variance with both terms.

        Args:
            num_groups: How many groups the value rests on, if more than were measured here.

        Returns:
            None below 4 measured groups, where zeta_1 cannot be estimated.
        """
        if self.num_groups < 4:
            return None
        return hoeffding_stderr(self.between, self.spread, self.num_groups if num_groups is None else num_groups)

    def jackknife_stderr(self) -> float | None:
        """Return the delete-one-group jackknife standard error of ``second``; None below three groups.

        It counts the part of the variance that pairs contribute beyond single groups twice, so it lies above the error
        by Hoeffding's variance; the choice where groups are few or their sizes differ much.
        """
        return jackknife_variance(self.leave_one_out) ** 0.5 if self.leave_one_out.size else None


def without_group_pairs(second_moment: float, within: float, group_share: float) -> float:
    """Return the mean of ``k^2`` over pairs of different groups from the mean over all pairs.

    Args:
        second_moment: Mean over all pairs, such as a debiased one from features.
        within: Mean over pairs within a group, self-pairs included (:attr:`GroupedPairs.within`).
        group_share: Share of those pairs (:attr:`GroupedPairs.group_share`).

    Example:
        >>> without_group_pairs(0.5, 1.0, 1 / 2)  # two groups of identical rows
        0.0
    """
    return (second_moment - group_share * within) / (1 - group_share)


def group_numbers(groups: Labels, num_rows: int) -> np.ndarray:
    """Return labels as numbers from 0 to the number of groups minus 1, in the order of the sorted labels.

    Raises:
        ValueError: If there is not one label, a whole number or a string, for every row; or fewer than two groups.
    """
    labels = np.asarray(checks.own_array(groups, "groups"))
    if labels.shape != (num_rows,) or labels.dtype.kind not in "iubUS":
        raise ValueError(
            f"groups must hold one label for each of the {num_rows} rows, a whole number or a string; "
            f"got shape {labels.shape}, dtype {labels.dtype}."
        )
    names, numbers = np.unique(labels, return_inverse=True)
    if names.size < 2:
        raise ValueError("groups must number at least 2; got 1: rows of one group are not independent.")
    return numbers


def grouped_pairs(kernel: Kernel, x: Float[Array, "n d"], groups: Labels) -> GroupedPairs:
    """Return the moments over pairs of rows from different groups, in one pass over blocks of kernel values.

    Args:
        kernel: With a unit diagonal.
        x: Rows; centred for a shift-invariant kernel.
        groups: A label for each row. Sizes may differ.

    Raises:
        ValueError: For a kernel without a unit diagonal, labels that do not match the rows, or fewer than two groups.

    Cost:
        ``2 n^2 d`` flops; 64 MiB of kernel values at a time and, on the host, sums of a block of groups with all groups
        (never n x n, nor groups x groups). Sums over groups in float64.

    Example:
        >>> import jax.numpy as jnp
        >>> from fkeax.kernels import Gaussian
        >>> clips = jnp.asarray([[0.0], [0.0], [9.0], [9.0]])  # two clips of two equal frames each
        >>> found = grouped_pairs(Gaussian(1.0), clips, [7, 7, 8, 8])
        >>> found.within, found.group_share, found.second < 1e-30
        (1.0, 0.5, True)
    """
    if not kernel.unit_diagonal:
        raise ValueError(f"kernel must have k(x, x) = 1 for a population RKE; got {kernel.name}.")
    numbers = group_numbers(groups, x.shape[0])
    order = np.argsort(numbers, kind="stable")
    edges = np.concatenate([[0], np.cumsum(np.bincount(numbers))])
    sizes = np.diff(edges).astype(np.float64)
    num_groups = sizes.size
    others, own = np.zeros(num_groups), np.zeros(num_groups)
    squares = products = 0.0  # of the sums over pairs of groups: with themselves, and with the numbers of their rows
    for first, sums in _sums_between_groups(kernel, x[order], edges):
        block = np.arange(sums.shape[0])
        own[first + block] = sums[block, first + block]
        sums[block, first + block] = 0
        others[first + block] = sums.sum(axis=1)
        squares += float(np.square(sums).sum())
        products += float(sizes[first + block] @ (sums @ sizes))
    return _from_sums(sizes, others, own, squares, products)


def _from_sums(sizes: np.ndarray, others: np.ndarray, own: np.ndarray, squares: float, products: float) -> GroupedPairs:
    """Return the moments from sums over pairs of groups.

    The ratio T / N of the sum and the number of pairs is linear in ``(S_gh - (T / N) n_g n_h) / mean(n_g n_h)`` to
    first order: a kernel of two groups with mean 0, whose zeta_1 and zeta_2 follow as for single rows.
    """
    num_groups, num_rows = sizes.size, float(sizes.sum())
    partners = sizes * (num_rows - sizes)  # pairs of a group's rows with all others
    num_pairs = float(partners.sum())
    total = float(others.sum())
    second = total / num_pairs
    per_pair = num_pairs / (num_groups * (num_groups - 1))
    counts = float(np.square(np.square(sizes).sum()) - np.power(sizes, 4).sum())
    spread = max(squares - 2 * second * products + second**2 * counts, 0.0)
    spread /= per_pair**2 * num_groups * (num_groups - 1)
    leave_one_out = np.empty(0)
    if num_groups > 2:
        leave_one_out = (total - 2 * others) / (num_pairs - 2 * partners)
    # Means of groups over all others; where sizes differ, as leaving the group out moves the ratio: deviations from a
    # ratio that the group itself has drawn to its side would be too small.
    means = (num_groups - 2) / 2 * -leave_one_out
    return GroupedPairs(
        second=second,
        within=float(own.sum() / np.square(sizes).sum()),
        group_share=float(np.square(sizes).sum() / num_rows**2),
        between=between_variance(means, spread),
        spread=spread,
        leave_one_out=leave_one_out,
        num_groups=num_groups,
    )


@partial(jax.jit, static_argnames="block_rows")
def _squared_rows(
    kernel: Kernel, x: Float[Array, "n d"], start: Integer[Array, ""] | int, *, block_rows: int
) -> Float[Array, "b n"]:
    rows = lax.dynamic_slice_in_dim(x, start, block_rows)
    themselves = (start + jnp.arange(block_rows))[:, None] == jnp.arange(x.shape[0])[None, :]
    return jnp.where(themselves, 1, jnp.square(kernels.cross_gram(kernel, rows, x)))


def _sums_between_groups(kernel: Kernel, x: Float[Array, "n d"], edges: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield sums of ``k^2`` of some groups with all groups, and the number of the first of them.

    Args:
        kernel: With a unit diagonal.
        x: Rows, sorted by group.
        edges: Where groups begin, and the number of rows.
    """
    num_rows = x.shape[0]
    block_rows = max(1, min(num_rows, BLOCK_BYTES // (num_rows * x.dtype.itemsize)))
    first = 0
    while first < edges.size - 1:
        # As many whole groups as fit into a block of rows; one that does not fit is summed over several.
        stop = max(first + 1, int(np.searchsorted(edges, edges[first] + block_rows, side="right")) - 1)
        sums = np.zeros((stop - first, edges.size - 1))
        for start in range(edges[first], edges[stop], block_rows):
            end = min(start + block_rows, edges[stop])
            shifted = min(start, num_rows - block_rows)  # the last block overlaps the one before it: one shape for all
            values = np.asarray(_squared_rows(kernel, x, shifted, block_rows=block_rows))
            by_group = np.add.reduceat(values[start - shifted : end - shifted], edges[:-1], axis=1, dtype=np.float64)
            sums += np.add.reduceat(by_group, edges[first:stop] - edges[first], axis=0)
        yield first, sums
        first = stop
