"""Appendix A.19 and Table 10: copies of reference rows among the generated ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.experiment import Experiment, Finding, Table
from experiments.outcome import RunFolder
from experiments.sensitivity import power_run
from experiments.sensitivity.counts import Count, Counts, counts_of, facts_table, verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHANGES = ("copies", "copies-perturbed")
SHARES = (0.1, 0.25, 0.5)
TOLERANCE = 0.25  # of z: the noise of its mean over some draws of the same rows
ARMS = tuple((change, share) for change in CHANGES for share in SHARES)


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the spaces, the counts, and mean z against the share of copies."""
    counts = counts_of(run)
    found = {"spaces": facts_table(run)}
    for change, share in ARMS:
        if counts.of(change=change, strength=share):
            found[f"{change}-{share:g}"] = counts.table(
                f"{change}, {share:.0%} of the rows.".capitalize(), change, share
            )
    rows = [
        [name, test, change, *(_z(counts, name, test, change, share) for share in SHARES)]
        for name in counts.spaces
        for test in counts.tests
        for change in CHANGES
    ]
    header = ["space", "test", "change", *(f"{share:.0%}" for share in SHARES)]
    found["z"] = Table("Mean z of the statistic over draws, by the share of copies.", header, rows)
    return found


def _z(counts: Counts, name: str, test: str, change: str, share: float) -> float | None:
    one = counts.one(space=name, test=test, change=change, strength=share)
    return None if one is None else one.z


def findings(run: RunFolder) -> list[Finding]:
    """Return what the run says about the claims of A.19."""
    counts = counts_of(run)
    cells: list[Count] = [one for change, share in ARMS for one in counts.of(change=change, strength=share)]
    aggregated = [one for one in cells if one.test == "mmdagg"]
    rejected, draws = sum(one.rejections for one in aggregated), sum(one.draws for one in aggregated)
    falls, same, lines = {}, {}, []
    for name in counts.spaces:
        found = [[_z(counts, name, "window", change, share) for share in SHARES] for change in CHANGES]
        exact, moved = ([value for value in values if value is not None] for values in found)
        if len(exact) < len(SHARES) or len(moved) < len(SHARES):
            continue
        falls[name] = exact[0] > exact[1] > exact[2]
        same[name] = all(abs(a - b) < TOLERANCE + 0.1 * abs(a) for a, b in zip(exact, moved, strict=True))
        lines.append(f"{name} {exact[0]:.2f}, {exact[1]:.2f}, {exact[2]:.2f}")
    return [
        Finding(
            "the narrow kernel's statistic responds monotonically to the share of copies, which lower it",
            f"window's z at {', '.join(f'{share:.0%}' for share in SHARES)}: {'; '.join(lines) or 'not run'}",
            verdict(falls),
        ),
        Finding(
            "exact and lightly perturbed copies give the same response",
            "window's z of exact and perturbed copies: see the table; where entries are tied, moved copies have none",
            verdict(same),
        ),
        Finding(
            "MMDAgg rejects in only 5 of 360 runs: a test of laws is no test for copies",
            f"{rejected} of {draws}",
            _rarely(rejected, draws),
        ),
    ]


def _rarely(rejected: int, draws: int) -> str:
    from fkeax.inference import clopper_pearson

    if not draws:
        return "cannot be judged: MMDAgg was not run"
    return "yes" if clopper_pearson(rejected, draws)[0] <= 0.05 else "no"


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return mean z against the share of copies, a panel a space."""
    import matplotlib.pyplot as plt

    counts = counts_of(run)
    columns = min(4, len(counts.spaces))
    rows = -(-len(counts.spaces) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(2.4 * columns, 2.1 * rows), sharex=True, squeeze=False, dpi=80)
    for axis, name in zip(axes.flat, counts.spaces, strict=False):
        for number, test in enumerate(counts.tests):
            for change, style in zip(CHANGES, ("o-", "x:"), strict=True):
                values = [_z(counts, name, test, change, share) for share in SHARES]
                kept = [(share, value) for share, value in zip(SHARES, values, strict=True) if value is not None]
                axis.plot(*zip(*kept, strict=True) if kept else ((), ()), style, color=f"C{number}", ms=3, label=test)
        axis.axhline(0, color="black", lw=0.5)
        axis.set_title(name, fontsize=8)
        axis.tick_params(labelsize=7)
    axes.flat[0].legend(fontsize=5)
    figure.supxlabel("share of copies (crosses: perturbed)", fontsize=8)
    figure.supylabel("mean z", fontsize=8)
    figure.tight_layout()
    return {"z": figure}


EXPERIMENT = Experiment(
    place="Sensitivity paper, A.19 and Table 10",
    run=power_run.run,
    draw=draw,
    findings=findings,
    inputs=power_run.inputs,
    tables=tables,
)
