"""The folders that clip-retrieval writes: img_emb/img_emb_0.npy ... beside metadata/metadata_0.parquet ..."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fkeax.io.array_faults import FeatureFault, reading
from fkeax.io.arrow_columns import to_labels
from fkeax.io.members import ID_NAMES
from fkeax.io.shards import natural_order

EMBEDDINGS = ("img_emb", "text_emb")
METADATA = "metadata"


@dataclass(frozen=True)
class Layout:
    """What such a folder holds.

    Attributes:
        embeddings: The folder of the embeddings that were asked for.
        metadata: The tables of their names, in natural order; may be none.
        notices: What a reader should know of the choice.
    """

    embeddings: Path
    metadata: tuple[Path, ...]
    notices: tuple[str, ...]


def find_layout(folder: Path, wanted: str | None) -> Layout | None:
    """Return the layout of a folder that clip-retrieval wrote, or of its img_emb or text_emb; None for any other.

    Args:
        folder: The folder.
        wanted: "img_emb" or "text_emb"; the images if both are there and None is asked for.

    Raises:
        ValueError: It holds no such embeddings.
    """
    if folder.name in EMBEDDINGS:
        return Layout(folder, _tables(folder.parent / METADATA), ())
    present = [name for name in EMBEDDINGS if (folder / name).is_dir()]
    if not present:
        return None
    if wanted is not None and wanted not in present:
        raise FeatureFault(f"{str(folder)!r} holds no embeddings {wanted!r}; it holds {', '.join(present)}.")
    chosen = wanted or present[0]
    notices = (f"of {' and '.join(present)}, {chosen} is read",) if wanted is None and len(present) > 1 else ()
    return Layout(folder / chosen, _tables(folder / METADATA), notices)


def names_of_rows(tables: Sequence[Path], sizes: Sequence[int]) -> np.ndarray | None:
    """Return the names of the rows from the tables beside the embeddings; None if no column holds them.

    Args:
        tables: One for each file of embeddings.
        sizes: Rows of each file of embeddings.

    Raises:
        ValueError: The tables do not fit the embeddings, or one is damaged.
    """
    if not tables:
        return None
    if len(tables) != len(sizes):
        raise FeatureFault(
            f"{str(tables[0].parent)!r} holds {len(tables)} tables beside {len(sizes)} files of embeddings; expected "
            "one for each."
        )
    import pyarrow.parquet as pq

    found = []
    for table, num_rows in zip(tables, sizes, strict=True):
        label = repr(str(table))
        with reading(label, "is a damaged Parquet file"), pq.ParquetFile(table) as opened:
            if opened.metadata.num_rows != num_rows:
                raise FeatureFault(f"{label} has {opened.metadata.num_rows} rows beside {num_rows} rows of embeddings.")
            name = next((name for name in ID_NAMES if name in opened.schema_arrow.names), None)
            names = None if name is None else to_labels(opened.read([name]).column(name))
        if names is None:
            return None
        found.append(names)
    return np.concatenate(found)


def _tables(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted(folder.glob("*.parquet"), key=natural_order)) if folder.is_dir() else ()
