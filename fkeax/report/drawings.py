"""The figures of a page: each drawn twice, described in words, with its numbers as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.figure import Figure as Drawing

from fkeax.report.audits import AuditCell, audit_grid
from fkeax.report.documents import Document
from fkeax.report.figures import score_curves, score_panels
from fkeax.report.frontiers import frontier_curves, frontier_line
from fkeax.report.inline import figure_for_both
from fkeax.report.page import Figure, Table
from fkeax.report.spectra import SpectrumLine, spectrum_curves
from fkeax.results import Result
from fkeax.results.formatting import format_interval, format_number, format_share, format_stderr

CSS_PIXELS_PER_INCH = 96
AXES = {
    "num-samples": ("num_samples", "number of samples"),
    "bandwidth": ("bandwidth", "bandwidth"),
    "num-frequencies": ("num_frequencies", "number of frequencies r"),
    "order": ("order", "order"),
}


def figure(drawing: Drawing, *, alt: str, caption: str, table: Table | None) -> Figure:
    """Return a drawing as a block of a page."""
    light, dark = figure_for_both(drawing)
    width, height = (round(float(side) * CSS_PIXELS_PER_INCH) for side in drawing.get_size_inches())
    return Figure(light, dark, width, height, alt, caption, table)


def curve_figures(document: Document) -> list[Figure]:
    """Return one figure for each score of `fkeax curve`: small enough to be read on a phone."""
    over = str(document.provenance.get("over"))
    setting, x_label = AXES.get(over, (over.replace("-", "_"), over))
    points = [
        (_name_along(result, over), x, result)
        for result in document.results
        if (x := _number(result.settings.get(setting))) is not None
    ]
    panels = score_panels(points)
    title = document.data or document.name
    found = []
    for name, curves in panels.items():
        names = [curve.label for curve in curves]
        rows = [
            (label, f"{x:g}", *score_cells(result))
            for wanted in names
            for label, x, result in points
            if label == wanted
        ]
        table = Table(f"{name} along {x_label}", ("score", x_label, "value", "std. error", "interval"), rows)
        ends = [f"{label} goes from {_ends(points, label)}" for label in names]
        found.append(
            figure(
                score_curves({name: curves}, x_label=x_label, title=title),
                alt=f"Line chart of {name} over {x_label}: {'; '.join(ends)}.",
                caption=f"{name} of {title} along {x_label}; bars are one standard error, where it is known.",
                table=table,
            )
        )
    return found


def _name_along(result: Result, over: str) -> str:
    """Return the name of a result; along the order without the order."""
    order = result.settings.get("order")
    if over != "order" or order is None:
        return result.name
    shown = order if isinstance(order, str) else f"{order:.12g}"
    return f"vendi{result.name.removeprefix(f'vendi-{shown}')}"


def _number(value: object) -> float | int | None:
    # An order may be the word "inf", which has no place on an axis.
    return value if isinstance(value, int | float) and math.isfinite(value) else None


def _ends(points: Sequence[tuple[str, float | int, Result]], label: str) -> str:
    own = [(x, result) for name, x, result in points if name == label]
    shown = [f"{format_number(result.value, result.stderr)} at {x:g}" for x, result in (own[0], own[-1])]
    return " to ".join(shown)


def score_cells(result: Result) -> tuple[str, str, str]:
    """Return value, standard error and interval of a result, as a table shows them; why there is no value."""
    if result.value is None:
        return f"no value: {result.diagnostics.get('reason') or 'no reason recorded'}", "", ""
    interval = result.diagnostics.get("interval")
    level = result.diagnostics.get("level")
    shown = format_interval(interval if isinstance(interval, list) else None, result.stderr)
    shown += f" ({100 * level:g} %)" if shown and isinstance(level, float) else ""
    error = format_stderr(result.stderr).replace("+/-", "±")
    return format_number(result.value, result.stderr), error, shown


def frontier_figure(document: Document) -> Figure:
    """Return the frontiers of one `fkeax frontier`."""
    areas = {result.settings.get("generated"): result for result in document.results if result.name == "mauve"}
    lines = []
    for points in document.frontiers:
        area = areas.get(points["generated"]) or Result("mauve", None, None, {}, {})
        lines.append(frontier_line(points, area))
    rows = [
        (
            str(points["generated"]),
            *(format_number(points[name][place]) for name in ("weights", "divergence_p", "divergence_q")),
        )
        for points in document.frontiers
        for place in range(len(points["weights"]))
    ]
    header = ("samples", "weight l of the reference", "D(P||R)", "D(Q||R)")
    return figure(
        frontier_curves(lines, title="Divergence frontiers against the reference"),
        alt=f"Divergence frontiers of {document.data or document.name}: {'; '.join(line.label for line in lines)}.",
        caption="Nearer to the upper right corner means nearer to the reference; R is the mixture of weight l.",
        table=Table("Points of the frontiers", header, rows),
    )


def spectrum_figure(documents: Sequence[Document]) -> Figure:
    """Return the leading shares of one or several `fkeax modes`."""
    lines = [
        SpectrumLine(f"{document.data or document.name}{_bandwidth(document)}", [mode.share for mode in document.modes])
        for document in documents
    ]
    rows = [
        (line.label, str(rank), format_share(share), format_share(sum(line.shares[:rank])))
        for line in lines
        for rank, share in enumerate(line.shares, start=1)
    ]
    sums = [f"the first {len(line.shares)} of {line.label} hold {format_share(sum(line.shares))}" for line in lines]
    return figure(
        spectrum_curves(lines, title="Leading eigenvalues, over the trace"),
        alt=f"Line chart of the share of each mode by rank: {'; '.join(sums)}.",
        caption=f"Share of each mode: {'; '.join(sums)} of the trace. Spectra compare at one bandwidth only.",
        table=Table("Shares of the leading modes", ("samples", "mode", "share", "sum so far"), rows),
    )


def _bandwidth(document: Document) -> str:
    bandwidth = document.settings.get("bandwidth")
    return f" (bandwidth {bandwidth:.6g})" if isinstance(bandwidth, int | float) else ""


def audit_figure(document: Document) -> Figure:
    """Return the grid of rejection rates of `fkeax audit`."""
    cells = [
        AuditCell(
            test=str(result.settings.get("test")),
            arm=audit_arm(result),
            rate=result.value,
            interval=audit_interval(result),
            count=f"{result.diagnostics.get('num_rejections')}/{result.settings.get('num_draws')}",
        )
        for result in document.results
    ]
    tests, arms = (list(dict.fromkeys(names)) for names in zip(*((cell.test, cell.arm) for cell in cells), strict=True))
    return figure(
        audit_grid(cells, title="Draws rejected, with 95 % intervals"),
        alt=f"Grid of rejection rates, {', '.join(tests)} by {', '.join(arms)}; the table below has the numbers.",
        caption=f"Share of draws that each test rejects, by change, on {document.data or document.name}.",
        table=None,
    )


def audit_arm(result: Result) -> str:
    """Return the change of a row of an audit, with its strength where it has one."""
    change, strength = result.settings.get("change"), result.settings.get("strength")
    return f"{change} {strength:g}" if change != "null" and isinstance(strength, int | float) else str(change)


def audit_interval(result: Result) -> tuple[float, float]:
    """Return the interval of a rate of an audit; the whole range where there is none."""
    found = result.diagnostics.get("interval")
    if isinstance(found, list) and len(found) == 2 and all(isinstance(end, int | float) for end in found):
        return float(found[0]), float(found[1])
    return 0.0, 1.0
