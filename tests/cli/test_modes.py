from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

from fkeax.cli.main import main

Run = Callable[..., str]


@pytest.fixture
def groups(gen: Path) -> Path:
    """Three far groups of 20, 12 and 8 samples, as images of 2 x 3 pixels."""
    random = np.random.default_rng(1)
    centres = np.repeat(np.eye(3, 6) * 50, [20, 12, 8], axis=0)
    np.save(gen, (centres + random.normal(size=(40, 6)) * 0.1).astype(np.float32))
    return gen


@pytest.mark.parametrize("method", ["exact", "fkea"])
def test_modes_are_the_groups(groups: Path, run: Run, method: str) -> None:
    words = ["--bandwidth", 1, "--top", 3, "--samples", 8, "--method", method, "--num-frequencies", 400]
    output = run("modes", groups, *words, "--json", "m.json")
    document = json.loads(Path("m.json").read_text())
    assert list(document) == ["modes", "results", "settings", "diagnostics", "provenance"]
    assert [mode["rank"] for mode in document["modes"]] == [1, 2, 3]
    owners = np.repeat([0, 1, 2], [20, 12, 8])
    for group, mode in enumerate(document["modes"]):
        indices = [sample["index"] for sample in mode["samples"]]
        assert len(indices) == 8
        assert set(owners[indices]) == {group}
        values = [sample["value"] for sample in mode["samples"]]
        assert values == sorted(values, reverse=True)
        assert mode["share"] == pytest.approx([0.5, 0.3, 0.2][group], abs=0.05)
    assert "share" in output
    assert not Path("gen-modes").exists()


def test_pictures_of_rows(groups: Path, run: Run) -> None:
    output = run("modes", groups, "--bandwidth", 1, "--top", 3, "--image-shape", "2,3,1")
    names = sorted(path.name for path in Path("gen-modes").iterdir())
    assert names == ["mode-01.png", "mode-02.png", "mode-03.png", "modes.png"]
    assert "gen-modes" in output
    for name in names:
        assert matplotlib.image.imread(f"gen-modes/{name}").std() > 0.01


def test_pictures_from_files(groups: Path, run: Run) -> None:
    folder = Path("pictures")
    folder.mkdir()
    (folder / "notes.txt").write_text("not an image")
    for number in range(40):
        matplotlib.image.imsave(folder / f"{number:03d}.png", np.random.default_rng(number).random((5, 7)))
    run("modes", groups, "--bandwidth", 1, "--top", 2, "--samples", 4, "--images", folder, "--out", "a/b")
    assert sorted(path.name for path in Path("a/b").iterdir()) == ["mode-01.png", "mode-02.png", "modes.png"]


def test_a_broken_picture_is_named_after_the_numbers_are_safe(groups: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path("pictures")
    folder.mkdir()
    for number in range(40):
        (folder / f"{number:03d}.png").write_text("broken")
    words = ["modes", str(groups), "--bandwidth", "1", "--images", str(folder), "--json", "m.json"]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "cannot be read as an image" in error
    assert Path("m.json").exists()


def test_more_than_there_is(groups: Path, run: Run) -> None:
    run("modes", groups, "--bandwidth", 1, "--top", 3, "--samples", 1000, "--json", "m.json")
    assert len(json.loads(Path("m.json").read_text())["modes"][0]["samples"]) == 40
