"""Figure of spectra: the share that each mode holds, by rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from fkeax.report.figures import DPI, STYLES

# Where the largest share is more than this many times the smallest, a linear axis shows only the first few.
_WIDE = 30.0


@dataclass(frozen=True)
class SpectrumLine:
    """The leading eigenvalues of one set of samples.

    Attributes:
        label: What the legend says.
        shares: Eigenvalues over the trace, descending, in [0, 1].
    """

    label: str
    shares: Sequence[float]


def spectrum_curves(lines: Sequence[SpectrumLine], *, title: str) -> Figure:
    """Draw the shares of the leading modes of one or several sets of samples.

    Args:
        lines: At least one; beyond four, styles repeat.
        title: One line above.

    Returns:
        A figure that belongs to no global state; see :func:`save_figure`.
    """
    figure = Figure(figsize=(5.2, 3.6), dpi=DPI, layout="constrained")
    figure.suptitle(title, fontsize=11)
    axis = figure.subplots()
    for number, line in enumerate(lines):
        style: Any = STYLES[number % len(STYLES)]
        percent = [100 * share for share in line.shares]
        axis.plot(range(1, len(percent) + 1), percent, label=line.label, markersize=4, linewidth=1.4, **style)
    shares = [share for line in lines for share in line.shares]
    smallest = min(shares, default=0.0)
    if smallest > 0 and max(shares) > _WIDE * smallest:
        axis.set_yscale("log")
    else:
        axis.set_ylim(0, 108 * max(shares, default=1.0))
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    axis.set_xlabel("mode, by rank")
    axis.set_ylabel("share of the trace in %")
    axis.grid(alpha=0.3, linewidth=0.5)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8, loc="best")
    return figure
