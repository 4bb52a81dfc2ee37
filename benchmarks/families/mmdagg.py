"""The aggregated test MMDAgg at its package's defaults, beside kerneltests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks import peers
from benchmarks.case import Case, Family, Scale
from benchmarks.data import pair
from benchmarks.timing import Absent, Contender


def _test(n: int, d: int, shift: float, number: int) -> list[Contender | Absent]:
    import jax

    from fkeax.twosample import mmdagg

    x, y = pair(n, d, shift=shift)

    def package() -> float:
        from kt.mmdagg import mmdagg as theirs

        rejected: Any = theirs(x, y, B1=number, B2=number)
        return float(rejected)

    return [
        Contender(
            "fkeax",
            lambda: float(mmdagg(x, y, key=jax.random.key(0), num_permutations=number).reject),
            compiles=True,
        ),
        peers.contender("kerneltests, fast", "kt.mmdagg", package),
    ]


def _cases(scale: Scale) -> Sequence[Case]:
    reason = "decisions, 1 to reject: both must see a shift this plain"
    if scale == "smoke":
        return [Case("n=780", "n=m=40, d=4", lambda: _test(40, 4, 1.0, 200), 0.0, reason, True)]
    return [
        Case("n=780", "n=m=780, d=64, 20 kernels, B1=B2=2,000", lambda: _test(780, 64, 0.1, 2_000), 0.0, reason, True)
    ]


FAMILY = Family(
    "MMDAgg",
    "Ten bandwidths of two kernels, 2,000 draws for quantiles and 2,000 for the level. The peer's fast mode is timed.",
    _cases,
)
