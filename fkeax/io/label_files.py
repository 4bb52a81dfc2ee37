"""Labels of rows: whole numbers or words, one for each row, from a column, an array or the lines of a text."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from fkeax.io.array_faults import FeatureFault, reading
from fkeax.io.arrow_columns import to_labels
from fkeax.io.load_features import split_member
from fkeax.io.members import Member
from fkeax.io.npy_headers import NPY_MAGIC, map_array, read_header

_TEXT_SUFFIXES = (".txt", ".csv", ".tsv")


def load_labels(path: str | os.PathLike[str]) -> np.ndarray:
    r"""Read labels of rows, without unpickling anything.

    Args:
        path: A .npy file, FILE.npz:NAME, FILE.h5:NAME, FILE.parquet:COLUMN, or a text (.txt, .csv, .tsv) of one label
            a line.

    Returns:
        What the file holds, whole numbers or words as a rule; whether there is one for each row is for the caller to
        check.

    Raises:
        OSError: The file is missing or cannot be read.
        ValueError: It is damaged, or holds no such array.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     text = Path(folder, "clips.txt")
        ...     _ = text.write_text("a\na\nb\n")
        ...     load_labels(text).tolist()
        ['a', 'a', 'b']
    """
    file, name = split_member(os.fspath(path))
    label = repr(str(file))
    if not file.is_file():
        raise FileNotFoundError(f"{label} {'is no regular file' if file.exists() else 'does not exist'}.")
    with open(file, "rb") as stream:
        start = stream.read(len(NPY_MAGIC))
    if start == NPY_MAGIC:
        return _whole_npy(file)
    if file.suffix in _TEXT_SUFFIXES:
        with reading(label):
            return np.array(file.read_text(encoding="utf-8").splitlines())
    if name is None:
        raise FeatureFault(f"{label} is no .npy file and no text of labels; name the array or column as FILE:NAME.")
    if file.suffix in (".parquet", ".arrow", ".feather"):
        return _column(file, name)
    members = _members(file)
    if name not in members:
        raise FeatureFault(f"{label} holds no array {name!r}; it holds {', '.join(members) or 'none'}.")
    if members[name].dtype.hasobject:
        raise FeatureFault(f"{label} holds Python objects as {name!r}, which are never unpickled.")
    return np.array(members[name].load())


def _whole_npy(file: Path) -> np.ndarray:
    with open(file, "rb") as stream:
        shape, fortran, dtype, offset = read_header(stream, repr(str(file)))
    if dtype.hasobject:
        raise FeatureFault(f"{str(file)!r} holds Python objects, which are never unpickled.")
    return map_array(file, shape, dtype, offset=offset, fortran=fortran, mmap=False)


def _members(file: Path) -> dict[str, Member]:
    from fkeax.io.hdf5_files import hdf5_members
    from fkeax.io.npz_files import npz_members
    from fkeax.io.safetensors_files import safetensors_members

    readers = {".npz": npz_members, ".safetensors": safetensors_members}
    return readers.get(file.suffix, hdf5_members)(file, mmap=False)


def _column(file: Path, name: str) -> np.ndarray:
    import pyarrow.feather as feather
    import pyarrow.parquet as pq

    label = repr(str(file))
    with reading(label, "is a damaged table"):
        read = pq.read_table if file.suffix == ".parquet" else feather.read_table
        table = read(file)
        if name not in table.column_names:
            raise FeatureFault(f"{label} has no column {name!r}; it has {', '.join(table.column_names)}.")
        labels = to_labels(table.column(name))
    if labels is None:
        raise FeatureFault(f"{label} has missing values in the column {name!r}.")
    return labels
