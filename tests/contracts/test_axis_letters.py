"""Shape annotations use the letters of one table."""

from __future__ import annotations

import re
from pathlib import Path

import fkeax
from fkeax._types import AXES

SHAPE = re.compile(r'\b(?:Float|Int|UInt|Integer|Bool|Num|Real|Inexact|Shaped|Key)\[[\w.| ]+, "([^"]*)"\]')


def test_every_axis_letter_is_in_the_table() -> None:
    sources = sorted(Path(fkeax.__file__).parent.rglob("*.py"))
    shapes = [(path.name, shape) for path in sources for shape in SHAPE.findall(path.read_text(encoding="utf-8"))]
    assert shapes, "no shape annotation was found: the pattern no longer matches them"
    letters = [(name, letter) for name, shape in shapes for letter in re.findall(r"\b[a-zA-Z]\b", shape)]
    assert [(name, letter) for name, letter in letters if letter not in AXES] == []
