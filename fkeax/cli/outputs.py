"""What a command leaves behind: JSON to a file or to standard output, a table, and the exit code."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fkeax.cli import options

if TYPE_CHECKING:
    from typer import Context

    from fkeax.results import Result
else:
    # What a command is handed is click's own context, of which Typer's class is an empty child.
    Context = typer.Context.__mro__[1]

INCOMPLETE = 1


@dataclass(frozen=True)
class Outputs:
    """Where the results of a command go, checked before it computes.

    Attributes:
        json: A file, the `write` of standard output, or None.
        table: A .csv or .parquet file, or None.
    """

    json: Path | Callable[[str], object] | None
    table: Path | None

    @property
    def wanted(self) -> bool:
        """Whether anything is to be written, so that the provenance is worth the reading of the inputs."""
        return self.json is not None or self.table is not None

    def write(
        self, results: Iterable[Result], provenance: Mapping[str, Any], document: Mapping[str, Any] | None = None
    ) -> None:
        """Write the results and say where they are.

        Args:
            results: In the order of the files.
            provenance: For the JSON.
            document: Put before the results in the JSON.
        """
        from fkeax.io import write_table

        listed = list(results)
        body = {"results": [result.to_dict() for result in listed], "provenance": dict(provenance)}
        self.write_json({**(document or {}), **body})
        if self.table is not None:
            write_table(self.table, listed)
            print(f"written: {self.table}")

    def write_json(self, document: Mapping[str, Any]) -> None:
        """Write one document as strict JSON, if that was asked for."""
        if self.json is None:
            return
        from fkeax.io import write_json
        from fkeax.results import dumps

        if isinstance(self.json, Path):
            write_json(self.json, document)
            print(f"written: {self.json}")
        else:
            self.json(dumps(document) + "\n")


def check_outputs(context: Context, json: str | None, *inputs: str | None, table: str | None = None) -> Outputs:
    """Check, before any computing, that the outputs can be written and overwrite none of the inputs.

    With "-" as the JSON file, standard output is for the JSON alone: until the command ends, everything that it prints
    for people goes to standard error.

    Args:
        context: Of the command.
        json: A file or "-".
        inputs: Files that the command reads, the features first.
        table: A file whose name ends in .csv or .parquet.

    Raises:
        OSError: A file cannot be written.
        ValueError: It is one of the other files, or has no format of a table.
    """
    rows = options.check_output("--table", table, *inputs, None if json == "-" else json)
    if rows is not None:
        from fkeax.io import check_table_path

        check_table_path(rows)
    if json != "-":
        return Outputs(options.check_output("--json", json, *inputs), rows)
    write = sys.stdout.write
    context.with_resource(contextlib.redirect_stdout(sys.stderr))
    return Outputs(write, rows)


def finish(results: Iterable[Result]) -> None:
    """End the command with exit code 1 if a result has no value; the table and its notes have said why.

    Raises:
        typer.Exit: With code 1.
    """
    if any(result.value is None for result in results):
        raise typer.Exit(INCOMPLETE)


def given(context: Context, *names: str) -> list[str]:
    """Return those of some parameters that were given on the command line, as they are written there."""
    return [
        next((word for word in parameter.opts if word.startswith("--")), parameter.opts[0])
        for parameter in context.command.params
        if parameter.name in names
        and (source := context.get_parameter_source(parameter.name)) is not None
        and source.name in ("COMMANDLINE", "ENVIRONMENT")
    ]
