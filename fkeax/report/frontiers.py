"""Figures of divergence frontiers: several models against one reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.figure import Figure
from numpy import ndarray

from fkeax.report.figures import DPI, STYLES
from fkeax.results import Result
from fkeax.results.formatting import format_number


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


def frontier_line(points: Mapping[str, Any], mauve: Result) -> FrontierLine:
    """Return the line of one entry of "frontiers" in the JSON of `fkeax frontier`.

    Args:
        points: With the keys generated, scale, divergence_p and divergence_q; a divergence of None is not drawn.
        mauve: The area under this frontier, for the legend.

    Example:
        >>> points = {"generated": "a.npy", "scale": 5.0, "divergence_p": [0.1, 0.0], "divergence_q": [0.0, None]}
        >>> line = frontier_line(points, Result("mauve", 0.75, 0.01, {}, {}))
        >>> line.label, [round(x, 3) for x in line.missed.tolist()]
        ('a.npy: MAUVE 0.750', [0.607, 1.0])
    """
    missed, excess = (
        np.exp(-float(points["scale"]) * np.array(points[name], np.float64))
        for name in ("divergence_p", "divergence_q")
    )
    return FrontierLine(f"{points['generated']}: MAUVE {format_number(mauve.value, mauve.stderr)}", missed, excess)


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
