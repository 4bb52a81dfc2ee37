"""An HDF5 file: data sets by path, mapped from the disk where they lie in one piece, else read by blocks of rows."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fkeax.io.array_faults import FeatureFault, reading, understood, unit_axes
from fkeax.io.members import Member, OpenedArray, open_member
from fkeax.io.npy_headers import map_array
from fkeax.numerics.row_blocks import Block, RowBlocks

HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
_BLOCK_BYTES = 1 << 26
_MOST_BLOCKS = 1_000_000  # of 64 MB each, unless a header is damaged


def open_hdf5(file: Path, wanted: str | None, *, mmap: bool, vectors: bool) -> OpenedArray:
    """Open a data set of an HDF5 file; sets in groups are named by their path, as in "test/features".

    Raises:
        ValueError: It is damaged, or holds no such set.
    """
    del vectors
    return open_member(hdf5_members(file, mmap=mmap), None if wanted is None else wanted.strip("/"), str(file))


def hdf5_members(file: Path, *, mmap: bool) -> dict[str, Member]:
    """Return the data sets of a file by path, without their contents.

    Links to other files and values that lie in other files are not followed.

    Raises:
        ValueError: The file is damaged.
    """
    import h5py

    members: dict[str, Member] = {}

    def visit(name: str, item: Any) -> None:
        if not isinstance(item, h5py.Dataset) or item.shape is None or item.external or item.is_virtual:
            return
        text = h5py.check_string_dtype(item.dtype) is not None
        dtype = np.dtype("U") if text else item.dtype
        members[name] = Member(item.shape, dtype, partial(_load, file, name, mmap))

    with reading(repr(str(file)), "is a damaged HDF5 file"), h5py.File(file, "r") as opened:
        opened.visititems(visit)
    return members


def _load(file: Path, name: str, mmap: bool) -> np.ndarray | RowBlocks:
    import h5py

    with reading(repr(f"{file}:{name}")), h5py.File(file, "r") as opened:
        data: Any = opened[name]
        if h5py.check_string_dtype(data.dtype) is not None:
            return data.asstr(errors="replace")[()].astype(str)
        offset = data.id.get_offset()
        if offset is not None and data.chunks is None and not data.compression and data.dtype.kind != "b":
            return map_array(file, data.shape, data.dtype, offset=offset, mmap=mmap)
        if not mmap or data.ndim < 2:
            return data[()]
        return _blocks(file, name, data)


def _blocks(file: Path, name: str, data: Any) -> RowBlocks:
    shape, axes = data.shape, unit_axes(data.shape)
    step = data.chunks[0] if data.chunks else 1
    row_bytes = max(1, int(np.prod(shape[1:], dtype=object)) * data.dtype.itemsize)
    step *= max(1, _BLOCK_BYTES // (row_bytes * step))
    if shape[0] // step > _MOST_BLOCKS:
        raise FeatureFault(f"{f'{file}:{name}'!r} is damaged: its header promises {shape[0]} rows.")
    blocks = [
        Block(min(step, shape[0] - start), partial(_rows, file, name, start, min(start + step, shape[0]), axes))
        for start in range(0, shape[0], step)
    ]
    dimension = int(np.prod(shape[1:], dtype=object))
    return RowBlocks(blocks, dimension, understood(data.dtype).newbyteorder("="))


def _rows(file: Path, name: str, start: int, stop: int, axes: tuple[int, ...]) -> np.ndarray:
    import h5py

    with reading(repr(f"{file}:{name}")), h5py.File(file, "r") as opened:
        data: Any = opened.get(name)
        if not isinstance(data, h5py.Dataset):
            raise FeatureFault(f"{f'{file}:{name}'!r} is no longer there.")
        rows = np.squeeze(data[start:stop], axes)
        return rows if rows.dtype.kind != "V" else rows.view(understood(rows.dtype))
