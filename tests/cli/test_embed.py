"""`fkeax embed` and `fkeax models`: a file that every other command reads, and one line for every fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import fkeax


@pytest.fixture
def photos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FKEAX_CACHE", str(tmp_path / "cache"))
    for label in ("cat", "dog"):
        Path("photos", label).mkdir(parents=True)
        for number in (2, 10):
            pixels = np.random.default_rng(number).integers(0, 256, (4, 6, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(f"photos/{label}/{number}.png")
    return tmp_path


def test_features_names_labels_and_provenance(photos: Path, run: Callable[..., str]) -> None:
    assert "4 rows of 72 features (" in run("embed", "photos", "--model", "pixels", "-o", "a.npz")
    file = fkeax.io.load_features("a.npz")
    assert file.ids is not None
    assert file.ids.tolist() == ["cat/2.png", "cat/10.png", "dog/2.png", "dog/10.png"]
    np.testing.assert_array_equal(file.array[0], np.asarray(Image.open("photos/cat/2.png")).ravel() / np.float32(255))
    with np.load("a.npz") as archive:
        assert archive["labels"].tolist() == ["cat", "cat", "dog", "dog"]
        provenance = json.loads(str(archive["provenance"]))
    assert provenance["encoder"]["name"] == "pixels"
    assert provenance["items"]["count"] == 4
    assert provenance["command"].startswith("fkeax embed photos --model pixels --out a.npz")
    assert "4 of them kept from before" in run("embed", "photos", "--model", "pixels", "-o", "b.npz")
    assert "vendi" in run("score", "b.npz", "--bandwidth", "3")


def test_faults(photos: Path, complaint: Callable[..., str]) -> None:
    words = ("embed", "photos", "--model")
    assert "did you mean 'pixels'?" in complaint(*words, "pixel", "-o", "a.npz")
    assert complaint(*words, "pixels", "-o", "a.npy").startswith("--out must name a .npz file")
    assert "holds no texts (4 images)" in complaint(*words, "all-minilm-l6-v2", "-o", "a.npz")
    assert not Path("a.npz").exists()


def test_one_line_for_a_broken_picture(photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from fkeax.cli.main import main

    Path("photos/broken.png").write_bytes(b"no picture")
    assert main(["embed", "photos", "--model", "pixels", "-o", "a.npz"]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("fkeax: error: 'photos/broken.png' cannot be read as an image")
    assert not Path("a.npz").exists()


def test_models(photos: Path, run: Callable[..., str]) -> None:
    listed = run("models", "list")
    assert all(name in listed for name in fkeax.embed.ENCODERS)
    assert "Red, green and blue" in run("models", "get", "pixels")


def test_weights_that_cannot_be_had(photos: Path, complaint: Callable[..., str], monkeypatch) -> None:
    import subprocess

    failed = subprocess.CompletedProcess([], 1, "", "ERROR: no network\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    assert "EfficientNet-Lite0, trained on ImageNet: not in the cache" in complaint(
        "models", "get", "efficientnet-lite0"
    )
