"""`fkeax diff`: two result files side by side, and whether each difference is beyond the errors."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fkeax.cli import options, outputs, parameters, tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fkeax.io import ResultFile
    from fkeax.results import Difference, Result

# One word for the sizes of all samples.
ALIASES = {"n": ("num_samples", "n_ref", "n_gen", "num_groups")}


def diff(
    context: outputs.Context,
    first: Annotated[str, typer.Argument(metavar="A.json", help="A result file, as --json of a command writes it.")],
    second: Annotated[str, typer.Argument(metavar="B.json", help="Another one.")],
    ignore: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="Settings that may differ, as in bandwidth,num_frequencies; n stands for all numbers of samples, "
            "reference for the samples compared with.",
        ),
    ] = None,
    json: parameters.JsonOption = None,
) -> None:
    """Compare the scores of two result files: by how much they differ, and whether that is beyond their errors.

    Scores are compared at equal settings and sizes only. Exit code 1 if one could not be compared.

    Example: fkeax diff A.json B.json

    Example: fkeax diff A.json B.json --ignore n,reference --json diff.json
    """
    words = [] if ignore is None else options.split_list("--ignore", ignore)
    ignoring = [name for word in words for name in ALIASES.get(word, (word,))]
    target = outputs.check_outputs(context, json, first, second)

    from fkeax.io import read_results
    from fkeax.results import paired_differences

    files = [read_results(path) for path in (first, second)]
    results = [_with_reference(file) for file in files]
    _check_ignored(ignoring, [result for listed in results for result in listed])
    found = paired_differences(*results, ignoring=ignoring)
    if not found:
        raise ValueError(f"{first!r} and {second!r} hold no results.")
    _show(found, first, second)
    tables.print_notes(_notes(found, [result for listed in results for result in listed]))
    target.write_json(
        {
            "first": first,
            "second": second,
            "ignored": ignoring,
            "differences": [dataclasses.asdict(one) | {"beyond": one.beyond} for one in found],
        }
    )
    if any(one.reason is not None for one in found):
        raise typer.Exit(outputs.INCOMPLETE)


def _with_reference(file: ResultFile) -> list[Result]:
    """Return the results, those against a reference with its content as one more setting."""
    inputs: list[dict[str, Any]] = file.provenance.get("inputs", [])
    digests = [entry["sha256"][:12] for entry in inputs if entry.get("role") == "reference"]
    if not digests:
        return file.results
    content = f"sha256 {' '.join(digests)}"
    return [
        dataclasses.replace(result, settings={**result.settings, "reference": content})
        if "n_ref" in result.settings or "generated" in result.settings
        else result
        for result in file.results
    ]


def _check_ignored(ignoring: Sequence[str], results: Sequence[Result]) -> None:
    known = {"name", *(name for names in ALIASES.values() for name in names)}
    known |= {"reference", *(key for result in results for key in result.settings)}
    for name in ignoring:
        options.choose("--ignore", name, sorted(known))


def _show(found: Sequence[Difference], first: str, second: str) -> None:
    rows = []
    for one in found:
        rows.append(
            (
                one.name,
                tables.format_number(one.first, one.stderr),
                tables.format_number(one.second, one.stderr),
                tables.format_number(one.difference, one.stderr),
                "" if one.reason is not None else tables.format_stderr(one.stderr),
                "-" if one.z is None else f"{one.z:.2f}",
                _verdict(one),
            )
        )
    tables.print_table(("score", "A", "B", "B - A", "std. error", "z", "verdict"), rows)
    tables.print_notes([f"A: {first}", f"B: {second}"])


def _verdict(one: Difference) -> str:
    if one.reason is not None:
        return "not compared"
    if one.beyond is None:
        return "equal" if one.difference == 0 else "no error known"
    return "beyond the errors" if one.beyond else "within the errors"


def _notes(found: Sequence[Difference], results: Sequence[Result]) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for one in found:
        if one.reason is not None:
            reasons.setdefault(one.reason, []).append(one.name)
    notes = [f"note: {', '.join(names)}: not compared: {reason}" for reason, names in reasons.items()]
    if any(" is " in reason for reason in reasons):
        notes.append("--ignore NAME,... compares in spite of settings that differ")
    if any(one.z is not None for one in found):
        notes.append(
            "beyond the errors: |z| > 1.96, two-sided 5 % for each score; the two errors are taken to be independent "
            "(where they share samples or seed the difference is known better)"
        )
    methods: dict[str, list[str]] = {}
    for result in results:
        method = result.diagnostics.get("stderr_method")
        if result.stderr is not None and isinstance(method, str) and result.name not in methods.get(method, []):
            methods.setdefault(method, []).append(result.name)
    return notes + [f"error of {', '.join(names)}: {method}" for method, names in methods.items()]
