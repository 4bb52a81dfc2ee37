"""FKEA: the sums of features and the whole score, beside NumPy, torch, and the authors' loop at a small size."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from benchmarks import peers
from benchmarks.case import Case, Family, Scale
from benchmarks.data import normal
from benchmarks.peers import authors_fkea, numpy_fkea, torch_fkea
from benchmarks.timing import Absent, Contender

BANDWIDTH = 28.0
ORDERS = (1.0, 1.5, 2.0, math.inf)


def frequencies(bandwidth: float, num_frequencies: int, dimension: int) -> np.ndarray:
    """Return frequencies for the peers, (d, r), drawn as ours are but with a key of their own."""
    import jax

    import fkeax

    kernel = fkeax.Gaussian(bandwidth)
    return np.asarray(kernel.sample_frequencies(jax.random.key(1), num_frequencies, dimension, np.float32)).T.copy()


def _score(n: int, d: int, r: int, bandwidth: float, *, authors: bool = False) -> list[Contender | Absent]:
    import jax

    import fkeax

    x = normal(n, d)
    maps = frequencies(bandwidth, r, d)

    def ours() -> tuple[float, float]:
        # Debiased RKE and errors come with it; debiased VENDI takes spectra of halves, which no peer computes.
        found = fkeax.score(
            x,
            metrics=("vendi", "rke"),
            orders=ORDERS,
            bandwidth=bandwidth,
            method="fkea",
            num_frequencies=r,
            key=jax.random.key(0),
        )
        return float(found["vendi-1"]), float(found["rke"])

    if authors:
        rivals: list[Contender | Absent] = [Contender("authors' loop, NumPy", lambda: authors_fkea.scores(x, maps))]
        chunk = len(x)
    else:
        chunk = numpy_fkea.best_chunk(x, maps)
        torch_chunk = torch_fkea.best_chunk(x, maps) if _has_torch() else 0
        rivals = [
            peers.contender(
                f"torch, best chunk {torch_chunk:,}", "torch", lambda: torch_fkea.scores(x, maps, torch_chunk)
            )
        ]
    numpy_row = Contender(f"NumPy, best chunk {chunk:,}", lambda: numpy_fkea.scores(x, maps, chunk))
    return [Contender("fkeax", ours, compiles=True), numpy_row, *rivals]


def _has_torch() -> bool:
    return isinstance(peers.contender("torch", "torch", lambda: 0.0), Contender)


def _state(n: int, d: int, r: int, bandwidth: float) -> list[Contender | Absent]:
    import jax

    import fkeax
    from fkeax.diversity import moments
    from fkeax.diversity.samples import samples

    x = normal(n, d)
    maps = frequencies(bandwidth, r, d)
    kernel = fkeax.Gaussian(bandwidth)
    chunk = numpy_fkea.best_chunk(x, maps)
    torch_chunk = torch_fkea.best_chunk(x, maps) if _has_torch() else 0

    def ours() -> float:
        _, draws = moments.fkea_moment(samples(x, 4096), kernel, None, jax.random.key(0), None, r, 1)
        return sum(float(np.trace(np.asarray(block))) for block in draws[0].blocks[::2]) / n  # cosines, then sines

    def by_torch() -> float:
        import torch  # pyright: ignore[reportMissingImports]

        return float(torch_fkea.covariance(torch.from_numpy(x), torch.from_numpy(maps), torch_chunk).trace())

    return [
        Contender("fkeax", ours, compiles=True),
        Contender(f"NumPy, best chunk {chunk:,}", lambda: float(np.trace(numpy_fkea.covariance(x, maps, chunk)))),
        peers.contender(f"torch, best chunk {torch_chunk:,}", "torch", by_torch),
    ]


def _equal_error(n: int, d: int, r: int, few: int, bandwidth: float) -> list[Contender | Absent]:
    """Return debiased RKE at few frequencies and plain RKE at many; the values are relative errors, not times."""
    import jax

    import fkeax

    x = normal(n, d)
    maps = frequencies(bandwidth, r, d)
    pairs = (1 + 4 / bandwidth**2) ** (-d / 2)  # E k^2 over pairs of distinct samples of N(0, I)
    exact = 1 / (1 / n + (1 - 1 / n) * pairs)
    chunk = numpy_fkea.best_chunk(x, maps)
    seeds = iter(range(10_000))

    def error(value: float) -> float:
        return abs(value / exact - 1)

    def ours() -> float:
        found = fkeax.score(
            x,
            metrics=("rke",),
            bandwidth=bandwidth,
            method="fkea",
            num_frequencies=few,
            key=jax.random.key(next(seeds)),
        )
        return error(float(found["rke-debiased"]))

    rows: list[Contender | Absent] = [
        Contender(f"fkeax, debiased, 2r = {2 * few:,}", ours, compiles=True),
        Contender(f"NumPy, plain, 2r = {2 * r:,}", lambda: error(numpy_fkea.scores(x, maps, chunk)[1])),
    ]
    torch_chunk = torch_fkea.best_chunk(x, maps) if _has_torch() else 0
    rows.append(
        peers.contender(
            f"torch, plain, 2r = {2 * r:,}", "torch", lambda: error(torch_fkea.scores(x, maps, torch_chunk)[1])
        )
    )
    return rows


def _cases(scale: Scale) -> Sequence[Case]:
    spread = "frequencies of their own on every side: four times sqrt(2) times the spread of VENDI-1 over draws, 0.24 %"
    if scale == "smoke":
        return [
            Case("score", "n=600, d=16, 2r=100", lambda: _score(600, 16, 50, 4.0), 0.5, "few frequencies"),
            Case("state", "n=600, d=16, 2r=100", lambda: _state(600, 16, 50, 4.0), 1e-4, "traces are 1"),
            Case(
                "equal error", "n=600, d=16, 2r=200", lambda: _equal_error(600, 16, 100, 40, 4.0), 1.0, "errors", True
            ),
            Case(
                "authors' loop",
                "n=64, d=16, 2r=40",
                lambda: _score(64, 16, 20, 4.0, authors=True),
                0.8,
                "few frequencies",
            ),
        ]
    cases = [
        Case(
            "score",
            "n=50,000, d=768, 2r=4,000: plain VENDI of four orders and RKE",
            lambda: _score(50_000, 768, 2_000, BANDWIDTH),
            0.015,
            spread,
        ),
        Case(
            "equal error",
            "n=50,000, d=768, bandwidth 20; the values are errors of RKE relative to its closed form",
            lambda: _equal_error(50_000, 768, 2_000, 300, 20.0),
            0.035,
            "plain RKE is off by its bias of 1.0 %, debiased RKE by 0.9 % (rms of ten draws); four of these",
            absolute=True,
        ),
        Case(
            "state",
            "n=20,000, d=768, 2r=4,000: the sums of feature products alone; the values are traces",
            lambda: _state(20_000, 768, 2_000, BANDWIDTH),
            1e-4,
            "traces are 1, up to rounding",
        ),
        Case(
            "authors' loop",
            "n=512, d=256, 2r=1,000, where that loop ends",
            lambda: _score(512, 256, 500, 16.0, authors=True),
            0.05,
            "other frequencies; the spread over draws falls as 1 / sqrt(r): twice that of the score above",
        ),
    ]
    if scale == "all":
        cases.append(
            Case(
                "score, 2r=16k",
                "n=50,000, d=768, 2r=16,000",
                lambda: _score(50_000, 768, 8_000, BANDWIDTH),
                0.05,
                spread,
            )
        )
    return cases


FAMILY = Family(
    "FKEA",
    "Features made and multiplied, then all eigenvalues. NumPy and torch at the best of their chunk sizes, as an "
    "expert writes them; the authors' loop, which forms the outer product of every sample, at a small size. *Equal "
    "error*: what debiasing saves, plain scores against a debiased one of fewer frequencies.",
    _cases,
)
