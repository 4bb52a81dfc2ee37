"""What of a tune is rendered."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.sensitivity import render_tunes

BOOK = """% a book

X:1
T: The First
M: 2/4
L: 1/16
N: a remark
K:Gm
|:G3A (Bcd=e) :|
G4
X:2
T: No tune
M: 2/4
"""


def test_key_metre_and_the_first_line_of_notes_played_once(tmp_path: Path) -> None:
    (tmp_path / "book.abc").write_text(BOOK, encoding="latin-1")
    assert render_tunes.tunes_of(tmp_path / "book.abc") == ["X:1\nM: 2/4\nL: 1/16\nK:Gm\n|G3A (Bcd=e) |\n"]


def test_a_missing_collection_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert render_tunes.main([str(tmp_path), str(tmp_path / "sounds")]) == 1
    assert "holds no airdsAirs/*.abc." in capsys.readouterr().err
