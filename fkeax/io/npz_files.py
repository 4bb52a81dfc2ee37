"""A .npz archive: arrays by name, mapped from the disk where they are not compressed."""

from __future__ import annotations

import zipfile
from functools import partial
from pathlib import Path

import numpy as np

from fkeax.io.array_faults import FeatureFault, reading, understood
from fkeax.io.members import Member, OpenedArray, open_member
from fkeax.io.npy_headers import map_array, offset_in_archive, read_header

_CHECKED_BYTES = 1 << 20


def open_npz(file: Path, wanted: str | None, *, mmap: bool, vectors: bool) -> OpenedArray:
    """Open an array of a .npz archive; arrays of Python objects beside it are passed over unread.

    Raises:
        ValueError: It is damaged, or holds no such array.
    """
    del vectors
    return open_member(npz_members(file, mmap=mmap), wanted, str(file))


def npz_members(file: Path, *, mmap: bool) -> dict[str, Member]:
    """Return the arrays of an archive by name, without their contents.

    Raises:
        ValueError: The archive or a header in it is damaged.
    """
    members: dict[str, Member] = {}
    with reading(repr(str(file)), "is damaged"), zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            name = info.filename.removesuffix(".npy")
            if name == info.filename:
                continue
            with archive.open(info) as stream:
                shape, fortran, dtype, length = read_header(stream, repr(f"{file}:{name}"))
            num_bytes = dtype.itemsize * int(np.prod(shape, dtype=object))
            if not dtype.hasobject and num_bytes != info.file_size - length:
                raise FeatureFault(
                    f"{f'{file}:{name}'!r} is truncated: its header promises {num_bytes} bytes, "
                    f"{info.file_size - length} follow."
                )
            members[name] = Member(shape, dtype, partial(_load, file, info, shape, dtype, fortran, length, mmap))
    return members


def _load(
    file: Path,
    info: zipfile.ZipInfo,
    shape: tuple[int, ...],
    dtype: np.dtype,
    fortran: bool,
    header_length: int,
    mmap: bool,
) -> np.ndarray:
    offset = offset_in_archive(file, info) if mmap else None
    with reading(repr(str(file)), "is damaged"), zipfile.ZipFile(file) as archive, archive.open(info) as stream:
        if offset is None:
            array = np.lib.format.read_array(stream, allow_pickle=False)
            return array if understood(dtype) == dtype else array.view(dtype)
        while stream.read(_CHECKED_BYTES):  # the archive's checksum is compared at the end; nothing is kept
            pass
    return map_array(file, shape, dtype, offset=offset + header_length, fortran=fortran)
