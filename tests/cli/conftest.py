"""Small files of features, and a runner that checks what every fault must look like."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fkeax.cli.main import main


@pytest.fixture
def gen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A good file of 40 x 6 features; the working folder is the temporary one."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "gen.npy"
    np.save(path, np.random.default_rng(1).normal(size=(40, 6)).astype(np.float32))
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command that must succeed; return what it printed."""

    def run_well(*words: object) -> str:
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return captured.out

    return run_well


@pytest.fixture
def complaint(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command that must fail with code 2 and one line on stderr; return the line without its prefix."""

    def run_badly(*words: object) -> str:
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        assert code == 2
        assert captured.err.startswith("fkeax: error: ")
        assert captured.err.count("\n") == 1
        assert captured.err.endswith("\n")
        assert captured.out == ""
        return captured.err.removeprefix("fkeax: error: ").strip()

    return run_badly
