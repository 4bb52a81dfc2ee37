"""Names of experiments and their functions.

Functions, not import strings in the configuration: they survive renaming, and type checkers see them. Each is loaded
when it is needed, because experiments import jax and `runtime` comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
        agrees: In one word or a short clause.
    """

    paper: str
    ours: str
    agrees: str


@dataclass(frozen=True)
class Experiment:
    """One figure, table or section of a paper.

    Attributes:
        place: Paper and figure.
        run: Computes.
        inputs: Names and SHA-256 of what it will read.
        files: The user's own files among them.
        draw: Figures by name, from a finished run.
        findings: What the run says about each claim of the paper.
    """

    place: str
    run: Callable[[Config], Outcome]
    inputs: Callable[[Config], Mapping[str, str]]
    files: Callable[[Config], list[Path]]
    draw: Callable[[RunFolder], dict[str, Figure]]
    findings: Callable[[RunFolder], list[Finding]]


def _fkea_fig02_mnist() -> Experiment:
    from experiments.fkea import fig02_findings, fig02_mnist

    return Experiment(
        place="FKEA paper, Fig. 2",
        run=fig02_mnist.run,
        inputs=fig02_mnist.inputs,
        files=fig02_mnist.files,
        draw=fig02_findings.draw,
        findings=fig02_findings.findings,
    )


EXPERIMENTS: dict[str, Callable[[], Experiment]] = {"fkea/fig02_mnist": _fkea_fig02_mnist}


def experiment(name: str) -> Experiment:
    """Return an experiment by its name.

    Raises:
        ValueError: There is none of that name.
    """
    if name not in EXPERIMENTS:
        raise ValueError(f"there is no experiment {name!r}; there are: {', '.join(EXPERIMENTS)}.")
    return EXPERIMENTS[name]()
