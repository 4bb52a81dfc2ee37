"""Tables and notes on the terminal, and how numbers are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fkeax.results.formatting import describe_settings as describe_settings
from fkeax.results.formatting import format_interval as format_interval
from fkeax.results.formatting import format_number as format_number
from fkeax.results.formatting import format_share as format_share
from fkeax.results.formatting import format_stderr as format_stderr
from fkeax.results.formatting import warnings_of as warnings_of
from fkeax.results.meanings import meanings_of as meanings_of

UNFOLDED = 10_000


def format_bytes(count: float) -> str:
    """Show a number of bytes.

    Example:
        >>> format_bytes(64e6)
        '64 MB'
    """
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"


def format_seconds(seconds: float) -> str:
    """Show a rough time.

    Example:
        >>> format_seconds(7.2), format_seconds(600)
        ('7 s', '10 min')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table whose first column is text and whose others are numbers."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, pad_edge=False)
    for position, name in enumerate(header):
        first = position == 0
        table.add_column(name, justify="left" if first else "right", no_wrap=first, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console()
    # A pipe or a file has no width; there nothing is folded.
    (console if console.is_terminal else Console(width=UNFOLDED)).print(table)


def print_notes(notes: Iterable[str]) -> None:
    """Print lines of text, wrapped by the terminal itself so that paths and commands can be copied."""
    for note in notes:
        print(note)
