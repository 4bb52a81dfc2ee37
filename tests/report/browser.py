"""Pages in headless Chromium: what it measures of them, what it says on its console, and what they look like."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# In the copy of a page that is measured: everything unfolded; findings go to the page around it.
MEASURE = """<script>
for (const part of document.querySelectorAll("details")) part.open = true;
addEventListener("load", async () => {
  await Promise.all([...document.querySelectorAll("audio")].map(player => new Promise(done => {
    if (player.readyState > 0 || player.error) done();
    player.onloadedmetadata = player.onerror = done;
  })));
  const drawings = [...document.querySelectorAll("picture img")];
  const wide = element => element.getBoundingClientRect().right > innerWidth + 0.5 && !element.closest(".scroll");
  parent.postMessage({
    width: innerWidth,
    scrollWidth: document.documentElement.scrollWidth,
    wide: [...document.body.querySelectorAll("*")].filter(wide).map(element => element.outerHTML.slice(0, 80)),
    broken: [...document.images].filter(image => image.naturalWidth === 0).map(image => image.alt),
    images: document.images.length,
    drawings: drawings.length,
    darkDrawings: drawings.filter(image => image.currentSrc !== image.src).length,
    headings: [...document.querySelectorAll("h1,h2,h3,h4,h5,h6")].map(heading => Number(heading.tagName[1])),
    seconds: [...document.querySelectorAll("audio")].map(player => player.duration),
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
  }, "*");
});
</script></body>"""
FRAMES = """<!DOCTYPE html><title>frames</title><pre></pre><script>
const found = [];
onmessage = message => {
  found.push(message.data);
  document.querySelector("pre").textContent = JSON.stringify(found);
};
</script>"""


@dataclass(frozen=True)
class Browser:
    """Chromium, with a folder for its own files."""

    program: str
    folder: Path

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        own = ["--headless=new", "--no-sandbox", "--hide-scrollbars", f"--user-data-dir={self.folder / 'profile'}"]
        command = [self.program, *own, "--autoplay-policy=no-user-gesture-required", *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)

    def console(self, page: Path) -> list[str]:
        """Return the lines that a page gets onto the console."""
        done = self._run("--enable-logging=stderr", "--v=0", "--dump-dom", page.as_uri())
        return [line for line in done.stderr.splitlines() if "CONSOLE" in line]

    def measure(self, page: Path, *widths: int, dark: bool) -> list[dict[str, Any]]:
        """Return what a page, unfolded, looks like in windows of some widths, narrowest first."""
        text = page.read_text(encoding="utf-8")
        # The page forbids scripts: its copy must not.
        text, count = re.subn(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
        assert count == 1
        (self.folder / "copy.html").write_text(text.replace("</body>", MEASURE), encoding="utf-8")
        frames = [
            f'<iframe src="copy.html" style="width:{width}px;height:800px;border:0"></iframe>' for width in widths
        ]
        (self.folder / "frames.html").write_text(FRAMES + "".join(frames), encoding="utf-8")
        words = ("--window-size=1600,900", "--virtual-time-budget=20000", "--dump-dom", *_scheme(dark))
        dom = self._run(*words, (self.folder / "frames.html").as_uri()).stdout
        (written,) = re.findall(r"<pre>(.*?)</pre>", dom, re.DOTALL)
        return sorted(json.loads(html.unescape(written)), key=lambda finding: finding["width"])

    def screenshot(self, page: Path, *, dark: bool) -> np.ndarray:
        """Return the top of a page as pixels."""
        path = self.folder / "screenshot.png"
        self._run("--window-size=1000,1400", f"--screenshot={path}", *_scheme(dark), page.as_uri())
        return np.asarray(Image.open(path).convert("RGB"))


def _scheme(dark: bool) -> tuple[str, ...]:
    return (f"--blink-settings=preferredColorScheme={0 if dark else 1}",)


def open_browser(folder: Path) -> Browser:
    """Return Chromium; without it the test is skipped, and fails where the environment variable CI is set."""
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        message = f"none of {', '.join(NAMES)} is installed"
        if os.environ.get("CI"):
            pytest.fail(f"{message}, and CI is set; `apt-get install chromium` installs one")
        pytest.skip(message)
    return Browser(program, folder)
