"""Precision, recall, density and coverage, beside the package prdc."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import peers
from benchmarks.case import Case, Family, Scale
from benchmarks.data import pair
from benchmarks.peers import prdc_package
from benchmarks.timing import Absent, Contender


def _values(n: int, d: int) -> list[Contender | Absent]:
    from fkeax.twosample import prdc

    x, y = pair(n, d, shift=0.02)

    def ours() -> list[float]:
        found = prdc(x, y, num_neighbors=5)
        return [float(found[name]) for name in ("precision", "recall", "density", "coverage")]

    return [
        Contender("fkeax", ours, compiles=True),
        peers.contender("prdc", "prdc", lambda: prdc_package.values(x, y, 5)),
    ]


def _cases(scale: Scale) -> Sequence[Case]:
    reason = "float32 distances: a few rows at the edge of a ball change sides"
    if scale == "smoke":
        return [Case("prdc", "n=m=200, d=8", lambda: _values(200, 8), 0.02, reason, True)]
    cases = [Case("prdc", "n=m=5,000, d=2,048, k=5", lambda: _values(5_000, 2_048), 0.01, reason, True)]
    if scale == "all":
        cases.append(Case("prdc, 10k", "n=m=10,000, d=2,048, k=5", lambda: _values(10_000, 2_048), 0.01, reason, True))
    return cases


FAMILY = Family(
    "Precision, recall, density, coverage",
    "Three searches among all pairs of rows. prdc holds whole distance matrices and asks for eight jobs.",
    _cases,
)
