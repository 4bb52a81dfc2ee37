"""What a run leaves behind, and what a sweep does with runs that were finished, failed or cut short."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from experiments import outcome, status
from experiments.outcome import read_run
from tests.experiments.conftest import NAME

SMOKE = (f"experiment={NAME}", "scale=smoke")
SWEEP = ("--multirun", *SMOKE, "kernel.bandwidth=1,2")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "outputs" / NAME


def states(root: Path) -> list[str]:
    return [found.status for _, found in status.all_runs(root)]


def test_a_run_writes_all_its_files(command: Callable, computed: list[float], root: Path) -> None:
    assert command(*SMOKE, "seed=5").code == 0
    run = read_run(root / "0001")
    assert run.title == "a toy"
    assert run.results[0].value == 2.0
    np.testing.assert_array_equal(run.arrays["numbers"], [0, 1, 2])
    assert run.config["seed"] == 5
    assert run.config["data"]["name"] == "digits"
    assert "by_scale" not in run.config
    assert run.provenance["command"] == f"python -m experiments.run {SMOKE[0]} {SMOKE[1]} seed=5"
    assert run.provenance["packages"]["hydra-core"]
    assert set(run.provenance) >= {"git", "device", "seconds", "compilations", "data", "runtime"}
    assert states(root) == ["finished"]
    assert not list((root / "0001").glob(".*.tmp"))


def test_the_result_is_written_last(command: Callable, computed: list[float], root: Path, monkeypatch) -> None:
    seen: list[set[str]] = []

    def write_results(path: Path, *_: object) -> None:
        seen.append({file.name for file in path.parent.iterdir()})
        raise KeyboardInterrupt

    monkeypatch.setattr("fkeax.io.write_results", write_results)
    with pytest.raises(KeyboardInterrupt):
        command(*SMOKE)
    assert {outcome.CONFIG, outcome.STATUS, outcome.ARRAYS, outcome.PROVENANCE} <= seen[0]
    assert states(root) == ["interrupted"]
    with pytest.raises(FileNotFoundError, match="holds no finished run"):
        read_run(root / "0001")


def test_a_single_run_is_always_computed(command: Callable, computed: list[float], root: Path) -> None:
    assert [command(*SMOKE).code for _ in range(2)] == [0, 0]
    assert computed == [2.0, 2.0]
    assert sorted(path.name for path in root.iterdir()) == ["0001", "0002"]


def test_a_sweep_skips_what_is_finished(command: Callable, computed: list[float], root: Path) -> None:
    assert command(*SMOKE, "kernel.bandwidth=2.0").code == 0
    assert command(*SWEEP).code == 0
    assert computed == [2.0, 1.0]
    assert states(root) == ["finished", "finished", "skipped"]
    assert status.read(root / "0002" / "1").finished_in == str(root / "0001")
    assert command(*SWEEP, "resume=false").code == 0
    assert computed[2:] == [1.0, 2.0]


def test_a_failure_is_recorded_and_stops_nothing(command: Callable, computed: list[float], root: Path) -> None:
    ended = command("--multirun", *SMOKE, "kernel.bandwidth=-2,3")
    assert ended.code == 1
    assert "kernel.bandwidth=-2 failed: bandwidth must be a positive number; got -2.0." in ended.error
    assert computed == [3.0]
    assert states(root) == ["failed", "finished"]
    error = status.read(root / "0001" / "0").error
    assert error is not None
    assert (error["type"], error["message"]) == ("ValueError", "bandwidth must be a positive number; got -2.0.")
    assert "in compute" in error["traceback"]
    assert command("--multirun", *SMOKE, "kernel.bandwidth=-2,3").code == 1  # tried again, and the others are not
    assert computed == [3.0]
    assert states(root)[2:] == ["failed", "skipped"]


@pytest.mark.slow
def test_half_a_run_is_done_again(command: Callable, computed: list[float], root: Path) -> None:
    command(*SWEEP)
    (root / "0001" / "0" / outcome.RESULT).unlink()
    (root / "0001" / "1" / outcome.STATUS).unlink()
    assert command(*SWEEP).code == 0
    assert computed == [1.0, 2.0, 1.0, 2.0]


def test_a_run_whose_process_is_gone_was_interrupted(command: Callable, computed: list[float], root: Path) -> None:
    command(*SMOKE)
    (root / "0001" / outcome.RESULT).unlink()
    path = root / "0001" / outcome.STATUS
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "status": "running", "pid": 2**22 + 1}))  # above the largest pid of Linux
    assert states(root) == ["interrupted"]
    path.write_text(json.dumps({**document, "status": "running", "pid": 2**22 + 1, "host": "elsewhere"}))
    assert states(root) == ["running"]


def test_arrays_of_another_run_are_noticed(command: Callable, computed: list[float], root: Path) -> None:
    command(*SMOKE)
    np.savez(root / "0001" / outcome.ARRAYS, numbers=np.zeros(3))
    with pytest.raises(ValueError, match=r"arrays\.npz' is not the file that was written with result\.json"):
        read_run(root / "0001")
