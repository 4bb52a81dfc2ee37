"""Lloyd's iteration on the host by BLAS, at the cost of the clusters that still change: the fast way on CPU.

Late in a run few clusters change, and the distance to a centre that stands still stands still. Each iteration therefore
measures the distances to the changed centres only (a matrix product with fewer columns), and to all centres only for
rows that end up farther from their nearest one than the next was before. The labels are those of the plain iteration.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fkeax.numerics.grouped import grouped_row_sums
from fkeax.numerics.host_threads import ForSpans, one_span, spans_on_all_threads

_BLOCK_ENTRIES = 2**19  # scores of a block: what the cache holds


class Clusters(NamedTuple):
    """The end of a run: centres (k, d) that are the means of their rows, labels (n), and how it went.

    The objective is that of the last assignment, from inner products: good to a few units of rounding of ``||x||^2``,
    and above that of the centres where the run did not converge.
    """

    centres: np.ndarray
    labels: np.ndarray
    objective: float
    num_iterations: int
    converged: bool


class Nearest(NamedTuple):
    """The nearest centre of every row, by the score ``||c||^2 - 2 x.c``: the squared distance less ``||x||^2``."""

    labels: np.ndarray
    scores: np.ndarray  # of the nearest centre
    others: np.ndarray  # at most the score of any other centre


def lloyd(x: np.ndarray, start: np.ndarray, *, tolerance: float, max_iterations: int) -> Clusters:
    """Run Lloyd's iteration from given centres.

    Args:
        x: Rows (n, d), centred for the sake of rounding.
        start: First centres (k, d), of the dtype of x.
        tolerance: Stop when the mean squared distance falls by no more than this share of itself; 0: only when no row
            changes its cluster.
        max_iterations: Stop there at the latest.

    Cost:
        At most ``2 n k d`` flops an iteration, less when few clusters change.
    """
    with spans_on_all_threads() as for_spans:
        return _lloyd(x, start, tolerance, max_iterations, for_spans)


def _lloyd(x: np.ndarray, start: np.ndarray, tolerance: float, max_iterations: int, for_spans: ForSpans) -> Clusters:
    squared_norms = np.einsum("nd,nd->n", x, x)
    mean_norm = float(squared_norms.mean(dtype=np.float64))
    centres = start.copy()
    nearest = nearest_centre(x, centres, for_spans)
    changed = np.ones(centres.shape[0], bool)
    mean_score, converged, iteration = float(nearest.scores.mean(dtype=np.float64)), False, 0
    while iteration < max_iterations and not converged:
        iteration += 1
        counts = np.bincount(nearest.labels, minlength=centres.shape[0])
        _move_to_means(centres, x, nearest.labels, counts, changed)
        refilled = _refill(centres, x, squared_norms, nearest.scores, counts)
        changed[refilled] = True
        before, nearest = nearest, _reassigned(x, centres, changed, nearest, for_spans)
        moved = np.flatnonzero(nearest.labels != before.labels)
        changed = np.zeros_like(changed)
        changed[nearest.labels[moved]] = True
        changed[before.labels[moved]] = True
        fell, mean_score = mean_score, float(nearest.scores.mean(dtype=np.float64))
        fell -= mean_score
        small = tolerance > 0 and fell <= tolerance * (mean_norm + mean_score) and refilled.size == 0
        converged = moved.size == 0 or small
    counts = np.bincount(nearest.labels, minlength=centres.shape[0])
    _move_to_means(centres, x, nearest.labels, counts, changed)
    objective = (mean_norm + mean_score) * x.shape[0]
    return Clusters(centres, nearest.labels.astype(np.int32), objective, iteration, converged)


def nearest_centre(x: np.ndarray, centres: np.ndarray, for_spans: ForSpans = one_span) -> Nearest:
    """Return for every row its nearest centre (the first of equals), its score, and that of the next one."""
    columns = np.ascontiguousarray(-2 * centres.T)  # BLAS is 6 % faster than with the transpose of rows
    squared = np.einsum("kd,kd->k", centres, centres)
    num_rows, num_centres = x.shape[0], centres.shape[0]
    labels = np.empty(num_rows, np.intp)
    scores, others = np.empty(num_rows, x.dtype), np.empty(num_rows, x.dtype)

    def measure(first: int, last: int) -> None:
        block_rows = max(1, min(last - first, _BLOCK_ENTRIES // num_centres))
        products = np.empty((block_rows, num_centres), x.dtype)
        for begin in range(first, last, block_rows):
            end = min(last, begin + block_rows)
            block = np.matmul(x[begin:end], columns, out=products[: end - begin])
            block += squared
            labels[begin:end] = block.argmin(axis=1)
            best = np.arange(end - begin), labels[begin:end]
            scores[begin:end] = block[best]
            block[best] = np.inf
            others[begin:end] = block.min(axis=1)

    for_spans(measure, num_rows)
    return Nearest(labels, scores, others)


def _move_to_means(
    centres: np.ndarray, x: np.ndarray, labels: np.ndarray, counts: np.ndarray, changed: np.ndarray
) -> None:
    """Set the changed centres to the means of their rows, in place; an empty cluster keeps its centre."""
    mask = changed & (counts > 0)
    rows = np.flatnonzero(mask[labels])
    if rows.size:
        sums = grouped_row_sums(x if rows.size == labels.size else x[rows], labels[rows], centres.shape[0])
        centres[mask] = sums[mask] / counts[mask, None].astype(x.dtype)


def _refill(
    centres: np.ndarray, x: np.ndarray, squared_norms: np.ndarray, scores: np.ndarray, counts: np.ndarray
) -> np.ndarray:
    """Move empty clusters onto the rows farthest from their centres, in place, and return which clusters moved.

    A row within rounding of its centre makes no new cluster: with fewer distinct rows than clusters some stay empty.
    """
    empty = np.flatnonzero(counts == 0)
    if empty.size == 0:
        return empty
    distances = squared_norms + scores
    farthest = np.argsort(-distances, kind="stable")[: empty.size]
    rounding = 8 * float(np.finfo(x.dtype).eps) * float(squared_norms.max())
    farthest = farthest[distances[farthest] > rounding]
    refilled = empty[: farthest.size]
    centres[refilled] = x[farthest]
    return refilled


def _reassigned(
    x: np.ndarray, centres: np.ndarray, changed: np.ndarray, before: Nearest, for_spans: ForSpans
) -> Nearest:
    """Return the nearest centres after those in ``changed`` moved.

    Of the centres that stand still, a row's own keeps its score, and no other is below ``before.others``. A changed
    centre that is nearer than all of these wins; if none is, the own one stays where it stands still, and the row is
    measured against all centres where it moved. Equal scores change nothing where the own centre stands still, or rows
    between two centres would go back and forth.
    """
    names = np.flatnonzero(changed)
    if names.size == changed.size:
        return nearest_centre(x, centres, for_spans)
    found = nearest_centre(x, centres[names], for_spans)
    own_changed = changed[before.labels]
    standing = np.where(own_changed, before.others, before.scores)  # at most the score of any that stands still
    wins = (found.scores < standing) | (own_changed & (found.scores == standing))
    labels = np.where(wins, names[found.labels], before.labels)
    scores = np.where(wins, found.scores, before.scores)
    # Where a changed centre wins, its rivals are the changed ones behind it and those that stand still.
    others = np.minimum(before.others, np.where(wins, np.minimum(found.others, standing), found.scores))
    stranded = np.flatnonzero(own_changed & ~wins)
    if stranded.size:
        labels[stranded], scores[stranded], others[stranded] = nearest_centre(x[stranded], centres, for_spans)
    return Nearest(labels, scores, others)
