"""Figures of benchmarks: one a family, of seconds by contender; growth; shares of the limits."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from benchmarks.timing import is_busy
from fkeax.io import write_bytes

OURS, THEIRS = "#0072B2", "#999999"


def family_figure(path: Path, title: str, result: Mapping[str, Any]) -> None:
    """Draw a bar for every row, cases below each other, fkeax in its own colour, seconds on a logarithmic axis.

    Processor seconds where the machine was busy, else those of the clock.
    """
    busy = is_busy(result["machine"])
    labels, seconds, colours = [], [], []
    for case in result["cases"]:
        for row in case["rows"]:
            labels.append(f"{case['case']}, {case['threads']} thread(s): {row['name']}")
            seconds.append(max(row["cpu_s" if busy else "wall_s"], 1e-4))
            colours.append(OURS if row is case["rows"][0] or row["name"].startswith("fkeax") else THEIRS)
    figure = Figure(figsize=(9, 0.9 + 0.24 * len(labels)), layout="constrained")
    axes = figure.add_subplot()
    positions = range(len(labels))
    axes.barh(positions, seconds, color=colours)
    axes.set_yticks(positions, labels, fontsize=7)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("processor seconds (the machine was busy)" if busy else "wall seconds")
    axes.set_title(title)
    _save(figure, path)


def growth_figure(path: Path, lines: list[dict[str, Any]]) -> None:
    """Draw seconds against size for every line, both axes logarithmic, slopes in the legend."""
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for line, marker in zip(lines, "os^Dvx*P", strict=False):
        label = f"{line['name']} in {line['axis']}: slope {line['slope']:.2f}"
        relative = [size / line["sizes"][0] for size in line["sizes"]]
        axes.plot(relative, line["seconds"], marker=marker, label=label)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("size over the smallest")
    axes.set_ylabel("processor seconds")
    axes.legend(fontsize=7)
    _save(figure, path)


def roofline_figure(path: Path, kernels: list[dict[str, Any]]) -> None:
    """Draw the share of its limit that each kernel reaches."""
    figure = Figure(figsize=(7, 0.9 + 0.3 * len(kernels)), layout="constrained")
    axes = figure.add_subplot()
    positions = range(len(kernels))
    axes.barh(positions, [kernel["share"] for kernel in kernels], color=OURS)
    axes.set_yticks(positions, [f"{kernel['name']} ({kernel['bound']})" for kernel in kernels], fontsize=8)
    axes.invert_yaxis()
    axes.axvline(0.5, color=THEIRS, linestyle=":")
    axes.set_xlim(0, max(1.0, *(kernel["share"] for kernel in kernels)))
    axes.set_xlabel("share of the limit")
    _save(figure, path)


def _save(figure: Figure, path: Path) -> None:
    FigureCanvasAgg(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=120, metadata={"Software": None})
    write_bytes(path, buffer.getvalue())
