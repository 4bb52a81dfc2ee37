"""Reports of real results of every command, opened in headless Chromium."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from fkeax.cli.main import main
from fkeax.datasets import load_digits
from tests.report.browser import Browser, open_browser
from tests.report.reading import Page

pytestmark = pytest.mark.slow
DOCS = Path(__file__).parents[2] / "docs" / "report.md"
NUM_REAL, NUM_MADE = 150, 120
LEFT_OUT = (3, 7)  # digits that the second folder lacks
COMMANDS = """
embed real --model pixels -o real.npz
embed made --model pixels -o made.npz
score made.npz --bandwidth 1.5 --intervals --json score.json
score made.npz --ref real.npz --metrics kid,prdc --json against.json
modes made.npz --bandwidth 1.5 --top 4 --samples 8 --json modes.json
frontier real.npz made.npz --method nearest --json frontier.json
curve made.npz --over num-samples --values 40,80,120 --bandwidth 1.5 --json curve.json
test real.npz made.npz --method mmd --json test.json
compare real.npz made.npz --method mmd --num-permutations 99 --json compare.json
audit real.npz --n 30 --draws 2 --tests kad --changes null,shift --strengths 0.5 --cells cells --json audit.json
report score.json against.json modes.json frontier.json curve.json test.json compare.json audit.json -o report.html \
--images made --title "Digits"
"""


def write_digits(folder: Path, name: str, chosen: Sequence[int], side: int) -> None:
    """Write handwritten digits as picture files."""
    digits = load_digits()
    (folder / name).mkdir()
    pixels = np.round(digits.features.reshape(-1, 8, 8) * 255).astype(np.uint8)
    for number in chosen:
        picture = Image.fromarray(pixels[number]).resize((side, side), Image.Resampling.NEAREST)
        picture.save(folder / name / f"{number:04d}.png")


def write_folders(folder: Path, num_real: int, num_made: int, side: int) -> None:
    labels = load_digits().labels
    kept = [number for number in range(num_real, len(labels)) if labels[number] not in LEFT_OUT]
    write_digits(folder, "real", range(num_real), side)
    write_digits(folder, "made", kept[:num_made], side)


def run(command: str) -> None:
    assert main(shlex.split(command)) == 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def report(folder: Path) -> Path:
    """A report of results of every command, on two folders of handwritten digits."""
    write_folders(folder, NUM_REAL, NUM_MADE, side=8)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("FKEAX_CACHE", str(folder / "cache"))
        for command in COMMANDS.strip().splitlines():
            run(command)
    return folder / "report.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    return open_browser(tmp_path_factory.mktemp("browser"))


def test_the_report_has_every_section(report: Path) -> None:
    page = Page(report.read_text(encoding="utf-8"))
    assert len(page.texts("h2")) == 8
    shown = [e.attributes["alt"] for e in page.all("img") if "picture" not in e.parents]
    assert len(shown) == 4 * 8
    assert all((report.parent / "made" / name).is_file() for name in shown)


def test_the_console_is_clean(report: Path, browser: Browser) -> None:
    assert browser.console(report) == []
    loud = report.with_name("loud.html")  # what the page forbids would be seen here
    loud.write_text(report.read_text(encoding="utf-8").replace("</body>", "<script>1</script></body>"), "utf-8")
    assert any("Content Security Policy" in line for line in browser.console(loud))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_phone_and_desk(report: Path, browser: Browser, dark: bool) -> None:
    found = browser.measure(report, 360, 600, 1280, dark=dark)
    assert [finding["width"] for finding in found] == [360, 600, 1280]
    for finding in found:
        assert finding["scrollWidth"] <= finding["width"]
        assert finding["wide"] == []
        assert finding["broken"] == []
        assert finding["images"] == finding["drawings"] + 32
        assert finding["drawings"] >= 5
        assert finding["dark"] == dark
        assert finding["darkDrawings"] == (finding["drawings"] if dark else 0)
        levels = finding["headings"]
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_screenshot_is_not_blank(report: Path, browser: Browser, dark: bool) -> None:
    pixels = browser.screenshot(report, dark=dark)
    ground = pixels[2, 2].mean()
    assert ground < 60 if dark else ground > 220
    ink = np.abs(pixels.astype(int) - pixels[2, 2]).max(axis=2) > 100
    assert 0.01 < ink.mean() < 0.3


def test_sounds_can_be_played(folder: Path, browser: Browser) -> None:
    import soundfile

    (folder / "sounds").mkdir()
    for number in range(8):
        tone = np.sin(2 * np.pi * (220 + 440 * (number % 2)) * np.arange(24000) / 16000)
        soundfile.write(folder / "sounds" / f"{number}.wav", 0.3 * tone, 16000)
    np.save(folder / "tones.npy", np.array([[9.0 * (number % 2), number / 50] for number in range(8)], np.float32))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run("modes tones.npy --bandwidth 2 --top 2 --samples 2 --json tones.json")
        run("report tones.json -o tones.html --sounds sounds")
    (finding,) = browser.measure(folder / "tones.html", 360, dark=False)
    assert len(finding["seconds"]) == 4
    assert finding["seconds"] == pytest.approx([1.5] * 4, abs=0.1)
    assert finding["scrollWidth"] <= 360


def test_a_strangers_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of the page on reports, but for the installation, on two folders of pictures."""
    write_folders(tmp_path, 42, 42, side=64)
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^\$ (.+)$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert commands[0].startswith("pip install .")
    assert len(commands[:5]) == 5
    assert commands[4].startswith("fkeax report ")
    pages = []
    for command in commands[1:]:
        assert command.startswith("fkeax ")
        run(command.removeprefix("fkeax "))
        if command.startswith("fkeax report "):
            pages.append(Page(Path("report.html").read_text(encoding="utf-8")))
    first, second = pages
    assert first.texts("h1") == ["Real and made"]
    assert {"vendi-1", "rke", "kid", "mauve", "precision", "coverage"} <= set(first.texts("th"))
    assert len([e for e in second.all("img") if "picture" not in e.parents]) == 10 * 12
