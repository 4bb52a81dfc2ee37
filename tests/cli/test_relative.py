"""`fkeax score --ref`, `fkeax test` and `fkeax frontier`: the numbers of the library, tables, figures and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np
import pytest

import fkeax
from fkeax.cli import frontier, relative, two_sample
from fkeax.frontier import METHODS as ESTIMATORS
from fkeax.io import read_results
from fkeax.twosample import prdc
from fkeax.twosample.two_sample_test import METHODS as TESTS


@pytest.fixture
def ref(gen: Path) -> Path:
    """A reference of 50 x 6 features beside the generated ones."""
    path = gen.with_name("ref.npy")
    np.save(path, np.random.default_rng(2).normal(size=(50, 6)).astype(np.float32) + 1)
    return path


def test_lists_of_choices_are_those_of_the_core():
    assert set(two_sample.METHODS) == set(TESTS)
    assert frontier.METHODS == ESTIMATORS
    assert set(relative.MANIFOLD) == set(prdc(np.eye(8), np.eye(8) + 1))


def test_relative_scores(gen: Path, ref: Path, run: Callable[..., str]):
    metrics = "mauve,mid,kid,kad,cmmd,fid,prdc"
    output = run("score", gen, "--ref", ref, "--metrics", metrics, "--json", "out.json")
    found = {result.name: result for result in read_results("out.json").results}
    reference, generated = np.load(ref), np.load(gen)
    key = jax.random.key(0)
    assert found["kid"].value == fkeax.kid(reference, generated).value
    assert found["kid"].stderr == fkeax.kid(reference, generated).stderr
    assert found["frechet"].value == fkeax.frechet(reference, generated).value
    assert found["mauve"].value == pytest.approx(float(fkeax.mauve(reference, generated, key=key)), rel=1e-9)
    assert "fi" not in found
    assert {"precision", "recall", "density", "coverage", "mid", "mauve-debiased", "kad", "cmmd"} <= set(found)
    assert "50 reference and 40 generated samples of dimension 6" in output
    assert list(found)[:2] == ["mauve", "mid"]


def test_diversity_and_reference_in_one_command(gen: Path, ref: Path, run: Callable[..., str]):
    run("score", gen, "--ref", ref, "--metrics", "rke,mmd", "--bandwidth", 2, "--json", "out.json")
    found = {result.name: result for result in read_results("out.json").results}
    assert found["rke"].value == fkeax.rke(np.load(gen), bandwidth=2.0).value
    assert found["mmd2-unbiased"].value == fkeax.mmd(np.load(ref), np.load(gen), bandwidth=2.0).value


def test_two_sample_test(gen: Path, ref: Path, run: Callable[..., str]):
    np.save("groups.npy", np.arange(90) // 2)
    words = ("--method", "mmd", "--num-permutations", 99, "--groups", "groups.npy", "--json", "test.json")
    output = run("test", ref, gen, *words)
    written = json.loads(Path("test.json").read_text(encoding="utf-8"))
    same = fkeax.two_sample_test(
        np.load(ref),
        np.load(gen),
        method="mmd",
        num_permutations=99,
        groups=np.arange(90) // 2,
        key=jax.random.key(0),
    )
    assert (written["p_value"], written["reject"], written["z"]) == (same.p_value, same.reject, same.z)
    assert written["reject"] is True
    assert written["num_permutations"] == 99
    assert "reject: the samples come from different laws" in output
    assert written["provenance"]["command"].startswith(f"fkeax test {ref} {gen} --method mmd")


@pytest.mark.slow
def test_frontiers_of_several_models(gen: Path, ref: Path, run: Callable[..., str]):
    np.save("near.npy", np.random.default_rng(3).normal(size=(45, 6)) + 1)
    output = run("frontier", ref, gen, "near.npy", "--figure", "f.svg", "--json", "f.json", "--like", "paper")
    assert "written: f.svg" in output
    assert "<svg" in Path("f.svg").read_text(encoding="utf-8")[:1000]
    areas = {
        result.settings["generated"]: float(result)
        for result in read_results("f.json").results
        if result.name == "mauve"
    }
    assert areas["near.npy"] > areas[str(gen)]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("score", "gen.npy", "--metrics", "kid"), "kid compares with a reference; give its features as --ref REF.npy"),
        (("score", "gen.npy", "--ref", "ref.npy", "--bandwidth", 1), "--ref is for scores against a reference"),
        (("score", "gen.npy", "--ref", "ref.npy", "--metrics", "kidd"), "did you mean 'kid'?"),
        (("score", "gen.npy", "--ref", "ref.npy", "--metrics", "mmd"), "the gaussian kernel needs --bandwidth"),
        (("score", "gen.npy", "--ref", "wide.npy", "--metrics", "kid"), "7"),
        (("score", "gen.npy", "--ref", "ref.npy", "--metrics", "mauve", "--like", "other"), "--like must be one of"),
        (("test", "ref.npy", "gen.npy", "--method", "ks"), "--method must be one of mmdagg, fuse, mmd, sweep, frechet"),
        (("test", "ref.npy", "gen.npy", "--alpha", "2"), "alpha must lie between 0 and 1"),
        (("test", "ref.npy", "gen.npy", "--num-permutations", "3"), "expected a whole number of at least 19"),
        (("test", "ref.npy", "gen.npy", "--groups", "ref.npy"), "must hold 90 whole numbers or words"),
        (("test", "ref.npy"), "Missing argument 'GEN.npy'"),
        (("frontier", "ref.npy", "wide.npy"), "7"),
        (("frontier", "ref.npy", "gen.npy", "--figure", "f.jpeg"), "a figure must be a .png, .svg, .pdf file; got"),
        (("frontier", "ref.npy", "gen.npy", "--generator", "tv"), "--generator must be one of kl, chi2, got 'tv'"),
    ],
)
def test_bad_input(gen: Path, ref: Path, complaint: Callable[..., str], words: tuple[object, ...], sentence: str):
    np.save("wide.npy", np.ones((30, 7)))
    assert sentence in complaint(*words)
