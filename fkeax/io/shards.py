"""Features in several files: shards of one array in the order of their numbers, or one file per item."""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from fkeax.io.array_faults import FeatureFault
from fkeax.io.members import OpenedArray
from fkeax.io.readers import FORMATS, SUFFIXES, open_array
from fkeax.numerics.row_blocks import Block, RowBlocks

ITEM_WORDS = (
    *("audio", "clip", "frame", "image", "img", "item", "sample", "scene", "sequence", "song", "sound", "speaker"),
    *("track", "utt", "utterance", "vid", "video", "wav"),
)
_NUMBER = re.compile(r"(\d+)")
_MOST_LISTED = 5


def natural_order(path: Path) -> list[tuple[int, int | str]]:
    """Return a sort key that puts `x_2` before `x_10`."""
    parts = _NUMBER.split(str(path))
    return [(0, int(part)) if place % 2 else (1, part) for place, part in enumerate(parts)]


def files_in(folder: Path) -> list[Path]:
    """Return the files of features in a folder, in natural order; hidden files and other formats are left out.

    Raises:
        ValueError: There is none, or there are several formats.
    """
    found = [path for path in folder.iterdir() if path.suffix in SUFFIXES and not path.name.startswith(".")]
    found = sorted((path for path in found if path.is_file()), key=natural_order)
    label = repr(str(folder))
    if not found:
        below = any(path.is_dir() for path in folder.iterdir())
        hint = f"; those in folders below are given as '{folder}/*/*.npy'" if below else ""
        raise FeatureFault(f"{label} holds no file of features ({FORMATS}){hint}.")
    suffixes = sorted({path.suffix for path in found})
    if len(suffixes) > 1:
        raise FeatureFault(
            f"{label} holds files of several formats, {', '.join(suffixes)}; give a pattern such as "
            f"'{folder}/*{suffixes[0]}'."
        )
    return found


def files_like(pattern: str) -> list[Path]:
    """Return the files that a pattern such as 'emb_*.npy' stands for, in natural order; `**` crosses folders.

    Raises:
        FileNotFoundError: There is none.
    """
    found = sorted((Path(name) for name in glob.glob(pattern, recursive=True)), key=natural_order)
    found = [path for path in found if path.is_file()]
    if not found:
        raise FileNotFoundError(f"{pattern!r} does not exist, and no file has such a name.")
    return found


def open_files(
    files: Sequence[Path], wanted: str | None, option: str | None, *, mmap: bool
) -> tuple[OpenedArray, tuple[int, ...]]:
    """Open several files as one array, their rows one after the other.

    If every file has one row, or a 1-D array, each is a sample and its name is the id of its row. Else, files whose
    names differ in one number only are shards, unless the word before the number is one of :data:`ITEM_WORDS`; other
    files are items, their rows are frames, and the groups are the numbers of the files.

    Args:
        files: At least one, in order.
        wanted: The name of the array within each.
        option: How it was given.
        mmap: Whether to leave the numbers on the disk.

    Returns:
        The array, and the number of rows of each file.

    Raises:
        OSError: A file cannot be read.
        ValueError: A file holds no features, or widths differ.
    """
    openers = [partial(open_array, file, wanted, option, mmap=mmap, vectors=len(files) > 1) for file in files]
    if len(openers) == 1:
        opened = openers[0]()
        return opened, (len(opened.array),)
    parts = [_part(file, opener()) for file, opener in zip(files, openers, strict=True)]
    for part in parts[1:]:
        if part.width != parts[0].width:
            raise FeatureFault(
                f"{str(part.file)!r} has {part.width} columns and {str(parts[0].file)!r} has {parts[0].width}; "
                "expected files of one width."
            )
    sizes = tuple(part.num_rows for part in parts)
    blocks = [Block(part.num_rows, partial(_rows, opener, part)) for part, opener in zip(parts, openers, strict=True)]
    whole = RowBlocks(blocks, parts[0].width, np.result_type(*{part.dtype for part in parts}))
    notices = list(dict.fromkeys(notice for part in parts for notice in part.notices))
    ids, groups, notice = _labels(parts)
    array = whole if mmap else np.asarray(whole)
    checksums = _joined([part.checksums for part in parts])
    return OpenedArray(array, parts[0].member, ids, groups, checksums, (notice, *notices)), sizes


@dataclass(frozen=True)
class _Part:
    """What is kept of one file once its header is read; its array is let go."""

    file: Path
    num_rows: int
    width: int
    dtype: np.dtype
    member: str | None
    ids: np.ndarray | None
    groups: np.ndarray | None
    checksums: np.ndarray | None
    notices: tuple[str, ...]


def _part(file: Path, opened: OpenedArray) -> _Part:
    num_rows, width = opened.array.shape
    dtype = np.dtype(opened.array.dtype)
    labels = (opened.ids, opened.groups, opened.checksums)
    return _Part(file, num_rows, width, dtype, opened.member, *labels, opened.notices)


def _rows(opener: partial[OpenedArray], part: _Part) -> np.ndarray:
    array = opener().array
    if array.shape != (part.num_rows, part.width):
        raise FeatureFault(f"{str(part.file)!r} changed while it was read: it had {part.num_rows} rows.")
    return np.asarray(array)


def _labels(parts: Sequence[_Part]) -> tuple[np.ndarray | None, np.ndarray | None, str]:
    """Return ids, groups and a sentence about what the files were taken for."""
    stems = np.array([part.file.stem for part in parts])
    sizes = [part.num_rows for part in parts]
    stored = [_joined([part.ids for part in parts]), _joined([part.groups for part in parts])]
    if max(sizes) == 1:
        return stems if stored[0] is None else stored[0], stored[1], f"{len(parts)} files of one row each"
    field = numbered_field([part.file for part in parts])
    if field is not None and not _names_items(field[0]):
        ends = f"{parts[0].file.name} to {parts[-1].file.name}"
        missing = sorted(set(range(min(field[1]), max(field[1]) + 1)) - set(field[1])) if len(parts) > 1 else []
        shown = ", ".join(map(str, missing[:_MOST_LISTED])) + (" ..." if len(missing) > _MOST_LISTED else "")
        gap = f"; no file has number {shown}" if missing else ""
        return stored[0], stored[1], f"{len(parts)} shards of one array, {ends}{gap}"
    groups = np.repeat(np.arange(len(parts)), sizes) if stored[1] is None else stored[1]
    ids = np.repeat(stems, sizes) if stored[0] is None else stored[0]
    return ids, groups, f"{len(parts)} files, an item each; their rows are frames, and the groups are the files"


def numbered_field(files: Sequence[Path]) -> tuple[str, list[int]] | None:
    """Return the text before the one number in which names differ, and the numbers; None if they differ elsewhere."""
    split = [_NUMBER.split(file.stem) for file in files]
    if len({len(parts) for parts in split}) > 1 or len(split[0]) < 2:
        return None
    differing = [place for place in range(len(split[0])) if len({parts[place] for parts in split}) > 1]
    if len(differing) != 1 or differing[0] % 2 == 0:
        return None
    place = differing[0]
    return split[0][place - 1], [int(parts[place]) for parts in split]


def _names_items(text: str) -> bool:
    words = re.findall(r"[a-z]+", text.lower())
    return bool(words) and words[-1] in ITEM_WORDS


def _joined(labels: Sequence[np.ndarray | None]) -> np.ndarray | None:
    present = [part for part in labels if part is not None]
    return np.concatenate(present) if present and len(present) == len(labels) else None
