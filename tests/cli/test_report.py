"""`fkeax report`: from what other commands write to a page, and one line for every fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fkeax.io import write_results
from fkeax.results import Result
from tests.report.reading import Page

Run = Callable[..., str]
Complaint = Callable[..., str]


@pytest.fixture
def scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result as `fkeax score` writes it."""
    monkeypatch.chdir(tmp_path)
    write_score()


def write_score() -> None:
    inputs = [{"path": "gen.npy", "bytes": 10, "sha256": "ab" * 32}]
    provenance = {"command": "fkeax score gen.npy --bandwidth 2", "inputs": inputs}
    write_results("s.json", [Result("rke", 7.5, 0.1, {"num_samples": 40}, {})], provenance)


@pytest.fixture
def shown(gen: Path, run: Run) -> None:
    """A result of `fkeax modes` of features with names, and the pictures of these names."""
    names = [f"{number}.png" for number in range(40)]
    Path("photos").mkdir()
    for number, name in enumerate(names):
        Image.fromarray(np.full((4, 4, 3), number, np.uint8)).save(f"photos/{name}")
    np.savez("gen.npz", features=np.load(gen), ids=np.array(names))
    run("modes", "gen.npz", "--bandwidth", 2, "--top", 2, "--samples", 3, "--json", "m.json")


def test_a_page_of_scores(scored: None, run: Run) -> None:
    output = run("report", "s.json", "-o", "r.html", "--title", "Mine & <yours>")
    assert output.startswith("written: r.html: ")
    page = Page(Path("r.html").read_text(encoding="utf-8"))
    assert page.texts("title", "h1") == ["Mine & <yours>"] * 2
    assert page.texts("caption") == ["s.json: gen.npy"]
    assert "fkeax score" in page.all("main")[0].text
    run("report", "s.json", "-o", "r.html")  # written anew
    assert Page(Path("r.html").read_text(encoding="utf-8")).texts("h1") == ["fkeax report"]


def test_a_page_says_what_the_terminal_says_of_scores(scored: None, run: Run) -> None:
    write_results("k.json", [Result("kid", 0.1, 0.02, {"n_ref": 9, "n_gen": 8}, {"mass_removed": 0.1})], {})
    run("report", "k.json", "-o", "r.html")
    words = Page(Path("r.html").read_text(encoding="utf-8")).all("main")[0].text
    assert "kid: unbiased: at equal laws it is 0 on average" in words
    assert "eigenvalues below rounding, 10.0 % of the sum, count as 0" in words


def test_modes_with_their_pictures(shown: None, run: Run) -> None:
    document = json.loads(Path("m.json").read_text())
    samples = [sample for mode in document["modes"] for sample in mode["samples"]]
    assert all(sample["id"] == f"{sample['index']}.png" for sample in samples)
    run("report", "m.json", "-o", "r.html", "--images", "photos")
    page = Page(Path("r.html").read_text(encoding="utf-8"))
    assert [e.attributes["alt"] for e in page.all("img") if "picture" not in e.parents] == [s["id"] for s in samples]


def test_another_folder_with_the_same_names_is_refused(scored: None, run: Run, complaint: Complaint) -> None:
    for folder, grey in (("mine", 0), ("yours", 100)):
        Path(folder).mkdir()
        for number in range(8):
            Image.fromarray(np.full((4, 4, 3), grey + number, np.uint8)).save(f"{folder}/{number}.png")
    run("embed", "mine", "--model", "pixels", "-o", "gen.npz", "--no-cache")
    run("modes", "gen.npz", "--bandwidth", 2, "--top", 1, "--samples", 2, "--json", "m.json")
    run("report", "m.json", "-o", "r.html", "--images", "mine")
    run("embed", "yours", "--model", "pixels", "-o", "gen_1.npz", "--no-cache")
    Path("gen.npz").rename("gen_0.npz")
    run("modes", "gen_*.npz", "--bandwidth", 2, "--top", 2, "--samples", 3, "--json", "both.json")
    assert "has another '" in complaint("report", "both.json", "-o", "r.html", "--images", "yours")
    said = complaint("report", "m.json", "-o", "r.html", "--images", "yours")
    assert "--images 'yours' has another '" in said
    assert "expected the folder or file that was embedded" in said


def test_options_that_do_not_fit(shown: None, complaint: Complaint) -> None:
    write_score()
    words = ("report", "m.json", "s.json", "-o", "r.html")
    assert "--images must be given once for each result" in complaint(
        *words, "--images", "photos", "--images", "photos"
    )
    assert "it was given 1 times for 0 of them (none)" in complaint(
        "report", "s.json", "-o", "r.html", "--images", "photos"
    )
    assert "--images and --texts were given" in complaint(*words, "--images", "photos", "--texts", "t.jsonl")
    assert "--model is the encoder of sounds" in complaint(*words, "--images", "photos", "--model", "pixels")
    assert "does not exist" in complaint(*words, "--images", "none")
    assert not Path("r.html").exists()


def test_what_may_be_written_and_read(scored: None, complaint: Complaint) -> None:
    words = ("report", "s.json", "-o")
    assert "--out must name an .html file, got 's.txt'" in complaint(*words, "s.txt")
    assert "--out 's.json' is a file that the command reads" in complaint(*words, "s.json")
    assert "does not exist" in complaint(*words, "none/r.html")
    assert "names one file twice" in complaint("report", "s.json", "s.json", "-o", "r.html")
    assert "none.json" in complaint("report", "none.json", "-o", "r.html")
    Path("bad.json").write_text('{"differences": []}')
    assert complaint("report", "s.json", "bad.json", "-o", "r.html").startswith("'bad.json' is no result of fkeax")
    assert not Path("r.html").exists()


def test_what_no_command_writes_gets_one_sentence(shown: None, run: Run, complaint: Complaint) -> None:
    document = json.loads(Path("m.json").read_text())

    def refused(words: str, **parts: object) -> None:
        Path("x.json").write_text(json.dumps({**document, **parts}))
        assert words in complaint("report", "x.json", "-o", "r.html")
        assert not Path("r.html").exists()

    settings, diagnostics = document["settings"], document["diagnostics"]
    refused("'x.json' has settings.bandwidth = 'two'; expected a number", settings=settings | {"bandwidth": "two"})
    refused("diagnostics.plan without a reason", diagnostics=diagnostics | {"plan": {}})
    run_of = {**settings, "estimator": {}, "bandwidth_source": None}
    Path("x.json").write_text(json.dumps({**document, "settings": run_of}))
    run("report", "x.json", "-o", "x.html")
    refused("two modes of one rank", modes=[document["modes"][0]] * 2)
    refused("overflows a float64", diagnostics={"level": 10**400})
    refused("half of a surrogate pair", provenance={"command": "\ud83d"})


def test_answers_stand_on_results(scored: None, complaint: Complaint) -> None:
    document = json.loads(Path("s.json").read_text())
    answer = {"question": "copying", "verdict": "none", "results": [{"name": "kid"}]}
    Path("c.json").write_text(json.dumps(document | {"four_questions": {"answers": [answer]}}))
    assert "bad entry four_questions.answers[0]" in complaint("report", "c.json", "-o", "r.html")
    entry = document["results"][0]
    entry["diagnostics"] = {"interval": ["low", "high"]}
    Path("s.json").write_text(json.dumps(document))
    assert "results[0], has diagnostics.interval" in complaint("report", "s.json", "-o", "r.html")


@pytest.mark.slow
def test_frontiers_keep_their_points(gen: Path, run: Run) -> None:
    np.save("ref.npy", np.random.default_rng(2).normal(size=(50, 6)).astype(np.float32))
    run("frontier", "ref.npy", "gen.npy", "--method", "nearest", "--json", "f.json", "--figure", "f.svg")
    (points,) = json.loads(Path("f.json").read_text())["frontiers"]
    assert points["generated"] == "gen.npy"
    weights, missed, excess = (np.array(points[name]) for name in ("weights", "divergence_p", "divergence_q"))
    assert len(weights) == len(missed) == len(excess) > 10
    assert (np.diff(weights) > 0).all()
    assert (np.diff(missed) <= 1e-6).all()  # the more of P in the mixture, the nearer it is to P
    run("report", "f.json", "-o", "r.html")
    assert "Divergence frontiers" in Page(Path("r.html").read_text(encoding="utf-8")).texts("h2")
