"""Features on the command line: folders, patterns, arrays within files, and the groups that files of frames bring."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from fkeax.cli import running
from fkeax.io import FeatureFile

Run = Callable[..., str]
Complaint = Callable[..., str]
WORDS = ("--bandwidth", 2, "--metrics", "rke", "--json", "out.json")


def value(path: str = "out.json") -> float:
    return json.loads(Path(path).read_text())["results"][0]["value"]


@pytest.fixture
def shards(gen: Path) -> Path:
    """The good file in two shards, whose natural order is not that of the alphabet."""
    folder = gen.with_name("shards")
    folder.mkdir()
    np.save(folder / "emb_10.npy", np.load(gen)[25:])
    np.save(folder / "emb_9.npy", np.load(gen)[:25])
    return folder


@pytest.mark.parametrize("word", ["shards", "shards/", "shards/emb_*.npy", "x.h5:test/x", "x.npz:x"])
def test_the_same_score_from_every_kind_of_word(gen: Path, shards: Path, run: Run, word: str) -> None:
    rows = np.load(gen)
    np.savez("x.npz", x=rows, y=rows + 1)
    with h5py.File("x.h5", "w") as file:
        file["test/x"], file["test/y"] = rows, rows
    streamed = (*WORDS, "--method", "fkea", "--num-frequencies", 8, "--batch-size", 16)
    run("score", gen, *streamed)
    expected = value()
    run("score", word, *streamed)
    assert value() == expected


def test_provenance_lists_every_file(shards: Path, run: Run) -> None:
    run("score", "shards", *WORDS)
    inputs = json.loads(Path("out.json").read_text())["provenance"]["inputs"]
    assert [entry["path"] for entry in inputs] == ["shards/emb_9.npy", "shards/emb_10.npy"]


def test_what_was_understood_is_said_once(shards: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from fkeax.cli.main import main

    assert main(["score", "shards", *map(str, WORDS)]) == 0
    assert capsys.readouterr().err == "note: shards: 2 shards of one array, emb_9.npy to emb_10.npy.\n"


def test_groups_of_files(gen: Path, run: Run, complaint: Complaint) -> None:
    """Frames bring their groups; `files` makes groups of shards, `none` takes groups away."""
    rows = np.load(gen)
    for folder, names in (("clips", "abcdefgh"), ("numbered", "12345678")):
        Path(folder).mkdir()
        for place, name in enumerate(names):
            np.save(f"{folder}/{name}.npy", rows[5 * place : 5 * place + 5])
    np.savetxt("labels.txt", np.repeat(np.arange(8), 5), "%d")

    def settings(*words: object) -> str:
        run("score", *words, *WORDS)
        return json.loads(Path("out.json").read_text())["results"][0]

    grouped = settings("clips")
    assert settings(gen, "--groups", "labels.txt") == grouped
    assert settings("numbered", "--groups", "files") == grouped
    plain = settings("numbered")
    assert plain != grouped
    assert settings("clips", "--groups", "none") == plain == settings(gen)
    assert "must hold 40 whole numbers" in complaint("score", gen, *WORDS, "--groups", "clips/a.npy")


def test_groups_of_two_sets_are_never_one(gen: Path) -> None:
    rows = np.load(gen)
    for folder in ("ref", "made"):
        Path(folder).mkdir()
        np.save(f"{folder}/a.npy", rows[:2])
        np.save(f"{folder}/b.npy", rows[2:3])
    np.save("plain.npy", rows[:2])
    ref, made, plain = (running.features(word) for word in ("ref", "made", "plain.npy"))

    def labels(*files: FeatureFile) -> list[int]:
        found = running.labels_of_rows(None, *files)
        assert found is not None
        return found.tolist()

    assert labels(ref, made) == [0, 0, 1, 2, 2, 3]
    assert labels(plain, made) == [0, 1, 2, 2, 3]
    assert running.labels_of_rows(None, plain, plain) is None
    assert running.labels_of_rows("none", ref, made) is None


def test_no_output_overwrites_a_shard(shards: Path, complaint: Complaint) -> None:
    before = Path("shards/emb_9.npy").read_bytes()
    for word in ("shards", "shards/emb_*.npy"):
        line = complaint("score", word, "--bandwidth", 2, "--json", "shards/emb_9.npy")
        assert "is the file of features itself; give another name" in line
    assert Path("shards/emb_9.npy").read_bytes() == before
