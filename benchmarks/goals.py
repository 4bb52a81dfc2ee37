"""What fkeax wants of itself, judged from the measured rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.timing import is_busy


@dataclass(frozen=True)
class Goal:
    """A limit on a ratio of wall seconds.

    Attributes:
        text: The goal in words.
        family: Of the case.
        case: Name of the case.
        peer: Start of the peer's name; the best of those that match counts.
        limit: ``seconds of fkeax / seconds of the peer`` may be at most this; on a busy machine, processor seconds.
        long: Whether only the long rows hold it.
    """

    text: str
    family: str
    case: str
    peer: str
    limit: float
    long: bool = False


GOALS = (
    Goal("FKEA score, n=50,000, d=768, 2r=4,000, against NumPy's best chunk", "fkea", "score", "NumPy", 1.0),
    Goal("the same against torch's best chunk", "fkea", "score", "torch", 0.8),
    Goal("at equal error, debiased, against NumPy", "fkea", "equal error", "NumPy", 0.2),
    Goal("at equal error, debiased, against torch", "fkea", "equal error", "torch", 0.2),
    Goal("exact RKE, n=5,000, against vendi-score", "exact", "rke, packages", "vendi-score", 0.2),
    Goal("exact RKE, n=2,000, against the authors' code", "exact", "rke, authors", "authors", 0.2),
    Goal("exact RKE, n=20,000, against blocked NumPy", "exact", "rke", "NumPy", 1.0),
    Goal("exact RKE, n=20,000, against vendi-score", "exact", "rke, packages, 20k", "vendi-score", 0.2, long=True),
    Goal("exact RKE, n=20,000, against the authors' code", "exact", "rke, packages, 20k", "authors", 0.2, long=True),
    Goal("MAUVE, 2 x 5,000 rows, against mauve-text", "mauve", "score", "mauve-text", 0.5),
    Goal("permutation test, n=m=780, against NumPy in float32", "mmd_test", "n=780", "NumPy, float32", 0.6),
    Goal("MMDAgg, n=m=780, against kerneltests' fast mode", "mmdagg", "n=780", "kerneltests", 0.35),
    Goal("Frechet distance against sqrtm", "frechet", "fid", "pytorch-fid", 0.3),
    Goal("precision, recall, density, coverage against prdc", "prdc", "prdc", "prdc", 0.7),
)

SLOPE_IN_N = (0.95, 1.05)
STREAMING_MB = 40.0
MATRIX_SHARE = 0.25
"""An exact RKE whose memory stays below this share of the n x n matrix holds none."""
OTHER_GOALS = {
    "exact RKE, n=20,000, without an n x n object": f"{MATRIX_SHARE:g} of it",
    "streaming 1e6 x 768 in memory independent of n": f"+{STREAMING_MB:.0f} MB",
    "FKEA's slope in n": f"{SLOPE_IN_N[0]} to {SLOPE_IN_N[1]}",
}
"""Goals that are no ratios, by the start of their text, and their limits."""


@dataclass(frozen=True)
class Verdict:
    """A goal, what was measured, and whether it is met; None where nothing was measured."""

    text: str
    limit: str
    measured: str
    met: bool | None


def verdicts(results: Mapping[str, Mapping[str, Any]]) -> list[Verdict]:
    """Return a verdict on every goal for every number of threads, from the JSON of the families that have one."""
    results = {name: result for name, result in results.items() if result["scale"] != "smoke"}
    found: list[Verdict] = []
    for goal in GOALS:
        result = results.get(goal.family, {})
        cases = [
            case for case in result.get("cases", ()) if case["case"] == goal.case
        ]  # one for each number of threads
        if not cases:
            found.append(Verdict(goal.text, f"{goal.limit:g}x", "long rows only" if goal.long else "not run", None))
        for case in cases:
            found.append(_on_ratio(goal, case, busy=is_busy(result["machine"])))
    others = [*_on_memory(results), *_on_growth(results)]
    for text, limit in OTHER_GOALS.items():
        if not any(verdict.text.startswith(text) for verdict in others):
            others.append(Verdict(text, limit, "not run", None))
    return [*found, *others]


def _on_ratio(goal: Goal, case: Mapping[str, Any], *, busy: bool) -> Verdict:
    text = f"{goal.text}, {_threads(case['threads'])}"
    rows = [row for row in case["rows"][1:] if row["name"].startswith(goal.peer)]
    if not rows:
        reasons = [reason for name, reason in case["absent"].items() if name.startswith(goal.peer)]
        return Verdict(text, f"{goal.limit:g}x", f"not run: {', '.join(reasons) or 'no such row'}", None)
    ratio = max(row["cpu_ratio" if busy else "ratio"] for row in rows)
    return Verdict(text, f"{goal.limit:g}x", f"{ratio:.3g}x{' of CPU' if busy else ''}", ratio <= goal.limit)


def _on_memory(results: Mapping[str, Mapping[str, Any]]) -> list[Verdict]:
    found = []
    for case in results.get("exact", {}).get("cases", ()):
        if case["case"] == "rke" and case["rows"][0]["peak_mb"] is not None:
            matrix = 20_000**2 * 8 / 2**20
            peak = case["rows"][0]["peak_mb"]
            text = f"exact RKE, n=20,000, without an n x n object ({matrix:,.0f} MB), {_threads(case['threads'])}"
            found.append(Verdict(text, f"{MATRIX_SHARE:g} of it", f"{peak:,.0f} MB", peak < MATRIX_SHARE * matrix))
    for case in results.get("streaming", {}).get("cases", ()):
        if case["case"] == "memory" and len(case["rows"]) > 1:
            peaks = [row["values"][1] for row in case["rows"]]
            text = f"streaming 1e6 x 768 in memory independent of n, {_threads(case['threads'])}"
            measured = f"{peaks[0]:.0f} MB at n = 1e5, {peaks[-1]:.0f} MB at 1e6"
            found.append(Verdict(text, f"+{STREAMING_MB:.0f} MB", measured, peaks[-1] - peaks[0] <= STREAMING_MB))
    return found


def _on_growth(results: Mapping[str, Mapping[str, Any]]) -> list[Verdict]:
    found = []
    for line in results.get("growth", {}).get("lines", ()):
        if line["name"] == "FKEA score" and line["axis"] == "n":
            low, high = SLOPE_IN_N
            found.append(
                Verdict("FKEA's slope in n", f"{low} to {high}", f"{line['slope']:.3f}", low <= line["slope"] <= high)
            )
    return found


def _threads(number: int) -> str:
    return "one thread" if number == 1 else f"{number} threads"
