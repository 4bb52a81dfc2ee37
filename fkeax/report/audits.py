"""Figure of an audit: how often each test rejects each change, as a grid of rates with counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from fkeax.report.figures import DPI

# From white to a blue that keeps its order of lightness in grey; text turns white where the field is dark.
_COLOURS = LinearSegmentedColormap.from_list("rate", ["#ffffff", "#9ecae1", "#08519c"])
_DARK = 0.6


@dataclass(frozen=True)
class AuditCell:
    """One field of the figure.

    Attributes:
        test: Its column.
        arm: Its row: change and strength.
        rate: Rejections over draws; None where the change could not be made.
        interval: Of the rate.
        count: As written in the field, such as "3/10".
    """

    test: str
    arm: str
    rate: float | None
    interval: tuple[float, float]
    count: str


def audit_grid(cells: Sequence[AuditCell], *, title: str) -> Figure:
    """Draw rejection rates, one row a change and one column a test, each with its count and interval.

    Args:
        cells: At least one; rows and columns stand in the order in which they first appear.
        title: One or two lines above.

    Returns:
        A figure that belongs to no global state; see :func:`save_figure`.
    """
    tests = list(dict.fromkeys(cell.test for cell in cells))
    arms = list(dict.fromkeys(cell.arm for cell in cells))
    rates = np.full((len(arms), len(tests)), np.nan)
    figure = Figure(figsize=(max(5.6, 2.0 + 1.2 * len(tests)), 1.4 + 0.45 * len(arms)), dpi=DPI, layout="constrained")
    figure.suptitle(title, fontsize=10)
    axis = figure.subplots()
    for cell in cells:
        row, column = arms.index(cell.arm), tests.index(cell.test)
        rates[row, column] = np.nan if cell.rate is None else cell.rate
        low, high = cell.interval
        text = "not possible" if cell.rate is None else f"{cell.count}\n{low:.2f} to {high:.2f}"
        dark = cell.rate is not None and cell.rate > _DARK
        axis.text(column, row, text, ha="center", va="center", fontsize=7, color="white" if dark else "black")
    picture = axis.imshow(np.ma.masked_invalid(rates), cmap=_COLOURS, vmin=0, vmax=1, aspect="auto")
    axis.set_facecolor("#e8e8e8")
    axis.set_xticks(range(len(tests)), tests, fontsize=9)
    axis.set_yticks(range(len(arms)), arms, fontsize=9)
    axis.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    axis.hlines(np.arange(0.5, len(arms) - 1), -0.5, len(tests) - 0.5, color="#b0b0b0", linewidth=0.5)
    axis.spines[:].set_visible(False)
    figure.colorbar(picture, ax=axis, fraction=0.05).set_label("share of draws rejected", fontsize=8)
    return figure
