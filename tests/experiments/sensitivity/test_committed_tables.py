"""The committed tables: every checksum holds, no cell is there twice, and tests keep their level."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from scipy import stats

from experiments.sensitivity.cell_table import COMMITTED, KEY, CellTable, cell_of, read_lines

PATHS = sorted(COMMITTED.glob("*.csv"))
# Cells whose level is broken on purpose: rows relabelled although whole tracks were drawn; corpora that differ.
NOT_NULL = ("-ignored", "-pairs")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_checksums_hold_and_no_cell_is_there_twice(path: Path) -> None:
    lines = list(read_lines(path))
    assert lines
    assert max(Counter(line[: len(KEY)] for line in lines).values()) == 1
    assert len(CellTable(path).lines) == len(lines)


def test_pooled_level_is_inside_its_binomial_interval() -> None:
    """Each test's null cells over all spaces lie in the central 99.9 % of Binomial(N, 0.05).

    Tests of one draw depend on each other and are not pooled; some 20 tests make 2 % of false alarms at new keys.
    """
    nulls: dict[str, list[bool]] = {}
    for path in PATHS:
        if path.stem.endswith(NOT_NULL):
            continue
        for line in read_lines(path):
            cell = cell_of(line)
            if cell.name.change == "null":
                nulls.setdefault(cell.name.test, []).append(bool(cell.reject))
    assert len(nulls) > 10
    for test, rejected in nulls.items():
        low, high = stats.binom.interval(0.999, len(rejected), 0.05)
        assert low <= sum(rejected) <= high, (test, sum(rejected), len(rejected))
