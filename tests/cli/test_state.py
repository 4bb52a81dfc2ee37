from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fkeax.io import read_results, read_state

Run = Callable[..., str]
OPTIONS = ("--bandwidth", 2, "--num-frequencies", 8, "--seed", 5)


@pytest.fixture
def parts(gen: Path) -> list[str]:
    """Three files that together are the rows of `gen`, each far from the others in nothing but where it was cut."""
    names = ["a.npy", "b.npy", "c.npy"]
    for name, part in zip(names, np.split(np.load(gen), [11, 30]), strict=True):
        np.save(name, part)
    return names


@pytest.mark.parametrize("dtype", [pytest.param("float32", marks=pytest.mark.slow), "float64"])
def test_merged_files_score_as_the_whole(gen: Path, parts: list[str], run: Run, dtype: str) -> None:
    """To 1e-6 in float64; in float32, 40 products rounded in another order, 6 sqrt(40) 2^-24 = 2e-6, move it by less
    than 1e-5."""
    for number, part in enumerate(parts):
        printed = run("state", "update", part, "--state", f"{number}.npz", *OPTIONS, "--dtype", dtype)
    assert "written: 2.npz: 10 samples in 1 shard" in printed
    run("state", "merge", "2.npz", "0.npz", "1.npz", "--state", "all.npz", "--num-shards", 3, "--num-samples", 40)
    output = run("state", "score", "all.npz", "--json", "merged.json")
    run("score", gen, "--method", "fkea", *OPTIONS, "--dtype", dtype, "--json", "whole.json")
    merged, whole = read_results("merged.json"), read_results("whole.json")
    assert [result.name for result in merged.results] == [result.name for result in whole.results]
    for found, expected in zip(merged.results, whole.results, strict=True):
        if expected.value is not None:
            assert found.value == pytest.approx(expected.value, rel=1e-6 if dtype == "float64" else 1e-5)
        assert found.settings == expected.settings
        assert found.name in output
    assert "40 samples in 3 shards" in output
    assert sorted(shard["name"] for shard in merged.provenance["shards"]) == parts
    assert merged.provenance["seed"] == 5


def test_one_state_can_be_updated_file_by_file(parts: list[str], run: Run) -> None:
    for part in parts:
        run("state", "update", part, "--state", "s.npz", *OPTIONS)
    assert read_state("s.npz").num_samples == 40


def test_ranges_of_one_file(gen: Path, run: Run, complaint: Run) -> None:
    run("state", "update", gen, "--rows", "0:15", "--state", "s.npz", *OPTIONS)
    assert "rows 15 to 39 of" in complaint("state", "score", "s.npz")
    assert "rows 10 to 14 of" in complaint("state", "update", gen, "--rows", "10:40", "--state", "s.npz", *OPTIONS)
    run("state", "update", gen, "--rows", "15:40", "--state", "s.npz", *OPTIONS)
    assert "rke-debiased" in run("state", "score", "s.npz", "--num-samples", 40, "--orders", 1)
    sentence = complaint("state", "update", gen, "--rows", "15:41", "--state", "t.npz", *OPTIONS)
    assert sentence == "--rows must be FIRST:STOP with 0 <= FIRST < STOP <= 40; got '15:41'."


def test_faults_are_one_sentence_and_leave_the_state(parts: list[str], run: Run, complaint: Run) -> None:
    run("state", "update", "a.npy", "--state", "s.npz", *OPTIONS)
    before = Path("s.npz").read_bytes()
    np.save("copy.npy", np.load("a.npy"))
    told = complaint("state", "update", "copy.npy", "--state", "s.npz", *OPTIONS)
    assert told == "'copy.npy' was counted already: its rows are those of 'a.npy', byte by byte."
    other = complaint("state", "update", "b.npy", "--state", "s.npz", *OPTIONS[:4], "--seed", 6)
    assert other == "the states of 'a.npy' and 'b.npy' do not merge: seed is (0, 5) and (0, 6)."
    rule = complaint("state", "update", "b.npy", "--state", "s.npz", "--bandwidth", "median")
    assert "name one reference as --bandwidth-from REF.npy" in rule
    assert "must have random features" in complaint(
        "state", "update", "b.npy", "--state", "s.npz", "--kernel", "cosine"
    )
    assert "--state must name a .npz file" in complaint("state", "update", "b.npy", "--state", "s.json", *OPTIONS)
    assert "'a.npy' is no state file: it holds one array" in complaint("state", "score", "a.npy")
    assert "one of the files to merge" in complaint("state", "merge", "s.npz", "--state", "s.npz")
    assert "must hold 2 shards; it holds 1" in complaint(
        "state", "merge", "s.npz", "--state", "all.npz", "--num-shards", 2
    )
    assert not Path("all.npz").exists()
    assert Path("s.npz").read_bytes() == before
    Path("cut.npz").write_bytes(before[:-100])
    assert "'cut.npz' is damaged or no state file" in complaint(
        "state", "merge", "s.npz", "cut.npz", "--state", "t.npz"
    )


def test_a_rule_on_one_reference_serves_all(gen: Path, parts: list[str], run: Run) -> None:
    words = ("--bandwidth", "median", "--bandwidth-from", gen, "--num-frequencies", 8)
    for number, part in enumerate(parts):
        run("state", "update", part, "--state", f"{number}.npz", *words)
    run("state", "merge", "0.npz", "1.npz", "2.npz", "--state", "all.npz")
    assert "of gen.npy" in run("state", "score", "all.npz")


@pytest.mark.slow
def test_processes_need_nothing_of_each_other(gen: Path, parts: list[str], run: Run) -> None:
    """As an array job runs it: separate processes at once, then one merge."""
    words = [sys.executable, "-m", "fkeax", "state", "update"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = [
        subprocess.Popen([*words, part, "--state", f"{i}.npz", *map(str, OPTIONS)], env=environment)
        for i, part in enumerate(parts[:2])
    ]
    assert [child.wait(timeout=120) for child in running] == [0, 0]
    run("state", "merge", "0.npz", "1.npz", "--state", "all.npz", "--num-samples", 30)
