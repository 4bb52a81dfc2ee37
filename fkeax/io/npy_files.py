"""A .npy file: one array, mapped from the disk."""

from __future__ import annotations

from pathlib import Path

from fkeax.io.members import Member, OpenedArray, features_of
from fkeax.io.npy_headers import map_array, read_header


def open_npy(file: Path, wanted: str | None, *, mmap: bool, vectors: bool) -> OpenedArray:
    """Open the array of a .npy file; it has no name, so that ``wanted`` is None.

    Raises:
        ValueError: It is damaged or no array of features.
    """
    del wanted
    with open(file, "rb") as stream:
        shape, fortran, dtype, offset = read_header(stream, repr(str(file)))
    load = lambda: map_array(file, shape, dtype, offset=offset, fortran=fortran, mmap=mmap)  # noqa: E731
    return features_of(Member(shape, dtype, load), str(file), vectors=vectors)
