"""Results that were computed before, kept by the content they were computed from."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from fkeax.io.atomic import write_text
from fkeax.io.provenance import describe_file
from fkeax.results import Result, dumps, loads

VERSION = 1  # of the layout of an entry
PACKAGES = ("jax", "jaxlib", "numpy", "scipy")


@dataclass
class ResultCache:
    """A folder of results, keyed by the content of the input files and by every setting.

    Names, sizes and times of files play no part in the key: an input that is overwritten in place, even with the same
    shape and time, has another key, and a copy under another name has the same one. The versions of fkeax and of what
    it computes with are in the key too. An entry that is damaged is computed again and replaced.

    Attributes:
        folder: Where the entries lie; made when the first is written.
        inputs: The files that the results depend on.
        settings: All else that they depend on.
        hits: The parts that came from the cache.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     data = Path(folder, "x.npy")
        ...     _ = data.write_bytes(b"1 2 3")
        ...     for _ in range(2):
        ...         cache = ResultCache(Path(folder, "cache"), [data], {"bandwidth": 7.0})
        ...         found = cache.results("diversity", lambda: {"rke": Result("rke", 3.0, None, {}, {})})
        ...         print(found["rke"].value, cache.hits)
        3.0 []
        3.0 ['diversity']
    """

    folder: Path
    inputs: tuple[str | os.PathLike[str], ...]
    settings: dict[str, Any]
    hits: list[str] = field(default_factory=list)

    def __init__(self, folder: Path, inputs: Iterable[str | os.PathLike[str]], settings: Mapping[str, Any]) -> None:
        """Take what the results depend on; reads every input once for its hash."""
        self.folder = Path(folder)
        self.inputs = tuple(inputs)
        self.settings = dict(settings)
        self.hits = []
        self._content = self._hashes()

    def results(self, part: str, compute: Callable[[], Mapping[str, Result]]) -> dict[str, Result]:
        """Return the results of one part of the work, from the cache or computed and kept.

        Args:
            part: Its name, which is in the key.
            compute: Called where the cache has no whole entry.

        Returns:
            The results by name.

        Raises:
            OSError: The entry cannot be written.
        """
        key = self._key(part)
        path = self.folder / f"{key}.json"
        kept = _read(path, key)
        if kept is not None:
            self.hits.append(part)
            return kept
        found = dict(compute())
        # An input that changed while it was read belongs to neither key.
        if self._hashes() == self._content:
            self.folder.mkdir(parents=True, exist_ok=True)
            _write(path, key, found)
        return found

    def _hashes(self) -> list[str]:
        return [str(describe_file(path)["sha256"]) for path in self.inputs]

    def _key(self, part: str) -> str:
        import fkeax

        versions = {"fkeax": fkeax.__version__} | {name: metadata.version(name) for name in PACKAGES}
        whole = {
            "layout": VERSION,
            "versions": versions,
            "part": part,
            "inputs": self._content,
            "settings": self.settings,
        }
        return hashlib.sha256(dumps(whole, indent=None).encode()).hexdigest()


def _write(path: Path, key: str, results: Mapping[str, Result]) -> None:
    listed = {name: result.to_dict() for name, result in results.items()}
    body = dumps(listed, indent=None)
    entry = {"key": key, "sha256": hashlib.sha256(body.encode()).hexdigest(), "results": listed}
    write_text(path, dumps(entry) + "\n")


def _read(path: Path, key: str) -> dict[str, Result] | None:
    """Return the results of an entry; None where there is none, or it is not whole."""
    try:
        entry: Any = loads(path.read_text(encoding="utf-8"))
        body = dumps(entry["results"], indent=None)
        if entry["key"] != key or entry["sha256"] != hashlib.sha256(body.encode()).hexdigest():
            return None
        return {name: Result.from_dict(item) for name, item in entry["results"].items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
