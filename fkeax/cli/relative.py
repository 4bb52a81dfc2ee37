"""Scores of generated samples against a reference: which function computes each, and what the table says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fkeax.cli import tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fkeax.io import FeatureFile
    from fkeax.results import Result

FRONTIER = ("mauve", "fi", "mid")
KERNEL = ("kid", "kid-subsets", "kad", "kad-shipped", "cmmd", "mmd")
MANIFOLD = ("precision", "recall", "density", "coverage")
METRICS = (*FRONTIER, *KERNEL, "frechet", *MANIFOLD)
ALIASES = {"fid": ("frechet",), "prdc": MANIFOLD}
LIKE = ("mauve-text", "paper", "exact")
MEANINGS = {
    "mauve": "area under the divergence frontier; 1 for equal laws, biased low by about buckets / n",
    "mauve-debiased": "the same less its first-order bias; may leave [0, 1] by noise",
    "kid": "unbiased: at equal laws it is 0 on average, and can be negative",
    "frechet": "biased upward by about d / n; compare only at equal n",
}


def scores(
    reference: FeatureFile, generated: FeatureFile, metrics: Sequence[str], *, request: dict[str, Any], seed: int
) -> dict[str, Result]:
    """Return the results of relative metrics by name, in the order asked for, each frontier or manifold found once."""
    import jax

    from fkeax import twosample
    from fkeax.frontier import frontier

    pair = (reference.array, generated.array)
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
        elif metric in single:
            found[metric] = single[metric](*pair, key=key)
    manifolds = [metric for metric in metrics if metric in MANIFOLD]
    if manifolds:
        of_manifolds = twosample.prdc(*pair, key=key)
        found |= {metric: of_manifolds[metric] for metric in manifolds}
    return found


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
    tables.print_notes(f"{name}: {meaning}" for name, meaning in MEANINGS.items() if name in results)
    tables.print_notes(tables.warnings_of(results))
