"""One loader for features: a file of any known format, a folder or a pattern of files, a folder of clip-retrieval."""

from __future__ import annotations

import glob
import os
import re
from dataclasses import replace
from pathlib import Path

from fkeax.io import clip_retrieval
from fkeax.io.array_faults import FeatureFault
from fkeax.io.feature_file import FeatureFile
from fkeax.io.readers import SUFFIXES
from fkeax.io.shards import files_in, files_like, open_files

_MEMBER = re.compile(rf"(?P<file>.+?({'|'.join(re.escape(suffix) for suffix in SUFFIXES)})):(?P<name>.+)", re.DOTALL)


def load_features(
    path: str | os.PathLike[str], *, key: str | None = None, column: str | None = None, mmap: bool = True
) -> FeatureFile:
    """Open features, one row per sample, without reading more than needed and without unpickling anything.

    What a file is, is told by its first bytes. A .npy file, uncompressed arrays of a .npz archive, .safetensors, .pt
    of torch.save, contiguous sets of HDF5 and uncompressed Arrow stay on the disk and are mapped; Parquet, compressed
    HDF5 and Arrow are read in pieces. In a file of several arrays, the only one that is 2-D and numeric is meant; if
    there are more, `key` or `column` says which. Axes of length 1 are dropped with a notice, so that (n, 1, d) becomes
    (n, d); two-byte numbers without a type, as numpy.save makes of bfloat16, are read as bfloat16. Names and groups of
    rows are taken from arrays and columns called ids, image_path, groups and the like.

    Several files are joined in natural order (`_2` before `_10`). Files whose names differ in one number are shards;
    other files are items, one each, whose rows are frames and belong together: see
    :func:`fkeax.io.shards.open_files` for the rule, and `notices` for what it found. Whether values are finite is
    checked where they are read.

    Args:
        path: A file; "FILE.npz:NAME", "FILE.h5:NAME" or "FILE.parquet:COLUMN"; a folder of files of one format; a
            pattern such as "emb_*.npy"; or a folder of clip-retrieval.
        key: The name of the array in a .npz, .safetensors, .pt or HDF5 file ("0" for the first of a list of tensors);
            img_emb or text_emb for a folder of clip-retrieval.
        column: The name of the column of a Parquet or Arrow file.
        mmap: False reads everything into memory now, so that the files may be changed or removed.

    Returns:
        The open file. Its array has at least one row and one column, of bfloat16, float16, float32, float64, an integer
        type or bool, in the byte order of this machine.

    Raises:
        OSError: A file is missing, is no regular file, or cannot be read.
        ValueError: The content is no such array; the sentence names the file.

    Example:
        >>> import os, tempfile, numpy as np
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for number in (2, 10):
        ...         np.save(os.path.join(folder, f"emb_{number}.npy"), np.full((2, 3), number))
        ...     file = load_features(folder, mmap=False)
        >>> file.array[:, 0].tolist(), [path.name for path in file.paths]
        ([2, 2, 10, 10], ['emb_2.npy', 'emb_10.npy'])
    """
    place, member = split_member(os.fspath(path))
    wanted, option = _one_name(member, key, column)
    layout = clip_retrieval.find_layout(place, wanted) if place.is_dir() else None
    if layout is not None:
        wanted = option = None
    files = _files(place if layout is None else layout.embeddings)
    opened, sizes = open_files(files, wanted, option, mmap=mmap)
    notices = opened.notices
    if layout is not None:
        ids = clip_retrieval.names_of_rows(layout.metadata, sizes)
        # The layout says that the files are shards, whatever they are called.
        opened = replace(opened, ids=opened.ids if ids is None else ids, groups=None)
        notices = (*layout.notices, *(notice for notice in notices if "an item each" not in notice))
    return FeatureFile(
        place,
        opened.member,
        opened.array,
        tuple(files),
        sizes,
        opened.ids,
        opened.groups,
        opened.checksums,
        tuple(notices),
    )


def feature_paths(path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Return the files that `load_features` would open for a path, folder or pattern; none if there is no such file.

    Args:
        path: As for :func:`load_features`.
    """
    place, _ = split_member(os.fspath(path))
    try:
        layout = clip_retrieval.find_layout(place, None) if place.is_dir() else None
        files = _files(place if layout is None else layout.embeddings)
    except (OSError, ValueError):
        return ()
    return tuple(file for file in files if file.exists())


def split_member(text: str) -> tuple[Path, str | None]:
    """Return the file and the name in "FILE.npz:NAME"; no name where the text is a path, or has no such form."""
    found = None if os.path.exists(text) else _MEMBER.fullmatch(text)
    return (Path(text), None) if found is None else (Path(found["file"]), found["name"])


def _one_name(member: str | None, key: str | None, column: str | None) -> tuple[str | None, str | None]:
    """Return the name of the array and by which option it was given."""
    given = [(name, option) for name, option in ((member, None), (key, "key"), (column, "column")) if name is not None]
    if len(given) > 1:
        names = ", ".join(repr(name) for name, _ in given)
        raise FeatureFault(f"the array is named more than once, {names}; give one of key, column and FILE:NAME.")
    return given[0] if given else (None, None)


def _files(place: Path) -> list[Path]:
    if place.is_dir():
        return files_in(place)
    # A file whose name has a star or a bracket in it is that file.
    if not place.exists() and glob.has_magic(str(place)):
        return files_like(str(place))
    return [place]
