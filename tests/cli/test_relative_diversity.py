"""`fkeax score` with ken, finc, rrke, --labels and inception-score: the numbers of the library, tables and JSON."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np
import pytest

from fkeax.diversity import finc, inception_score, ken, per_class, rrke
from fkeax.io import read_results

LABELS = np.repeat(["cat", "dog"], 20)


@pytest.fixture
def ref(gen: Path) -> Path:
    """A reference of 50 x 6 features beside the generated ones."""
    path = gen.with_name("ref.npy")
    np.save(path, np.random.default_rng(2).normal(size=(50, 6)).astype(np.float32) + 1)
    return path


def _written() -> dict:
    return {result.name: result for result in read_results("out.json").results}


def test_relative_diversity(gen: Path, ref: Path, run: Callable[..., str]):
    words = ("--bandwidth", 2, "--eta", 0.5, "--num-frequencies", 40, "--json", "out.json")
    output = run("score", gen, "--ref", ref, "--metrics", "ken,finc,rrke", *words)
    found = _written()
    pair = np.load(ref), np.load(gen)
    options = {"bandwidth": 2.0, "num_frequencies": 40, "key": jax.random.key(0)}
    exact, featured = ken(*pair, eta=0.5, **options), finc(*pair, eta=0.5, **options)
    assert found["ken"].value == exact.score.value
    assert found["ken-mass"].value == exact.mass.value
    assert found["finc"].value == featured.score.value
    assert found["rrke"].value == rrke(*pair, **options).value
    assert found["ken"].settings["eta"] == 0.5
    assert found["ken"].diagnostics["modes"][0]["samples"] == exact.modes.sample_indices[0].tolist()
    assert "ken, novel mode 1:" in output
    assert "50 reference and 40 generated samples of dimension 6" in output


def test_scores_by_class(gen: Path, run: Callable[..., str]):
    np.save("y.npy", LABELS)
    output = run("score", gen, "--labels", "y.npy", "--metrics", "rke", "--bandwidth", 2, "--json", "out.json")
    expected = per_class(np.load(gen), LABELS, metrics=("rke",), bandwidth=2.0)
    found = _written()
    assert {name: result.value for name, result in found.items()} == {
        result.name: result.value for result in expected.results()
    }
    assert found["rke[cat]"].settings["class"] == "cat"
    assert "rke-class-mean" in output


def test_inception_score(gen: Path, run: Callable[..., str]):
    probabilities = np.random.default_rng(0).dirichlet(np.ones(5), 60)
    np.save("probs.npy", probabilities)
    output = run("score", "probs.npy", "--metrics", "inception-score", "--json", "out.json")
    expected = inception_score(probabilities)
    assert _written()["inception-score"].value == expected.whole.value
    assert _written()["inception-score-splits"].value == expected.splits.value
    assert "60 rows of probabilities of 5 classes" in output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--metrics", "ken", "--bandwidth", 1), "ken compares with a reference"),
        (("--metrics", "ken", "--ref", "ref.npy"), "the gaussian kernel needs --bandwidth"),
        (("--metrics", "ken", "--ref", "ref.npy", "--bandwidth", 1, "--eta", -1), "eta must be at least 0; got -1"),
        (("--metrics", "rrke", "--ref", "ref.npy", "--bandwidth", 1, "--eta", 2), "--eta is for ken, finc"),
        (("--metrics", "inception-score"), "sum to 1"),
        (("--metrics", "inception-score,rke", "--bandwidth", 1), "ask for it alone"),
        (("--labels", "ref.npy", "--bandwidth", 1), "must hold 40 whole numbers or words"),
        (("--labels", "one.npy", "--bandwidth", 1), "class 'one' has fewer"),
        (("--labels", "one.npy", "--metrics", "kid", "--ref", "ref.npy"), "--labels is for"),
    ],
)
def test_bad_input(gen: Path, ref: Path, complaint: Callable[..., str], words: tuple[object, ...], sentence: str):
    np.save("one.npy", np.asarray(["one", *["many"] * 39]))
    if sentence == "sum to 1":
        np.save(gen, np.abs(np.load(gen)))
    assert sentence in complaint("score", gen, *words)
