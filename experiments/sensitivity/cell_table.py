"""One append-only table of cells for each space: a line a cell, with its key, its seed and a checksum.

A finished cell is never computed again and no line is ever changed: more draws, tests or changes are added at the end.
A process that is killed while it writes leaves at most a torn last line, which the next one cuts off.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from fkeax.sensitivity import Cell

KEY = ("test", "change", "strength", "n", "draw", "seed", "rows", "permutations")
COLUMNS = (*KEY, "p_value", "z", "bandwidth", "w2", "w2_kind", "infeasible", "checksum")
CHECKSUM_LENGTH = 12
COMMITTED = Path(__file__).parent / "tables"


@dataclass(frozen=True)
class Population:
    """What a cell is drawn from and how it is tested, besides its name.

    Attributes:
        seed: Of all randomness.
        rows: The beginning of the SHA-256 of the space's rows: features from another machine may differ in it.
        permutations: By test.
    """

    seed: int
    rows: str
    permutations: dict[str, int]


class CellTable:
    """A table on disk.

    Args:
        path: Of the table; it need not exist.

    Raises:
        ValueError: A line other than a torn last one is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = list(read_lines(path)) if path.is_file() else []
        self._known = {line[: len(KEY)]: line for line in self.lines}

    def cell(self, test: str, change: str, strength: float, n: int, draw: int, of: Population) -> Cell | None:
        """Return a cell, or None where there is none yet."""
        line = self._known.get(self._key(test, change, strength, n, draw, of))
        return None if line is None else cell_of(line)

    def append(self, cells: Iterable[Cell], of: Population) -> None:
        """Add cells at the end, on the disk when this returns.

        Raises:
            OSError: The table cannot be written.
        """
        lines = []
        for cell in cells:
            name = cell.name
            key = self._key(name.test, name.change, name.strength, name.num_samples, name.draw, of)
            found = (cell.p_value, cell.z, cell.bandwidth, cell.w2)
            words = (*key, *map(_number, found), cell.w2_kind or "", (cell.infeasible or "").replace(",", ";"))
            lines.append((*words, checksum(words)))
        if not lines:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        is_new = not self.path.is_file()
        with self.path.open("ab+") as stream:
            _cut_torn_line(stream)
            text = "".join(",".join(line) + "\n" for line in ([COLUMNS] if is_new else []) + lines)
            stream.write(text.encode())
            stream.flush()
            os.fsync(stream.fileno())
        self.lines += lines
        self._known |= {line[: len(KEY)]: line for line in lines}

    @staticmethod
    def _key(test: str, change: str, strength: float, n: int, draw: int, of: Population) -> tuple[str, ...]:
        return (
            test,
            change,
            f"{strength:g}",
            str(n),
            str(draw),
            str(of.seed),
            of.rows,
            str(of.permutations[test]),
        )


def checksum(words: tuple[str, ...]) -> str:
    """Return the checksum of a line's other words."""
    return hashlib.sha256(",".join(words).encode()).hexdigest()[:CHECKSUM_LENGTH]


def read_lines(path: Path) -> Iterator[tuple[str, ...]]:
    """Yield the words of every line, its checksum verified.

    Raises:
        ValueError: A line is damaged; a torn last line is left out instead.
    """
    text = path.read_bytes().decode("utf-8", "replace")
    for number, line in enumerate(text.split("\n")[:-1], start=1):  # what follows the last line break was torn
        words = tuple(line.split(","))
        if number == 1:
            if words != COLUMNS:
                raise ValueError(f"{str(path)!r} is no table of cells: its first line is {line[:80]!r}.")
            continue
        if len(words) != len(COLUMNS) or checksum(words[:-1]) != words[-1]:
            raise ValueError(f"{str(path)!r}, line {number}, is damaged: its checksum is not that of its words.")
        yield words


def cell_of(line: tuple[str, ...], level: float = 0.05) -> Cell:
    """Return the cell of a line."""
    from fkeax.sensitivity import Cell, CellName

    named = dict(zip(COLUMNS, line, strict=True))
    p, z, bandwidth, w2 = (
        None if named[word] == "" else float(named[word]) for word in ("p_value", "z", "bandwidth", "w2")
    )
    return Cell(
        name=CellName(named["test"], named["change"], float(named["strength"]), int(named["n"]), int(named["draw"])),
        reject=None if p is None else p <= level,
        p_value=p,
        z=z,
        bandwidth=bandwidth,
        w2=w2,
        w2_kind=named["w2_kind"] or None,
        infeasible=named["infeasible"] or None,
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.5g}"


def _cut_torn_line(stream: BinaryIO) -> None:
    """Leave the stream at the end of the last whole line."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - 4096))
    tail = stream.read()
    torn = len(tail) - (tail.rfind(b"\n") + 1)
    if torn:
        stream.truncate(size - torn)
    stream.seek(0, os.SEEK_END)
