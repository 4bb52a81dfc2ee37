"""First centres of k-means, drawn on the host."""

from __future__ import annotations

import numpy as np

RULES = ("rows", "plus-plus")


def start_centres(
    random: np.random.Generator, x: np.ndarray, num_clusters: int, *, rule: str, eligible: np.ndarray
) -> np.ndarray:
    """Return first centres, all of them rows of ``x``, by the rule "rows" or "plus-plus"."""
    if rule == "rows":
        return random_rows(random, x, num_clusters, eligible=eligible)
    return plus_plus(random, x, num_clusters, eligible=eligible)


def random_rows(random: np.random.Generator, x: np.ndarray, num_clusters: int, *, eligible: np.ndarray) -> np.ndarray:
    """Return random rows, none twice; rows that are not eligible come last."""
    priority = random.random(x.shape[0]) + np.where(eligible, 0.0, 1.0)
    return x[np.argsort(priority, kind="stable")[:num_clusters]]


def plus_plus(random: np.random.Generator, x: np.ndarray, num_clusters: int, *, eligible: np.ndarray) -> np.ndarray:
    """Return centres by k-means++: each with probability in proportion to its squared distance from those before it.

    Arthur and Vassilvitskii (2007). The objective at this start is within 8 (log k + 2) of the best in expectation.

    Cost:
        ``2 n k d`` flops in k passes over the rows; memory bound, so as slow as several iterations.
    """
    squared_norms = np.einsum("nd,nd->n", x, x)
    rounding = 8 * float(np.finfo(x.dtype).eps) * float(squared_norms.max(initial=0))
    weights = np.where(eligible, 1.0, 0.0)
    nearest = np.full(x.shape[0], np.inf)
    chosen = np.empty(num_clusters, np.intp)
    for number in range(num_clusters):
        cumulative = np.cumsum(weights)
        target = random.random() * cumulative[-1]
        row = chosen[number] = min(np.searchsorted(cumulative, target, side="right"), x.shape[0] - 1)
        distances = squared_norms + squared_norms[row] - 2 * (x @ x[row])
        nearest = np.minimum(nearest, np.where(distances > rounding, distances, 0))
        nearest[row] = 0
        weights = nearest if nearest.any() else np.ones(x.shape[0])  # every row is a centre already: any will do
    return x[chosen]
