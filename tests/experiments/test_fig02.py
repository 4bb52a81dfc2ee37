"""Fig. 2 of the FKEA paper, small: the numbers are fkeax's own, a sweep compiles once, figures need the folder only."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import fkeax
from experiments import collect, data, report, reproduction, schema
from experiments.fkea import fig02_findings, fig02_mnist
from experiments.fkea.params import Fig02Params
from experiments.outcome import RunFolder, read_run
from fkeax.datasets import colour_by_class, load_digits
from tests.experiments.conftest import NAME

TINY = (
    f"experiment={NAME}",
    "scale=smoke",
    "data.samples_per_class=8",
    "params.digit_counts=[3]",
    "params.num_modes=3",
    "params.num_top_samples=4",
    "features.num_frequencies=12",
    "features.batch_size=64",
)


@pytest.fixture
def sweep(command: Callable, tmp_path: Path) -> Path:
    """A sweep over the bandwidth with the real experiment."""
    # The strict promotion of the other tests is on here as well: the experiment must not need any other.
    ended = command("--multirun", *TINY, "kernel.bandwidth=2,4")
    assert ended.code == 0, ended.error
    return tmp_path / "outputs"


def test_fig02(
    sweep: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = sweep / NAME / "0001"
    first, second = [json.loads((folder / str(job) / "provenance.json").read_text()) for job in range(2)]
    assert first["compilations"]["count"] > 0
    assert second["compilations"]["count"] == 0
    run = read_run(folder / "0")
    check_numbers(run)
    check_modes(run)
    assert "stand-in for MNIST's 60,000 digits: scikit-learn's digits of 8 x 8 pixels, n = 24" in run.title

    shutil.rmtree(folder / "1")
    monkeypatch.setattr(data, "load_images", None)
    assert report.main([NAME, "--runs", str(sweep), "--to", str(tmp_path / "figures")]) == 0
    assert len(list((tmp_path / "figures").glob("fkea-fig02_mnist-smoke-*.png"))) == 2
    claims = fig02_findings.findings(run)
    assert "vendi-1.5" in claims[0].ours
    assert "rke-debiased" in claims[1].ours
    assert "of 3 modes" in claims[2].ours

    assert collect.main([str(sweep)]) == 0
    assert "1 runs (1 finished)" in capsys.readouterr().out


def check_numbers(run: RunFolder) -> None:
    digits = load_digits()
    kept = np.concatenate([np.flatnonzero(digits.labels == digit)[:8] for digit in range(3)])
    rows = colour_by_class(digits.images[kept], digits.labels[kept]).reshape(24, -1)
    options = {"orders": (1.0, 1.5), "bandwidth": 2.0, "batch_size": 64}
    features = {"method": "fkea", "num_frequencies": 12, "key": jax.random.key(0)}
    found = {
        (result.settings["estimator"], result.name, result.settings.get("num_digits")): result.value
        for result in run.results
        if "only_digit" not in result.settings
    }
    for name, result in fkeax.score(rows, **features, **options).items():  # pyright: ignore[reportArgumentType]
        assert found["fkea", name, 3] == pytest.approx(result.value, rel=1e-5)
    for name, result in fkeax.score(rows, method="exact", **options).items():  # pyright: ignore[reportArgumentType]
        assert found["exact", name, 3] == pytest.approx(result.value, rel=1e-5)
    alone = [result for result in run.results if "only_digit" in result.settings and result.name == "rke"]
    assert [result.settings["only_digit"] for result in alone] == [0, 1, 2]
    by_hand = fkeax.rke(rows[8:16], bandwidth=2.0, method="exact")
    assert alone[1].value == pytest.approx(by_hand.value, rel=1e-6)


def check_modes(run: RunFolder) -> None:
    labels = run.arrays["top_labels"]
    assert labels.shape == (3, 4)
    np.testing.assert_array_equal(load_digits().labels[load_digits_kept()][run.arrays["top_indices"]], labels)
    purities = [result for result in run.results if result.name == "mode-purity"]
    for result, row in zip(purities, labels, strict=True):
        counts = np.bincount(row)
        assert result.value == counts.max() / 4
        assert result.diagnostics["label"] == str(counts.argmax())
    pictures = run.arrays["top_pictures"]
    assert pictures.shape == (3, 4, 8, 8, 3)
    assert pictures.dtype == np.uint8


def load_digits_kept() -> np.ndarray:
    """The rows of the data set as the experiment sees it: the first eight of each digit, in the order of the file."""
    labels = load_digits().labels
    return np.sort(np.concatenate([np.flatnonzero(labels == digit)[:8] for digit in range(10)]))


def config(**changes: Any) -> schema.Config:
    """The configuration of the figure at scale smoke, without Hydra, and what of it is changed."""
    whole = schema.Config(
        name=NAME,
        title="a title",
        data=schema.Data("digits"),
        encoder=schema.Encoder("pixels"),
        kernel=schema.Kernel("gaussian", 2.0),
        features=schema.Features("iid", 12),
        estimator=schema.Estimator("fkea", [1.0], 400),
        inference=schema.Inference("none"),
        params=Fig02Params(),
    )
    return dataclasses.replace(whole, **changes)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"params": Fig02Params([3, 1])},
            "params.digit_counts must be ascending numbers from 1 to 10, got [3, 1].",
        ),
        ({"params": schema.Params()}, "params must be those of fkea/fig02_mnist; give params=fkea_fig02_mnist."),
        (
            {"kernel": schema.Kernel("gaussian")},
            "kernel.bandwidth is not set; give kernel.bandwidth=7, or kernel.bandwidth_rule=median.",
        ),
        (
            {"estimator": schema.Estimator("mauve")},
            "estimator.name must be 'fkea' in fkea/fig02_mnist, got 'mauve'.",
        ),
        ({"data": schema.Data("cifar")}, "data.name must be one of digits, mnist_5k, mnist; got 'cifar'."),
        (
            {"data": schema.Data("digits", samples_per_class=0)},
            "data.samples_per_class must be at least 1, got 0.",
        ),
        (
            {"data": schema.Data("digits", samples_per_class=175)},
            "data.samples_per_class is 175, but a class of digits has only 174 samples.",
        ),
    ],
)
def test_what_it_does_not_do(changes: dict[str, Any], expected: str) -> None:
    with pytest.raises(ValueError, match=re.escape(expected)):
        fig02_mnist.run(config(**changes))


@pytest.mark.slow
def test_another_kernel_scheme_and_inference() -> None:
    """Whatever conf/ offers reaches the scores, and the title says that it is not the paper's choice."""
    changed = config(
        kernel=schema.Kernel("matern32", bandwidth_rule="rke=6"),
        estimator=schema.Estimator("fkea", [1.0], 400, num_kept=5, num_landmarks=20),
        features=schema.Features("orthogonal", 12),
        inference=schema.Inference("jackknife"),
        params=Fig02Params([2], num_modes=2, num_top_samples=3),
    )
    outcome = fig02_mnist.run(changed)
    assert "(not the paper's choice: matern32, orthogonal)" in outcome.title
    found = {(r.name, r.settings["estimator"]): r for r in outcome.results if "num_digits" in r.settings}
    assert outcome.headline == found["rke", "fkea"].value
    assert found["rke", "fkea"].settings["features"] == "orthogonal"
    assert found["vendi-1", "fkea"].settings["kernel"] == found["vendi-1", "exact"].settings["kernel"] == "matern32"
    assert found["vendi-1", "fkea"].diagnostics["interval"]
    assert found["vendi-1-debiased", "fkea"].value is None
    assert found["rke", "exact"].value == pytest.approx(6, rel=1e-6)  # at the bandwidth found on all digits, two here
    assert "RKE 6 of the matern32 kernel" in str(found["rke", "fkea"].settings["bandwidth_source"])
    assert found["vendi-1-truncated", "fkea"].diagnostics["num_kept"] == 5
    assert found["rke", "nystrom"].settings["num_landmarks"] == 20


def test_every_data_set_of_conf_is_known() -> None:
    assert set(data.IMAGES) == {"digits", "mnist_5k", "mnist"}


def test_report_without_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report.main([NAME, "--runs", str(tmp_path)]) == 2
    assert f"holds no finished run of {NAME}; first give" in capsys.readouterr().err
    assert report.main(["fkea/fig99", "--runs", str(tmp_path)]) == 2
    assert "there is no experiment 'fkea/fig99'; there are:" in capsys.readouterr().err


def test_the_committed_page_is_the_one_of_the_committed_records() -> None:
    records = reproduction.read_records(reproduction.RECORDS)
    written = reproduction.pages(records)
    assert {path: path.read_text(encoding="utf-8") for path in written} == written
    assert {path.name for path in (reproduction.PAGE.parent / "reproduction").glob("*.md")} == {
        path.name for path in written if path != reproduction.PAGE
    }
    for record in records:
        assert record["scale"] in ("local", "paper")
        for name in record["figures"]:
            assert (reproduction.IMAGES / name).is_file()


def test_a_page_without_records_claims_nothing() -> None:
    assert "Nothing has been run yet." in reproduction.pages([])[reproduction.PAGE]
