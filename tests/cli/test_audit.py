"""`fkeax audit` and `fkeax compare`: tables, files, resumption after SIGKILL, and faults in one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np
import pytest

from fkeax.cli import audit as command
from fkeax.io import read_results
from fkeax.sensitivity import DETECTORS, audit
from fkeax.sensitivity.audit import DEFAULT_CHANGES, DEFAULT_TESTS

SMALL = ("--n", 16, "--draws", 2, "--num-permutations", 99, "--tests", "kid,kad")
CHANGES = ("--changes", "null,shift=2,rotation=9")


@pytest.fixture
def ref(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A reference of 100 x 6 features; the working and the cache folder are the temporary one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FKEAX_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "ref.npy"
    np.save(path, np.random.default_rng(2).normal(size=(100, 6)).astype(np.float32))
    return path


def test_lists_of_choices_are_those_of_the_core():
    assert set(command.TESTS) == set(DETECTORS)
    assert ",".join(DEFAULT_TESTS) == command.DEFAULT_TESTS
    assert ",".join(DEFAULT_CHANGES) == command.DEFAULT_CHANGES


def test_audit(ref: Path, run: Callable[..., str]):
    output = run("audit", ref, *SMALL, *CHANGES, "--json", "a.json", "--figure", "a.svg", "--seed", 3)
    written = json.loads(Path("a.json").read_text(encoding="utf-8"))
    same = audit(
        np.load(ref),
        key=jax.random.key(3),
        num_samples=16,
        num_draws=2,
        num_permutations=99,
        tests=["kid", "kad"],
        changes=["null", "shift=2", "rotation=9"],
    )
    assert [result.value for result in read_results("a.json").results] == [rate.rate for rate in same.rates]
    assert written["sentences"] == same.sentences
    assert written["provenance"]["command"].startswith(f"fkeax audit {ref} --n 16 --draws 2 --tests kid,kad")
    assert "kad with a Gaussian kernel of bandwidth" in output
    assert "not possible" in output
    assert "warning: rotation at 9 could not be made" in output
    assert "<svg" in Path("a.svg").read_text(encoding="utf-8")[:1000]
    assert len(list((ref.parent / "cache" / "audit").glob("*/kad_shift_2.0_n16_draw*.json"))) == 2


def test_more_draws_and_tests_build_on_kept_cells(ref: Path, run: Callable[..., str], capsys):
    run("audit", ref, *SMALL, *CHANGES, "--cells", "cells")
    before = {path.name: path.read_bytes() for path in Path("cells").iterdir()}
    run("audit", ref, *SMALL, "--draws", 3, *CHANGES, "--cells", "cells", "--json", "b.json")
    after = {path.name: path.read_bytes() for path in Path("cells").iterdir()}
    assert {name: after[name] for name in before} == before
    assert len(after) == len(before) + 6
    run("audit", ref, *SMALL, "--draws", 3, *CHANGES, "--json", "c.json")  # elsewhere, from nothing
    first, second = (json.loads(Path(name).read_text(encoding="utf-8")) for name in ("b.json", "c.json"))
    assert first["results"] == second["results"]


@pytest.mark.slow  # two processes and 240 cells
def test_killed_and_resumed_without_a_different_number(ref: Path, run: Callable[..., str]):
    """SIGKILL in the middle, then the same command: the cells of an undisturbed run."""
    words = [
        "audit",
        str(ref),
        *map(str, SMALL),
        "--draws",
        "20",
        *CHANGES,
        "--json",
        "killed.json",
        "--cells",
        "cells",
    ]
    root = str(Path(__file__).parents[2])
    environment = os.environ | {"PYTHONPATH": root}
    child = subprocess.Popen([sys.executable, "-m", "fkeax", *words], env=environment, stderr=subprocess.DEVNULL)
    try:
        for _ in range(6000):
            if len(list(Path("cells").glob("*draw*.json"))) >= 4 or child.poll() is not None:
                break
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
    finally:
        child.kill()
        child.wait()
    kept = {path.name: path.read_bytes() for path in Path("cells").glob("*draw*.json")}
    assert 4 <= len(kept) < 120
    assert not Path("killed.json").exists()
    run(*words)
    run(*[*words[:-3], "whole.json", "--cells", "others"])
    assert all(Path("cells", name).read_bytes() == content for name, content in kept.items())
    names = sorted(path.name for path in Path("others").iterdir())
    assert names == sorted(path.name for path in Path("cells").iterdir())
    assert all(Path("cells", name).read_bytes() == Path("others", name).read_bytes() for name in names)
    first, second = (json.loads(Path(name).read_text(encoding="utf-8")) for name in ("killed.json", "whole.json"))
    assert first["results"] == second["results"]


def test_interrupted_says_what_is_kept(ref: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    from fkeax.cli.main import main
    from fkeax.io import CellStore

    write = CellStore.write

    def write_twice(self, name, cell):
        if len(self) == 2:
            raise KeyboardInterrupt
        write(self, name, cell)

    monkeypatch.setattr(CellStore, "write", write_twice)
    assert main([str(word) for word in ("audit", ref, *SMALL, *CHANGES, "--cells", "cells")]) == 130
    assert "2 of 12 cells are kept; the same command goes on from there." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--tests", "kidd"), "did you mean 'kid'?"),
        (("--changes", "twist"), "changes must be one of null, shift"),
        (("--strengths", "x"), "--strengths must be numbers"),
        (("--n", 60), "'ref.npy' must have at least twice num_samples = 60"),
        (("--n", 2), "expected a whole number of at least 4"),
        (("--json", "nowhere/a.json"), "nowhere"),
        (("--figure", "a.txt"), "a figure must be a .png, .svg, .pdf file"),
    ],
)
def test_faults_are_one_line(ref: Path, complaint: Callable[..., str], words, sentence: str):
    assert sentence in complaint("audit", "ref.npy", *words)


def test_cells_of_another_file_are_refused(ref: Path, run: Callable[..., str], capsys):
    from fkeax.cli.main import main

    run("audit", ref, *SMALL, "--changes", "null", "--cells", "cells")
    np.save("other.npy", np.load(ref) + 1)
    assert main([str(word) for word in ("audit", "other.npy", *SMALL, "--cells", "cells")]) == 2
    assert "holds cells of another audit: reference_sha256 is" in capsys.readouterr().err


def test_compare(ref: Path, run: Callable[..., str]):
    data = np.load(ref)
    np.save("gen.npy", data[:40] + 2)
    np.save("train.npy", np.random.default_rng(3).normal(size=(50, 6)).astype(np.float32))
    words = ("--train", "train.npy", "--method", "mmd", "--num-permutations", 99)
    output = run("compare", ref, "gen.npy", *words, "--json", "c.json")
    written = json.loads(Path("c.json").read_text(encoding="utf-8"))
    assert [answer["question"] for answer in written["four_questions"]["answers"]] == [
        "distribution",
        "location and covariance",
        "spectrum",
        "copying",
    ]
    assert "distribution: different laws (mmd, p = 0.002)" in output
    assert "location and covariance: means differ" in output
    assert {"c-t", "bures", "mean-shift"} <= {result.name for result in read_results("c.json").results}


def test_training_rows_of_another_width_and_a_strength_out_of_range_are_named(
    ref: Path, complaint: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    from fkeax.cli.main import main

    np.save("train.npy", np.ones((9, 5)))
    words = ("compare", ref, ref, "--train", "train.npy", "--method", "mmd")
    assert "'train.npy' must have 6 columns, as reference and generated have; got 5" in complaint(*words)
    words = ("audit", ref, *SMALL, "--changes", "drop=5", "--cells", "cells")
    assert main([str(word) for word in words]) == 2
    assert "error: a strength of --changes or --strengths must be between 0 and 1" in capsys.readouterr().err
