"""The header of the .npy format, checked, and arrays mapped from the middle of a file."""

from __future__ import annotations

import ast
import os
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from fkeax.io.array_faults import FeatureFault, reading

NPY_MAGIC = b"\x93NUMPY"
_MOST_HEADER_BYTES = 1 << 20  # a longer one has field names, which no feature file has


def read_header(stream: Any, label: str) -> tuple[tuple[int, ...], bool, np.dtype, int]:
    """Return shape, Fortran order, dtype and length of a .npy header.

    Raises:
        ValueError: The header is damaged.
    """
    with reading(label, "has a damaged .npy header"):
        version = np.lib.format.read_magic(stream)
        width, form = (2, "<H") if version == (1, 0) else (4, "<I")
        (length,) = struct.unpack(form, _exactly(stream, width))
        if length > _MOST_HEADER_BYTES:
            raise ValueError(f"it is said to be {length} bytes long")
        text = _exactly(stream, length).decode("latin1" if version < (3, 0) else "utf-8")
        fields = ast.literal_eval(text.strip())
        if not isinstance(fields, dict) or set(fields) != {"descr", "fortran_order", "shape"}:
            raise ValueError(f"its fields are {text.strip()[:60]!r}")
        shape, fortran = fields["shape"], fields["fortran_order"]
        if not isinstance(shape, tuple) or not all(type(size) is int and size >= 0 for size in shape):
            raise ValueError(f"its shape is {shape!r}")
        if not isinstance(fortran, bool):
            raise ValueError(f"its fortran_order is {fortran!r}")
        dtype = np.lib.format.descr_to_dtype(fields["descr"])
    return shape, fortran, dtype, len(NPY_MAGIC) + 2 + width + length


def map_array(
    file: Path, shape: tuple[int, ...], dtype: np.dtype, *, offset: int, fortran: bool = False, mmap: bool = True
) -> np.ndarray:
    """Return an array that lies in a file from ``offset`` on, mapped and read-only, or read.

    Raises:
        ValueError: The file is too short for it.
    """
    num_bytes = dtype.itemsize * int(np.prod([int(size) for size in shape], dtype=object))
    present = os.path.getsize(file) - offset
    if present < num_bytes:
        raise FeatureFault(
            f"{str(file)!r} is truncated: its header promises {' x '.join(map(str, shape))} values ({num_bytes} "
            f"bytes), but {max(present, 0)} bytes follow."
        )
    order = "F" if fortran else "C"
    if num_bytes == 0:
        return np.empty(shape, dtype, order)
    mapped = np.memmap(file, dtype, "r", offset, shape, order)
    return mapped if mmap else np.array(mapped, order="K", copy=True)


def offset_in_archive(file: Path, member: zipfile.ZipInfo) -> int | None:
    """Return where the bytes of an uncompressed member of a zip file start, None for a compressed one.

    Raises:
        ValueError: The archive is damaged.
    """
    if member.compress_type != zipfile.ZIP_STORED:
        return None
    with open(file, "rb") as stream, reading(repr(str(file)), "is damaged"):
        stream.seek(member.header_offset)
        local = _exactly(stream, 30)
        if local[:4] != b"PK\x03\x04":
            raise ValueError(f"no member starts at byte {member.header_offset}")
        name_length, extra_length = struct.unpack("<HH", local[26:30])
    return member.header_offset + 30 + name_length + extra_length


def _exactly(stream: Any, num_bytes: int) -> bytes:
    data = stream.read(num_bytes)
    if len(data) != num_bytes:
        raise ValueError(f"it ends after {len(data)} of {num_bytes} bytes")
    return data
