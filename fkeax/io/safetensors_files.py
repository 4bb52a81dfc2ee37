"""A .safetensors file: tensors by name, mapped from the disk."""

from __future__ import annotations

import json
import struct
from functools import partial
from pathlib import Path

import numpy as np

from fkeax.io.array_faults import BFLOAT16, reading
from fkeax.io.members import Member, OpenedArray, open_member
from fkeax.io.npy_headers import map_array

_DTYPES = {
    **{"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1"},
    **{"U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?", "BF16": BFLOAT16},
}


def open_safetensors(file: Path, wanted: str | None, *, mmap: bool, vectors: bool) -> OpenedArray:
    """Open a tensor of a .safetensors file.

    Raises:
        ValueError: It is damaged, or holds no such tensor.
    """
    del vectors
    return open_member(safetensors_members(file, mmap=mmap), wanted, str(file))


def safetensors_members(file: Path, *, mmap: bool) -> dict[str, Member]:
    """Return the tensors of a file by name, without their contents.

    Raises:
        ValueError: The header is damaged.
    """
    from safetensors import safe_open

    members = {}
    with reading(repr(str(file)), "is a damaged .safetensors file"):
        with safe_open(file, framework="numpy"):  # checks the header: offsets, sizes, overlaps
            pass
        with open(file, "rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            header = json.loads(stream.read(length))
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            shape = tuple(entry["shape"])
            dtype = np.dtype(_DTYPES.get(entry["dtype"], "V1"))
            offset = 8 + length + entry["data_offsets"][0]
            members[name] = Member(shape, dtype, partial(map_array, file, shape, dtype, offset=offset, mmap=mmap))
    return members
