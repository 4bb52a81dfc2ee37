"""A file of torch.save (.pt, .pth): tensors read without torch, and without unpickling.

Both layouts are known: the zip archive of torch 1.6 and later, and the older row of pickles followed by the numbers.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fkeax.io.array_faults import FeatureFault, reading
from fkeax.io.members import Member, OpenedArray, features_of, open_member
from fkeax.io.npy_headers import map_array, offset_in_archive
from fkeax.io.torch_pickles import Tensor, Unknown, read_description

LEGACY_MAGIC = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
_MOST_DEPTH = 20

StorageBytes = Callable[[Any], np.ndarray]


def is_torch_archive(file: Path) -> bool:
    """Whether a zip archive is one of torch.save: it has a description beside its numbers."""
    try:
        with zipfile.ZipFile(file) as archive:
            return any(name == "data.pkl" or name.endswith("/data.pkl") for name in archive.namelist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def open_torch(file: Path, wanted: str | None, *, mmap: bool, vectors: bool) -> OpenedArray:
    """Open a tensor of a file of torch.save: the only one, or one of a dictionary or list by its name or number.

    Tensors in nested dictionaries are named "outer.inner". Objects that are no tensors are passed over; none is made.

    Raises:
        ValueError: It is damaged, or holds no such tensor.
    """
    found, storages, tensors = _read(file)
    if isinstance(found, Tensor) and wanted is None:
        return features_of(_member(found, storages, mmap), str(file), vectors=vectors)
    if not tensors:
        came = f"a call of {found.name}, which was not run" if isinstance(found, Unknown) else type(found).__name__
        raise FeatureFault(
            f"{str(file)!r} holds no tensor but {came}; save the tensor alone, or a dictionary of tensors."
        )
    return open_member({name: _member(tensor, storages, mmap) for name, tensor in tensors.items()}, wanted, str(file))


def torch_members(file: Path, *, mmap: bool) -> dict[str, Member]:
    """Return the tensors of a file by name, of any shape, without their contents.

    Raises:
        ValueError: It is damaged.
    """
    _, storages, tensors = _read(file)
    return {name: _member(tensor, storages, mmap) for name, tensor in tensors.items()}


def _read(file: Path) -> tuple[Any, Callable[[Tensor, bool], np.ndarray], dict[str, Tensor]]:
    with reading(repr(str(file)), "is a damaged file of torch.save"):
        found, storages = (_read_archive if zipfile.is_zipfile(file) else _read_legacy)(file)
        tensors: dict[str, Tensor] = {}
        _collect(found, "", tensors, 0)
    return found, storages, tensors


def _collect(item: Any, name: str, tensors: dict[str, Tensor], depth: int) -> None:
    if isinstance(item, Tensor):
        tensors[name] = item
    elif isinstance(item, (dict, list, tuple)) and depth < _MOST_DEPTH:
        entries = item.items() if isinstance(item, dict) else enumerate(item)
        for key, entry in entries:
            _collect(entry, f"{name}.{key}" if name else str(key), tensors, depth + 1)


def _member(tensor: Tensor, storages: Callable[[Tensor, bool], np.ndarray], mmap: bool) -> Member:
    return Member(tensor.shape, tensor.storage.dtype, partial(_window, tensor, storages, mmap))


def _window(tensor: Tensor, storages: Callable[[Tensor, bool], np.ndarray], mmap: bool) -> np.ndarray:
    values = storages(tensor, mmap)
    strides = tuple(stride * values.itemsize for stride in tensor.strides)
    return np.lib.stride_tricks.as_strided(values[tensor.offset :], tensor.shape, strides, subok=True, writeable=False)


def _read_archive(file: Path) -> tuple[Any, Callable[[Tensor, bool], np.ndarray]]:
    with zipfile.ZipFile(file) as archive:
        (described,) = (name for name in archive.namelist() if name == "data.pkl" or name.endswith("/data.pkl"))
        root = described.removesuffix("data.pkl")
        with archive.open(described) as stream:
            found = read_description(stream)
        order = archive.read(f"{root}byteorder") if f"{root}byteorder" in archive.namelist() else b"little"
        members = {info.filename.removeprefix(f"{root}data/"): info for info in archive.infolist()}

    def values(tensor: Tensor, mmap: bool) -> np.ndarray:
        storage = tensor.storage
        dtype = storage.dtype.newbyteorder(">" if order.strip() == b"big" else "<")
        info = members.get(storage.key)
        if info is None or info.file_size < storage.num_values * dtype.itemsize:
            raise FeatureFault(f"{str(file)!r} is truncated: the numbers of storage {storage.key} are not all there.")
        offset = offset_in_archive(file, info)
        if offset is not None:
            return map_array(file, (storage.num_values,), dtype, offset=offset, mmap=mmap)
        with reading(repr(str(file)), "is damaged"), zipfile.ZipFile(file) as archive:
            return np.frombuffer(archive.read(info), dtype, storage.num_values)

    return found, values


def _read_legacy(file: Path) -> tuple[Any, Callable[[Tensor, bool], np.ndarray]]:
    with open(file, "rb") as stream:
        for _ in range(2):  # the magic number and the protocol
            read_description(stream)
        system = read_description(stream)
        found, keys = read_description(stream), read_description(stream)
        tensors: dict[str, Tensor] = {}
        _collect(found, "", tensors, 0)
        sizes = {tensor.storage.key: tensor.storage.dtype for tensor in tensors.values()}
        offsets: dict[str, int] = {}
        for key in keys:
            (num_values,) = struct.unpack("<q", stream.read(8))
            offsets[str(key)] = stream.tell()
            if str(key) not in sizes or num_values < 0:
                break  # numbers of an unknown size: those after them cannot be found
            stream.seek(num_values * sizes[str(key)].itemsize, 1)
    little = not isinstance(system, dict) or system.get("little_endian", True)

    def values(tensor: Tensor, mmap: bool) -> np.ndarray:
        storage = tensor.storage
        if storage.key not in offsets:
            raise FeatureFault(f"{str(file)!r} does not tell where the numbers of storage {storage.key} start.")
        dtype = storage.dtype.newbyteorder("<" if little else ">")
        return map_array(file, (storage.num_values,), dtype, offset=offsets[storage.key], mmap=mmap)

    return found, values
