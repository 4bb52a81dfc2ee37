"""Tables of cells: append-only, checked line by line, and whole after any kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments.sensitivity.cell_table import COLUMNS, CellTable, Population, read_lines
from fkeax.sensitivity import Cell, CellName

OF = Population(0, "abcdef", {"kid": 199, "kad": 199})


def cell(draw: int, p_value: float = 0.25) -> Cell:
    return Cell(CellName("kid", "shift", 0.1, 780, draw), p_value <= 0.05, p_value, 1.25, None, 0.5, "exact")


def test_what_was_written_is_found_again_and_never_touched(tmp_path: Path) -> None:
    path = tmp_path / "space.csv"
    CellTable(path).append([cell(0), cell(1, 0.05)], OF)
    before = path.read_bytes()
    table = CellTable(path)
    assert table.cell("kid", "shift", 0.1, 780, 1, OF) == cell(1, 0.05)
    assert table.cell("kid", "shift", 0.1, 780, 2, OF) is None
    assert table.cell("kid", "shift", 0.1, 780, 0, Population(1, "abcdef", OF.permutations)) is None
    assert table.cell("kid", "shift", 0.1, 780, 0, Population(0, "other", OF.permutations)) is None
    table.append([cell(2)], OF)
    assert path.read_bytes().startswith(before)
    assert len(list(read_lines(path))) == 3
    assert table.cell("kid", "shift", 0.1, 780, 2, OF) == cell(2)


def test_a_change_that_could_not_be_made_is_kept_as_such(tmp_path: Path) -> None:
    impossible = Cell(CellName("kad", "rank-two", 0.5, 780, 0), None, None, None, None, None, None, "at most 0.2, here")
    CellTable(tmp_path / "space.csv").append([impossible], OF)
    found = CellTable(tmp_path / "space.csv").cell("kad", "rank-two", 0.5, 780, 0, OF)
    assert found is not None
    assert (found.reject, found.infeasible) == (None, "at most 0.2; here")


def test_a_torn_last_line_is_cut_off_and_a_damaged_one_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "space.csv"
    CellTable(path).append([cell(0), cell(1)], OF)
    whole = path.read_bytes()
    path.write_bytes(whole[:-7])
    table = CellTable(path)
    assert table.cell("kid", "shift", 0.1, 780, 0, OF) == cell(0)
    assert table.cell("kid", "shift", 0.1, 780, 1, OF) is None
    table.append([cell(1)], OF)
    assert path.read_bytes() == whole
    path.write_bytes(whole.replace(b",0.25,", b",0.05,", 1))
    with pytest.raises(ValueError, match=r"line 2, is damaged"):
        CellTable(path)
    path.write_text("a,b\n")
    with pytest.raises(ValueError, match="is no table of cells"):
        CellTable(path)


WRITER = """
import sys, types, itertools
from pathlib import Path
from experiments.sensitivity.cell_table import CellTable, Population
table = CellTable(Path(sys.argv[1]))
for draw in itertools.count(len(table.lines)):
    name = types.SimpleNamespace(test="kid", change="shift", strength=0.1, num_samples=780, draw=draw)
    cell = types.SimpleNamespace(
        name=name, p_value=0.25, z=1.25, bandwidth=None, w2=0.5, w2_kind="exact", infeasible=None
    )
    table.append([cell], Population(0, "abcdef", {"kid": 199}))
"""


def test_killed_writers_leave_a_table_that_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "space.csv"
    root = Path(__file__).parents[3]
    sizes = []
    for _ in range(2):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], cwd=root, env={**os.environ, "PYTHONPATH": str(root)}
        )
        wanted = (sizes[-1] if sizes else 0) + 2000
        for _ in range(600):
            if path.is_file() and path.stat().st_size > wanted:
                break
            time.sleep(0.05)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        sizes.append(path.stat().st_size)
    lines = list(read_lines(path))
    assert [line[COLUMNS.index("draw")] for line in lines] == [str(number) for number in range(len(lines))]
    assert len(lines) > 20
