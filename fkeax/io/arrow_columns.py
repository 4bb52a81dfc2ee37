"""Features in the columns of a table: one column of lists, or several columns of numbers, and names of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fkeax.io.array_faults import FeatureFault, check_features, unit_axes
from fkeax.io.members import GROUP_NAMES, ID_NAMES

_MOST_LISTED = 12


@dataclass(frozen=True)
class Chosen:
    """Which columns are what.

    Attributes:
        columns: The features: one column of lists, or columns of numbers.
        is_list: Whether it is a column of lists.
        ids: The column that names the rows.
        groups: The column of labels of rows that belong together.
        notices: What a reader should know of the choice.
    """

    columns: tuple[str, ...]
    is_list: bool
    ids: str | None
    groups: str | None
    notices: tuple[str, ...]


def choose_columns(schema: Any, wanted: str | None, label: str) -> Chosen:
    """Return which columns of a pyarrow schema are the features.

    The only column of lists of numbers; without one, all columns of floats; without these, all columns of integers.

    Raises:
        ValueError: There is no such column, or more than one column of lists.
    """
    import pyarrow as pa

    types = {name: schema.field(number).type for number, name in enumerate(schema.names)}
    if len(types) < len(schema.names):
        raise FeatureFault(f"{label!r} has two columns of one name.")
    ids = next((name for name in ID_NAMES if name in types and name != wanted and _is_label(types[name])), None)
    groups = next((name for name in GROUP_NAMES if name in types and name != wanted and _is_label(types[name])), None)
    if wanted is not None:
        if wanted not in types:
            raise FeatureFault(f"{label!r} has no column {wanted!r}; it has {_listed(types)}.")
        is_list = list_length(types[wanted]) is not None
        return Chosen((wanted,), is_list, ids, groups, _nested(types[wanted]))
    lists = [name for name, kind in types.items() if _is_list_of_numbers(kind)]
    if len(lists) > 1:
        suffix = label.rpartition(".")[2]
        raise FeatureFault(
            f"{label!r} has several columns of lists of numbers: {', '.join(lists)}; name one with column=..., or as "
            f"FILE.{suffix}:COLUMN."
        )
    if lists:
        return Chosen((lists[0],), True, ids, groups, _nested(types[lists[0]]))
    floats = [name for name, kind in types.items() if pa.types.is_floating(kind)]
    rest = [name for name, kind in types.items() if pa.types.is_integer(kind) and name not in (ids, groups)]
    columns = floats or [name for name in rest if not name.startswith("__index_level_")]
    if not columns:
        raise FeatureFault(f"{label!r} has no column of numbers or of lists of numbers; it has {_listed(types)}.")
    kind = "float" if floats else "integer"
    notice = f"the {len(columns)} columns of {kind}s, {columns[0]} to {columns[-1]}, are read as a matrix"
    unused = [name for name in types if name not in columns and name not in (ids, groups)]
    notice += f"; not used: {', '.join(unused[:_MOST_LISTED])}" if unused else ""
    return Chosen(tuple(columns), False, ids, groups, (notice,))


def list_length(kind: Any) -> int | None:
    """Return the length of a type of lists, -1 if it varies, None for another type."""
    import pyarrow as pa

    kind = _storage(kind)
    if pa.types.is_fixed_size_list(kind):
        return kind.list_size
    return -1 if pa.types.is_list(kind) or pa.types.is_large_list(kind) else None


def to_matrix(table: Any, chosen: Chosen, label: str) -> np.ndarray:
    """Return the features of a part of a table.

    Args:
        table: A pyarrow Table or RecordBatch.
        chosen: The columns.
        label: The file, not quoted.

    Returns:
        (rows, d); without a copy where the table allows it.

    Raises:
        ValueError: A value is missing, lists differ in length, or values are no numbers.
    """
    arrays = [_one_chunk(table.column(name)) for name in chosen.columns]
    names = [f"{label}:{name}" for name in chosen.columns]
    if chosen.is_list:
        return _from_lists(arrays[0], names[0])
    columns = [_numbers(array, name) for array, name in zip(arrays, names, strict=True)]
    matrix = np.empty((len(columns[0]), len(columns)), np.result_type(*columns), order="F")
    for place, column in enumerate(columns):
        matrix[:, place] = column
    return matrix


def to_labels(column: Any) -> np.ndarray | None:
    """Return a column of labels as words or whole numbers; None if some are missing."""
    array = _one_chunk(column)
    array.validate(full=True)  # places of words in a damaged file may lie outside of it
    if array.null_count:
        return None
    labels = array.to_numpy(zero_copy_only=False)
    return labels.astype(str) if labels.dtype.hasobject else labels


def _from_lists(array: Any, label: str) -> np.ndarray:
    num_rows, shape = len(array), [len(array)]
    while list_length(array.type) is not None:
        _check_present(array, label)
        length = list_length(array.type)
        if length is None or length < 0:
            lengths = np.diff(array.offsets.to_numpy())
            other = np.flatnonzero(lengths != lengths[:1])
            if other.size:
                raise FeatureFault(
                    f"{label!r} has rows of different lengths: {lengths[0]} values in row 0, {lengths[other[0]]} in "
                    f"row {other[0]}; expected lists of one length."
                )
            length = int(lengths[0]) if lengths.size else 0
        shape.append(length)
        array = _one_chunk(array.flatten())
    values = _numbers(array, label)
    axes = unit_axes(tuple(shape))
    matrix = np.squeeze(values.reshape(shape), axes) if axes else values.reshape(shape)
    if num_rows:
        check_features(matrix.shape, matrix.dtype, repr(label))
    return matrix


def _numbers(array: Any, label: str) -> np.ndarray:
    import pyarrow as pa

    _check_present(array, label)
    if not (pa.types.is_floating(array.type) or pa.types.is_integer(array.type) or pa.types.is_boolean(array.type)):
        raise FeatureFault(f"{label!r} holds values of type {array.type}; expected numbers, or lists of numbers.")
    return array.to_numpy(zero_copy_only=False)


def _check_present(array: Any, label: str) -> None:
    if array.null_count:
        raise FeatureFault(f"{label!r} has {array.null_count} missing values (nulls); expected a number everywhere.")


def _one_chunk(array: Any) -> Any:
    import pyarrow as pa

    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
        if isinstance(array, pa.ChunkedArray):  # no chunk at all
            array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    return array.storage if isinstance(array.type, pa.BaseExtensionType) else array


def _storage(kind: Any) -> Any:
    import pyarrow as pa

    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def _nested(kind: Any) -> tuple[str, ...]:
    nested = list_length(kind) is not None and list_length(_storage(kind).value_type) is not None
    return ("lists of one list each are read as one row each",) if nested else ()


def _is_list_of_numbers(kind: Any) -> bool:
    import pyarrow as pa

    kind = _storage(kind)
    if list_length(kind) is None:
        return False
    while list_length(kind) is not None:
        kind = _storage(kind).value_type
    return pa.types.is_floating(kind) or pa.types.is_integer(kind)


def _is_label(kind: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind)


def _listed(types: dict[str, Any]) -> str:
    shown = ", ".join(f"{name} ({kind})" for name, kind in list(types.items())[:_MOST_LISTED])
    return shown + (f" and {len(types) - _MOST_LISTED} more" if len(types) > _MOST_LISTED else "")
