"""Every example in the help of every command runs as it stands there, on files of the names that it uses."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from PIL import Image

from fkeax.cli.main import app, main

# Rows and columns that the examples need: 100,300,1000 samples of a curve, --rows 500:1000; images of 28 x 28.
NUM_ROWS = {"curve": 1000, "state": 1000}
FEW_ROWS, DIMENSION = 60, 784
# Seconds to minutes, by the work that the example asks for.
SLOW = ("audit", "compare", "curve", "demo", "doctor", "frontier", "report", "score", "state")


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


def examples(command: Any) -> list[str]:
    found = re.findall(r"^\s*Example: (.+?)(?:\n\s*\n|\Z)", command.help or "", re.MULTILINE | re.DOTALL)
    return [" ".join(example.split()) for example in found]


COMMANDS = dict(commands(typer.main.get_command(app)))
TOP = sorted({path[0] for path in COMMANDS})


def examples_of(top: str) -> list[str]:
    """Return the examples of a command, or of all commands of a group, in the order of the help."""
    return [example for path, command in COMMANDS.items() if path[0] == top for example in examples(command)]


@pytest.mark.parametrize("path", list(COMMANDS), ids=" ".join)
def test_every_command_has_an_example(path: tuple[str, ...]) -> None:
    found = examples(COMMANDS[path])
    assert found
    assert all(shlex.split(example)[: 1 + len(path)] == ["fkeax", *path] for example in found)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to run in; the demo in it is of two classes and a few draws."""
    monkeypatch.chdir(tmp_path)
    for name, small in {"NUM_CLASSES": 2, "NUM_MODES": 3, "NUM_FREQUENCIES": 64, "NUM_DRAWS": 4}.items():
        monkeypatch.setattr(f"fkeax.cli.demo.{name}", small)
    return tmp_path


def write_photos(folder: Path) -> None:
    for label, level in (("dark", 10), ("light", 200)):
        (folder / label).mkdir(parents=True)
        Image.fromarray(np.full((4, 6, 3), level, np.uint8)).save(folder / label / "1.png")


def prepare(example: str) -> None:
    """Write the files that an example reads and that no earlier one has written: features, labels, results."""
    words = shlex.split(example)
    num_rows = NUM_ROWS.get(words[1], FEW_ROWS)
    for before, word in itertools.pairwise(words):
        path = Path(word)
        if path.exists() or before in ("--json", "--table", "--figure", "--state", "--out", "-o"):
            continue
        if before in ("--labels", "--groups"):
            np.save(path, np.arange(num_rows) // 10)
        elif word == "images.npy":
            np.save(path, np.random.default_rng(1).integers(0, 256, size=(20, DIMENSION), dtype=np.uint8))
        elif word == "photos":
            write_photos(path)
        elif path.suffix == ".npy":
            random = np.random.default_rng(sum(word.encode()))
            np.save(path, random.normal(size=(num_rows, DIMENSION)).astype(np.float32) + random.normal() / 10)
        elif path.suffix == ".json":
            np.save("features.npy", np.random.default_rng(1).normal(size=(40, 6)))
            scored = ["score", "features.npy", "--bandwidth", "2", "--metrics", "rke", "--json", word]
            assert main(scored) == 0


@pytest.mark.parametrize("top", [pytest.param(top, marks=[pytest.mark.slow] if top in SLOW else []) for top in TOP])
def test_examples_run(folder: Path, capsys: pytest.CaptureFixture[str], top: str) -> None:
    for example in examples_of(top):
        prepare(example)
        capsys.readouterr()
        code = main(shlex.split(example)[1:])
        captured = capsys.readouterr()
        assert code == 0, f"{example}: {captured.err}"
        assert captured.out
        for word in re.findall(r"--(?:json|table|figure) (\S+)", example):
            assert word == "-" or Path(word).stat().st_size > 0
