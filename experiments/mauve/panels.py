"""Panels of lines and of points for the figures of this paper, through matplotlib's object interface."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from fkeax.report.figures import STYLES

DPI = 80
# Four more of Okabe and Ito's colours, for figures of up to eight lines.
ALL_STYLES = (
    *STYLES,
    {"color": "#CC79A7", "marker": "v", "linestyle": "-"},
    {"color": "#E69F00", "marker": "P", "linestyle": "--"},
    {"color": "#56B4E9", "marker": "X", "linestyle": ":"},
    {"color": "#888888", "marker": "*", "linestyle": "-."},
)


@dataclass(frozen=True)
class Line:
    """One line, or points without one.

    Attributes:
        label: What the legend says; none where empty.
        x: Positions; words are placed side by side.
        y: Heights.
        errors: One standard error for each, where known.
        joined: Whether a line joins the points.
    """

    label: str
    x: Sequence[float | str] | np.ndarray
    y: Sequence[float] | np.ndarray
    errors: Sequence[float] | np.ndarray | None = None
    joined: bool = True


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Attributes:
        title: Above it.
        x_label: Below it.
        y_label: Beside it.
        lines: What it shows.
        log_x: Whether the horizontal axis is logarithmic.
        log_y: Whether the vertical axis is.
        levels: Horizontal lines with their labels.
    """

    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    log_x: bool = False
    log_y: bool = False
    levels: dict[str, float] = field(default_factory=dict)


def draw_panels(panels: Sequence[Panel], title: str, columns: int = 3) -> Figure:
    """Draw panels side by side, in rows of so many; a figure that belongs to no global state."""
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(0.4 + 4.2 * columns, 0.6 + 3.4 * rows), dpi=DPI, layout="constrained")
    figure.suptitle(title, fontsize=10, wrap=True)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis, panel in zip(axes, panels, strict=False):
        _draw(axis, panel)
    for axis in axes[len(panels) :]:
        axis.set_axis_off()
    return figure


def _draw(axis: Any, panel: Panel) -> None:
    for line, chosen in zip(panel.lines, itertools.cycle(ALL_STYLES)):
        style: Any = dict(chosen)
        if not line.joined:
            style["linestyle"] = "none"
        dense = len(line.x) > 40
        if dense and line.joined:
            style["marker"] = "none"
        axis.errorbar(
            list(line.x), list(line.y), yerr=line.errors, label=line.label or None, markersize=4, linewidth=1.3,
            elinewidth=0.8, capsize=2, **style,
        )  # fmt: skip
    for label, level in panel.levels.items():
        axis.axhline(level, color="#888888", linewidth=1, linestyle="--")
        axis.annotate(label, (0.01, level), xycoords=("axes fraction", "data"), fontsize=7, va="bottom")
    axis.set_title(panel.title, fontsize=9)
    axis.set_xlabel(panel.x_label, fontsize=8)
    axis.set_ylabel(panel.y_label, fontsize=8)
    axis.tick_params(labelsize=7)
    if any(isinstance(x, str) for line in panel.lines for x in line.x):
        axis.tick_params(axis="x", labelrotation=40)
    if panel.log_x:
        axis.set_xscale("log")
        axis.xaxis.set_minor_formatter(NullFormatter())
    if panel.log_y:
        axis.set_yscale("log")
        axis.yaxis.set_minor_formatter(NullFormatter())
    axis.grid(alpha=0.3, linewidth=0.5)
    axis.spines[["top", "right"]].set_visible(False)
    if any(line.label for line in panel.lines):
        axis.legend(frameon=False, fontsize=7, loc="best")
