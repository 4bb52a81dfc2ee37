"""`fkeax verify`: what a recorded command computes again, from inputs that have not changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fkeax.cli.main import main

Run = Callable[..., str]
Complaint = Callable[..., str]


@pytest.fixture
def ref(gen: Path) -> Path:
    """A reference of 50 x 6 features beside the generated ones."""
    path = gen.with_name("ref.npy")
    np.save(path, np.random.default_rng(2).normal(size=(50, 6)).astype(np.float32) + 1)
    return path


def change(path: str, edit: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(Path(path).read_text())
    edit(document)
    Path(path).write_text(json.dumps(document))


TEST = ("test", "ref.npy", "gen.npy", "--method", "mmd", "--num-permutations", 99)
COMMANDS = [
    ("score", "gen.npy", "--ref", "ref.npy", "--metrics", "kid,mmd,prdc", "--bandwidth", "median", "--table", "o.csv"),
    TEST,
    ("curve", "gen.npy", "--over", "order", "--values", "1,2", "--bandwidth", 2, "--figure", "c.svg"),
]
SLOW_COMMANDS = [
    ("score", "gen.npy", "--bandwidth", 2, "--method", "fkea", "--num-frequencies", 16, "--seed", 3),
    ("frontier", "ref.npy", "gen.npy", "--figure", "f.svg"),
    ("frontier", "ref.npy", "gen.npy", "--method", "gaussian"),
    ("modes", "gen.npy", "--bandwidth", 2, "--top", 3, "--samples", 4, "--image-shape", "2,3"),
    ("compare", "ref.npy", "gen.npy", "--method", "mmd", "--num-permutations", 99),
    ("audit", "ref.npy", "--n", 12, "--draws", 2, "--tests", "kid,kad", "--num-permutations", 19, "--cells", "cells"),
]


@pytest.mark.parametrize(
    "words", [*COMMANDS, *(pytest.param(words, marks=pytest.mark.slow) for words in SLOW_COMMANDS)]
)
def test_every_command_with_results(ref: Path, run: Run, words: tuple[object, ...]) -> None:
    run(*words, "--json", "out.json")
    for name in ("f.svg", "c.svg", "o.csv"):
        Path(name).unlink(missing_ok=True)
    before = {path.name: path.read_bytes() for path in ref.parent.iterdir() if path.is_file()}
    output = run("verify", "out.json", "--json", "again.json")
    after = {
        path.name: path.read_bytes() for path in ref.parent.iterdir() if path.is_file() and path.name != "again.json"
    }
    assert after == before  # no file of the recorded command is written again
    document = json.loads(Path("again.json").read_text())
    assert document["same"] is True
    assert document["environment"] == {}
    # The same program on the same machine: to the last bit.
    assert all(check["recorded"] == check["recomputed"] for check in document["checks"])
    assert len(document["checks"]) >= 2
    assert f"verified: {len(document['checks'])} numbers" in output


@pytest.mark.slow
def test_the_demo(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("demo", "--out", "shown")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert "verified: " in run("verify", "shown/results.json")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_a_p_value_is_verified_too(ref: Path, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run(*TEST, "--json", "out.json")
    change("out.json", lambda document: document["results"][0]["diagnostics"].update(p_value=0.5))
    assert main(["verify", "out.json"]) == 1
    assert "mmd-test (p-value)" in capsys.readouterr().out


def test_another_number_is_found(ref: Path, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run("score", "gen.npy", "--bandwidth", 2, "--metrics", "rke", "--json", "out.json")

    def forge(document: dict[str, Any]) -> None:
        document["results"][0]["value"] *= 1 + 1e-3
        document["provenance"]["packages"]["jax"] = "0.1"

    change("out.json", forge)
    assert main(["verify", "out.json", "--json", "again.json"]) == 1
    output = capsys.readouterr().out
    assert "DIFFERS" in output
    assert "NOT verified: 1 of " in output
    assert "jax: 0.1 recorded" in output
    document = json.loads(Path("again.json").read_text())
    assert document["checks"][0]["same"] is False
    assert document["checks"][0]["off"] == pytest.approx(1e-3, rel=1e-2)
    assert "the same" in run("verify", "out.json", "--tolerance", "0.01")


def test_missing_results_are_found(ref: Path, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    run("score", "gen.npy", "--bandwidth", 2, "--metrics", "rke", "--json", "out.json")
    change("out.json", lambda document: document["results"].pop())
    assert main(["verify", "out.json"]) == 1
    assert "(only recomputed)" in capsys.readouterr().out


def forged(document: dict[str, Any], *path: str | int, value: object) -> None:
    """Set what stands at the end of a path of keys and places."""
    *before, last = path
    for step in before:
        document = document[step]  # type: ignore[index]
    document[last] = value  # type: ignore[index]


MODES = ("modes", "gen.npy", "--bandwidth", 2, "--top", 2, "--samples", 3)


@pytest.mark.parametrize(
    ("words", "path", "value", "part"),
    [
        # An index is no number that is rounded; modes of two samples have 18 entries, six of each a rank and a share.
        (MODES, ("modes", 1, "samples", 2, "index"), 39, "'modes': entries"),
        (MODES, ("modes", 0, "rank"), True, "'modes': entries"),
        (MODES, ("modes", 2), {}, "'modes': entries"),
        (MODES, ("extra",), {"a": []}, "'extra': entries"),
        (MODES, ("results", 0, "settings", "bandwidth"), 9.0, "settings of results: entries"),
        (TEST, ("reject",), 0, "other fields: entries"),
        (TEST, ("p_stderr",), None, "other fields: entries"),
        (TEST, ("results", 0, "diagnostics", "reject"), True, "diagnostics of results: entries"),
        (TEST, ("results", 0, "diagnostics", "z"), 9.5, "diagnostics of results: entries"),
    ],
)
def test_a_change_beside_the_values_is_found(
    ref: Path,
    run: Run,
    capsys: pytest.CaptureFixture[str],
    words: tuple[object, ...],
    path: tuple[str | int, ...],
    value: object,
    part: str,
) -> None:
    if words == TEST:  # the same law: not rejected
        np.save("ref.npy", np.random.default_rng(7).normal(size=(50, 6)).astype(np.float32))
        np.save("gen.npy", np.random.default_rng(8).normal(size=(40, 6)).astype(np.float32))
    run(*words, "--json", "out.json")

    def forge(document: dict[str, Any]) -> None:
        document["provenance"]["packages"] = "jax"
        if path == ("modes", 2):
            document["modes"].append(value)
        else:
            forged(document, *path, value=value)

    change("out.json", forge)
    assert main(["verify", "out.json", "--json", "again.json"]) == 1
    assert "NOT verified: 1 of " in capsys.readouterr().out
    (check,) = [check for check in json.loads(Path("again.json").read_text())["checks"] if not check["same"]]
    assert check["name"] == part
    assert check["recomputed"] < check["recorded"]


def test_changed_and_missing_inputs_get_one_sentence(ref: Path, run: Run, complaint: Complaint) -> None:
    run("score", "gen.npy", "--bandwidth", 2, "--json", "out.json")
    np.save("gen.npy", np.load("gen.npy") * np.float32(1.5))
    assert "gen.npy' has changed since the result was computed: its SHA-256 was" in complaint("verify", "out.json")
    Path("gen.npy").unlink()
    assert "gen.npy' does not exist; the result was computed from it" in complaint("verify", "out.json")


def test_relative_paths_start_where_the_run_was(
    ref: Path, run: Run, monkeypatch: pytest.MonkeyPatch, complaint: Complaint
) -> None:
    run("score", "gen.npy", "--bandwidth", 2, "--metrics", "rke", "--json", "out.json")
    elsewhere = ref.parent / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    run("verify", "../out.json")
    assert Path.cwd() == elsewhere
    # On another machine the recorded folder does not exist: the result's own folder, or the one that is named.
    change("../out.json", lambda document: document["provenance"].update(cwd="/nonexistent/folder"))
    run("verify", "../out.json")
    Path("moved.json").write_bytes(Path("../out.json").read_bytes())
    assert "gen.npy' does not exist" in complaint("verify", "moved.json")
    run("verify", "moved.json", "--folder", "..")
    assert list(elsewhere.iterdir()) == [elsewhere / "moved.json"]


def test_the_cache_is_neither_read_nor_written(ref: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FKEAX_SCORE_CACHE", "cache")
    run("score", "gen.npy", "--bandwidth", 2, "--metrics", "rke", "--json", "out.json")
    (entry,) = Path("cache").iterdir()
    entry.write_text("{}")
    run("verify", "out.json")
    assert entry.read_text() == "{}"


def test_a_score_without_a_value_verifies(ref: Path, run: Run) -> None:
    np.save("one.npy", np.load("gen.npy")[:1])
    assert main(["score", "one.npy", "--bandwidth", "2", "--metrics", "rke", "--json", "out.json"]) == 1
    run("verify", "out.json")


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (None, "does not say by which fkeax command it was written"),
        ("rm -r /", "does not say by which fkeax command it was written"),
        ("fkeax 'score", "does not say by which fkeax command it was written"),
        ("fkeax doctor", "was written by 'fkeax doctor'; verify repeats score, test, frontier, curve"),
        ("fkeax score gen.npy --nonsense 3", "No such option: --nonsense"),
    ],
)
def test_other_commands_are_not_run(gen: Path, complaint: Complaint, command: str | None, sentence: str) -> None:
    Path("out.json").write_text(json.dumps({"results": [], "provenance": {"command": command}}))
    assert sentence in complaint("verify", "out.json")
    assert sorted(path.name for path in gen.parent.iterdir()) == ["gen.npy", "out.json"]


def test_bad_options(gen: Path, complaint: Complaint) -> None:
    Path("out.json").write_text('{"results": [], "provenance": {"command": "fkeax score gen.npy"}}')
    assert "--tolerance must be a number from 0 to below 1; got 2" in complaint("verify", "out.json", "--tolerance", 2)
    assert "--folder 'none' must be a folder" in complaint("verify", "out.json", "--folder", "none")
    assert "'none.json': No such file" in complaint("verify", "none.json")
