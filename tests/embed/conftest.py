"""A folder of small pictures in two classes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    for label in ("cat", "dog"):
        (folder / label).mkdir(parents=True)
        for number in (2, 10):
            pixels = np.random.default_rng(number).integers(0, 256, (4, 6, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(folder / label / f"x_{number}.png")
    (folder / ".hidden.png").write_bytes(b"no picture")
    (folder / "notes.md").write_text("no picture")
    return folder
