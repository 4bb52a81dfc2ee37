"""Leading modes and the samples that show them, beside NumPy with all eigenvectors."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.case import Case, Family, Scale
from benchmarks.data import groups
from benchmarks.families.fkea import frequencies
from benchmarks.peers import numpy_fkea
from benchmarks.timing import Contender


def _modes(n: int, d: int, r: int, bandwidth: float, number: int) -> list[Contender]:
    import jax

    import fkeax

    x = groups(n, d, number)
    maps = frequencies(bandwidth, r, d)
    chunk = numpy_fkea.best_chunk(x, maps)

    def ours() -> list[float]:
        found = fkeax.modes(
            x, num_modes=number, bandwidth=bandwidth, method="fkea", num_frequencies=r, key=jax.random.key(0)
        )
        return found.eigenvalues.tolist()

    return [
        Contender("fkeax", ours, compiles=True),
        Contender(f"NumPy, best chunk {chunk:,}", lambda: numpy_fkea.leading_modes(x, maps, chunk, number).tolist()),
    ]


def _cases(scale: Scale) -> Sequence[Case]:
    reason = "frequencies of their own: an eigenvalue is off by about 1 / sqrt(r); four times sqrt(2) of it"
    if scale == "smoke":
        return [Case("modes", "n=300, d=8, 2r=200", lambda: _modes(300, 8, 100, 4.0, 3), 0.5, reason)]
    return [
        Case(
            "modes",
            "n=20,000, d=256, 2r=4,000, ten modes of ten groups",
            lambda: _modes(20_000, 256, 2_000, 20.0, 10),
            0.13,
            reason,
        )
    ]


FAMILY = Family(
    "Modes",
    "The ten largest eigenvalues, their eigenfunctions at all samples, and the samples that show each best. NumPy "
    "finds all eigenvectors, as the authors' code does.",
    _cases,
)
