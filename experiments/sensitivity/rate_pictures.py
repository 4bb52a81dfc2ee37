"""One picture of rejection rates: a panel a change, a colour a test, a group of bars a space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

from experiments.sensitivity.counts import Counts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEVEL = 0.05


def rate_bars(counts: Counts, arms: Sequence[tuple[str, float]]) -> Figure:
    """Return rates with their intervals; changes that could not be made have no bar."""
    arms = [arm for arm in arms if counts.of(change=arm[0], strength=arm[1])]
    columns = 2 if len(arms) > 1 else 1
    rows = -(-len(arms) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(4.6 * columns, 1.9 * rows + 0.9), sharex=True, sharey=True, squeeze=False, dpi=80
    )
    width = 0.8 / max(len(counts.tests), 1)
    for axis, (change, strength) in zip(axes.flat, arms, strict=False):
        for number, test in enumerate(counts.tests):
            found = [counts.one(space=name, test=test, change=change, strength=strength) for name in counts.spaces]
            kept = [(place, one) for place, one in enumerate(found) if one is not None and one.draws]
            places = [place + (number + 0.5) * width - 0.4 for place, _ in kept]
            rates = [one.rate for _, one in kept]
            below = [max(one.rate - one.interval[0], 0) for _, one in kept]
            above = [max(one.interval[1] - one.rate, 0) for _, one in kept]
            axis.bar(places, rates, width, color=f"C{number}", label=test)
            axis.errorbar(places, rates, [below, above], fmt="none", ecolor="black", elinewidth=0.5)
        axis.axhline(LEVEL, color="black", lw=0.5)
        axis.set_title(f"{change} {strength:g}" if change != "null" else change, fontsize=8)
        axis.set(ylim=(0, 1.02))
        axis.set_xticks(range(len(counts.spaces)), counts.spaces, rotation=35, ha="right", fontsize=6)
        axis.tick_params(axis="y", labelsize=7)
    for axis in list(axes.flat)[len(arms) :]:
        axis.set_axis_off()
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", ncol=6, fontsize=7, frameon=False)
    figure.supylabel("rejection rate", fontsize=8)
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.35 / figure.get_size_inches()[1]))
    return figure
