"""Likelihood ratios from the k nearest neighbours, beside scikit-learn's and faiss' exact searches."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import peers
from benchmarks.case import Case, Family, Scale
from benchmarks.data import pair
from benchmarks.peers import neighbour_search
from benchmarks.timing import Absent, Contender


def _ratios(n: int, d: int, k: int) -> list[Contender | Absent]:
    from fkeax.frontier import nearest_ratios

    p, q = pair(n, d, shift=0.1)

    def ours() -> list[float]:
        found = nearest_ratios(p, q, num_neighbors=k)
        return [1 / (1 + ratio) for side in (found.at_p, found.at_q) for ratio in side]

    return [
        Contender("fkeax", ours, compiles=True),
        Contender("scikit-learn", lambda: neighbour_search.by_scikit_learn(p, q, k)),
        peers.contender("faiss", "faiss", lambda: neighbour_search.by_faiss(p, q, k)),
    ]


def _cases(scale: Scale) -> Sequence[Case]:
    reason = "1 / (1 + ratio) at every row; one of k neighbours may change sides by rounding"
    if scale == "smoke":
        return [Case("ratios", "2 x 200 rows, d=8, k=14", lambda: _ratios(200, 8, 14), 2 / 14, reason, True)]
    return [Case("ratios", "2 x 10,000 rows, d=64, k=100", lambda: _ratios(10_000, 64, 100), 2 / 100, reason, True)]


FAMILY = Family(
    "Ratios from nearest neighbours",
    "All pairs of rows, the k nearest of each, and who they are.",
    _cases,
)
