"""`fkeax verify`: the numbers of a result file, computed again from its recorded command and inputs."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fkeax.cli import outputs, parameters, running, tables

if TYPE_CHECKING:
    from fkeax.io import ResultFile
    from fkeax.results import JSONValue, Result

COMMANDS = ("score", "test", "frontier", "curve", "modes", "compare", "audit", "demo")
# What a command writes is never written again: a recorded command touches no file of the user.
WRITTEN = ("json", "table", "figure", "cache", "out", "images", "image_shape")
# Rounding: sums of n products in float32 err by about 1e-6 relative, and entropies and ratios lose another digit or
# two. float64 has nine more digits.
TOLERANCES = {"float32": 1e-4, "float64": 1e-8}
SMALLEST_SCALE = 1e-6  # of a number beside the values: what is nearer to 0 is rounding


_Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Check:
    """One number, recorded and computed again.

    Attributes:
        name: Of the result, with " (std. error)" or " (p-value)" for those.
        recorded: None where the file has no value. Of a part beside the results: how many entries there are.
        recomputed: None where there is none now. Of a part: how many of the entries are found again.
        off: ``|recorded - recomputed|`` over the larger of the two or, where that is larger, over the recorded
            standard error.
        tolerance: The largest `off` that counts as the same number.
    """

    name: str
    recorded: float | None
    recomputed: float | None
    off: float | None
    tolerance: float

    @property
    def same(self) -> bool:
        """Whether the two agree to the tolerance."""
        return self.recorded == self.recomputed or (self.off is not None and self.off <= self.tolerance)


def verify(
    context: outputs.Context,
    result: Annotated[str, typer.Argument(metavar="RESULT.json", help="A file that --json of a command wrote.")],
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="Relative difference that counts as rounding; 1e-4 in float32, 1e-8 in float64 unless given."
        ),
    ] = None,
    folder: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Where relative paths start; the folder of the recorded run unless given."),
    ] = None,
    json: parameters.JsonOption = None,
) -> None:
    """Compute the numbers of a result file again, from its recorded command and inputs, and compare.

    Settings, diagnostics, modes and their samples, points of frontiers and verdicts are compared as well, each part as
    one count of entries.
    The inputs must have the recorded content. Exit code 1 if a number differs. No file of the recorded command is
    written.

    Example: fkeax verify out.json
    """
    if tolerance is not None and not 0 <= tolerance < 1:
        raise ValueError(f"--tolerance must be a number from 0 to below 1; got {tolerance:g}.")
    target = outputs.check_outputs(context, json, result)

    from fkeax.io import check_inputs, read_json, read_results

    recorded, parts = read_results(result), read_json(result)
    name, words = _recorded_command(recorded, result)
    start = _start_folder(recorded, result, folder)
    check_inputs(recorded.provenance, start)
    with running.spinner(f"fkeax {name} ..."):
        again, parts_again = _compute_again(context, name, words, start)
    checks = _checks(recorded.results, again.results, tolerance)
    checks += _part_checks(parts, parts_again, tolerance)
    differing = _changed_environment(recorded.provenance, again.provenance)
    _show(checks, differing)
    target.write_json(
        {
            "command": recorded.provenance["command"],
            "checks": [asdict(check) | {"same": check.same} for check in checks],
            "environment": {key: {"recorded": old, "here": new} for key, (old, new) in differing.items()},
            "same": all(check.same for check in checks),
        }
    )
    if not all(check.same for check in checks):
        raise typer.Exit(outputs.INCOMPLETE)


def _recorded_command(file: ResultFile, path: str) -> tuple[str, list[str]]:
    command = file.provenance.get("command")
    try:
        words = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        words = []
    if len(words) < 2 or words[0] != "fkeax":
        raise ValueError(f"{path!r} does not say by which fkeax command it was written; verify has nothing to repeat.")
    if words[1] not in COMMANDS:
        raise ValueError(f"{path!r} was written by 'fkeax {words[1]}'; verify repeats {', '.join(COMMANDS)}.")
    return words[1], words[2:]


def _start_folder(file: ResultFile, path: str, folder: str | None) -> Path:
    if folder is not None:
        if not os.path.isdir(folder):
            raise NotADirectoryError(f"--folder {folder!r} must be a folder.")
        return Path(folder)
    recorded = file.provenance.get("cwd")
    # On another machine the files most likely lie where the result file does.
    return Path(recorded) if isinstance(recorded, str) and os.path.isdir(recorded) else Path(path).absolute().parent


def _compute_again(context: outputs.Context, name: str, words: list[str], folder: Path) -> tuple[ResultFile, JSONValue]:
    """Run the recorded command in its folder with all its outputs but one temporary JSON file taken away."""
    from fkeax.io import read_json, read_results

    group: Any = context.find_root().command
    command = group.commands[name]
    with tempfile.TemporaryDirectory(prefix="fkeax-verify-") as scratch:
        path = Path(scratch, "results.json")  # as the demo calls it, in the folder it is given
        quiet = contextlib.redirect_stdout(io.StringIO())
        with contextlib.chdir(folder), quiet, command.make_context(name, words, parent=context.parent) as inner:
            inner.params.update({key: None for key in WRITTEN if key in inner.params})
            inner.params |= {"out": scratch} if name == "demo" else {"json": str(path)}
            if "cells" in inner.params:  # those that the audit kept are not computed again
                inner.params["cells"] = str(Path(scratch, "cells"))
            with contextlib.suppress(typer.Exit):  # a result without a value, then as now
                command.invoke(inner)
        if not path.exists():
            raise ValueError(f"the recorded command 'fkeax {shlex.join([name, *words])}' writes no numbers.")
        return read_results(path), read_json(path)


def _checks(recorded: Sequence[Result], again: Sequence[Result], tolerance: float | None) -> list[Check]:
    """Compare value, standard error and p-value of each result with those of the same place in the other file."""
    checks = []
    for position in range(max(len(recorded), len(again))):
        old = recorded[position] if position < len(recorded) else None
        new = again[position] if position < len(again) else None
        if old is None or new is None or old.name != new.name:
            for one, place in ((old, "recorded"), (new, "recomputed")):
                if one is not None:
                    numbers = {"recorded": None, "recomputed": None, place: one.value}
                    checks.append(Check(f"{one.name} (only {place})", **numbers, off=None, tolerance=0.0))
            continue
        allowed = TOLERANCES.get(str(new.settings.get("dtype")), TOLERANCES["float32"])
        allowed = allowed if tolerance is None else tolerance
        for suffix, left, right in (
            ("", old.value, new.value),
            (" (std. error)", old.stderr, new.stderr),
            (" (p-value)", old.diagnostics.get("p_value"), new.diagnostics.get("p_value")),
        ):
            if suffix and left is None and right is None:
                continue
            was, is_now = (float(x) if isinstance(x, int | float) else None for x in (left, right))
            off = _relative(was, is_now, old.stderr or 0.0)
            checks.append(Check(old.name + suffix, was, is_now, off, allowed))
    return checks


def _part_checks(recorded: JSONValue, again: JSONValue, tolerance: float | None) -> list[Check]:
    """Compare what a file holds beside the values: settings and diagnostics, modes and samples, frontiers, verdicts.

    A part is one check: its entries, and those of them that are found again.
    """
    old, new = _parts(recorded), _parts(again)
    precise = {entry.get("dtype") for entry in new["settings of results"] if isinstance(entry, dict)} == {"float64"}
    allowed = TOLERANCES["float64" if precise else "float32"] if tolerance is None else tolerance
    checks = []
    for name in old | new:
        left, right = _leaves(old.get(name)), _leaves(new.get(name))
        largest: dict[_Path, float] = {}
        for path, leaf in [*left.items(), *right.items()]:
            if isinstance(leaf, float):
                largest[_list_of(path)] = max(largest.get(_list_of(path), 0.0), abs(leaf))
        off = [_apart(left.get(path), right.get(path), largest.get(_list_of(path), 0.0)) for path in left | right]
        found = [one for one in off if one is not None and one <= allowed]
        worst = max(found, default=0.0) if len(found) == len(off) else None
        checks.append(Check(f"{name}: entries", len(off), len(found), worst, allowed))
    return checks


# How a route was planned, and how rounding is told in words, may differ between machines that agree in every number.
_OF_MACHINE = ("plan", "warnings")


def _parts(document: JSONValue) -> dict[str, Any]:
    """Return the parts of a result file, those of its results by kind; single numbers and words as one part."""
    assert isinstance(document, dict)  # it was read as a result file
    parts: dict[str, Any] = {}
    results = document.get("results")
    for kind in ("settings", "diagnostics"):
        entries = [result.get(kind) if isinstance(result, dict) else None for result in results or []]
        parts[f"{kind} of results"] = [_of_numbers(entry) for entry in entries]
    others = {name: part for name, part in document.items() if name not in ("results", "provenance")}
    parts |= {f"{name!r}": _of_numbers(part) for name, part in others.items() if isinstance(part, dict | list)}
    fields = {name: part for name, part in others.items() if not isinstance(part, dict | list)}
    return parts | ({"other fields": fields} if fields else {})


def _of_numbers(entry: Any) -> Any:
    return {k: v for k, v in entry.items() if k not in _OF_MACHINE} if isinstance(entry, dict) else entry


def _leaves(value: Any, path: _Path = ()) -> dict[_Path, Any]:
    """Return what stands at each end of a document, by the keys and places that lead there; what is empty is an end."""
    if isinstance(value, dict | list) and value:
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        return {end: leaf for key, entry in entries for end, leaf in _leaves(entry, (*path, key)).items()}
    return {path: (type(value).__name__,) if isinstance(value, dict | list) else _NULL if value is None else value}


_NULL = object()  # an entry that is there, unlike one that is not


def _list_of(path: _Path) -> _Path:
    """Return the list that an end stands in, whose numbers share a scale; an end in no list has one of its own."""
    return path[:-1] if path and isinstance(path[-1], int) else path


def _apart(left: Any, right: Any, largest: float) -> float | None:
    """Return how far two numbers with a fraction are apart, over a scale; 0 for other equal entries, else None."""
    if isinstance(left, float) and isinstance(right, float):
        return abs(left - right) / max(largest, SMALLEST_SCALE)
    return 0.0 if type(left) is type(right) and left == right else None


def _relative(left: float | None, right: float | None, error: float) -> float | None:
    if left is None or right is None:
        return None
    scale = max(abs(left), abs(right), error)
    return abs(left - right) / scale if scale > 0 else 0.0


def _changed_environment(old: dict[str, Any], new: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    pairs: dict[str, tuple[Any, Any]] = {}
    packages = [found if isinstance(found := file.get("packages"), dict) else {} for file in (old, new)]
    for package in packages[1]:
        pairs[package] = (packages[0].get(package), packages[1][package])
    for key in ("python", "platform", "device"):
        pairs[key] = (old.get(key), new.get(key))
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


def _shown(value: float | None) -> str:
    return str(value) if isinstance(value, int) else tables.format_number(value)


def _show(checks: Sequence[Check], differing: dict[str, tuple[Any, Any]]) -> None:
    rows = []
    for check in checks:
        verdict = "identical" if check.recorded == check.recomputed and not check.off else "DIFFERS"
        verdict = "the same" if verdict != "identical" and check.same else verdict
        rows.append(
            (
                check.name,
                _shown(check.recorded),
                _shown(check.recomputed),
                "-" if check.off is None else f"{check.off:.2g}",
                verdict,
            )
        )
    tables.print_table(("number", "recorded", "recomputed", "relative difference", "verdict"), rows)
    allowed = sorted({f"{check.tolerance:g}" for check in checks})
    notes = [f"the same: up to {' or '.join(allowed)} of the number, or of its standard error where that is larger"]
    notes += [f"{key}: {old} recorded, {new} here" for key, (old, new) in differing.items()]
    wrong = sum(not check.same for check in checks)
    notes.append(f"verified: {len(checks)} numbers" if not wrong else f"NOT verified: {wrong} of {len(checks)} numbers")
    tables.print_notes(notes)
