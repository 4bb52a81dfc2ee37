"""`--cache DIR`: results of the same content, settings, versions and device are computed once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fkeax.io import FeatureFile, ResultCache
    from fkeax.results import Result

# Outputs, and files: what these hold is in the key, where they lie is not.
OUTPUTS = ("--json", "--table")
FILES = ("--ref", "--groups", "--bandwidth-from", "--labels")


def check_cache(folder: str | None) -> Path | None:
    """Check before any computing that a cache may lie in a folder, which is made if need be.

    Raises:
        OSError: It is a file, or it cannot be made or written.
    """
    if folder is None:
        return None
    from fkeax.io import check_writable

    path = Path(folder).expanduser()
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(f"--cache {folder!r} is a file; expected a folder.")
    path.mkdir(parents=True, exist_ok=True)
    check_writable(path / "entry.json")
    return path


def open_cache(
    folder: Path | None,
    files: Sequence[FeatureFile | None],
    inputs: Iterable[str | os.PathLike[str]],
    named: Mapping[str, Any],
) -> ResultCache | None:
    """Return the cache for one command, or None without a folder.

    Args:
        folder: As checked.
        files: The feature files, whose member and cut into shards are part of the key.
        inputs: All files whose content the results depend on.
        named: The options of the command.
    """
    if folder is None:
        return None
    import jax

    from fkeax.io import ResultCache

    device = jax.devices()[0]
    options = {word: value for word, value in named.items() if word not in OUTPUTS}
    # The last part of a name may choose an array (FILE.npz:NAME), and results quote it.
    options |= {word: os.path.basename(named[word]) for word in FILES if named.get(word) is not None}
    settings = {
        "options": options,
        "files": [None if file is None else [file.member, list(file.rows_per_file)] for file in files],
        "x64": bool(jax.config.values["jax_enable_x64"]),
        "device": [device.platform, device.device_kind],
    }
    return ResultCache(folder, inputs, settings)


def kept(cache: ResultCache | None, part: str, compute: Callable[[], Mapping[str, Result]]) -> dict[str, Result]:
    """Return results from the cache, or computed, and kept where there is a cache."""
    return dict(compute()) if cache is None else cache.results(part, compute)


def notes(cache: ResultCache | None) -> list[str]:
    """Say what came from the cache."""
    if cache is None or not cache.hits:
        return []
    return [f"from the cache {cache.folder}: {', '.join(cache.hits)}; same content, settings, versions and device"]
