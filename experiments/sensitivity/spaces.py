"""The spaces that the sensitivity experiments work in, by name: real embeddings, surrogates, and two synthetic laws."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.schema import Config

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Embeddings:
    """Rows of a space.

    Attributes:
        rows: (N, d), float32.
        labels: A corpus or class for each row; None where there are none.
        groups: A number for each row where several come from one track; None where rows are independent.
    """

    rows: np.ndarray
    labels: np.ndarray | None = None
    groups: np.ndarray | None = None


@dataclass(frozen=True)
class Space:
    """One space.

    Attributes:
        name: As it is asked for.
        kind: "music", "audio", "images", "surrogate" or "synthetic".
        what: Data and encoder, in a few words.
        source: Where data and encoder come from.
        licence: Under which licence they may be used.
        load: Returns the rows; the second argument is their number where the space can be drawn from without end.
        inputs: Names and checksums of what it reads.
    """

    name: str
    kind: str
    what: str
    source: str
    licence: str
    load: Callable[[Config, int], Embeddings]
    inputs: Callable[[Config], dict[str, str]] = lambda config: {}


def space(name: str) -> Space:
    """Return a space by its name.

    Raises:
        ValueError: There is none of that name.
    """
    found = _all()
    whole, truncated, axes = name.partition("-pca")
    if truncated and whole in found and axes.isdecimal():
        return _truncated(found[whole], name, int(axes))
    if name not in found:
        raise ValueError(f"params.spaces must hold names of {', '.join(found)}; got {name!r}.")
    return found[name]


def _truncated(whole: Space, name: str, axes: int) -> Space:
    """Return a space on its leading principal axes."""

    def load(config: Config, count: int) -> Embeddings:
        import numpy as np

        from fkeax.quantize import fit_pca

        found = whole.load(config, count)
        rows = fit_pca(found.rows, num_components=axes).project(found.rows)
        return dataclasses.replace(found, rows=np.asarray(rows, np.float32))

    return dataclasses.replace(whole, name=name, what=f"{whole.what}, on {axes} principal axes", load=load)


def inputs_of(config: Config, names: list[str]) -> dict[str, str]:
    """Return names and checksums of all that some spaces read."""
    found: dict[str, str] = {}
    for name in names:
        found |= space(name).inputs(config)
    return found


def user_path(config: Config, name: str, what: str) -> Path:
    """Return a file or folder of the user's below data.path.

    Raises:
        ValueError: No folder was given.
        FileNotFoundError: It is not there.
    """
    if config.data.path is None:
        raise ValueError(
            f"data.path is not set: some spaces read the user's files, one of them {name!r}; give data.path=FOLDER, or "
            "leave such spaces out of params.spaces."
        )
    path = Path(config.data.path, name)
    if not path.exists():
        raise FileNotFoundError(f"data.path: {str(path)!r} does not exist; expected {what}.")
    return path


def user_folder(config: Config, name: str) -> Path:
    """Return a folder of the user's sounds."""
    return user_path(config, name, "a folder of sound files, in folders of their own for each corpus or not")


@functools.cache
def folder_checksum(folder: Path) -> str:
    """Return one SHA-256 of the names and contents of all files below a folder."""
    from fkeax.io import sha256_of_file

    lines = [
        f"{path.relative_to(folder).as_posix()} {sha256_of_file(path)}"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@functools.cache
def _all() -> dict[str, Space]:
    from experiments.sensitivity import encoded_spaces, surrogate_spaces, synthetic_spaces

    found = (*encoded_spaces.SPACES, *surrogate_spaces.SPACES, *synthetic_spaces.SPACES)
    return {one.name: one for one in found}
