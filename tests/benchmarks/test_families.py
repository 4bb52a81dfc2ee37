"""Every family runs at a tiny size, and peers agree with fkeax; so does the script for GPUs."""

from __future__ import annotations

import pytest

from benchmarks import gpu, run
from benchmarks.case import measure
from benchmarks.families import FAMILIES, family
from benchmarks.goals import GOALS
from benchmarks.timing import child_environment

PEERS_OF_PAIRS = [
    (name, case.name)
    for name in FAMILIES
    if name not in ("streaming", "compiling", "start")
    for case in family(name).cases("smoke")
]


def test_goals_name_cases_that_exist():
    names = {(name, case.name) for name in FAMILIES for case in family(name).cases("all")}
    assert {(goal.family, goal.case) for goal in GOALS} <= names


@pytest.mark.parametrize("name", FAMILIES)
def test_every_scale_has_cases_of_different_names(name):
    for scale in ("smoke", "cpu", "all"):
        names = [case.name for case in family(name).cases(scale)]
        assert names
        assert len(set(names)) == len(names)
    assert {case.name for case in family(name).cases("cpu")} <= {case.name for case in family(name).cases("all")}


def test_a_child_runs_with_the_threads_it_is_told():
    environment = child_environment(1)
    assert environment["OPENBLAS_NUM_THREADS"] == "1"
    assert "eigen=false" in environment["XLA_FLAGS"]
    assert "OPENBLAS_CORETYPE" not in environment


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the peers
@pytest.mark.parametrize(("name", "case"), PEERS_OF_PAIRS)
def test_peers_agree(name, case):
    (found,) = (measure(made, 1) for made in family(name).cases("smoke") if made.name == case)
    assert found["agrees"], [(row["name"], row["values"][:3], row["difference"]) for row in found["rows"]]
    for peer, reason in found["absent"].items():
        assert reason.endswith("is not installed"), peer


@pytest.mark.slow
def test_a_whole_run_writes_its_page(tmp_path, capfd):
    words = "--tier smoke --rounds 1 --threads 1 --family streaming compiling start roofline --out"
    status = run.main([*words.split(), str(tmp_path)])
    assert status == 0, capfd.readouterr().err
    page = (tmp_path / "index.md").read_text()
    for title in ("## Streaming", "## Compiling", "## Starting", "## The limit"):
        assert title in page


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_the_script_for_gpus_tests_itself(tmp_path, capfd):
    assert gpu.main(["--self-test", "--json", str(tmp_path / "gpu.json")]) == 0, capfd.readouterr().err
    assert "proposed default dot algorithm" in capfd.readouterr().out
    assert (tmp_path / "gpu.json").exists()
