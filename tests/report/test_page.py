"""The page of a report: its structure, that it needs nothing else, and that it shows words as words."""

from __future__ import annotations

import io
import itertools
import json
import re
from base64 import b64decode
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from fkeax.report import Media, exhibits, read_document, report_page
from fkeax.report.documents import Answer, Document, Mode, Sample
from fkeax.report.figures import Curve, score_curves
from fkeax.report.inline import INK_ON_DARK, figure_for_both
from fkeax.report.keywords import NEEDS, keywords
from fkeax.report.page import Gallery, Notes
from fkeax.report.sounds import LONGEST_SECONDS, encode_sound
from fkeax.results import Result
from tests.report.reading import Page

BAD = '<script>alert("&")</script>'
PROVENANCE = {
    "command": "fkeax score a.npz",
    "seed": 0,
    "inputs": [
        {"path": "x/r.npz", "bytes": 3, "sha256": "ab" * 32, "role": "reference"},
        {"path": "x/a.npz", "bytes": 5, "sha256": "cd" * 32},
    ],
    "started": "2026-01-01T00:00:00+00:00",
    "seconds": 1.5,
    "packages": {"fkeax": "0.1.0"},
    "python": "3.11",
    "device": {"platform": "cpu", "kind": "cpu", "count": 1},
}
SETTINGS = {
    "estimator": "fkea",
    "kernel": "gaussian",
    "bandwidth": 5.0,
    "bandwidth_source": "given",
    "dimension": 3,
    "num_samples": 12,
    "num_frequencies": 2000,
    "features": "iid",
    "dtype": "float32",
}
SCORE = Document(
    "a.json",
    "score",
    (
        Result("vendi-1", 7.25, 0.031, SETTINGS, {"interval": [7.19, 7.31], "level": 0.95, "warnings": ["few rows"]}),
        Result("rke", 5.5, None, SETTINGS, {}),
        Result("vendi-inf", None, None, SETTINGS, {"reason": "no spectrum"}),
    ),
    PROVENANCE,
)
MODES = Document(
    "m.json",
    "modes",
    (),
    PROVENANCE,
    modes=tuple(
        Mode(rank, share, share, tuple(Sample(row, 0.5, None) for row in (rank, rank + 1)))
        for rank, share in ((1, 0.5), (2, 0.01))
    ),
    settings=SETTINGS,
)


def curve_result(name: str, size: int, value: float) -> Result:
    return Result(name, value, 0.1, {**SETTINGS, "num_samples": size}, {})


def documents() -> list[Document]:
    """One of every kind."""
    curve = [curve_result(name, size, size / 9) for size in (10, 20) for name in ("rke", "rke-population")]
    points = {"weights": [0.1, 0.9], "divergence_p": [0.2, 0.0], "divergence_q": [0.0, None]}
    test = {"reject": True, "p_value": 0.004, "z": 3.5}
    sizes = {"n_ref": 10, "n_gen": 12}
    power = {"test": "kid", "change": "shift", "strength": 0.5, "num_draws": 3, "num_samples": 40, "alpha": 0.05}
    seen = {"num_rejections": 3, "interval": [0.29, 1.0], "predicted_power": 0.987}
    missing = Result("power", None, None, {**power, "test": "kad"}, {"reason": "too few rows"})
    return [
        SCORE,
        MODES,
        Document("c.json", "curve", tuple(curve), {**PROVENANCE, "over": "num-samples"}),
        Document(
            "f.json",
            "frontier",
            (Result("mauve", 0.6, 0.05, {**sizes, "generated": "a.npz"}, {}),),
            PROVENANCE,
            frontiers=({"generated": "a.npz", "scale": 5.0, **points},),
        ),
        Document("t.json", "test", (Result("mmdagg-test", 0.9, None, {**sizes, "alpha": 0.05}, test),), PROVENANCE),
        Document(
            "q.json",
            "compare",
            (Result("mean-shift", 0.2, None, sizes, {"p_value": 0.005}),),
            PROVENANCE,
            answers=(Answer("location", "means differ", ("mean-shift",)), Answer("copying", "not answered", ())),
            warnings=("ties",),
        ),
        Document(
            "u.json",
            "audit",
            (Result("power", 1.0, None, power, seen), missing),
            PROVENANCE,
            sentences=("kid detects shift",),
        ),
    ]


@pytest.fixture(scope="module")
def html() -> str:
    return report_page(documents(), title="A report")


def rows(page: Page) -> list[str]:
    return page.texts("tr")


# Structure


def test_sections_tables_and_headings(html: str) -> None:
    page = Page(html)
    titles = ["Scores", "Four questions", "Two-sample tests", "Divergence frontiers", "Curves", "Spectrum and modes"]
    assert page.texts("h2") == [*titles, "Audit", "Where the numbers came from"]
    assert page.texts("h1") == page.texts("title") == ["A report"]
    levels = [int(element.tag[1]) for element in page.all("h1", "h2", "h3", "h4")]
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    (root,) = page.all("html")
    assert root.attributes["lang"] == "en"
    assert len(page.all("table")) == len(page.all("caption"))
    assert all(page.texts("caption"))
    assert {element.attributes["scope"] for element in page.all("th")} == {"col", "row"}
    assert all(element.attributes["alt"] for element in page.all("img"))
    assert len(page.all("figure")) == len(page.all("figcaption")) == len(page.all("img"))
    ids = [element.attributes["id"] for element in page.elements if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    links = [element.attributes["href"] for element in page.all("a")]
    assert links[0] == "#content"
    assert {link.removeprefix("#") for link in links} <= set(ids)
    labels = {element.attributes.get("aria-labelledby") for element in page.elements} - {None}
    assert labels <= set(ids)


def test_numbers(html: str) -> None:
    found = rows(Page(html))
    assert "vendi-1 7.250 ± 0.031 7.190 to 7.310 (95 %) 12 5 2000 fkea" in found
    assert "rke 5.5000 unknown 12 5 2000 fkea" in found
    assert "vendi-inf no value: no spectrum 12 5 2000 fkea" in found
    assert "mauve a.npz 0.600 ± 0.050 10 and 12" in found
    assert "location means differ mean-shift 0.20000 (p = 0.005)" in found
    assert "t.json: a.npz against r.npz different laws 0.004 3.5 0.05 10 and 12" in found
    assert "shift 0.5 kid 3/3 0.29 to 1.00 0.99 40 0.05" in found
    assert "shift 0.5 kad not possible: too few rows 40 0.05" in found
    assert "rke-population 20 2.22 ± 0.10" in found
    assert "2 1.0 % 0.01 2, 3" in found
    words = Page(html).all("main")[0].text
    for sentence in ("warning: vendi-1: few rows", "kid detects shift", "ties", "cd" * 32, "fkeax score a.npz"):
        assert sentence in words


def test_only_sections_that_are_given() -> None:
    page = Page(report_page([SCORE]))
    assert page.texts("h2") == ["Scores", "Where the numbers came from"]
    assert page.all("img") == []
    bare = Page(report_page([replace(SCORE, provenance={})]))
    assert "this file does not say" in bare.texts("dd")
    with pytest.raises(ValueError, match="documents must hold at least one"):
        report_page([])


def test_it_needs_nothing_else_and_runs_nothing(html: str) -> None:
    page = Page(html)
    assert page.addresses()
    assert all(address.startswith(("data:", "#")) for address in page.addresses())
    assert page.all("script", "iframe", "object", "embed", "form", "base") == []
    assert not any(name.startswith("on") for element in page.elements for name in element.attributes)
    assert "url(" not in html
    assert "@import" not in html
    (policy,) = [e.attributes["content"] for e in page.all("meta") if "http-equiv" in e.attributes]
    assert policy.startswith("default-src 'none'")
    assert len(html) < 1_000_000


def test_the_same_results_give_the_same_page() -> None:
    assert report_page([SCORE, MODES]) == report_page([SCORE, MODES])


def test_words_of_files_are_words(tmp_path: Path) -> None:
    texts = tmp_path / "t.jsonl"
    texts.write_text("".join(json.dumps({"id": f"{BAD}{n}", "text": f"{BAD} cats {n}"}) + "\n" for n in range(12)))
    samples = (Sample(1, 0.5, f"{BAD}1"),)
    bad = [
        replace(SCORE, name=BAD, results=(Result(BAD, None, None, {"generated": BAD}, {"reason": BAD}),)),
        replace(MODES, name=BAD, modes=(Mode(1, 0.5, 0.5, samples),), provenance={"command": BAD}),
        replace(documents()[5], warnings=(BAD,), answers=(Answer(BAD, BAD, ()),)),
    ]
    html = report_page(bad, title=BAD, media=[Media("texts", str(texts))])
    page = Page(html)
    assert page.all("script") == []
    assert page.texts("title") == [BAD]
    assert page.texts("blockquote") == [f"{BAD} cats 1"]
    assert "<script" not in html


def test_figures_for_light_and_dark(html: str) -> None:
    page = Page(html)
    sources = page.all("source")
    assert len(sources) == len([e for e in page.all("img") if "picture" in e.parents]) == 4
    assert {e.attributes["media"] for e in sources} == {"(prefers-color-scheme: dark)"}
    errors = Curve("a", [1, 2], [1.0, 2.0], [0.1, 0.1])
    light, dark = figure_for_both(score_curves({"rke": [errors]}, x_label="n", title="t"))
    drawn = [b64decode(address.partition(",")[2]).decode() for address in (light, dark)]
    assert INK_ON_DARK not in drawn[0]
    assert INK_ON_DARK in drawn[1]
    assert "#000000" in drawn[0]
    # What is left in black is the ground of nothing: no stroke, and no fill of a mark.
    assert not re.search(r"stroke: #000000", drawn[1])
    assert "#ffffff" not in drawn[1]


# Samples


@pytest.fixture
def photos(tmp_path: Path) -> str:
    """Twelve pictures, the last two of them large."""
    for number in range(12):
        side = 300 if number > 9 else 8
        pixels = np.full((side, side * 2, 3), number * 20, np.uint8)
        (tmp_path / "photos" / "c").mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(tmp_path / "photos" / "c" / f"{number}.png")
    return str(tmp_path / "photos")


def with_samples(*samples: Sample) -> Document:
    return replace(MODES, modes=(Mode(1, 0.5, 0.5, samples),))


def pictures(page: Page) -> list[tuple[str, int, tuple[int, int]]]:
    found = []
    for element in page.all("img"):
        if "picture" not in element.parents:
            picture = Image.open(io.BytesIO(b64decode(element.attributes["src"].partition(",")[2])))
            found.append((element.attributes["alt"], np.asarray(picture)[0, 0, 0].item(), picture.size))
    return found


def test_pictures_by_name_and_by_row(photos: str) -> None:
    media = [Media("images", photos)]
    named = with_samples(Sample(0, 0.9, "c/11.png"), Sample(5, 0.8, "c/2.png"))
    found = pictures(Page(report_page([named], media=media)))
    assert found[1] == ("c/2.png", 40, (16, 8))
    name, level, size = found[0]
    assert (name, size) == ("c/11.png", (128, 64))
    assert abs(level - 220) <= 2  # JPEG
    by_row = with_samples(Sample(3, 0.9, None))
    assert pictures(Page(report_page([by_row], media=media))) == [("c/3.png", 60, (16, 8))]


def test_media_that_do_not_fit_the_modes(photos: str) -> None:
    media = [Media("images", photos)]
    with pytest.raises(ValueError, match=r"--images '.*photos' has no 'd/1.png', which is row 7 of the features of 'm"):
        report_page([with_samples(Sample(7, 0.9, "d/1.png"))], media=media)
    other = replace(with_samples(Sample(0, 0.9, None)), settings={**SETTINGS, "num_samples": 13})
    with pytest.raises(ValueError, match=r"holds 12 images, but the features of 'm.json' have 13 rows without names"):
        report_page([other], media=media)
    with pytest.raises(ValueError, match="names row 12 of 12"):
        report_page([with_samples(Sample(12, 0.9, None))], media=media)
    with pytest.raises(ValueError, match="media must be given once for each result of `fkeax modes`"):
        report_page([MODES, MODES], media=media)


def test_a_full_page_keeps_the_best_samples_of_every_mode(photos: str) -> None:
    media = Media("images", photos)
    whole = [block for block in exhibits.galleries(MODES, media, exhibits.Room()) if isinstance(block, Gallery)]
    assert [len(block.exhibits) for block in whole] == [2, 2]
    room = exhibits.Room(left=sum(len(block.exhibits[0].content) for block in whole))
    *kept, notes = exhibits.galleries(MODES, media, room)
    assert kept == [replace(block, exhibits=block.exhibits[:1]) for block in whole]
    assert notes == Notes(["2 samples were left out: a page holds 10 MB of pictures and sounds."])


def test_texts_and_keywords(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.txt"
    path.write_text("".join(f"The football club of Leeds won match {n}. {'word ' * 90}\n" for n in range(12)))
    media = [Media("texts", str(path))]
    page = Page(report_page([MODES], media=media))
    assert page.texts("figcaption")[-4:] == ["2", "3", "3", "4"]
    assert all(len(text) <= exhibits.LONGEST_TEXT + 4 for text in page.texts("blockquote"))
    (line, _) = [e.text for e in page.all("p") if e.attributes.get("class") == "keywords"]
    assert "football" in line
    monkeypatch.setattr(exhibits, "can_find_keywords", lambda: False)
    without = Page(report_page([MODES], media=media))
    assert NEEDS in without.texts("li")
    assert not any(e.attributes.get("class") == "keywords" for e in without.all("p"))


def test_keywords_without_yake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "yake", None)
    with pytest.raises(ImportError, match=r"need the package yake; install it with `pip install 'fkeax\[texts\]'`"):
        keywords(["a text"])


@pytest.mark.parametrize("rate", [16000, 12345])
def test_sounds_come_back(rate: int) -> None:
    import soundfile

    seconds = np.arange(12 * rate) / rate
    content, kind = encode_sound(np.sin(2 * np.pi * 440 * seconds) * 0.5, rate)
    assert kind == ("audio/mpeg" if rate == 16000 else "audio/wav")
    heard, heard_rate = soundfile.read(io.BytesIO(content))
    assert heard_rate == rate
    assert len(heard) / rate == pytest.approx(LONGEST_SECONDS, abs=0.1)  # MP3 fills its frames
    spectrum = np.abs(np.fft.rfft(heard[: 8 * rate]))
    assert np.fft.rfftfreq(8 * rate, 1 / rate)[spectrum.argmax()] == pytest.approx(440, abs=0.2)
    assert np.abs(heard).max() == pytest.approx(0.5, abs=0.05)


def test_windows_of_sounds_need_their_encoder(tmp_path: Path) -> None:
    import soundfile

    for number in range(12):
        soundfile.write(tmp_path / f"{number}.wav", np.full(8000, 0.1), 16000)
    media = [Media("sounds", str(tmp_path))]
    page = Page(report_page([with_samples(Sample(3, 0.9, None))], media=media))
    (player,) = page.all("audio")
    assert player.attributes["aria-label"] == "3.wav"
    assert player.attributes["src"].startswith("data:audio/mpeg;base64,")
    with pytest.raises(ValueError, match=r"--model NAME is needed: '3.wav#1' of 'm.json' is a window of a sound"):
        report_page([with_samples(Sample(3, 0.9, "3.wav#1"))], media=media)


# Files


def write(folder: Path, body: Any) -> Path:
    path = folder / "r.json"
    path.write_text(json.dumps(body))
    return path


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"differences": []}, "is no result of fkeax; expected what score, modes, frontier"),
        ([], "is no result of fkeax"),
        ({"results": [{}]}, r"has a bad entry results\[0\]"),
        ({"modes": [{"rank": 1, "share": 0.5}]}, r"has a bad entry modes\[0\]"),
        ({"modes": {}}, "has 'modes' that are no list"),
        ({"modes": [], "settings": 3}, "has 'settings' that is no object"),
        ({"results": [], "four_questions": 1}, "has 'four_questions' that is no object"),
        ({"results": [], "four_questions": {"answers": [{}]}}, r"has a bad entry four_questions.answers\[0\]"),
        ({"results": [], "frontiers": [{"weights": [1], "divergence_p": [], "divergence_q": []}]}, "a bad entry front"),
    ],
)
def test_files_that_are_no_results(tmp_path: Path, body: Any, sentence: str) -> None:
    path = write(tmp_path, body)
    with pytest.raises(ValueError, match=sentence) as caught:
        read_document(path)
    assert repr(str(path)) in str(caught.value)


def test_not_json_and_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(ValueError, match=r"a\.json' is not a strict JSON file"):
        read_document(tmp_path / "a.json")
    with pytest.raises(FileNotFoundError):
        read_document(tmp_path / "b.json")


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({}, "score"),
        ({"provenance": {"over": "order"}}, "curve"),
        ({"p_value": 0.1}, "test"),
        ({"frontiers": []}, "frontier"),
        ({"sentences": {"kid": "a"}}, "audit"),
        ({"four_questions": {"answers": []}}, "compare"),
        ({"modes": []}, "modes"),
    ],
)
def test_kinds_of_files(tmp_path: Path, change: dict[str, Any], kind: str) -> None:
    document = read_document(write(tmp_path, {"results": [], "provenance": {}} | change))
    assert document.kind == kind
    assert Page(report_page([document])).texts("h2")[-1] == "Where the numbers came from"


def test_curves_along_the_order(tmp_path: Path) -> None:
    results = [
        Result(f"vendi-{order}", 3.0, None, {**SETTINGS, "order": order if order == "inf" else float(order)}, {})
        for order in ("1", "2", "inf")
    ]
    along = Document("c.json", "curve", tuple(results), {"over": "order"})
    page = Page(report_page([along]))
    assert "Line chart of vendi over order: vendi goes from 3.0000 at 1 to 3.0000 at 2." in [
        element.attributes["alt"] for element in page.all("img")
    ]
