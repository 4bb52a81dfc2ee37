"""Figures of scores and of modes, through matplotlib's object interface only."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
from jaxtyping import Float
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from fkeax.io import write_bytes
from fkeax.report.thumbnails import image_montage
from fkeax.results import Result

# Okabe and Ito's colours, which colour-blind readers tell apart, each with a marker and a line of its own.
STYLES = (
    {"color": "#000000", "marker": "o", "linestyle": "-"},
    {"color": "#D55E00", "marker": "s", "linestyle": "--"},
    {"color": "#0072B2", "marker": "^", "linestyle": ":"},
    {"color": "#009E73", "marker": "D", "linestyle": "-."},
)
DPI = 150


@dataclass(frozen=True)
class Curve:
    """One line of a panel.

    Attributes:
        label: What the legend says.
        x: Positions on the horizontal axis.
        values: One value per position; None where there is none.
        stderrs: One standard error per position; None where it is unknown.
    """

    label: str
    x: Sequence[float | int]
    values: Sequence[float | None]
    stderrs: Sequence[float | None]


@dataclass(frozen=True)
class ModePanel:
    """The top samples of one mode.

    Attributes:
        title: One or two short lines above the panel.
        pictures: The samples as pictures (height, width, channels) of any size, best first.
    """

    title: str
    pictures: Sequence[Float[np.ndarray, "_ _ _"]]


def score_panels(points: Iterable[tuple[str, float | int, Result]]) -> dict[str, list[Curve]]:
    """Sort the results along a setting into panels: variants of one score, plain and debiased, share one.

    Args:
        points: The name of each score, its position on the horizontal axis, and the result there.

    Example:
        >>> results = [Result(name, 2.0, None, {}, {}) for name in ("rke", "rke-population")]
        >>> {panel: [curve.label for curve in curves]
        ...  for panel, curves in score_panels((r.name, 100, r) for r in results).items()}
        {'rke': ['rke', 'rke-population']}
    """
    by_name: dict[str, list[tuple[float | int, Result]]] = {}
    for name, x, result in points:
        by_name.setdefault(name, []).append((x, result))
    panels: dict[str, list[Curve]] = {}
    for name, listed in by_name.items():
        panel = name.removesuffix("-second").removesuffix("-debiased").removesuffix("-truncated")
        panels.setdefault(panel.removesuffix("-population"), []).append(
            Curve(
                label=name,
                x=[x for x, _ in listed],
                values=[result.value for _, result in listed],
                stderrs=[result.stderr for _, result in listed],
            )
        )
    return panels


def score_curves(panels: Mapping[str, Sequence[Curve]], *, x_label: str, title: str) -> Figure:
    """Draw one panel per score, its curves side by side with error bars of one standard error where known.

    Args:
        panels: The title of each panel and its curves.
        x_label: What the horizontal axes say.
        title: One line above all panels.

    Returns:
        A figure that belongs to no global state; see `save_figure`.
    """
    figure = Figure(figsize=(0.6 + 4.6 * len(panels), 4.0), dpi=DPI, layout="constrained")
    figure.suptitle(title, fontsize=11)
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axis, (name, curves) in zip(axes, panels.items(), strict=True):
        for curve, style in zip(curves, STYLES, strict=False):
            _draw_curve(axis, curve, style)
        axis.set_title(name, fontsize=10)
        axis.set_xlabel(x_label)
        axis.set_ylabel("effective number of modes")
        axis.set_ylim(bottom=0)
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
        axis.grid(alpha=0.3, linewidth=0.5)
        axis.spines[["top", "right"]].set_visible(False)
        axis.legend(frameon=False, fontsize=9, loc="best")
    return figure


def _draw_curve(axis, curve: Curve, style: Mapping[str, str]) -> None:
    values = np.array([math.nan if value is None else value for value in curve.values], dtype=float)
    errors = np.array([math.nan if error is None else error for error in curve.stderrs], dtype=float)
    axis.plot(curve.x, values, label=curve.label, markersize=4, linewidth=1.4, **style)
    if np.isfinite(errors).any():
        axis.errorbar(curve.x, values, yerr=errors, fmt="none", ecolor=style["color"], elinewidth=1, capsize=2)


def mode_grid(panels: Sequence[ModePanel], *, title: str, num_columns: int = 5) -> Figure:
    """Draw the top samples of modes, one panel per mode.

    Args:
        panels: The modes, at least one.
        title: One line above all panels.
        num_columns: Panels per row.

    Returns:
        A figure that belongs to no global state; see `save_figure`.
    """
    num_columns = min(num_columns, len(panels))
    num_rows = -(-len(panels) // num_columns)
    side = 2.3 if len(panels) > 1 else 4.4
    figure = Figure(
        figsize=(max(side * num_columns, 4.4) + 0.2, (side + 0.55) * num_rows + 0.5), dpi=DPI, layout="constrained"
    )
    figure.get_layout_engine().set(w_pad=0.09, h_pad=0.07)  # pyright: ignore
    figure.suptitle(title, fontsize=11, wrap=True)  # the figure may be narrower than its title
    axes = figure.subplots(num_rows, num_columns, squeeze=False).ravel()
    for axis, panel in zip(axes, panels, strict=False):
        per_row = math.ceil(math.sqrt(len(panel.pictures)))
        axis.imshow(np.clip(image_montage(panel.pictures, per_row), 0.0, 1.0), interpolation="nearest")
        axis.set_title(panel.title, fontsize=9)
    for axis in axes:
        axis.set_axis_off()
    return figure


FORMATS = (".png", ".svg", ".pdf")


def check_figure_path(path: str | os.PathLike[str]) -> str:
    """Return the format that a file name asks for.

    Raises:
        ValueError: The name ends in none of .png, .svg and .pdf.
    """
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in FORMATS:
        raise ValueError(f"a figure must be a {', '.join(FORMATS)} file; got {os.fspath(path)!r}.")
    return suffix.removeprefix(".")


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure as PNG, SVG or PDF, as the name says, whole or not at all.

    Args:
        figure: What `score_curves` or `mode_grid` returned.
        path: The file to write.

    Raises:
        OSError: The file cannot be written.
        ValueError: The name asks for no such format.
    """
    write_bytes(path, figure_bytes(figure, check_figure_path(path)))


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """Return a figure as the content of a file; the same figure gives the same PNG and SVG bytes.

    Args:
        figure: What `score_curves` or `mode_grid` returned.
        kind: "png", "svg" or "pdf".
    """
    buffer = io.BytesIO()
    # Without these, an SVG holds the time and names of its parts drawn at random.
    own: Any = {"metadata": {"Date": None}} if kind == "svg" else {}
    with matplotlib.rc_context({"svg.hashsalt": "fkeax"}):
        FigureCanvasAgg(figure).print_figure(buffer, format=kind, facecolor=figure.get_facecolor(), **own)
    return buffer.getvalue()
