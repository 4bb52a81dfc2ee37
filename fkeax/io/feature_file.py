"""Features as they were found on the disk: the array, where it came from, and what names its rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from jaxtyping import Shaped

from fkeax.io.content_hash import sha256_of_array
from fkeax.numerics.row_blocks import RowBlocks


@dataclass(frozen=True, eq=False)
class FeatureFile:
    """Features and where they came from.

    Attributes:
        path: The file, folder or pattern.
        member: The name of the array within the file; None where it has none.
        array: The features, one row per sample; mapped from the disk and read-only where the format allows it. Several
            files, and formats that are read in pieces, give a :class:`fkeax.numerics.row_blocks.RowBlocks`, which is
            cut and indexed by rows as an array is, and of which `numpy.asarray` makes one.
        paths: The files that were opened, in order.
        rows_per_file: How many rows each of them has.
        ids: A name for each row, as the files have it; None if they have none.
        groups: A label for each row, equal for rows that depend on each other (the frames of a clip); None if rows are
            not known to be grouped.
        checksums: The SHA-256 of what each row was made of, as `fkeax embed` writes it; None if it is not known.
        notices: Sentences on how the files were understood.
    """

    path: Path
    member: str | None
    array: Shaped[np.ndarray, "n d"] | Shaped[RowBlocks, "n d"]
    paths: tuple[Path, ...]
    rows_per_file: tuple[int, ...]
    ids: Shaped[np.ndarray, "n"] | None = None
    groups: Shaped[np.ndarray, "n"] | None = None
    checksums: Shaped[np.ndarray, "n"] | None = None
    notices: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """How a sentence names it."""
        return str(self.path) if self.member is None else f"{self.path}:{self.member}"

    def read(self) -> np.ndarray:
        """Return all rows as one array: the one that is mapped, or what lies in blocks, read now."""
        return np.asarray(self.array)

    @property
    def file_numbers(self) -> Shaped[np.ndarray, "n"]:
        """The number of the file, in `paths`, that each row comes from: groups, where every file is an item."""
        return np.repeat(np.arange(len(self.paths)), self.rows_per_file)

    @cached_property
    def content_hash(self) -> str:
        """The SHA-256 of dtype, shape and numbers, equal in every format; asking for it reads the array once."""
        return sha256_of_array(self.array)
