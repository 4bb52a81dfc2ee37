"""`fkeax frontier`: divergence frontiers of one or several sets of samples against a reference, on one plot."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fkeax.cli import costs, options, outputs, parameters, relative, running, tables

if TYPE_CHECKING:
    from fkeax.frontier import FrontierEstimate
    from fkeax.results import Result

GENERATORS = ("kl", "chi2")
METHODS = ("quantized", "nearest", "kde", "classifier", "gaussian", "transport")


def frontier(
    context: outputs.Context,
    reference: parameters.ReferenceArgument,
    generated: Annotated[list[str], typer.Argument(metavar="GEN.npy...", help="Features of each set of samples.")],
    method: Annotated[str, typer.Option(help=f"The estimator: {', '.join(METHODS)}.")] = "quantized",
    generator: Annotated[str, typer.Option(help="The f of the divergence: kl or chi2.")] = "kl",
    like: parameters.LikeOption = "mauve-text",
    scale: Annotated[float, typer.Option(help="The constant c of the area.")] = 5.0,
    seed: parameters.SeedOption = 0,
    json: parameters.JsonOption = None,
    table: parameters.TableOption = None,
    figure: parameters.FigureOption = None,
) -> None:
    """Compare samples with a reference by their divergence frontiers: MAUVE, frontier integral, mid-point.

    Example: fkeax frontier REF.npy GEN.npy --figure frontier.svg
    """
    started = time.time()
    options.choose("--method", method, METHODS)
    if len(set(generated)) < len(generated):
        raise ValueError("GEN.npy... names one file twice; name each set of samples once.")
    options.choose("--generator", generator, GENERATORS)
    options.choose("--like", like, relative.LIKE)
    target = outputs.check_outputs(context, json, reference, *generated, table=table)
    picture = options.check_figure(figure, reference, *generated, json, table)

    import jax

    from fkeax.frontier import estimate_frontier
    from fkeax.io import describe_run

    base = running.features(reference)
    found: dict[str, FrontierEstimate] = {}
    files = {path: running.features(path) for path in generated}
    for path, file in files.items():
        costs.announce_frontier(method, (base.array.shape[0], file.array.shape[0]), base.array.shape[1])
        with running.naming_pair(base, file), running.spinner(f"{path} ..."):
            found[path] = estimate_frontier(
                base.read(),
                file.read(),
                method=method,
                generator=generator,
                like=like,
                scale=scale,
                key=jax.random.key(seed),
            )
    _show(found)
    results = [_named(result, path) for path, estimate in found.items() for result in estimate.results.values()]
    if target.wanted:
        named = {"--method": method, "--generator": generator, "--like": like, "--scale": scale, "--seed": seed}
        command = ["fkeax", "frontier", reference, *generated]
        command += options.option_words({**named, "--json": json, "--table": table, "--figure": figure})
        inputs = [*base.paths, *(path for file in files.values() for path in file.paths)]
        provenance = describe_run(command=command, seed=seed, inputs=inputs, started=started, references=base.paths)
        target.write(results, provenance, {"frontiers": [_points(path, estimate) for path, estimate in found.items()]})
    if picture is not None:
        _draw(found, picture, reference)
        print(f"written: {figure}")
    outputs.finish(results)


def _named(result: Any, path: str) -> Any:
    """Return a result that knows which file it is of."""
    import dataclasses

    return dataclasses.replace(result, settings={**result.settings, "generated": path})


def _show(found: dict[str, FrontierEstimate]) -> None:
    names = list(dict.fromkeys(name for estimate in found.values() for name in estimate.results))
    rows = [
        (
            path,
            _sizes(estimate.results[name]),
            name,
            tables.format_number(estimate.results[name].value, estimate.results[name].stderr),
            tables.format_stderr(estimate.results[name].stderr),
        )
        for name in names
        for path, estimate in found.items()
    ]
    tables.print_table(("samples", "n", "score", "value", "std. error"), rows)
    first = next(iter(found.values()))
    tables.print_notes(["n: reference and generated samples"])
    tables.print_notes(tables.meanings_of(list(first.results.values())))
    for estimate in found.values():
        tables.print_notes(tables.warnings_of(estimate.results))


def _sizes(result: Result) -> str:
    return f"{result.settings['n_ref']} and {result.settings['n_gen']}"


def _points(path: str, estimate: FrontierEstimate) -> dict[str, Any]:
    """Return the points of a frontier for JSON: at each mixture of weight l of the reference, both divergences."""
    import numpy as np

    curve = estimate.curve
    named = {
        "weights": curve.mixtures.of_p,
        "divergence_p": curve.divergence_p,
        "divergence_q": curve.divergence_q,
    }
    points = {
        name: [value if np.isfinite(value) else None for value in np.asarray(array, np.float64).tolist()]
        for name, array in named.items()
    }
    return {"generated": path, "scale": estimate.results["mauve"].settings["scale"], **points}


def _draw(found: dict[str, FrontierEstimate], path: Any, reference: str) -> None:
    from fkeax.report import frontier_curves, frontier_line, save_figure

    lines = [frontier_line(_points(name, estimate), estimate.results["mauve"]) for name, estimate in found.items()]
    save_figure(frontier_curves(lines, title=f"Divergence frontiers against {reference}"), path)
