"""Feature files: two-dimensional numeric arrays, one row per sample, opened without reading or unpickling them."""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from jaxtyping import Shaped

NPY_MAGIC = b"\x93NUMPY"
ZIP_MAGIC = b"PK\x03\x04"
EMPTY_ZIP_MAGIC = b"PK\x05\x06"
EXPECTED = "expected a 2-D numeric array, one row per sample"


@dataclass(frozen=True)
class FeatureFile:
    """An open feature file.

    Attributes:
        path: The file.
        member: The name of the array within a .npz file; None for .npy.
        array: The features, one row per sample; mapped from the disk and read-only for .npy.
    """

    path: Path
    member: str | None
    array: Shaped[np.ndarray, "n d"]


def open_features(path: str | os.PathLike[str]) -> FeatureFile:
    """Open an array of features and check that it is one.

    A .npy file is mapped into memory, so that a file larger than memory opens at once. A .npz file is read; it holds
    one array, or the name is given as "FILE.npz:NAME". Whether the values are finite is checked where they are read.

    Args:
        path: A .npy file, a .npz file, or "FILE.npz:NAME".

    Returns:
        The open file; its array is 2-D with at least one row and one column, of float16, float32, float64, an integer
        type or bool, in the byte order of this machine.

    Raises:
        OSError: The file is missing, is no regular file, or cannot be read.
        ValueError: The content is no such array; object arrays are refused without being unpickled.
    """
    file, member = _split_member(path)
    if not file.exists():
        raise FileNotFoundError(f"{str(file)!r} does not exist; expected a .npy or .npz file.")
    if not file.is_file():
        what = "a folder" if file.is_dir() else "not a regular file"
        raise OSError(f"{str(file)!r} is {what}; expected a .npy or .npz file.")
    with open(file, "rb") as stream:
        start = stream.read(len(NPY_MAGIC))
        stream.seek(0)
        if start == NPY_MAGIC:
            if member is not None:
                raise ValueError(f"{str(file)!r} is a .npy file and has no named array {member!r}; give its path only.")
            return FeatureFile(file, None, _map_npy(stream, file))
    if start.startswith((ZIP_MAGIC, EMPTY_ZIP_MAGIC)):
        name, array = _read_npz(file, member)
        return FeatureFile(file, name, array)
    what = "it is empty" if not start else f"it starts with the bytes {start!r}"
    raise ValueError(f"{str(file)!r} is neither a .npy nor a .npz file: {what}; save it with numpy.save.")


def _split_member(path: str | os.PathLike[str]) -> tuple[Path, str | None]:
    text = os.fspath(path)
    if not os.path.exists(text) and ".npz:" in text:
        file, _, member = text.rpartition(".npz:")
        return Path(f"{file}.npz"), member
    return Path(text), None


def _map_npy(stream: BinaryIO, file: Path) -> np.ndarray:
    label = repr(str(file))
    shape, dtype = _read_header(stream, label)
    _check_features(shape, dtype, label)
    promised = shape[0] * shape[1] * dtype.itemsize
    present = os.fstat(stream.fileno()).st_size - stream.tell()
    if present < promised:
        raise ValueError(
            f"{label} is truncated: its header promises {shape[0]} x {shape[1]} values ({promised} bytes), "
            f"but {max(present, 0)} bytes follow."
        )
    return _native_order(np.load(file, mmap_mode="r", allow_pickle=False))


def _read_npz(file: Path, member: str | None) -> tuple[str, np.ndarray]:
    label = repr(str(file))
    try:
        with zipfile.ZipFile(file) as archive:
            names = [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]
            name = _choose_member(names, member, label)
            label = repr(f"{file}:{name}")
            with archive.open(f"{name}.npy") as header:
                _check_features(*_read_header(header, label), label)
            with archive.open(f"{name}.npy") as stream:
                array = np.lib.format.read_array(stream, allow_pickle=False)
    except zipfile.BadZipFile as error:
        raise ValueError(f"{label} is damaged: {error}.") from None
    except (EOFError, NotImplementedError, RuntimeError) as error:  # cut short, exotic compression, encrypted
        raise ValueError(f"{label} cannot be read: {error}.") from None
    return name, _native_order(array)


def _choose_member(names: list[str], member: str | None, label: str) -> str:
    listed = ", ".join(names) if names else "none"
    if member is None:
        if len(names) != 1:
            raise ValueError(f"{label} must hold one array, or be given as FILE.npz:NAME; it holds {listed}.")
        return names[0]
    if member not in names:
        raise ValueError(f"{label} holds no array {member!r}; it holds {listed}.")
    return member


def _read_header(stream: Any, label: str) -> tuple[tuple[int, ...], np.dtype]:
    try:
        version = np.lib.format.read_magic(stream)
        if version == (1, 0):
            shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
        else:  # version 3 differs only in the encoding of field names, which no feature file has
            shape, _, dtype = np.lib.format.read_array_header_2_0(stream)
    except zipfile.BadZipFile:
        raise
    except Exception as error:  # a damaged header can fail in any way that parsing can
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise ValueError(f"{label} has a damaged .npy header: {reason}.") from None
    if not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError(f"{label} has a damaged .npy header: its shape is {shape}.")
    return shape, dtype


def _check_features(shape: tuple[int, ...], dtype: np.dtype, label: str) -> None:
    if dtype.hasobject:
        raise ValueError(f"{label} holds Python objects, which are never unpickled; {EXPECTED}.")
    if dtype.names is not None:
        raise ValueError(f"{label} holds records with the fields {', '.join(dtype.names)}; {EXPECTED}.")
    if dtype.kind == "V":
        raise ValueError(
            f"{label} holds untyped bytes (dtype {dtype}), as numpy.save makes of bfloat16; save it as float32."
        )
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        named = {"U": "strings", "S": "byte strings", "c": "complex numbers", "M": "dates", "m": "time spans"}
        what = named.get(dtype.kind, "values")
        raise ValueError(
            f"{label} holds {what} (dtype {dtype}); {EXPECTED}, of floats up to float64, integers or bools."
        )
    if len(shape) != 2:
        hint = "; reshape it to (n, 1) if every entry is a sample" if len(shape) == 1 else ""
        hint = "; flatten every sample to one row" if len(shape) > 2 else hint
        raise ValueError(f"{label} holds a {len(shape)}-D array of shape {shape}; {EXPECTED}{hint}.")
    if shape[0] < 1 or shape[1] < 1:
        missing = "rows (n = 0 samples)" if shape[0] < 1 else "columns (d = 0 features)"
        raise ValueError(f"{label} holds an array of shape {shape} without {missing}; {EXPECTED}.")


def _native_order(array: np.ndarray) -> np.ndarray:
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
