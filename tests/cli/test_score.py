from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np
import pytest

import fkeax
from fkeax.cli.main import main
from fkeax.io import read_results

Run = Callable[..., str]


def test_prints_and_writes_what_python_computes(gen: Path, run: Run) -> None:
    output = run("score", gen, "--bandwidth", 2, "--json", "out.json")
    expected = fkeax.score(np.load(gen), bandwidth=2.0, key=jax.random.key(0))
    written = read_results("out.json")
    assert {result.name: result.value for result in written.results} == {
        name: result.value for name, result in expected.items()
    }
    assert {"vendi-1", "vendi-1.5", "vendi-2", "vendi-inf", "rke", "rke-population"} <= set(expected)
    for name in expected:
        assert name in output
    assert "bandwidth 2 (given)" in output
    assert "40 samples of dimension 6" in output
    assert written.provenance["seed"] == 0
    assert "--bandwidth 2" in written.provenance["command"]
    assert len(written.provenance["inputs"][0]["sha256"]) == 64


def test_json_is_strict(gen: Path) -> None:
    words = ["--bandwidth", 0.05, "--method", "fkea", "--num-frequencies", 4]
    assert main([str(word) for word in ("score", gen, *words, "--json", "out.json")]) == 1  # some have no value

    def refuse(literal: str) -> None:
        raise AssertionError(literal)

    document = json.loads(Path("out.json").read_text(), parse_constant=refuse)
    orders = {entry["name"]: entry["settings"]["order"] for entry in document["results"]}
    assert orders["vendi-inf"] == "inf"
    for entry in document["results"]:
        assert entry["stderr"] is None or entry["stderr"] > 0
        assert (entry["value"] is None) == bool(entry["diagnostics"].get("reason"))


def test_streamed_batches_give_the_numbers_of_the_array(gen: Path, run: Run) -> None:
    words = ["--bandwidth", 2, "--method", "fkea", "--num-frequencies", 16, "--seed", 3, "--json", "out.json"]
    run("score", gen, *words, "--batch-size", 7, "--orders", "1,inf")
    whole = fkeax.score(
        np.load(gen), orders=(1.0, math.inf), bandwidth=2.0, method="fkea", num_frequencies=16, batch_size=7,
        key=jax.random.key(3),
    )  # fmt: skip
    for result in read_results("out.json").results:
        assert result.value == pytest.approx(whole[result.name].value, rel=1e-6)
        assert result.settings["num_samples"] == 40
        assert result.diagnostics["plan"] == whole[result.name].diagnostics["plan"]


def test_the_same_command_gives_the_same_numbers(gen: Path, run: Run) -> None:
    words = ["--bandwidth", 2, "--method", "fkea", "--num-frequencies", 8]
    first = run("score", gen, *words)
    assert run("score", gen, *words) == first
    assert run("score", gen, *words, "--seed", 1) != first


def test_median_says_where_the_bandwidth_came_from(gen: Path, run: Run) -> None:
    output = run("score", gen, "--bandwidth", "median", "--json", "out.json")
    assert "median of all 780 pairwise distances" in output
    (settings,) = {result.settings["bandwidth"] for result in read_results("out.json").results}
    assert 2 < float(str(settings)) < 5


def test_metrics_and_orders_choose_the_rows(gen: Path, run: Run) -> None:
    run("score", gen, "--bandwidth", 2, "--metrics", "vendi", "--orders", "0,0.5", "--json", "out.json")
    assert [result.name for result in read_results("out.json").results] == ["vendi-0", "vendi-0.5"]
    run("score", gen, "--bandwidth", 2, "--metrics", "rke", "--json", "out.json")
    assert {result.name.split("-")[0] for result in read_results("out.json").results} == {"rke"}


@pytest.mark.parametrize("kernel", ["cosine", "linear"])
def test_kernels_without_bandwidth(gen: Path, run: Run, kernel: str) -> None:
    output = run("score", gen, "--kernel", kernel, "--json", "out.json")
    assert "route: dual" in output
    assert all(result.settings["bandwidth"] is None for result in read_results("out.json").results)


def test_double_precision(gen: Path, run: Run) -> None:
    run("score", gen, "--bandwidth", 2, "--dtype", "float64", "--json", "out.json")
    run("score", gen, "--bandwidth", 2, "--dtype", "float32", "--json", "single.json")
    x = np.load(gen).astype(np.float64)
    kernel = np.exp(-np.square(x[:, None] - x[None]).sum(-1) / 8)
    exact = len(x) ** 2 / np.square(kernel).sum()
    values = {result.name: result for result in read_results("out.json").results}
    assert values["rke"].settings["dtype"] == "float64"
    assert values["rke"].value == pytest.approx(exact, rel=1e-12)
    single = {result.name: result for result in read_results("single.json").results}
    assert single["rke"].settings["dtype"] == "float32"
    assert single["rke"].value == pytest.approx(exact, rel=1e-5)
    assert not jax.config.jax_enable_x64


@pytest.mark.parametrize("dtype", ["float16", "int8", "bool", ">f8"])
def test_other_number_types(gen: Path, run: Run, dtype: str) -> None:
    np.save("x.npy", (np.load(gen) * 3).astype(dtype))
    assert "vendi-1" in run("score", "x.npy", "--bandwidth", 2)


def test_one_sample_is_one_mode(gen: Path) -> None:
    np.save("one.npy", np.load(gen)[:1])
    # One sample has no pairs: the score of the population is missing, and the exit code says so.
    assert main(["score", "one.npy", "--bandwidth", "2", "--json", "out.json"]) == 1
    values = {result.name: result.value for result in read_results("out.json").results}
    assert values["vendi-1"] == pytest.approx(1.0, abs=1e-6)


def test_archives_and_links(gen: Path, run: Run) -> None:
    np.savez("two.npz", a=np.load(gen), b=np.zeros(3))
    assert run("score", "two.npz:a", "--bandwidth", 2) == run("score", gen, "--bandwidth", 2)
