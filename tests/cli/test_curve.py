"""`fkeax curve`, and the options of `fkeax score` that curves share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import fkeax
from fkeax.cli import options
from fkeax.diversity.plan import METHODS
from fkeax.diversity.scores import METRICS
from fkeax.features import SCHEMES
from fkeax.io import read_results
from fkeax.kernels import KERNELS


def test_lists_of_choices_are_those_of_the_core():
    assert options.METRICS == METRICS
    assert options.METHODS == METHODS
    assert options.SCHEMES == SCHEMES
    assert set(options.KERNELS) == set(KERNELS)
    assert set(options.KERNELS_WITH_BANDWIDTH) == {name for name, entry in KERNELS.items() if entry.needs_bandwidth}


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("--over", "num-samples", "--values", "10,40", "--bandwidth", 2), ["vendi-1", "rke", "rke-population"]),
        (("--over", "bandwidth", "--values", "1,2"), ["vendi-1", "rke", "rke-population"]),
        (("--over", "order", "--values", "1,inf", "--bandwidth", "median", "--intervals"), ["vendi"]),
    ],
)
def test_table_figure_and_json(gen: Path, run: Callable[..., str], words: tuple[object, ...], names: list[str]):
    output = run("curve", gen, *words, "--json", "curve.json", "--figure", "curve.png")
    assert all(name in output for name in names)
    assert "written: curve.png" in output
    assert Path("curve.png").stat().st_size > 10_000
    found = read_results("curve.json")
    assert len(found.results) == 2 * len(names)
    over = str(words[1]).replace("-", "_")
    assert found.provenance["over"] == str(words[1])
    if over in ("num_samples", "bandwidth"):
        assert [float(value) for value in found.provenance["values"]] == sorted(
            {float(result.settings[over]) for result in found.results}  # pyright: ignore[reportArgumentType]
        )


def test_score_with_every_option(gen: Path, run: Callable[..., str]):
    np.save("groups.npy", np.repeat(np.arange(20), 2))
    words = ("--method", "fkea", "--num-frequencies", 32, "--features", "stratified", "--kernel", "matern32")
    words += ("--bandwidth", "rke=5", "--bandwidth-from", gen, "--groups", "groups.npy", "--intervals")
    words += ("--metrics", "vendi,vendi-debiased,vendi-truncated,rke", "--num-kept", 5, "--json", "out.json")
    output = run("score", gen, *words)
    assert "95 % interval" in output
    assert "RKE 5 of the matern32 kernel" in output
    found = {result.name: result for result in read_results("out.json").results}
    assert found["rke"].settings["features"] == "stratified"
    assert found["rke"].settings["num_groups"] == 20
    assert found["vendi-1-truncated"].diagnostics["num_kept"] == 5
    assert str(found["rke"].settings["bandwidth_source"]).endswith(f"of {gen.name}")
    assert found["vendi-1"].diagnostics["interval"]
    x = np.load(gen)
    same = fkeax.rke(x, kernel="matern32", bandwidth="rke=5")
    assert same.settings["bandwidth"] == pytest.approx(found["rke"].settings["bandwidth"])
