"""The page of the benchmarks, in Markdown, from the JSON of its families."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.families import FAMILIES, family
from benchmarks.goals import Verdict, verdicts
from benchmarks.timing import is_busy

_HEAD = """# Benchmarks

Made by `python -m benchmarks.run`; nothing on this page is written by hand. `make bench` measures it again. What the
numbers mean, and what was done about them, is told in [](../performance.md).

All contenders of a case run in turn in one process, and the least of the rounds counts. **Ratio** is the seconds of
fkeax over those of the row, so that below 1 fkeax is faster; **peak** is the rise of the resident memory of the process
while the row ran; **difference** is that of the row's values from those of fkeax, with the largest that is allowed in
the text. A run with one thread is pinned to one core. Where more programs wanted to run than there are cores, verdicts
are on processor seconds, and say so.
"""


def page(results: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the whole page for what has been measured."""
    parts = [_HEAD, _goals(verdicts(results))]
    for name in FAMILIES:
        if name in results:
            parts.append(family_section(name, results[name]))
    if "roofline" in results:
        parts.append(roofline_section(results["roofline"]))
    if "growth" in results:
        parts.append(growth_section(results["growth"]))
    parts.append(_machines(results))
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def family_section(name: str, result: Mapping[str, Any]) -> str:
    """Return the section of a family: what is timed, one table, what is absent, the figure."""
    described = family(name)
    rows: list[list[str]] = []
    notes: list[str] = []
    for case in result["cases"]:
        for number, row in enumerate(case["rows"]):
            rows.append(_row(case if number == 0 else None, row))
        if any(row["difference"] is not None for row in case["rows"][1:]):
            kind = "absolute" if case["absolute"] else "relative"
            verdict = "agree" if case["agrees"] else "**do not agree**"
            notes.append(
                f"* {case['case']}: values {verdict} within {case['tolerance']:.3g} ({kind}): {case['reason']}."
            )
        notes += [f"* {case['case']}: {peer} not run here: {reason}." for peer, reason in case["absent"].items()]
    head = ("case", "", "ratio", "ratio, CPU", "wall s", "CPU s", "peak MB", "values", "difference")
    return "\n\n".join(
        [
            f"## {described.title}",
            described.what,
            table(head, rows),
            "\n".join(dict.fromkeys(notes)),
            f"![Seconds by contender: {described.title}]({name}.png)",
            _measured(result),
        ]
    )


def _row(case: Mapping[str, Any] | None, row: Mapping[str, Any]) -> list[str]:
    first = case is not None
    values = row["values"]
    shown = ", ".join(f"{value:.4g}" for value in values[:2]) + (", ..." if len(values) > 2 else "")
    return [
        f"**{case['case']}**: {case['sizes']}; {_threads(case['threads'])}" if case is not None else "",
        row["name"],
        "" if first else f"{row['ratio']:.2f}",
        "" if first or row["cpu_ratio"] is None else f"{row['cpu_ratio']:.2f}",
        f"{row['wall_s']:.3g}",
        f"{row['cpu_s']:.3g}",
        "" if row["peak_mb"] is None else f"{row['peak_mb']:,.0f}",
        shown,
        "" if first or row["difference"] is None else f"{row['difference']:.2g}",
    ]


def roofline_section(result: Mapping[str, Any]) -> str:
    """Return the section of the limits."""
    peaks = result["ceilings"]
    rows = [
        [
            kernel["name"],
            f"{kernel['gflop']:.3g}",
            f"{kernel['gbyte']:.3g}",
            f"{kernel['seconds']:.3g}",
            f"{kernel['limit_seconds']:.3g}",
            kernel["bound"],
            f"{kernel['share']:.2f}",
        ]
        for kernel in result["kernels"]
    ]
    return "\n\n".join(
        [
            "## The limit",
            f"Measured in the same process on {_threads(result['threads'])}: {peaks['gflops32']:.0f} Gflop/s in "
            f"float32 and {peaks['gflops64']:.0f} in float64 (square matrix products), {peaks['gbytes']:.1f} GB/s (a "
            "copy, read and written counted). A kernel cannot take less than its flops at the one or its bytes at the "
            "other.",
            table(("kernel", "Gflop", "GB", "seconds", "limit, seconds", "bound by", "share reached"), rows),
            "![Share of the limit that each kernel reaches](roofline.png)",
            _measured(result),
        ]
    )


def growth_section(result: Mapping[str, Any]) -> str:
    """Return the section of the slopes."""
    rows = [
        [
            line["name"],
            line["axis"],
            ", ".join(f"{size:,}" for size in line["sizes"]),
            ", ".join(f"{seconds:.3g}" for seconds in line["seconds"]),
            f"{line['slope']:.2f}",
            line["theory"],
        ]
        for line in result["lines"]
    ]
    return "\n\n".join(
        [
            "## How cost grows",
            "Processor seconds at growing sizes, and the slope of their logarithms by least squares.",
            table(("", "in", "sizes", "CPU s", "slope", "the leading terms say"), rows),
            "![Seconds against size](growth.png)",
            _measured(result),
        ]
    )


def _goals(found: Sequence[Verdict]) -> str:
    words = {True: "met", False: "**not met**", None: "not measured"}
    rows = [[verdict.text, verdict.limit, verdict.measured, words[verdict.met]] for verdict in found]
    return "\n\n".join(["## Goals", table(("goal", "at most", "measured", "verdict"), rows)])


def _measured(result: Mapping[str, Any]) -> str:
    load, cores = result["machine"]["load"], result["machine"]["cores"]
    busy = " **The machine was busy: ratios of wall seconds are noise; those of CPU seconds say more.**" * (
        is_busy(result["machine"])
    )
    rounds = result["rounds"]
    return (
        f"{'One round' if rounds == 1 else f'Least of {rounds} rounds'}; scale {result['scale']}; load "
        f"{load[0]:g} on {cores} cores before the first case.{busy}"
    )


def _machines(results: Mapping[str, Mapping[str, Any]]) -> str:
    kinds: dict[str, list[str]] = {}
    for name, result in results.items():
        machine = result["machine"]
        packages = ", ".join(f"{package} {version or 'absent'}" for package, version in machine["versions"].items())
        blas = sorted({kernel for case in result.get("cases", ()) for kernel in case["blas"]})
        line = (
            f"{machine['processor']}, {machine['cores']} cores, {machine['system']}, Python {machine['python']}; "
            f"{packages}"
        )
        kinds.setdefault(line, []).append(f"{name} ({'; '.join(blas)})" if blas else name)
    lines = [f"* {line}: {', '.join(names)}." for line, names in kinds.items()]
    return "\n\n".join(["## Machine and versions", "\n".join(lines)])


def _threads(number: int) -> str:
    return "one thread" if number == 1 else f"{number} threads"
