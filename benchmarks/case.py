"""A family of benchmarks, its cases, and what measuring one of them gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from benchmarks.timing import Absent, Contender, Timing, blas_kernels, in_turn, timings_as_json

KEPT_VALUES = 8
"""How many values of a row are kept once they are compared."""

Scale = Literal["smoke", "cpu", "all"]
"""smoke: seconds, sizes that say nothing about speed; cpu: minutes; all: hours, the long rows too."""


@dataclass(frozen=True)
class Case:
    """One piece of work at one size.

    Attributes:
        name: Short, without sizes; goals refer to it.
        sizes: In words.
        contenders: Makes the data and returns who does the work; the first is fkeax.
        tolerance: Largest difference between the values of fkeax and of a compared peer.
        reason: Why that much.
        absolute: Whether the difference is absolute; else it is relative to the peer's value.
        threads: How many threads it runs with; None: each number that was asked for.
        once: Whether one round is all there can be, as of a first call.
    """

    name: str
    sizes: str
    contenders: Callable[[], Sequence[Contender | Absent]]
    tolerance: float
    reason: str
    absolute: bool = False
    threads: int | None = None
    once: bool = False


@dataclass(frozen=True)
class Family:
    """Cases that belong together: one table and one figure.

    Attributes:
        title: Of its section.
        what: What is timed and who the peers are.
        cases: Those of a scale.
    """

    title: str
    what: str
    cases: Callable[[Scale], Sequence[Case]]


def measure(case: Case, rounds: int) -> dict[str, Any]:
    """Return what one case found in this process: a row a contender, the peers that are absent, the agreement."""
    asked = case.contenders()
    timings = in_turn(
        [contender for contender in asked if isinstance(contender, Contender)], 1 if case.once else rounds
    )
    ours = timings[0]
    rows = timings_as_json(timings)
    for row, timing in zip(rows, timings, strict=True):
        row["ratio"] = ours.wall_s / timing.wall_s
        row["cpu_ratio"] = ours.cpu_s / timing.cpu_s if timing.cpu_s > 0 else None
        row["difference"] = difference(ours, timing, absolute=case.absolute) if timing.compared else None
        row["values"] = timing.values[:KEPT_VALUES]
    found = [row["difference"] for row in rows if row["difference"] is not None]
    return {
        "case": case.name,
        "sizes": case.sizes,
        "rows": rows,
        "absent": {contender.name: contender.reason for contender in asked if isinstance(contender, Absent)},
        "tolerance": case.tolerance,
        "reason": case.reason,
        "absolute": case.absolute,
        "agrees": all(value <= case.tolerance for value in found),
        "blas": blas_kernels(),
    }


def difference(ours: Timing, theirs: Timing, *, absolute: bool) -> float:
    """Return the largest difference between the values of two contenders, over their values unless absolute."""
    first, second = np.asarray(ours.values), np.asarray(theirs.values)
    if first.shape != second.shape:
        raise ValueError(f"{theirs.name} returned {second.size} numbers; {ours.name} returned {first.size}.")
    gap = np.abs(first - second)
    return float(np.max(gap if absolute else gap / np.maximum(np.abs(second), 1e-300)))
