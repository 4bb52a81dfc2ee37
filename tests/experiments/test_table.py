"""All results in one tidy table."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments import collect
from experiments.table import COLUMNS, tidy_rows
from tests.experiments.conftest import NAME

SWEEP = ("--multirun", f"experiment={NAME}", "scale=smoke")


def table(root: Path) -> str:
    assert collect.main([str(root), "--out", str(root.parent / "out")]) == 0
    return (root.parent / "out.csv").read_text()


def test_one_row_a_number(command: Callable, computed: list[float], tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert command(*SWEEP, "kernel.bandwidth=10,9,-1", "features.num_frequencies=7").code == 1
    text = table(tmp_path / "outputs")
    rows = list(csv.DictReader(text.splitlines()))
    assert tuple(rows[0])[: len(COLUMNS)] == COLUMNS
    assert [(row["bandwidth"], row["status"], row["value"]) for row in rows] == [
        ("-1.0", "failed", ""),
        ("9.0", "finished", "9.0"),
        ("9.0", "finished", ""),
        ("10.0", "finished", "10.0"),
        ("10.0", "finished", ""),
    ]
    assert rows[0]["error"] == "ValueError: bandwidth must be a positive number; got -1.0."
    assert [row["error"] for row in rows[1:3]] == ["", "toy"]
    assert {(row["n"], row["r"], row["seed"]) for row in rows[1:]} == {("5", "7", "0")}
    assert rows[1]["overrides"].split()[-1] == "features.num_frequencies=7"
    assert parquet.read_table(tmp_path / "out.parquet").column("value").to_pylist() == [None, 9.0, None, 10.0, None]


@pytest.mark.slow
def test_a_resumed_sweep_gives_the_same_table(command: Callable, computed: list[float], tmp_path: Path) -> None:
    words = (*SWEEP, "kernel.bandwidth=1,2")
    assert command(*words).code == 0
    undisturbed = table(tmp_path / "outputs")
    root = tmp_path / "outputs" / NAME
    (root / "0001" / "1" / "result.json").unlink()  # as if killed in the middle of the second job
    assert "interrupted" in table(tmp_path / "outputs")
    assert command(*words).code == 0
    assert table(tmp_path / "outputs") == undisturbed
    assert table(root / "0002") == undisturbed  # the skipped run is read where it was finished
    shutil.rmtree(root / "0001")
    assert len(table(root / "0002").splitlines()) < len(undisturbed.splitlines())


@pytest.mark.slow
def test_a_run_that_failed_before_it_was_known(command: Callable, computed: list[float], tmp_path: Path) -> None:
    assert command(*SWEEP, "+foo=1").code == 1
    rows = tidy_rows(tmp_path / "outputs")
    assert [(row["status"], row["run"]) for row in rows] == [("failed", None)]
    assert command(*SWEEP, "+foo=1").code == 1
    assert tidy_rows(tmp_path / "outputs") == rows


def test_nothing_to_collect(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert collect.main([str(tmp_path)]) == 2
    assert "holds no runs; expected folders with a status.json" in capsys.readouterr().err
    assert collect.main([str(tmp_path / "nowhere")]) == 2
    assert "is not a folder" in capsys.readouterr().err
