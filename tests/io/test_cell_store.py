"""A folder of cells: whole files, one set of settings, and nothing lost by a kill."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fkeax.io import CellStore


def test_round_trip_and_resume(tmp_path: Path):
    store = CellStore(tmp_path / "deep" / "cells", {"seed": 0, "alpha": 0.05})
    assert store.read("kid_shift_0.1_n780_draw000") is None
    store.write("kid_shift_0.1_n780_draw000", {"z": 3.25, "reject": True, "bandwidth": None})
    again = CellStore(tmp_path / "deep" / "cells", {"alpha": 0.05, "seed": 0})
    assert again.read("kid_shift_0.1_n780_draw000") == {"z": 3.25, "reject": True, "bandwidth": None}
    assert len(again) == 1
    again.write("kid_shift_0.1_n780_draw000", {"z": 1.0})
    assert store.read("kid_shift_0.1_n780_draw000") == {"z": 1.0}
    assert sorted(path.name for path in store.folder.iterdir()) == ["kid_shift_0.1_n780_draw000.json", "settings.json"]


def test_other_settings_are_refused(tmp_path: Path):
    CellStore(tmp_path, {"seed": 0})
    with pytest.raises(ValueError, match=r"holds cells of another audit: seed is 0 there and 1 here"):
        CellStore(tmp_path, {"seed": 1})
    with pytest.raises(ValueError, match=r"alpha is None there and 0.1 here"):
        CellStore(tmp_path, {"seed": 0, "alpha": 0.1})


def test_a_folder_of_something_else_is_refused(tmp_path: Path):
    (tmp_path / "results.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match=r"no settings\.json; expected a folder of cells"):
        CellStore(tmp_path, {})
    with pytest.raises(NotADirectoryError, match="is a file; expected a folder for cells"):
        CellStore(tmp_path / "results.json", {})


def test_damaged_cells_are_named(tmp_path: Path):
    store = CellStore(tmp_path, {"seed": 0})
    (tmp_path / "cut.json").write_text('{"z": 3.', encoding="utf-8")
    with pytest.raises(ValueError, match=r"cut.json' is not a strict JSON file: .*; delete it"):
        store.read("cut")
    (tmp_path / "list.json").write_text("[1]", encoding="utf-8")
    with pytest.raises(ValueError, match="holds no JSON object"):
        store.read("list")


def test_a_number_that_is_none_leaves_no_file(tmp_path: Path):
    store = CellStore(tmp_path, {"seed": 0})
    with pytest.raises(ValueError, match="z is nan"):
        store.write("cell", {"z": float("nan")})
    assert len(store) == 0
    assert json.loads((tmp_path / "settings.json").read_text(encoding="utf-8")) == {"seed": 0}


@pytest.mark.parametrize("name", ["", "../escape", "a/b", ".hidden", "white space"])
def test_names_stay_in_the_folder(tmp_path: Path, name: str):
    with pytest.raises(ValueError, match="letters, digits"):
        CellStore(tmp_path, {}).write(name, {})
