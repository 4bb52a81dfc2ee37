"""Many small results kept one by one, so that a long job that is killed goes on where it stopped."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fkeax.io.atomic import write_text
from fkeax.results import dumps, loads, to_native

SETTINGS_FILE = "settings.json"
_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


class CellStore:
    """A folder with one strict JSON file a cell, and the settings that all of them were computed under.

    Every file appears whole or not at all: after a kill, what is there is right, and what is not there is computed.
    Several processes may write into one folder; equal names then hold equal cells.

    Args:
        folder: Made if it does not exist.
        settings: What all cells depend on beside their names: hashes of inputs, seeds, versions.

    Raises:
        OSError: The folder cannot be made or written.
        ValueError: The folder holds cells of other settings; the sentence names the first that differs.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = CellStore(folder, {"seed": 0})
        ...     store.write("kid_shift_0.1", {"z": 3.5})
        ...     CellStore(folder, {"seed": 0}).read("kid_shift_0.1"), store.read("kid_null_0.0")
        ({'z': 3.5}, None)
    """

    def __init__(self, folder: str | os.PathLike[str], settings: Mapping[str, Any]):
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise NotADirectoryError(f"{str(self.folder)!r} is a file; expected a folder for cells.")
        self.folder.mkdir(parents=True, exist_ok=True)
        wanted = to_native(dict(settings), "settings")
        path = self.folder / SETTINGS_FILE
        if path.exists():
            _check_same(self.folder, _read(path), wanted)
        elif any(self.folder.glob("*.json")):
            raise ValueError(
                f"{str(self.folder)!r} holds .json files but no {SETTINGS_FILE}; expected a folder of cells."
            )
        else:
            write_text(path, dumps(wanted) + "\n")

    def read(self, name: str) -> dict[str, Any] | None:
        """Return the cell of a name, or None if there is none yet.

        Raises:
            ValueError: The file is no cell.
        """
        path = self._path(name)
        return _read(path) if path.exists() else None

    def write(self, name: str, cell: Mapping[str, Any]) -> None:
        """Keep a cell.

        Raises:
            OSError: The file cannot be written.
            ValueError: A number is not finite, or the name is none for a file.
        """
        write_text(self._path(name), dumps(dict(cell)) + "\n")

    def __len__(self) -> int:
        """Return how many cells there are."""
        return sum(1 for path in self.folder.glob("*.json") if path.name != SETTINGS_FILE)

    def _path(self, name: str) -> Path:
        if not _SAFE_NAME.fullmatch(name):
            raise ValueError(f"the name of a cell must be letters, digits and ._+-; got {name!r}.")
        return self.folder / f"{name}.json"


def _read(path: Path) -> dict[str, Any]:
    try:
        document = loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{str(path)!r} is not a strict JSON file: {error}; delete it to compute it again.") from None
    if not isinstance(document, dict):
        raise ValueError(f"{str(path)!r} holds no JSON object; delete it to compute it again.")
    return document


def _check_same(folder: Path, found: Mapping[str, Any], wanted: Any) -> None:
    for name in dict.fromkeys([*wanted, *found]):
        if found.get(name) != wanted.get(name):
            raise ValueError(
                f"{str(folder)!r} holds cells of another audit: {name} is {found.get(name)!r} there and "
                f"{wanted.get(name)!r} here; give another folder."
            )
