"""Files that hold several named arrays: which one is the features, and which name the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from fkeax.io.array_faults import BFLOAT16, FeatureFault, check_features, could_be_features, understood, unit_axes
from fkeax.numerics.row_blocks import Block, RowBlocks

ID_NAMES = (
    *("ids", "id", "image_paths", "image_path", "paths", "path", "filenames", "filename", "files", "file"),
    *("names", "name", "keys", "key", "urls", "url"),
)
GROUP_NAMES = ("groups", "group")
CHECKSUM_NAME = "item_sha256"
_MOST_LISTED = 12


@dataclass(frozen=True)
class Member:
    """One array within a file, not read yet.

    Attributes:
        shape: Its shape.
        dtype: Its dtype; of objects if it has no numeric form.
        load: Returns it, mapped from the disk where the format allows, or its rows in blocks.
    """

    shape: tuple[int, ...]
    dtype: np.dtype
    load: Callable[[], np.ndarray | RowBlocks]


@dataclass(frozen=True)
class OpenedArray:
    """The features of one file.

    Attributes:
        array: (n, d), in the byte order of this machine.
        member: The name of the array within the file, if it has one.
        ids: Names of the rows, if the file holds them.
        groups: Labels of rows that belong together, if the file holds them.
        checksums: Of what each row was made of, if the file holds them.
        notices: What a reader should know of how the file was understood.
    """

    array: np.ndarray | RowBlocks
    member: str | None = None
    ids: np.ndarray | None = None
    groups: np.ndarray | None = None
    checksums: np.ndarray | None = None
    notices: tuple[str, ...] = field(default=())


def open_member(members: Mapping[str, Member], wanted: str | None, label: str, *, option: str = "key") -> OpenedArray:
    """Return the features among the arrays of a file.

    Args:
        members: All arrays by name.
        wanted: The name that was asked for; the only array that can be features if None.
        label: The file, not quoted.
        option: What the name is called in a sentence that asks for it.

    Raises:
        ValueError: No array, or more than one, can be meant, or it is not of the right kind.
    """
    name = wanted if wanted is not None else _only_features(members, label, option)
    if name not in members:
        raise FeatureFault(f"{label!r} holds no array {name!r}; it holds {_listed(members)}.")
    opened = features_of(members[name], f"{label}:{name}")
    num_rows = opened.array.shape[0]
    others = {other: member for other, member in members.items() if other != name}
    ids, groups = _labels(others, ID_NAMES, num_rows), _labels(others, GROUP_NAMES, num_rows)
    return OpenedArray(opened.array, name, ids, groups, _checksums(others, num_rows, label), opened.notices)


def features_of(member: Member, label: str, *, vectors: bool = False) -> OpenedArray:
    """Return an array as features: axes of length 1 dropped, bfloat16 recognised, bytes in the order of this machine.

    Args:
        member: The array.
        label: What a sentence names, not quoted.
        vectors: Whether a 1-D array is one sample.

    Raises:
        ValueError: It is no (n, d) array of numbers.
    """
    shape, dtype = member.shape, understood(member.dtype)
    if vectors and len(shape) == 1:
        check_features((1, *shape), dtype, repr(label))
        return OpenedArray(_as_dtype(np.asarray(member.load()), dtype)[None])
    axes = unit_axes(shape)
    squeezed = tuple(size for axis, size in enumerate(shape) if axis not in axes)
    check_features(squeezed, dtype, repr(label))
    notices = []
    if axes:
        came = ", ".join(["n", *(str(size) for size in shape[1:])])
        notices.append(f"shape ({came}) is read as (n, {squeezed[1]})")
    if dtype == BFLOAT16 and member.dtype.kind == "V" and member.dtype != BFLOAT16:
        notices.append("untyped numbers of two bytes (V2) are read as bfloat16, as numpy.save writes it")
    array = member.load()
    if isinstance(array, RowBlocks):  # its loader has dropped the axes
        return OpenedArray(array, notices=tuple(notices))
    return OpenedArray(_as_dtype(np.squeeze(array, axes) if axes else array, dtype), notices=tuple(notices))


def _as_dtype(array: np.ndarray, dtype: np.dtype) -> np.ndarray | RowBlocks:
    array = array if array.dtype == dtype else array.view(dtype)
    if array.dtype.isnative:
        return array
    native = array.dtype.newbyteorder("=")
    # A mapped file may be larger than memory: its bytes are turned as rows are cut out.
    if isinstance(array, np.memmap):
        return RowBlocks([Block(array.shape[0], lambda: array)], array.shape[1], native)
    return array.astype(native)


def _only_features(members: Mapping[str, Member], label: str, option: str) -> str:
    found = [name for name, member in members.items() if could_be_features(member.shape, member.dtype)]
    if len(found) == 1 and not _is_fid_statistics(members, found[0]):
        return found[0]
    if len(found) == 1:
        raise FeatureFault(
            f"{label!r} holds a mean and a covariance, the statistics of FID, and not the features they were made of."
        )
    if len(members) == 1 and not found:
        return next(iter(members))  # its own fault says more
    if not members:
        raise FeatureFault(f"{label!r} holds no array.")
    suffix = label.rpartition(".")[2]
    ask = f"name one with {option}=..., or as FILE.{suffix}:NAME"
    what = "several arrays that could be features" if found else "no 2-D array of numbers"
    shown = {name: members[name] for name in found} if found else members
    raise FeatureFault(f"{label!r} holds {what}: {_listed(shown)}" + (f"; {ask}." if found else "."))


def _is_fid_statistics(members: Mapping[str, Member], name: str) -> bool:
    shape = members[name].shape
    return name == "sigma" and "mu" in members and shape == (*members["mu"].shape, *members["mu"].shape)


def _listed(members: Mapping[str, Member]) -> str:
    shown = [f"{name} {member.shape} {member.dtype}" for name, member in list(members.items())[:_MOST_LISTED]]
    more = f" and {len(members) - _MOST_LISTED} more" if len(members) > _MOST_LISTED else ""
    return (", ".join(shown) or "none") + more


def _checksums(members: Mapping[str, Member], num_rows: int, label: str) -> np.ndarray | None:
    member = members.get(CHECKSUM_NAME)
    if member is None:
        return None
    if member.shape != (num_rows,) or member.dtype.kind != "U":
        raise FeatureFault(
            f"{label!r} holds {CHECKSUM_NAME} {member.shape} {member.dtype}; expected a text for each of the "
            f"{num_rows} rows of features, as 'fkeax embed' writes it."
        )
    return np.array(member.load())


def _labels(members: Mapping[str, Member], names: tuple[str, ...], num_rows: int) -> np.ndarray | None:
    for name in names:
        member = members.get(name)
        if member is not None and member.shape == (num_rows,) and member.dtype.kind in "iubUS":
            labels = np.array(member.load())
            return np.char.decode(labels, "utf-8", "replace") if labels.dtype.kind == "S" else labels
    return None
