"""Result files as a page needs them: of which command they are, and its own parts beside the results."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from fkeax.io import read_json, read_results
from fkeax.results import Result

# What tables and figures read as numbers where a result has it.
_NUMBERS = {
    "settings": ("bandwidth", "num_draws"),
    "diagnostics": ("level", "predicted_power", "p_value", "z"),
}
COMMANDS = "score, modes, frontier, curve, test, compare or audit"
_T = TypeVar("_T")


@dataclass(frozen=True)
class Sample:
    """A sample of a mode.

    Attributes:
        index: Its row.
        value: Of the eigenfunction.
        id: Its name, if the features have names.
        sha256: The checksum of what its features were made of, if they know it.
    """

    index: int
    value: float
    id: str | None
    sha256: str | None = None


@dataclass(frozen=True)
class Mode:
    """A mode and the samples where its eigenfunction is largest."""

    rank: int
    eigenvalue: float
    share: float
    samples: tuple[Sample, ...]


@dataclass(frozen=True)
class Answer:
    """One of the four questions of a comparison: the verdict and the names of its quantities."""

    question: str
    verdict: str
    quantities: tuple[str, ...]


@dataclass(frozen=True)
class Document:
    """One result file.

    Attributes:
        name: The name of the file, without its folder.
        kind: "score", "curve", "frontier", "test", "compare", "audit" or "modes".
        results: The results; none of modes.
        provenance: Command, seed, inputs, time, versions, device; empty if the file has none.
        modes: Of `fkeax modes`.
        settings: Of `fkeax modes`: kernel, bandwidth, numbers of samples and of frequencies.
        diagnostics: Of `fkeax modes`.
        frontiers: Of `fkeax frontier`: the points of each frontier, for `frontier_line`.
        answers: Of `fkeax compare`.
        sentences: Of `fkeax audit`: what each test detects.
        warnings: Of `fkeax compare` and `fkeax audit`.
    """

    name: str
    kind: str
    results: tuple[Result, ...]
    provenance: Mapping[str, Any]
    modes: tuple[Mode, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    frontiers: tuple[Mapping[str, Any], ...] = ()
    answers: tuple[Answer, ...] = ()
    sentences: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def data(self) -> str:
        """Which files were scored, in words: "made.npz against real.npz"; empty if that is not known."""
        inputs = self.provenance.get("inputs")
        listed = [entry for entry in inputs if isinstance(entry, dict)] if isinstance(inputs, list) else []
        names: dict[bool, list[str]] = {False: [], True: []}
        for entry in listed:
            names[entry.get("role") == "reference"].append(Path(str(entry.get("path", "?"))).name)
        shown = {role: _few(found) for role, found in names.items()}
        return " against ".join(words for words in shown.values() if words)


def _few(names: Sequence[str], most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def read_document(path: str | os.PathLike[str]) -> Document:
    """Read what a command wrote with --json, and find out which command it was.

    Args:
        path: The file.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not strict JSON, or none of the files that a page can show; the sentence names it.
    """
    label = repr(os.fspath(path))
    body = read_json(path)
    if not isinstance(body, dict) or not ("modes" in body or "results" in body):
        raise ValueError(f"{label} is no result of fkeax; expected what {COMMANDS} write with --json.")
    name = Path(path).name
    if "modes" in body:
        provenance = body.get("provenance", {})
        document = Document(
            name=name,
            kind="modes",
            results=(),
            provenance=provenance if isinstance(provenance, dict) else {},
            modes=_each(label, "modes", body["modes"], _mode),
            settings=_mapping(label, "settings", body.get("settings", {})),
            diagnostics=_mapping(label, "diagnostics", body.get("diagnostics", {})),
        )
        if len({mode.rank for mode in document.modes}) < len(document.modes):
            raise ValueError(f"{label} has two modes of one rank; expected what {COMMANDS} write with --json.")
        _check_shown(label, document.settings, document.diagnostics)
        return document
    file = read_results(path)
    for position, result in enumerate(file.results):
        _check_shown(f"{label}, results[{position}],", result.settings, result.diagnostics)
    kind = _kind(body, file.provenance)
    questions = body.get("four_questions") if kind == "compare" else {}
    questions = _mapping(label, "four_questions", questions)
    warned = body.get("warnings", questions.get("warnings", []))
    said = body.get("sentences", {}) if kind == "audit" else {}
    return Document(
        name=name,
        kind=kind,
        results=tuple(file.results),
        provenance=file.provenance,
        frontiers=_each(label, "frontiers", body.get("frontiers", []), _frontier),
        answers=_each(
            label,
            "four_questions.answers",
            questions.get("answers", []),
            partial(_answer, names={result.name for result in file.results}),
        ),
        sentences=tuple(str(sentence) for sentence in _mapping(label, "sentences", said).values()),
        warnings=_each(label, "warnings", warned, str),
    )


def _kind(body: Mapping[str, Any], provenance: Mapping[str, Any]) -> str:
    signs = {"four_questions": "compare", "sentences": "audit", "frontiers": "frontier", "p_value": "test"}
    found = next((kind for sign, kind in signs.items() if sign in body), None)
    return found or ("curve" if "over" in provenance else "score")


def _each(label: str, name: str, entries: Any, read: Callable[[Any], _T]) -> tuple[_T, ...]:
    if not isinstance(entries, list):
        raise ValueError(f"{label} has {name!r} that are no list; expected what {COMMANDS} write with --json.")
    found = []
    for position, entry in enumerate(entries):
        try:
            found.append(read(entry))
        except (AttributeError, KeyError, TypeError, ValueError):
            raise ValueError(
                f"{label} has a bad entry {name}[{position}]; expected what {COMMANDS} write with --json."
            ) from None
    return tuple(found)


def _mapping(label: str, name: str, entry: Any) -> Mapping[str, Any]:
    if not isinstance(entry, dict):
        raise ValueError(f"{label} has {name!r} that is no object; expected what {COMMANDS} write with --json.")
    return entry


def _mode(entry: Mapping[str, Any]) -> Mode:
    samples = tuple(
        Sample(
            int(sample["index"]),
            float(sample["value"]),
            None if "id" not in sample else str(sample["id"]),
            None if "sha256" not in sample else str(sample["sha256"]),
        )
        for sample in entry["samples"]
    )
    return Mode(int(entry["rank"]), float(entry["eigenvalue"]), float(entry["share"]), samples)


def _frontier(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    lengths = set()
    for name in ("weights", "divergence_p", "divergence_q"):
        lengths.add(len([None if value is None else float(value) for value in entry[name]]))
    if len(lengths) != 1:
        raise ValueError("the points of a frontier have one weight and two divergences each")
    return {**entry, "scale": float(entry["scale"]), "generated": str(entry["generated"])}


def _answer(entry: Mapping[str, Any], names: Collection[str]) -> Answer:
    own = tuple(str(result["name"]) for result in entry["results"])
    if not set(own) <= set(names):
        raise ValueError("an answer stands on results that the file has")
    return Answer(str(entry["question"]), str(entry["verdict"]), own)


def _check_shown(label: str, settings: Mapping[str, Any], diagnostics: Mapping[str, Any]) -> None:
    """Refuse what no command writes and no table could show."""
    for part, entries in (("settings", settings), ("diagnostics", diagnostics)):
        for name in _NUMBERS[part]:
            if not _is_number(entries.get(name)):
                raise ValueError(f"{label} has {part}.{name} = {entries[name]!r}; expected a number.")
    interval, plan = diagnostics.get("interval"), diagnostics.get("plan")
    if isinstance(interval, list) and not all(_is_number(end) for end in interval):
        raise ValueError(f"{label} has diagnostics.interval = {interval!r}; expected two numbers.")
    if isinstance(plan, dict) and "reason" not in plan:
        raise ValueError(
            f"{label} has a diagnostics.plan without a reason; expected what {COMMANDS} write with --json."
        )


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
