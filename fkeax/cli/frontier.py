"""`fkeax frontier`: divergence frontiers of one or several sets of samples against a reference, on one plot."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fkeax.cli import options, outputs, parameters, relative, running, tables

if TYPE_CHECKING:
    from fkeax.frontier import FrontierEstimate

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
        target.write(results, provenance)
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
            name,
            tables.format_number(estimate.results[name].value, estimate.results[name].stderr),
            tables.format_stderr(estimate.results[name].stderr),
        )
        for name in names
        for path, estimate in found.items()
    ]
    tables.print_table(("samples", "score", "value", "std. error"), rows)
    first = next(iter(found.values()))
    tables.print_notes(f"{name}: {meaning}" for name, meaning in relative.MEANINGS.items() if name in first.results)
    for estimate in found.values():
        tables.print_notes(tables.warnings_of(estimate.results))


def _draw(found: dict[str, FrontierEstimate], path: Any, reference: str) -> None:
    import numpy as np

    from fkeax.report import FrontierLine, frontier_curves, save_figure

    lines = []
    for name, estimate in found.items():
        area = estimate.results["mauve"]
        c = float(area.settings["scale"])  # pyright: ignore[reportArgumentType]
        missed, excess = (
            np.exp(-c * np.asarray(divergence))
            for divergence in (estimate.curve.divergence_p, estimate.curve.divergence_q)
        )
        lines.append(FrontierLine(f"{name}: MAUVE {tables.format_number(area.value, area.stderr)}", missed, excess))
    save_figure(frontier_curves(lines, title=f"Divergence frontiers against {reference}"), path)
