"""Figures of divergence frontiers: several models against one reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jaxtyping import Float
from matplotlib.figure import Figure
from numpy import ndarray

from fkeax.report.figures import DPI, STYLES


@dataclass(frozen=True)
class FrontierLine:
    """The frontier of one model, as it is drawn.

    Attributes:
        label: What the legend says.
        missed: ``exp(-c D(P||R))``, how little of the reference the model misses, one a mixture.
        excess: ``exp(-c D(Q||R))``, how little the model makes beyond the reference, one a mixture.
    """

    label: str
    missed: Float[ndarray, "l"]
    excess: Float[ndarray, "l"]


def frontier_curves(lines: Sequence[FrontierLine], *, title: str) -> Figure:
    """Draw frontiers on one unit square: the nearer a line comes to the upper right corner, the nearer the laws.

    Args:
        lines: At least one; beyond four, styles repeat.
        title: One line above.

    Returns:
        A figure that belongs to no global state; see :func:`save_figure`.
    """
    figure = Figure(figsize=(5.2, 4.8), dpi=DPI, layout="constrained")
    figure.suptitle(title, fontsize=11)
    axis = figure.subplots()
    for number, line in enumerate(lines):
        style: Any = STYLES[number % len(STYLES)]
        axis.plot(line.excess, line.missed, label=line.label, markersize=3, linewidth=1.4, **style)
    axis.set_xlabel("exp(-c D(Q||R)): what is generated beyond the reference lowers it")
    axis.set_ylabel("exp(-c D(P||R)): what is missed of the reference lowers it")
    axis.set_xlim(0, 1.02)
    axis.set_ylim(0, 1.02)
    axis.grid(alpha=0.3, linewidth=0.5)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8, loc="lower left")
    return figure
