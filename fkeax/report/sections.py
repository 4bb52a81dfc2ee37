"""The sections of a page: scores, tests, comparisons, audits, modes, and where every number came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fkeax.report.documents import Document, Mode
from fkeax.report.drawings import (
    audit_arm,
    audit_figure,
    audit_interval,
    curve_figures,
    frontier_figure,
    score_cells,
    spectrum_figure,
)
from fkeax.report.page import Block, Facts, Notes, Section, Table
from fkeax.results import Result
from fkeax.results.formatting import describe_settings, format_number, format_share, warnings_of
from fkeax.results.meanings import meanings_of

SHOWN_SAMPLES = 8
# What `describe_settings` speaks of; results against a reference have other settings.
_OF_DIVERSITY = ("kernel", "num_samples", "dimension", "estimator", "dtype")


def score_section(documents: Sequence[Document]) -> Section:
    """Return the scores of `fkeax score`, `fkeax frontier` and others, one table a file."""
    blocks = [_score_table(document) for document in documents if document.results]
    lead = (
        "Each score with its standard error and interval where they are known, the samples it was computed from, and "
        "the settings it holds for. Scores compare at equal settings and sizes only."
    )
    return Section("scores", "Scores", lead, blocks)


def _score_table(document: Document) -> Table:
    columns: dict[str, list[str]] = {"samples of": [_setting(result, "generated") for result in document.results]}
    cells = [score_cells(result) for result in document.results]
    for place, name in enumerate(("value", "std. error", "interval")):
        columns[name] = [row[place] for row in cells]
    columns["n"] = [_sizes(result.settings) for result in document.results]
    columns["bandwidth"] = [_setting(result, "bandwidth") for result in document.results]
    columns["r"] = [_setting(result, "num_frequencies") for result in document.results]
    columns["estimator"] = [_setting(result, "estimator") for result in document.results]
    kept = {name: column for name, column in columns.items() if any(column)}
    names = [result.name for result in document.results]
    by_name = {f"{result.name} {_setting(result, 'generated')}".strip(): result for result in document.results}
    return Table(
        caption=_caption(document),
        header=("score", *kept),
        rows=[(name, *row) for name, *row in zip(names, *kept.values(), strict=True)],
        notes=[*_settings_notes(document.results), *warnings_of(by_name)],
        wordy=_wordy(document.results),
    )


def _wordy(results: Sequence[Result]) -> frozenset[int]:
    # A reason in the place of a value is a sentence, which must not stretch its column.
    value = 2 if any(_setting(result, "generated") for result in results) else 1
    return frozenset({value}) if any(result.value is None for result in results) else frozenset()


def _caption(document: Document) -> str:
    return f"{document.name}: {document.data}" if document.data else document.name


def _setting(result: Result, name: str) -> str:
    value = result.settings.get(name)
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _sizes(settings: Mapping[str, Any]) -> str:
    if "n_ref" in settings and "n_gen" in settings:
        return f"{settings['n_ref']} and {settings['n_gen']}"
    size = settings.get("num_samples", settings.get("num_rows"))
    groups = f" in {settings['num_groups']} groups" if settings.get("num_groups") else ""
    return "" if size is None else f"{size}{groups}"


def _settings_notes(results: Sequence[Result]) -> list[str]:
    notes = []
    if any("n_ref" in result.settings for result in results):
        notes.append("n: reference and generated samples")
    own = [result for result in results if all(name in result.settings for name in _OF_DIVERSITY)]
    if own:
        plan = own[0].diagnostics if isinstance(own[0].diagnostics.get("plan"), dict) else {}
        notes += describe_settings(own[0].settings, plan)
    methods: dict[str, list[str]] = {}
    for result in results:
        method = result.diagnostics.get("stderr_method")
        if result.stderr is not None and isinstance(method, str) and result.name not in methods.get(method, []):
            methods.setdefault(method, []).append(result.name)
    notes += [f"error of {', '.join(names)}: {method}" for method, names in methods.items()]
    return notes + meanings_of(results)


def comparison_section(documents: Sequence[Document]) -> Section:
    """Return the four questions of `fkeax compare`, each with its own quantities."""
    blocks: list[Block] = []
    for document in documents:
        by_name = {result.name: result for result in document.results}
        rows = [
            (answer.question, answer.verdict, _quantities([by_name[name] for name in answer.quantities]))
            for answer in document.answers
        ]
        header = ("question", "answer", "quantities")
        blocks.append(Table(_caption(document), header, rows, document.warnings, frozenset({1, 2})))
    lead = "Four questions about generated samples, each with its own quantity and its own calibration."
    return Section("comparison", "Four questions", lead, blocks)


def _quantities(results: Sequence[Result]) -> str:
    shown = []
    for result in results:
        p = result.diagnostics.get("p_value")
        shown.append(
            f"{result.name} {format_number(result.value, result.stderr)}"
            + (f" (p = {p:.2g})" if isinstance(p, float) else "")
        )
    return "; ".join(shown)


def test_section(documents: Sequence[Document]) -> Section:
    """Return the decisions of `fkeax test`."""
    rows, notes = [], []
    for document in documents:
        for result in document.results:
            seen, settings = result.diagnostics, result.settings
            rows.append(
                (
                    f"{document.name}: {document.data}" if document.data else document.name,
                    "different laws" if seen.get("reject") else "no difference seen",
                    _number(seen.get("p_value")),
                    _number(seen.get("z")),
                    _number(settings.get("alpha")),
                    str(settings.get("method", "")),
                    _sizes(settings),
                    str(settings.get("num_permutations", "")),
                )
            )
        notes += warnings_of({f"{document.name}: {result.name}": result for result in document.results})
    header = ("samples", "decision", "p-value", "z", "level", "method", "n", "permutations")
    lead = (
        "Do both sets of samples come from one law? A test that sees no difference does not show that there is none: "
        "an audit says what it could have seen."
    )
    blocks = [Table("Two-sample tests", header, rows, notes)] if rows else []
    return Section("tests", "Two-sample tests", lead, blocks)


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, int | float) else ""


def frontier_section(documents: Sequence[Document]) -> Section:
    """Return the frontiers of `fkeax frontier`."""
    blocks = [frontier_figure(document) for document in documents if document.frontiers]
    lead = "How a model errs: what it misses of the reference, against what it makes beyond it."
    return Section("frontiers", "Divergence frontiers", lead, blocks)


def curve_section(documents: Sequence[Document]) -> Section:
    """Return the scores along one setting of `fkeax curve`."""
    blocks: list[Block] = []
    for document in documents:
        blocks += curve_figures(document)
        blocks.append(Notes(warnings_of({result.name: result for result in document.results})))
    kept = [block for block in blocks if not (isinstance(block, Notes) and not block.sentences)]
    return Section("curves", "Curves", "How scores move along one setting, all else equal.", kept)


def mode_section(documents: Sequence[Document], galleries: Sequence[Block] = ()) -> Section:
    """Return the spectrum, the modes and their samples, of `fkeax modes`.

    Args:
        documents: Of `fkeax modes`.
        galleries: Samples to look at, to read, or to hear.
    """
    drawn = [document for document in documents if document.modes]
    blocks: list[Block] = [spectrum_figure(drawn)] if drawn else []
    for document in drawn:
        # Samples that are shown have their names below them.
        header = ("mode", "share", "eigenvalue", *(() if galleries else ("top samples",)))
        rows = [
            (str(mode.rank), format_share(mode.share), f"{mode.eigenvalue:.4g}", _names(mode))[: len(header)]
            for mode in document.modes
        ]
        complete = all(name in document.settings for name in _OF_DIVERSITY)
        plan = document.diagnostics if isinstance(document.diagnostics.get("plan"), dict) else {}
        notes = describe_settings(document.settings, plan) if complete else []
        blocks.append(Table(f"Modes of {_caption(document)}", header, rows, notes, frozenset({3})))
    lead = "The groups of samples that the score counts: leading eigenvectors, and the samples where they are largest."
    return Section("modes", "Spectrum and modes", lead, [*blocks, *galleries])


def _names(mode: Mode) -> str:
    named = [str(sample.index) if sample.id is None else sample.id for sample in mode.samples[:SHOWN_SAMPLES]]
    return ", ".join(named) + (" ..." if len(mode.samples) > SHOWN_SAMPLES else "")


def audit_section(documents: Sequence[Document]) -> Section:
    """Return what tests at a sample budget detected, of `fkeax audit`."""
    blocks: list[Block] = []
    for document in documents:
        if not document.results:
            continue
        blocks.append(audit_figure(document))
        rows = [(audit_arm(result), *_audit_cells(result)) for result in document.results]
        header = ("change", "test", "rejected", "95 % interval", "predicted", "n a side", "level")
        notes = [*document.sentences, *(f"warning: {warning}" for warning in document.warnings)]
        blocks.append(Table(_caption(document), header, rows, notes))
    lead = "Which controlled changes of real samples each test detects at the sample budget."
    return Section("audit", "Audit", lead, blocks)


def _audit_cells(result: Result) -> tuple[str, ...]:
    seen, settings = result.diagnostics, result.settings
    low, high = audit_interval(result)
    possible = result.value is not None
    rejected = f"{seen.get('num_rejections')}/{settings.get('num_draws')}"
    return (
        str(settings.get("test")),
        rejected if possible else f"not possible: {seen.get('reason')}",
        f"{low:.2f} to {high:.2f}" if possible else "",
        f"{power:.2f}" if isinstance(power := seen.get("predicted_power"), float) else "",
        _sizes(settings),
        _number(settings.get("alpha")),
    )


def provenance_section(documents: Sequence[Document]) -> Section:
    """Return where every file came from: command, inputs and their hashes, seed, versions, device, time."""
    blocks = [Facts(document.name, _facts(document.provenance)) for document in documents]
    lead = "What is needed to compute every number of this page again."
    return Section("provenance", "Where the numbers came from", lead, blocks)


def _facts(provenance: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    if not provenance:
        return [("provenance", ["this file does not say"])]
    facts: list[tuple[str, list[str]]] = []
    for name in ("command", "cwd"):
        if isinstance(provenance.get(name), str):
            facts.append(("folder" if name == "cwd" else name, [provenance[name]]))
    inputs = provenance.get("inputs")
    listed = [entry for entry in inputs if isinstance(entry, dict)] if isinstance(inputs, list) else []
    if listed:
        facts.append(("inputs", [_input(entry) for entry in listed]))
    if provenance.get("seed") is not None:
        facts.append(("seed", [str(provenance["seed"])]))
    if provenance.get("started") is not None:
        facts.append(("time", [f"{provenance['started']}, {provenance.get('seconds')} seconds"]))
    device = provenance.get("device")
    if isinstance(device, dict):
        facts.append(("device", [f"{device.get('count')} x {device.get('kind')} ({device.get('platform')})"]))
    packages = provenance.get("packages")
    if isinstance(packages, dict):
        versions = [f"{name} {version}" for name, version in packages.items()]
        facts.append(("versions", [", ".join([*versions, f"Python {provenance.get('python')}"])]))
    if provenance.get("platform") is not None:
        facts.append(("system", [str(provenance["platform"])]))
    return facts


def _input(entry: Mapping[str, Any]) -> str:
    role = " (reference)" if entry.get("role") == "reference" else ""
    return f"{entry.get('path')}{role}, {entry.get('bytes')} bytes, SHA-256 {entry.get('sha256')}"
