"""Section 4.2: contraction and intra-mode collapse, which one default sees and the other does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.experiment import Experiment, Finding, Table
from experiments.outcome import RunFolder
from experiments.sensitivity import power_run
from experiments.sensitivity.counts import counts_of, facts_table, judged, listed, verdict
from experiments.sensitivity.rate_pictures import rate_bars

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ARMS = tuple((change, strength) for change in ("contraction", "collapse") for strength in (0.1, 0.5))


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the spaces and the counts of every arm."""
    counts = counts_of(run)
    arms = [("null", 0.0), *ARMS]
    return {"spaces": facts_table(run)} | {
        f"{change}-{strength:g}": counts.table(f"{change} at {strength:g}.".capitalize(), change, strength)
        for change, strength in arms
        if counts.of(change=change, strength=strength)
    }


def findings(run: RunFolder) -> list[Finding]:
    """Return what the run says about the claims of Section 4.2."""
    counts = counts_of(run)
    real = counts.real()
    weak = [one for one in counts.of(change="contraction", strength=0.1) if one.space in real]
    collapse = [one for one in counts.of(change="collapse", strength=0.1) if one.space in real]
    median = [one for one in weak if one.test == "kad"]
    cubic = [one for one in weak if one.test == "kid"]
    seeing = [one for one in collapse if one.test in ("kad", "window", "mmdagg")]
    blind = [one for one in collapse if one.test == "kid"]
    return [
        Finding(
            "the median heuristic rejects the contraction at 0.1 in every run in all five spaces",
            listed(median),
            verdict(judged(median, lambda one: one.within(0.95, 1))),
        ),
        Finding(
            "the cubic kernel rejects it in at most 6 of 20 runs",
            listed(cubic),
            verdict(judged(cubic, lambda one: one.within(0, 0.3))),
        ),
        Finding(
            "every configuration but the cubic kernel sees the intra-mode collapse at 0.1 (19 or 20 of 20)",
            listed(seeing),
            verdict(judged(seeing, lambda one: one.within(0.95, 1))),
        ),
        Finding(
            "the cubic kernel sees the collapse at 0.1 in 0 to 2 of 20 runs",
            listed(blind),
            verdict(judged(blind, lambda one: one.within(0, 0.1))),
        ),
    ]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the rates of all tests and arms."""
    return {"rates": rate_bars(counts_of(run), ARMS)}


EXPERIMENT = Experiment(
    place="Sensitivity paper, Sec. 4.2",
    run=power_run.run,
    draw=draw,
    findings=findings,
    inputs=power_run.inputs,
    tables=tables,
)
