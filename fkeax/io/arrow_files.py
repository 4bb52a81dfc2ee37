"""Tables: Parquet files, and Arrow files and streams (Feather among them), read by row groups or record batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fkeax.io.array_faults import FeatureFault, check_features, reading
from fkeax.io.arrow_columns import Chosen, choose_columns, to_labels, to_matrix
from fkeax.io.members import OpenedArray
from fkeax.numerics.row_blocks import Block, RowBlocks

PARQUET_MAGIC = b"PAR1"
ARROW_MAGIC = b"ARROW1"
STREAM_MAGIC = b"\xff\xff\xff\xff"


def open_parquet(file: Path, wanted: str | None, *, mmap: bool, vectors: bool) -> OpenedArray:
    """Open a column of lists, or the columns of numbers, of a Parquet file; one row group is read at a time.

    Raises:
        ValueError: It is damaged, or has no such column.
    """
    del vectors
    import pyarrow.parquet as pq

    label = str(file)
    with reading(repr(label), "is a damaged Parquet file"), pq.ParquetFile(file) as opened:
        chosen = choose_columns(opened.schema_arrow, wanted, label)
        sizes = [opened.metadata.row_group(group).num_rows for group in range(opened.num_row_groups)]
        labels = {name: to_labels(opened.read([name]).column(name)) for name in (chosen.ids, chosen.groups) if name}
    blocks = [
        Block(num_rows, partial(_row_group, file, group, chosen)) for group, num_rows in enumerate(sizes) if num_rows
    ]
    return _opened(blocks, chosen, labels, label, mmap)


def _row_group(file: Path, group: int, chosen: Chosen) -> np.ndarray:
    import pyarrow.parquet as pq

    with reading(repr(str(file)), "is a damaged Parquet file"), pq.ParquetFile(file) as opened:
        return to_matrix(opened.read_row_group(group, columns=list(chosen.columns)), chosen, str(file))


def open_arrow(file: Path, wanted: str | None, *, mmap: bool, vectors: bool) -> OpenedArray:
    """Open a column of lists, or the columns of numbers, of an Arrow file or stream.

    Uncompressed numbers stay on the disk; compressed ones are read one record batch at a time, those of a stream at
    once.

    Raises:
        ValueError: It is damaged, or has no such column.
    """
    del vectors
    label = str(file)
    with reading(repr(label), "is a damaged Arrow file"):
        schema, batches = _record_batches(file, None)
        chosen = choose_columns(schema, wanted, label)
        columns = [name for name in (*chosen.columns, chosen.ids, chosen.groups) if name is not None]
        _, batches = _record_batches(file, columns)
        labels = _labels(batches, chosen)
        sizes = [batch.num_rows for batch in batches]
    blocks = [
        Block(num_rows, partial(_batch_matrix, batches, number, chosen, label))
        for number, num_rows in enumerate(sizes)
        if num_rows
    ]
    return _opened(blocks, chosen, labels, label, mmap)


class _FileBatches(Sequence[Any]):
    """The record batches of an Arrow file, each decoded when it is asked for."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def __len__(self) -> int:
        return self._reader.num_record_batches

    def __getitem__(self, number: Any) -> Any:
        if not 0 <= number < len(self):
            raise IndexError(number)
        batch = self._reader.get_batch(number)
        batch.validate()
        return batch


def _record_batches(file: Path, columns: list[str] | None) -> tuple[Any, Sequence[Any]]:
    """Return the schema and, of the named columns, the record batches."""
    import pyarrow as pa

    source = pa.memory_map(str(file))
    with open(file, "rb") as stream:
        is_stream = stream.read(len(STREAM_MAGIC)) == STREAM_MAGIC
    if is_stream:
        reader = pa.ipc.open_stream(source)
        if columns is None:
            return reader.schema, ()
        batches = [batch.select(columns) for batch in reader]
        for batch in batches:
            batch.validate()
        return reader.schema, batches
    schema = pa.ipc.open_file(source).schema
    if columns is None:
        return schema, ()
    included = [schema.names.index(name) for name in columns]
    options = pa.ipc.IpcReadOptions(included_fields=included)
    return schema, _FileBatches(pa.ipc.open_file(source, options=options))


def _batch_matrix(batches: Sequence[Any], number: int, chosen: Chosen, label: str) -> np.ndarray:
    with reading(repr(label), "is a damaged Arrow file"):
        return to_matrix(batches[number], chosen, label)


def _labels(batches: Sequence[Any], chosen: Chosen) -> dict[str, np.ndarray | None]:
    found: dict[str, np.ndarray | None] = {}
    for name in (chosen.ids, chosen.groups):
        if name is not None:
            parts = [to_labels(batch.column(name)) for batch in batches if batch.num_rows]
            whole = [part for part in parts if part is not None]
            found[name] = np.concatenate(whole) if whole and len(whole) == len(parts) else None
    return found


def _of_width(block: Block, width: int, label: str) -> np.ndarray:
    rows = block.read()
    if rows.shape != (block.num_rows, width):
        raise FeatureFault(
            f"{label!r} has rows of different lengths: a part of {block.num_rows} rows that should be {width} long has "
            f"shape {rows.shape}; expected lists of one length."
        )
    return rows


def _opened(
    blocks: list[Block], chosen: Chosen, labels: dict[str, np.ndarray | None], label: str, mmap: bool
) -> OpenedArray:
    member = chosen.columns[0] if len(chosen.columns) == 1 else None
    if not blocks:
        raise FeatureFault(f"{label!r} holds no rows (n = 0 samples).")
    first = blocks[0].read()
    check_features(first.shape, first.dtype, repr(label if member is None else f"{label}:{member}"))
    parts = [replace(block, read=partial(_of_width, block, first.shape[1], label)) for block in blocks]
    whole = RowBlocks(parts, first.shape[1], first.dtype) if len(blocks) > 1 else first
    return OpenedArray(
        whole if mmap or len(blocks) == 1 else np.asarray(whole),
        member,
        labels.get(chosen.ids or ""),
        labels.get(chosen.groups or ""),
        notices=chosen.notices,
    )
