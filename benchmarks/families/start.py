"""What it costs to begin: importing, the command line, a small score from a file to a table."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks import peers
from benchmarks.case import Case, Family, Scale
from benchmarks.data import normal
from benchmarks.timing import Absent, Contender


def _run(*words: str) -> float:
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return 0.0  # its exit status: anything else has raised


def _imports() -> list[Contender | Absent]:
    return [
        Contender("import fkeax", lambda: _run("-c", "import fkeax")),
        Contender("import fkeax, first use of score", lambda: _run("-c", "import fkeax; fkeax.score")),
        Contender("import jax", lambda: _run("-c", "import jax")),
        peers.contender("import torch", "torch", lambda: _run("-c", "import torch")),
        Contender("import numpy", lambda: _run("-c", "import numpy")),
    ]


def _commands() -> list[Contender]:
    folder = tempfile.TemporaryDirectory(prefix="fkeax-bench-")
    path = Path(folder.name) / "rows.npy"
    np.save(path, normal(500, 16))

    def score(kept: tempfile.TemporaryDirectory[str]) -> float:
        return _run("-m", "fkeax", "score", str(path), "--bandwidth", "4")

    return [
        Contender("fkeax --help", lambda: _run("-m", "fkeax", "--help")),
        Contender("fkeax --version", lambda: _run("-m", "fkeax", "--version")),
        Contender("fkeax score, 500 rows", lambda: score(folder)),
        Contender("python -c pass", lambda: _run("-c", "pass")),
    ]


def _cases(scale: Scale) -> Sequence[Case]:
    return [
        Case(
            "import",
            "one process each",
            _imports,
            0.0,
            "exit statuses: every process must succeed",
            absolute=True,
            threads=1,
        ),
        Case(
            "command",
            "one process each",
            _commands,
            0.0,
            "exit statuses: every process must succeed",
            absolute=True,
            threads=1,
        ),
    ]


FAMILY = Family(
    "Starting",
    "Whole processes, from nothing to their end. The values are exit statuses; ratios are to the first row.",
    _cases,
)
