"""What the frame needs to know of one figure, table or section of a paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.outcome import Outcome, RunFolder
    from experiments.schema import Config


@dataclass(frozen=True)
class Finding:
    """One claim of the paper beside what was seen here.

    Attributes:
        paper: The paper's number or trend.
        ours: What the run says.
        agrees: In one word or a short clause: "yes", "no", "cannot be judged: why".
    """

    paper: str
    ours: str
    agrees: str


@dataclass(frozen=True)
class Table:
    """A table of the record and of the page.

    Attributes:
        caption: What it shows, in one sentence.
        header: One word or two a column.
        rows: Cells: words, numbers as they were measured, or None where there is no value.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str | float | int | None]]


def _no_inputs(config: Config) -> Mapping[str, str]:
    return {}


def _no_files(config: Config) -> list[Path]:
    return []


def _no_tables(run: RunFolder) -> dict[str, Table]:
    return {}


@dataclass(frozen=True)
class Experiment:
    """One figure, table or section of a paper.

    Attributes:
        place: Paper and figure.
        run: Computes.
        draw: Figures by name, from a finished run.
        findings: What the run says about each claim of the paper.
        inputs: Names and SHA-256 of what it will read; nothing where it draws its own samples.
        files: The user's own files among them.
        tables: Tables by name, from a finished run; they are committed with its record.
    """

    place: str
    run: Callable[[Config], Outcome]
    draw: Callable[[RunFolder], dict[str, Figure]]
    findings: Callable[[RunFolder], list[Finding]]
    inputs: Callable[[Config], Mapping[str, str]] = _no_inputs
    files: Callable[[Config], list[Path]] = _no_files
    tables: Callable[[RunFolder], dict[str, Table]] = _no_tables
