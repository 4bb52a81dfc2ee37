"""`python -m experiments.collect DIR`: all results below a folder as one tidy table, csv and parquet."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.table import tidy_rows


def main(words: Sequence[str] | None = None) -> int:
    """Write DIR/table.csv and DIR/table.parquet, or the files that `--out` names."""
    parser = argparse.ArgumentParser(prog="python -m experiments.collect", description=__doc__)
    parser.add_argument("folder", metavar="DIR", type=Path, help="a folder with result folders, at any depth")
    parser.add_argument("--out", type=Path, help="name of the table without ending; DIR/table unless given")
    options = parser.parse_args(words)
    try:
        rows = tidy_rows(options.folder)
        stem = options.out or options.folder / "table"
        write_csv(stem.with_name(f"{stem.name}.csv"), rows)
        write_parquet(stem.with_name(f"{stem.name}.parquet"), rows)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    counts = Counter(state for _, state in {(row["run"], row["status"]) for row in rows})
    listed = ", ".join(f"{number} {state}" for state, number in sorted(counts.items()))
    print(f"{len(rows)} rows of {sum(counts.values())} runs ({listed}): {stem}.csv, {stem}.parquet")
    return 0


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as CSV, whole or not at all; a missing value is an empty field."""
    from fkeax.io import write_text

    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, text.getvalue())


def write_parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as Parquet, whole or not at all; a column of mixed kinds, as the order with its "inf", becomes text.

    Raises:
        ModuleNotFoundError: pyarrow is not installed.
    """
    import pyarrow
    from pyarrow import parquet

    from fkeax.io import write_bytes

    columns = {name: _one_kind([row[name] for row in rows]) for name in rows[0]}
    buffer = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), buffer)
    write_bytes(path, buffer.getvalue())


def _one_kind(values: Sequence[Any]) -> list[Any]:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    if len(kinds) > 1:
        return [None if value is None else str(value) for value in values]
    return list(values)


if __name__ == "__main__":
    sys.exit(main())
