"""MAUVE and its k-means, beside mauve-text with faiss, and scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks import peers
from benchmarks.case import Case, Family, Scale
from benchmarks.data import pair
from benchmarks.peers import clusterings, mauve_text
from benchmarks.timing import Absent, Contender

RESTARTS = 5


def _score(n: int, d: int, k: int) -> list[Contender | Absent]:
    """Return both scores: rows, components, buckets, histograms, area."""
    import jax

    from fkeax import frontier
    from fkeax.quantize import pool_rows, quantize_rows

    p, q = pair(n, d, shift=0.1)

    def ours() -> float:
        found = quantize_rows(pool_rows([p, q]), num_buckets=k, key=jax.random.key(0))
        histograms = (np.bincount(labels, minlength=k) / labels.size for labels in found.labels)
        return float(frontier.mauve_from_histograms(*histograms))

    return [
        Contender("fkeax", ours, compiles=True),
        peers.contender("mauve-text", "mauve", lambda: mauve_text.score(p, q, k, RESTARTS)),
        # It adds errors, the floor and the costliest buckets, which mauve-text does not compute.
        Contender(
            "fkeax.mauve, one quantizer",
            lambda: float(frontier.mauve(p, q, num_buckets=k, num_seeds=1, key=jax.random.key(0))),
            compiles=True,
        ),
    ]


def _kmeans(n: int, d: int, k: int, *, one_start: bool) -> list[Contender | Absent]:
    import jax

    from fkeax.quantize import kmeans, pool_rows

    rows = pool_rows(list(pair(n, d, shift=0.1))).rows
    start = rows[np.random.default_rng(1).choice(len(rows), k, replace=False)] if one_start else None
    restarts = 1 if one_start else RESTARTS

    def ours() -> float:
        if start is not None:
            return kmeans(rows, start=start).objective
        return kmeans(rows, num_clusters=k, num_restarts=restarts, key=jax.random.key(0)).objective

    found = [
        Contender("fkeax", ours, compiles=True),
        peers.contender("faiss", "faiss", lambda: clusterings.by_faiss(rows, k, restarts, start)),
    ]
    if start is not None:  # with restarts, minutes
        found.append(Contender("scikit-learn", lambda: clusterings.by_scikit_learn(rows, k, start)))
    return found


def _cases(scale: Scale) -> Sequence[Case]:
    seeds = "k-means from other random rows on either side"
    local = "Lloyd's optimum from one start; ties and rounding part the paths"
    if scale == "smoke":
        return [
            Case("score", "2 x 300 rows, d=8, k=20", lambda: _score(300, 8, 20), 0.3, seeds),
            Case("k-means", "600 rows, k=10", lambda: _kmeans(300, 8, 10, one_start=False), 0.1, seeds),
            Case("k-means, one start", "600 rows, k=10", lambda: _kmeans(300, 8, 10, one_start=True), 0.05, local),
        ]
    cases = [
        Case("score", "2 x 5,000 rows, d=768, k=500", lambda: _score(5_000, 768, 500), 0.05, seeds),
        Case(
            "k-means", "10,000 rows, k=500, best of 5", lambda: _kmeans(5_000, 768, 500, one_start=False), 0.005, seeds
        ),
        Case(
            "k-means, one start",
            "10,000 rows, k=500, from the same rows",
            lambda: _kmeans(5_000, 768, 500, one_start=True),
            0.005,
            local,
        ),
    ]
    if scale == "all":
        cases.append(Case("score, 20k", "2 x 20,000 rows, d=256, k=500", lambda: _score(20_000, 256, 500), 0.05, seeds))
    return cases


FAMILY = Family(
    "MAUVE and k-means",
    "Features in, MAUVE out, with five runs of k-means; then k-means alone, each side from random rows of its own, and "
    "from one start that all share. The values of k-means are objectives.",
    _cases,
)
