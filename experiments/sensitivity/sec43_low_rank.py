"""Section 4.3: rescalings of one direction and rotations of one plane, and their random controls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.experiment import Experiment, Finding, Table
from experiments.outcome import RunFolder
from experiments.sensitivity import power_run
from experiments.sensitivity.configurations import PAPERS_FOUR
from experiments.sensitivity.counts import Count, Counts, counts_of, facts_table, judged, listed, verdict
from experiments.sensitivity.rate_pictures import rate_bars

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOW_RANK = ("rank-one", "rank-one-shrink", "rank-two")
CONTROLS = ("rank-one-random", "rank-two-random")
WEAK = 0.1


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the spaces, the counts of every arm, and what could not be made."""
    counts = counts_of(run)
    found = {"spaces": facts_table(run)}
    for change in (*LOW_RANK, *CONTROLS, "rotation"):
        if counts.of(change=change, strength=WEAK):
            found[change] = counts.table(f"{change} at {WEAK:g}.".capitalize(), change, WEAK)
    impossible = {(one.space, one.change): one.infeasible for one in counts.all if one.infeasible}
    if impossible:
        rows = [[name, change, reason] for (name, change), reason in impossible.items()]
        found["impossible"] = Table("Changes that a space does not allow at 0.1.", ["space", "change", "why"], rows)
    return found


def findings(run: RunFolder) -> list[Finding]:
    """Return what the run says about the claims of Section 4.3."""
    counts = counts_of(run)
    cubic = [one for change in LOW_RANK for one in _real(counts, change) if one.test == "kid"]
    planes = _real(counts, "rank-two")
    pictures = [one for one in planes if one.kind == "images" and one.test in PAPERS_FOUR]
    sounds = [one for one in planes if one.kind in ("music", "audio") and one.test in ("window", "mmdagg")]
    controls = [one for change in CONTROLS for one in _real(counts, change) if one.test in PAPERS_FOUR]
    return [
        Finding(
            "the cubic kernel has low rejection rates for the low-rank changes",
            listed(cubic),
            verdict(judged(cubic, lambda one: one.within(0, 0.3))),
        ),
        _more_than_rotations(counts),
        Finding(
            "window and MMDAgg see the rank-two rotation in music and audio",
            listed(sounds),
            verdict(judged(sounds, lambda one: one.within(0.8, 1))),
        ),
        Finding(
            "the rank-two rotation is hard for every configuration on image features",
            listed(pictures),
            verdict(judged(pictures, lambda one: one.within(0, 0.5))),
        ),
        Finding(
            "random-direction controls are rejected in at most 2 of 20 runs",
            f"most: {listed(sorted(controls, key=lambda one: -one.rate)[:3])}",
            verdict(judged(controls, lambda one: one.within(0, 0.1))),
        ),
    ]


def _more_than_rotations(counts: Counts) -> Finding:
    rescaled = [one for one in _real(counts, "rank-one") if one.test == "kad"]
    turned = {one.space: one for one in _real(counts, "rotation") if one.test == "kad"}
    both = [(one, turned[one.space]) for one in rescaled if one.space in turned and one.draws]
    return Finding(
        "the median heuristic is more sensitive to rank-one rescalings than to rotations",
        ", ".join(
            f"{one.space} {one.rejections}/{one.draws} against {other.rejections}/{other.draws}" for one, other in both
        )
        or "no such cells",
        verdict({one.space: (one.z or 0) > (other.z or 0) for one, other in both}),
    )


def _real(counts: Counts, change: str) -> list[Count]:
    return [one for one in counts.of(change=change, strength=WEAK) if one.space in counts.real()]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the rates of all tests and arms."""
    return {"rates": rate_bars(counts_of(run), [(change, WEAK) for change in (*LOW_RANK, *CONTROLS, "rotation")])}


EXPERIMENT = Experiment(
    place="Sensitivity paper, Sec. 4.3",
    run=power_run.run,
    draw=draw,
    findings=findings,
    inputs=power_run.inputs,
    tables=tables,
)
