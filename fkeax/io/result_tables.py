"""Results as a table for spreadsheets and data frames: CSV and Parquet files, there and back."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from fkeax.io.atomic import open_atomic
from fkeax.results import Result, dumps, loads

FIRST_COLUMNS = ("name", "value", "stderr", "interval_low", "interval_high", "reason")
# The whole of both dictionaries as strict JSON: what reads back exactly.
LAST_COLUMNS = ("settings", "diagnostics")


def check_table_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a table, whose name says its format.

    Raises:
        ValueError: The name ends neither in .csv nor in .parquet.
    """
    target = Path(path)
    if target.suffix.lower() not in _FORMATS:
        raise ValueError(f"a table must be a {' or '.join(_FORMATS)} file; got {os.fspath(path)!r}.")
    return target


def write_table(path: str | os.PathLike[str], results: Iterable[Result]) -> None:
    """Write results as a table, one row each, whole or not at all.

    The columns are name, value, stderr, interval_low, interval_high and reason (why there is no value); then one per
    setting that is a number, a word or a flag; then "settings" and "diagnostics" as strict JSON, from which
    :func:`read_table` makes the same results again. What is unknown is an empty cell, or null.

    Args:
        path: A .csv file (UTF-8, as in RFC 4180 but for line ends of one character) or a .parquet file.
        results: The results, in the order in which they shall stand.

    Raises:
        OSError: The file cannot be written.
        ValueError: The name ends in neither.
        ImportError: Parquet needs the package pyarrow.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "out.csv")
        ...     write_table(path, [Result("rke", 7.25, None, {"bandwidth": 16.0}, {})])
        ...     print(path.read_text().splitlines()[0])
        ...     read_table(path)[0].settings
        name,value,stderr,interval_low,interval_high,reason,bandwidth,settings,diagnostics
        {'bandwidth': 16.0}
    """
    target = check_table_path(path)
    columns, rows = _cells(list(results))
    data = _FORMATS[target.suffix.lower()][0](columns, rows)
    with open_atomic(target) as stream:
        stream.write(data)


def read_table(path: str | os.PathLike[str]) -> list[Result]:
    """Read what :func:`write_table` wrote.

    Args:
        path: A .csv or a .parquet file.

    Returns:
        The results, equal to those that were written.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no such table; one sentence names the file and the fault.
        ImportError: Parquet needs the package pyarrow.
    """
    target = check_table_path(path)
    label = repr(os.fspath(path))
    with open(target, "rb") as stream:
        data = stream.read()
    rows = _FORMATS[target.suffix.lower()][1](data, label)
    results = []
    for number, row in enumerate(rows, start=1):
        missing = [column for column in ("name", "value", "stderr", *LAST_COLUMNS) if column not in row]
        if missing:
            raise ValueError(f"{label} is no table of results: it lacks the column {missing[0]!r}.")
        try:
            settings, diagnostics = (loads(str(row[column])) for column in LAST_COLUMNS)
            value, stderr = (
                None if row[column] in ("", None) else float(row[column]) for column in ("value", "stderr")
            )
            results.append(Result(row["name"], value, stderr, settings, diagnostics))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{label} has a bad row {number}: {error}") from None
    return results


def _cells(results: Sequence[Result]) -> tuple[list[str], list[dict[str, Any]]]:
    taken = {*FIRST_COLUMNS, *LAST_COLUMNS}
    keys = dict.fromkeys(
        key
        for result in results
        for key, value in result.settings.items()
        if isinstance(value, str | bool | int | float)
    )
    named = {key: f"settings.{key}" if key in taken else key for key in keys}
    rows = []
    for result in results:
        interval = result.diagnostics.get("interval")
        low, high = interval if isinstance(interval, list) and len(interval) == 2 else (None, None)
        reason = result.diagnostics.get("reason") if result.value is None else None
        cells: dict[str, Any] = dict(
            zip(FIRST_COLUMNS, (result.name, result.value, result.stderr, low, high, reason), strict=True)
        )
        for key, column in named.items():
            value = result.settings.get(key)
            cells[column] = value if isinstance(value, str | bool | int | float) else None
        rows.append(
            cells
            | {"settings": dumps(result.settings, indent=None), "diagnostics": dumps(result.diagnostics, indent=None)}
        )
    return [*FIRST_COLUMNS, *named.values(), *LAST_COLUMNS], rows


def _to_csv(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    # repr keeps every digit of a float, so that the table reads back exactly.
    writer.writerows({k: repr(v) if isinstance(v, float) else v for k, v in row.items()} for row in rows)
    return text.getvalue().encode("utf-8")


def _from_csv(data: bytes, label: str) -> list[dict[str, Any]]:
    try:
        reader = csv.DictReader(io.StringIO(data.decode("utf-8"), newline=""), strict=True)
        return [dict(row) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{label} is not a CSV file: {error}.") from None


def _to_parquet(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> bytes:
    arrow, parquet = _pyarrow()
    table = arrow.table({column: _arrow_column(arrow, [row[column] for row in rows], column) for column in columns})
    buffer = io.BytesIO()
    parquet.write_table(table, buffer)
    return buffer.getvalue()


def _from_parquet(data: bytes, label: str) -> list[dict[str, Any]]:
    arrow, parquet = _pyarrow()
    try:
        return parquet.read_table(io.BytesIO(data)).to_pylist()
    except (arrow.ArrowException, OSError) as error:
        reason = (str(error).splitlines() or ["damaged"])[0].rstrip(".")
        raise ValueError(f"{label} is not a Parquet file: {reason}.") from None


def _arrow_column(arrow: Any, cells: list[Any], column: str) -> Any:
    kinds = {type(cell) for cell in cells if cell is not None}
    if column in ("value", "stderr", "interval_low", "interval_high") or (kinds and kinds <= {int, float}):
        whole = kinds == {int} and all(cell is None or abs(cell) < 2**63 for cell in cells)
        if whole and column not in FIRST_COLUMNS:
            return arrow.array(cells, arrow.int64())
        return arrow.array([None if cell is None else float(cell) for cell in cells], arrow.float64())
    if kinds == {bool}:
        return arrow.array(cells, arrow.bool_())
    # Orders are numbers but for "inf": mixed columns are words.
    return arrow.array([None if cell is None else str(cell) for cell in cells], arrow.string())


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError(
            "Parquet files need the package pyarrow: pip install pyarrow; or write a .csv file."
        ) from None
    return pyarrow, pyarrow.parquet


_Writer = Callable[[Sequence[str], Sequence[dict[str, Any]]], bytes]
_Reader = Callable[[bytes, str], list[dict[str, Any]]]
_FORMATS: dict[str, tuple[_Writer, _Reader]] = {
    ".csv": (_to_csv, _from_csv),
    ".parquet": (_to_parquet, _from_parquet),
}
