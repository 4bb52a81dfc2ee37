"""The Frechet distance (FID), beside pytorch-fid's matrix square root and torchmetrics' eigenvalues."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import peers
from benchmarks.case import Case, Family, Scale
from benchmarks.data import pair
from benchmarks.peers import sqrtm_frechet
from benchmarks.timing import Absent, Contender


def _distance(n: int, d: int) -> list[Contender | Absent]:
    from fkeax.twosample import frechet

    x, y = pair(n, d, shift=0.1)
    return [
        Contender("fkeax", lambda: float(frechet(x, y)), compiles=True),
        Contender("pytorch-fid's formula", lambda: sqrtm_frechet.pytorch_fid(x, y)),
        peers.contender("torchmetrics' formula", "torch", lambda: sqrtm_frechet.torchmetrics(x, y)),
    ]


def _cases(scale: Scale) -> Sequence[Case]:
    reason = "float64 on both sides; a square root of a product loses half of the digits"
    if scale == "smoke":
        return [Case("fid", "n=m=200, d=16", lambda: _distance(200, 16), 1e-4, reason)]
    cases = [Case("fid", "n=m=5,000, d=2,048", lambda: _distance(5_000, 2_048), 1e-4, reason)]
    if scale == "all":
        cases.append(Case("fid, 10k", "n=m=10,000, d=2,048", lambda: _distance(10_000, 2_048), 1e-4, reason))
    return cases


FAMILY = Family("Frechet distance", "From features to the distance, means and covariances included.", _cases)
