"""Scores of generated samples against a reference: which function computes each, and what the table says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fkeax.cli import tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from fkeax.io import FeatureFile
    from fkeax.results import Result

FRONTIER = ("mauve", "fi", "mid")
KERNEL = ("kid", "kid-subsets", "kad", "kad-shipped", "cmmd", "mmd")
MANIFOLD = ("precision", "recall", "density", "coverage")
NOVELTY = ("ken", "finc", "rrke")
METRICS = (*FRONTIER, *KERNEL, "frechet", *MANIFOLD, *NOVELTY)
ALIASES = {"fid": ("frechet",), "prdc": MANIFOLD}
SHOWN_MODES, SHOWN_SAMPLES = 3, 8
LIKE = ("mauve-text", "paper", "exact")


def scores(
    reference: FeatureFile, generated: FeatureFile, metrics: Sequence[str], *, request: dict[str, Any], seed: int
) -> dict[str, Result]:
    """Return the results of relative metrics by name, in the order asked for, each frontier or manifold found once."""
    import jax

    from fkeax import twosample
    from fkeax.frontier import frontier

    pair = (reference.read(), generated.read())
    key = jax.random.key(seed)
    single = {
        "kid": twosample.kid,
        "kid-subsets": twosample.kid_subsets,
        "kad": twosample.kad,
        "kad-shipped": twosample.kad_shipped,
        "cmmd": twosample.cmmd,
        "frechet": twosample.frechet,
    }
    found: dict[str, Result] = {}
    if any(metric in FRONTIER for metric in metrics):
        summaries = frontier(*pair, like=request["like"], key=key)
        kept = [name for name in summaries if name.split("-")[0] in metrics]
        found |= {name: summaries[name] for name in kept}
    for metric in metrics:
        if metric == "mmd":
            distance = twosample.mmd(*pair, kernel=request["kernel"], bandwidth=request["bandwidth"], key=key)
            found[distance.name] = distance
        elif metric in NOVELTY:
            found |= _novelty(metric, pair, request, key)
        elif metric in single:
            found[metric] = single[metric](*pair, key=key)
    manifolds = [metric for metric in metrics if metric in MANIFOLD]
    if manifolds:
        of_manifolds = twosample.prdc(*pair, key=key)
        found |= {metric: of_manifolds[metric] for metric in manifolds}
    return found


def _novelty(metric: str, pair: tuple[np.ndarray, np.ndarray], request: dict[str, Any], key: Any) -> dict[str, Result]:
    """Return the results of a diversity score relative to the reference."""
    from fkeax import diversity

    shared = {name: request[name] for name in ("kernel", "bandwidth", "features", "num_frequencies", "batch_size")}
    if metric == "rrke":
        return {"rrke": diversity.rrke(*pair, **shared, key=key)}
    novelty = {"ken": diversity.ken, "finc": diversity.finc}[metric](*pair, eta=request["eta"], **shared, key=key)
    return {result.name: result for result in (novelty.score, novelty.mass)}


def _novel_modes(result: Result) -> list[str]:
    """Say which generated samples show the leading novel modes."""
    modes = result.diagnostics.get("modes")
    return [
        f"{result.name}, novel mode {rank}: {tables.format_share(mode['share'])} of the novel mass; rows "
        + ", ".join(str(row) for row in mode["samples"][:SHOWN_SAMPLES])
        for rank, mode in enumerate(modes[:SHOWN_MODES] if isinstance(modes, list) else [], start=1)
    ]


def show(results: dict[str, Result]) -> None:
    """Print the table of relative scores, and what it takes to read them."""
    rows = [
        (name, tables.format_number(result.value, result.stderr), tables.format_stderr(result.stderr))
        for name, result in results.items()
    ]
    tables.print_table(("score", "value", "std. error"), rows)
    settings = next(iter(results.values())).settings
    sizes = f"{settings['n_ref']} reference and {settings['n_gen']} generated samples"
    tables.print_notes([f"data: {sizes} of dimension {settings['dimension']}"])
    tables.print_notes(tables.meanings_of(list(results.values())))
    for result in results.values():
        tables.print_notes(_novel_modes(result))
    tables.print_notes(tables.warnings_of(results))
