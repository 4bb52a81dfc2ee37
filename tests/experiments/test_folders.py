"""No two commands share a folder."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from pathlib import Path

import pytest

from experiments.folders import numbered_folder
from tests.experiments.conftest import NAME


def take_many(origin: str) -> list[str]:
    return [numbered_folder(origin, "outputs", "some/figure") for _ in range(50)]


def test_folders_are_numbered(tmp_path: Path) -> None:
    assert numbered_folder(str(tmp_path), "outputs", "some/figure") == str(tmp_path / "outputs/some/figure/0001")
    assert numbered_folder(str(tmp_path), "outputs", "some/figure") == str(tmp_path / "outputs/some/figure/0002")
    assert numbered_folder(str(tmp_path), str(tmp_path / "there"), None) == str(tmp_path / "there/several/0001")
    (tmp_path / "outputs/some/figure/0041").mkdir()
    assert Path(numbered_folder(str(tmp_path), "outputs", "some/figure")).name == "0042"


def test_processes_at_the_same_instant_get_folders_of_their_own(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        taken = [name for names in pool.map(take_many, [str(tmp_path)] * 4, chunksize=1) for name in names]
    assert len(set(taken)) == 200
    assert sorted(Path(name).name for name in taken) == [f"{number:04d}" for number in range(1, 201)]


@pytest.mark.slow
def test_all_jobs_of_a_sweep_share_one_folder(command: Callable, computed: list[float], tmp_path: Path) -> None:
    for _ in range(2):
        assert command("--multirun", f"experiment={NAME}", "scale=smoke", "kernel.bandwidth=1,2").code == 0
    root = tmp_path / "outputs" / NAME
    assert sorted(str(path.relative_to(root)) for path in root.glob("*/*") if path.is_dir()) == [
        "0001/0",
        "0001/1",
        "0002/0",
        "0002/1",
    ]


@pytest.mark.slow
def test_a_sweep_over_experiments(command: Callable, computed: list[float], tmp_path: Path) -> None:
    assert command("--multirun", f"experiment={NAME},{NAME}", "scale=smoke").code == 0
    root = tmp_path / "outputs" / "several" / "0001"  # it has no single name when its folder is made
    assert sorted(path.parent.name for path in root.glob("*/status.json")) == ["0", "1"]
