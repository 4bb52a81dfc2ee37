"""Which reader opens a file, told by its first bytes and not by its name."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from fkeax.io import arrow_files, hdf5_files, npy_files, npy_headers, npz_files, safetensors_files, torch_files
from fkeax.io.array_faults import FeatureFault
from fkeax.io.members import OpenedArray

ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
FORMATS = ".npy, .npz, .safetensors, .pt, .parquet, .arrow, .feather, .h5"
SUFFIXES = (".npy", ".npz", ".safetensors", ".pt", ".pth", ".parquet", ".arrow", ".feather", ".h5", ".hdf5", ".hdf")
_SNIFFED_BYTES = 16


@runtime_checkable
class Open(Protocol):
    """Opens one file: ``wanted`` names an array in it; ``vectors`` lets a 1-D array be one sample."""

    def __call__(self, file: Path, wanted: str | None, *, mmap: bool, vectors: bool) -> OpenedArray:
        """Return the features."""
        ...


@dataclass(frozen=True)
class Reader:
    """A file format.

    Attributes:
        name: As a sentence names it.
        option: What names an array within a file: "key", "column", or None where there is but one.
        open: Opens a file.
        begins: Whether a file begins like this; given its first bytes and its path.
    """

    name: str
    option: str | None
    open: Open
    begins: Callable[[bytes, Path], bool]


def _is_safetensors(start: bytes, file: Path) -> bool:
    # No magic number: the length of a header of JSON, and its brace.
    length = int.from_bytes(start[:8], "little")
    return file.suffix == ".safetensors" or (start[8:9] == b"{" and 8 + length <= os.path.getsize(file))


def _is_zip(start: bytes, file: Path) -> bool:
    del file
    return start.startswith(ZIP_MAGICS)


READERS = (
    Reader("a .npy file", None, npy_files.open_npy, lambda start, _: start.startswith(npy_headers.NPY_MAGIC)),
    Reader(
        "a file of torch.save",
        "key",
        torch_files.open_torch,
        lambda start, file: (
            start.startswith(torch_files.LEGACY_MAGIC) or (_is_zip(start, file) and torch_files.is_torch_archive(file))
        ),
    ),
    Reader("a .npz archive", "key", npz_files.open_npz, _is_zip),
    Reader(
        "a Parquet file",
        "column",
        arrow_files.open_parquet,
        lambda start, _: start.startswith(arrow_files.PARQUET_MAGIC),
    ),
    Reader(
        "an Arrow file",
        "column",
        arrow_files.open_arrow,
        lambda start, _: start.startswith((arrow_files.ARROW_MAGIC, arrow_files.STREAM_MAGIC)),
    ),
    Reader("an HDF5 file", "key", hdf5_files.open_hdf5, lambda start, _: start.startswith(hdf5_files.HDF5_MAGIC)),
    Reader("a .safetensors file", "key", safetensors_files.open_safetensors, _is_safetensors),
)


def reader_of(file: Path) -> Reader:
    """Return the reader of a file.

    Raises:
        OSError: The file is missing, no regular file, or may not be read.
        ValueError: It begins like no known format.
    """
    label = repr(str(file))
    if not file.exists():
        raise FileNotFoundError(
            f"{label} does not exist; expected a file of features ({FORMATS}), a folder or a pattern."
        )
    if not file.is_file():
        raise OSError(
            f"{label} is {'a folder' if file.is_dir() else 'not a regular file'}; expected a file of features."
        )
    with open(file, "rb") as stream:
        start = stream.read(_SNIFFED_BYTES)
    for reader in READERS:
        if reader.begins(start, file):
            return reader
    raise FeatureFault(f"{label} is no file of features ({FORMATS}): {_why(start)}.")


def open_array(file: Path, wanted: str | None, option: str | None, *, mmap: bool, vectors: bool = False) -> OpenedArray:
    """Open the features of one file of any format.

    Args:
        file: The file.
        wanted: The name of the array within it, or None.
        option: Whether the name was given as "key" or "column"; None if as FILE:NAME.
        mmap: Whether to leave the numbers on the disk where the format allows it.
        vectors: Whether a 1-D array is one sample, as in a folder of one file per sample.

    Raises:
        OSError: The file is missing or may not be read.
        ValueError: It holds no such features.
    """
    reader = reader_of(file)
    if wanted is not None and reader.option is None:
        raise FeatureFault(f"{str(file)!r} is {reader.name} and has no named array {wanted!r}; give its path only.")
    if option is not None and option != reader.option:
        raise FeatureFault(f"{str(file)!r} is {reader.name}: give {reader.option}={wanted!r} instead of {option}.")
    return reader.open(file, wanted, mmap=mmap, vectors=vectors)


def _why(start: bytes) -> str:
    if not start:
        return "it is empty"
    if start[:1] == b"\x80" and start[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return "it is a pickle, which is never unpickled; save the array with numpy.save"
    if start.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")):
        return "it is compressed; unpack it first"
    if start.startswith(b"version https"):
        return "it is a pointer of Git LFS; fetch the file itself"
    return f"it starts with the bytes {start[:6]!r}; save the array with numpy.save"
