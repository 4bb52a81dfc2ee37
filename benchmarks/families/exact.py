"""Exact VENDI with all eigenvalues, RKE without one, beside vendi-score, blocked NumPy and the authors' code."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks import peers
from benchmarks.case import Case, Family, Scale
from benchmarks.data import normal
from benchmarks.peers import authors_fkea, numpy_rke, vendi_score_package
from benchmarks.timing import Absent, Contender

_ROUNDING = "float64 on both sides; the authors' differences are float32"


def _vendi(n: int, d: int) -> list[Contender | Absent]:
    import fkeax

    x, bandwidth = normal(n, d), math.sqrt(d)
    return [
        Contender("fkeax", lambda: float(fkeax.vendi(x, bandwidth=bandwidth, method="exact")), compiles=True),
        peers.contender("vendi-score", "vendi_score.vendi", lambda: vendi_score_package.score(x, bandwidth, 1)),
    ]


def _rke(n: int, d: int, *, package: bool, authors: bool) -> list[Contender | Absent]:
    import fkeax

    x, bandwidth = normal(n, d), math.sqrt(d)
    rows: list[Contender | Absent] = [
        Contender("fkeax", lambda: float(fkeax.rke(x, bandwidth=bandwidth, method="exact")), compiles=True),
        Contender("NumPy, blocks", lambda: numpy_rke.exact_rke(x, bandwidth)),
    ]
    if package:
        rows.append(
            peers.contender(
                "vendi-score, q = 2", "vendi_score.vendi", lambda: vendi_score_package.score(x, bandwidth, 2)
            )
        )
    if authors:
        rows.append(Contender("authors' loop, NumPy", lambda: authors_fkea.exact_rke(x, bandwidth)))
    return rows


def _cases(scale: Scale) -> Sequence[Case]:
    if scale == "smoke":
        return [
            Case("vendi", "n=200, d=8", lambda: _vendi(200, 8), 1e-6, _ROUNDING),
            Case("rke", "n=200, d=8", lambda: _rke(200, 8, package=True, authors=True), 1e-4, _ROUNDING),
        ]
    cases = [
        Case("vendi", "n=4,000, d=256, order 1", lambda: _vendi(4_000, 256), 1e-6, _ROUNDING),
        Case("rke, packages", "n=5,000, d=256", lambda: _rke(5_000, 256, package=True, authors=False), 1e-4, _ROUNDING),
        Case("rke, authors", "n=2,000, d=256", lambda: _rke(2_000, 256, package=True, authors=True), 1e-4, _ROUNDING),
        Case("rke", "n=20,000, d=256", lambda: _rke(20_000, 256, package=False, authors=False), 1e-4, _ROUNDING),
    ]
    if scale == "all":
        cases.append(
            Case(
                "rke, packages, 20k",
                "n=20,000, d=256",
                lambda: _rke(20_000, 256, package=True, authors=True),
                1e-4,
                _ROUNDING,
            )
        )
    return cases


FAMILY = Family(
    "Exact scores",
    "The whole kernel matrix and its eigenvalues for VENDI; for RKE a sum over pairs, which needs neither. vendi-score "
    "gets a kernel matrix made by one product, not by its loop over pairs.",
    _cases,
)
