"""Real sweeps in processes of their own: killed and resumed, and two at the same instant."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments import collect, status
from tests.experiments.conftest import NAME

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
SWEEP = (
    "--multirun",
    f"experiment={NAME}",
    "scale=smoke",
    "data.samples_per_class=10",
    "params.digit_counts=[2]",
    "params.num_modes=2",
    "params.num_top_samples=5",
    "features.num_frequencies=16,24",
    "kernel.bandwidth=2,3,4,5",
)


# What one process compiles the others read: most of the time would go there.
SETTINGS = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}


def start(folder: Path, *words: str) -> subprocess.Popen:
    folder.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "experiments.run", *words],
        cwd=folder,
        env={**os.environ, **SETTINGS, "JAX_COMPILATION_CACHE_DIR": str(folder.parent / "compiled")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,  # a group of its own, so that its workers can be killed with it
    )


def finish(process: subprocess.Popen) -> str:
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output
    return output


def table(folder: Path) -> tuple[str, list[str]]:
    """Return the table and the states of all runs below a folder."""
    assert collect.main([str(folder / "outputs"), "--out", str(folder / "table")]) == 0
    return (folder / "table.csv").read_text(), [found.status for _, found in status.all_runs(folder / "outputs")]


def test_killed_and_resumed(tmp_path: Path) -> None:
    pytest.importorskip("hydra_plugins.hydra_joblib_launcher")
    undisturbed, disturbed = tmp_path / "undisturbed", tmp_path / "disturbed"
    finish(start(undisturbed, *SWEEP, "launcher=basic", "runtime.threads=1"))
    expected, states = table(undisturbed)
    assert states == ["finished"] * 8

    process = start(disturbed, *SWEEP, "launcher=joblib")
    deadline = time.monotonic() + 120
    while not list(disturbed.glob("outputs/**/result.json")):  # one job is through, others are on their way
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    time.sleep(0.2)
    before = [path.stat().st_mtime_ns for path in sorted(disturbed.glob("outputs/**/result.json"))]
    assert 1 <= len(before) < 8

    finish(start(disturbed, *SWEEP, "launcher=joblib"))
    again, states = table(disturbed)
    assert again == expected
    assert states.count("skipped") == len(before)
    assert states.count("finished") == 8
    assert not list(disturbed.glob("outputs/**/0002/**/.*.tmp"))
    # What was finished before the kill was not touched.
    assert [path.stat().st_mtime_ns for path in sorted(disturbed.glob("outputs/**/0001/**/result.json"))] == before


def test_two_sweeps_at_the_same_instant(tmp_path: Path) -> None:
    words = (*SWEEP[:-2], "features.num_frequencies=16", "kernel.bandwidth=2,3")
    for process in [start(tmp_path, *words) for _ in range(2)]:
        finish(process)
    runs = {str(folder.relative_to(tmp_path / "outputs" / NAME)) for folder, _ in status.all_runs(tmp_path)}
    assert runs == {"0001/0", "0001/1", "0002/0", "0002/1"}
    for number in ("0001", "0002"):
        assert (tmp_path / "outputs" / NAME / number / "multirun.yaml").is_file()


def test_double_precision(tmp_path: Path) -> None:
    words = ("features.num_frequencies=16", "kernel.bandwidth=2", "runtime=x64")
    finish(start(tmp_path, *SWEEP[1:-2], *words))
    assert collect.main([str(tmp_path / "outputs")]) == 0
    assert ",float64," in (tmp_path / "outputs" / "table.csv").read_text()
