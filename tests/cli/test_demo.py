from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

from fkeax.datasets import load_digits
from fkeax.io import read_results


def test_digits_are_the_real_ones() -> None:
    digits = load_digits()
    assert digits.images.shape == (1797, 8, 8)
    assert digits.features.dtype == np.float32
    assert digits.features.min() == 0
    assert digits.features.max() == 1
    assert np.bincount(digits.labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    np.testing.assert_array_equal(digits.features.reshape(-1, 8, 8), digits.images)


def test_demo_small(tmp_path: Path, run: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fkeax.cli.demo.NUM_CLASSES", 2)
    monkeypatch.setattr("fkeax.cli.demo.NUM_MODES", 3)
    monkeypatch.setattr("fkeax.cli.demo.NUM_FREQUENCIES", 64)
    monkeypatch.setattr("fkeax.cli.demo.NUM_DRAWS", 4)
    monkeypatch.chdir(tmp_path)
    output = run("demo")
    assert "written to fkeax-demo: scores.png, modes.png, results.json" in output
    folder = tmp_path / "fkeax-demo"
    assert sorted(path.name for path in folder.iterdir()) == ["modes.png", "results.json", "scores.png"]
    for name in ("modes.png", "scores.png"):
        assert matplotlib.image.imread(folder / name).std() > 0.01
    results = read_results(folder / "results.json").results
    assert [result.settings["num_classes"] for result in results] == [1] * 6 + [2] * 6
    exact = {result.name: result for result in results if result.settings["estimator"] == "exact"}
    features = {result.name: result for result in results if result.settings["estimator"] == "fkea"}
    assert float(features["rke"]) < float(exact["rke"])
    assert float(features["vendi-1"]) < float(features["vendi-1-debiased"])
    assert float(features["vendi-1"]) < float(exact["vendi-1"])
    assert float(features["rke-debiased"]) == pytest.approx(float(exact["rke"]), rel=0.2)
    again = run("demo")
    assert again.splitlines()[:-1] == output.splitlines()[:-1]
