"""Scores that go by class: diversity within the classes of labelled samples, and the Inception Score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fkeax.cli import running, tables

if TYPE_CHECKING:
    import numpy as np

    from fkeax.io import FeatureFile
    from fkeax.results import Result

INCEPTION = "inception-score"


def scores(file: FeatureFile, labels: np.ndarray, request: dict[str, Any], seed: int, dtype: str) -> dict[str, Result]:
    """Return the scores of every class and their means, by name."""
    import jax

    from fkeax.diversity import per_class

    asked = {name: value for name, value in request.items() if name not in ("groups", "weights")}
    with running.precision(dtype), running.naming_file(file), running.spinner("classes ..."):
        found = per_class(running.widened(file.array, dtype), labels, **asked, key=jax.random.key(seed))
    return {result.name: result for result in found.results()}


def inception(file: FeatureFile) -> dict[str, Result]:
    """Return the Inception Score of class probabilities: of all rows, and over ten splits."""
    from fkeax.diversity import inception_score

    splits = min(10, len(file.array))
    try:
        found = inception_score(file.read(), num_splits=splits)
    except ValueError as error:
        raise ValueError(f"{file.label!r}: {error}") from None
    return {result.name: result for result in (found.whole, found.splits)}


def show(results: dict[str, Result]) -> None:
    """Print the table, and what the numbers are about."""
    rows = [
        (name, tables.format_number(result.value, result.stderr), tables.format_stderr(result.stderr))
        for name, result in results.items()
    ]
    tables.print_table(("score", "value", "std. error"), rows)
    last = list(results.values())[-1]
    settings = last.settings
    if last.name.startswith(INCEPTION):
        sizes = f"{settings['num_samples']} rows of probabilities of {settings['num_classes']} classes"
        spread = f"over {settings['num_splits']} splits: standard deviation {_spread(last)}"
        tables.print_notes([f"data: {sizes}", spread])
    else:
        tables.print_notes(tables.describe_settings(settings, last.diagnostics))
        tables.print_notes(["...-class-mean: plain mean over classes, each counting the same"])
    tables.print_notes(tables.warnings_of(results))


def _spread(result: Result) -> str:
    spread = result.diagnostics["std_over_splits"]
    return tables.format_number(spread if isinstance(spread, float) else None)
