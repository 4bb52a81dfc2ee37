"""`fkeax audit`: which changes each configured test detects at a sample budget, on one's own embeddings."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fkeax.cli import options, outputs, parameters, running, tables

if TYPE_CHECKING:
    from fkeax.io import CellStore, FeatureFile
    from fkeax.sensitivity import Audit, Cell, CellName, PowerGrid, Study

# The core's own lists, written again so that help and usage errors need no JAX; a test compares them.
TESTS = ("kid", "kad", "window", "laplace-l1", "mmdagg", "frechet")
DEFAULT_TESTS = "kid,kad,window,laplace-l1,mmdagg"
DEFAULT_CHANGES = "null,shift,rotation,contraction,drop"
FORMAT = 1  # of cells; raised when the meaning of a number changes


def audit(
    context: outputs.Context,
    reference: parameters.ReferenceArgument,
    num_samples: parameters.SideOption = 780,
    num_draws: parameters.TestDrawsOption = 10,
    tests: Annotated[
        str, typer.Option(metavar="LIST", help=f"Of {', '.join(TESTS)}; frechet is slow.")
    ] = DEFAULT_TESTS,
    changes: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="Controlled changes, NAME or NAME=STRENGTH: null, shift, rotation, contraction, drop, collapse, "
            "copies, rank-one, rank-two, ...; a wrong name lists them all.",
        ),
    ] = DEFAULT_CHANGES,
    strengths: Annotated[
        str, typer.Option(metavar="LIST", help="Of changes matched by transport distance, in units of rho.")
    ] = "0.1,0.5",
    alpha: Annotated[float, typer.Option(help="Level of the tests.")] = 0.05,
    num_permutations: parameters.SinglePermutationsOption = 199,
    num_aggregated: parameters.AggregatedOption = 2000,
    groups: parameters.GroupsOption = None,
    cells: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Keep cells here and resume from them; by default in fkeax's cache folder."),
    ] = None,
    seed: parameters.SeedOption = 0,
    json: parameters.JsonOption = None,
    table: parameters.TableOption = None,
    figure: parameters.FigureOption = None,
) -> None:
    """Audit what tests at a sample budget can detect on given embeddings of real data.

    Every finished cell is kept: a command that was stopped or killed goes on where it was, with the same numbers.

    Example: fkeax audit REF.npy --n 10 --draws 2 --tests kid,kad --json audit.json
    """
    started = time.time()
    named = options.split_list("--tests", tests)
    for test in named:
        options.choose("--tests", test, TESTS)
    files = outputs.check_outputs(context, json, reference, groups, table=table)
    picture = options.check_figure(figure, reference, groups, json, table)

    import jax

    from fkeax.numerics import checks
    from fkeax.sensitivity import Effort, PowerGrid, arms_of, prepare_study, summarize

    file = running.features(reference)
    labels = running.labels_of_rows(groups, file)
    wanted = options.split_list("--changes", changes)
    arms = arms_of(wanted, options.parse_values("--strengths", strengths))
    grid = PowerGrid(arms, num_samples, num_draws, tuple(named), Effort(alpha, num_permutations, num_aggregated))
    with running.naming_pair(file, file), running.spinner("moments, modes and bandwidths ..."):
        study = prepare_study(
            jax.random.key(seed),
            file.read(),
            num_samples=num_samples,
            groups=labels,
            changes=[change for change, _ in arms],
            tests=named,
        )
    store = _store(cells, file, study, seed, grid)
    with checks.naming(strength="a strength of --changes or --strengths"):
        found = summarize(study, grid, _computed(study, grid, store))
    _show(found)
    if files.wanted:
        command = ["fkeax", "audit", reference]
        own = {"--n": num_samples, "--draws": num_draws, "--tests": tests, "--changes": changes}
        own |= {"--strengths": strengths, "--alpha": alpha, "--num-permutations": num_permutations}
        own |= {"--num-aggregated": num_aggregated, "--groups": groups, "--cells": cells, "--seed": seed}
        command += options.option_words({**own, "--json": json, "--table": table, "--figure": figure})
        _write(files, found, command, seed, [*file.paths, *running.files_of(groups)], started)
    if picture is not None:
        _draw(found, picture, file)
        print(f"written: {figure}")


def _store(cells: str | None, file: FeatureFile, study: Study, seed: int, grid: PowerGrid) -> CellStore:
    """Return where cells are kept: a folder of one content, seed and effort, whatever the tests, changes and draws."""
    from importlib import metadata

    import jax

    import fkeax
    from fkeax.assets.cache import cache_folder
    from fkeax.io import CellStore, sha256_of_array
    from fkeax.results import dumps

    settings: dict[str, Any] = {
        "format": FORMAT,
        "reference_sha256": file.content_hash,
        "groups_sha256": None if study.pool.groups is None else sha256_of_array(study.pool.groups[:, None]),
        "seed": seed,
        "alpha": grid.effort.alpha,
        "num_permutations": grid.effort.num_permutations,
        "num_aggregated": grid.effort.num_aggregated,
        "x64": bool(jax.config.read("jax_enable_x64")),
        "device": jax.default_backend(),
        "fkeax": fkeax.__version__,
        "jax": metadata.version("jax"),
    }
    digest = hashlib.sha256(dumps(settings).encode()).hexdigest()
    folder = Path(cells) if cells is not None else cache_folder() / "audit" / digest[:32]
    return CellStore(folder, settings)


def _computed(study: Study, grid: PowerGrid, store: CellStore) -> Iterator[Cell]:
    """Yield all cells, kept ones read and others computed and kept, with a progress bar on a terminal."""
    from fkeax.sensitivity import Cell, grid_cost, power_cells

    names = grid.names()
    kept: dict[CellName, Cell] = {}
    for name in names:
        entry = store.read(str(name))
        if entry is not None:
            kept[name] = Cell.from_dict(entry)
    missing = [name for name in names if name not in kept]
    seconds = grid_cost(missing, study.corpus.dimension, grid.effort).seconds(os.cpu_count() or 1)
    print(
        f"{len(names)} cells, {len(kept)} of them from {str(store.folder)!r}, where all are kept; some "
        f"{tables.format_seconds(seconds)} to go",
        file=sys.stderr,
    )
    done = len(kept)
    try:
        with running.progress_bar("cells", len(missing)) as advance:
            for cell in power_cells(study, grid, known=kept.get):
                if cell.name not in kept:
                    store.write(str(cell.name), cell.to_dict())
                    done += 1
                    advance(1, f"{cell.name.change} {cell.name.strength:g}")
                yield cell
    except KeyboardInterrupt:
        print(f"{done} of {len(names)} cells are kept; the same command goes on from there.", file=sys.stderr)
        raise


def _show(found: Audit) -> None:
    rows = []
    for rate in found.rates:
        expected = found.forecast_of(rate)
        low, high = rate.interval
        possible = rate.rate is not None
        rows.append(
            (
                f"{rate.change} {rate.strength:g}" if rate.change != "null" else "null",
                rate.test,
                f"{rate.num_rejections}/{rate.num_draws}" if possible else "not possible",
                f"{low:.2f} to {high:.2f}" if possible else "",
                "-" if expected is None else f"{expected.power:.2f}",
                tables.format_number(rate.mean_z) if rate.mean_z is None else f"{rate.mean_z:.1f}",
                "-" if expected is None else f"{expected.z:.1f}",
                "-" if rate.mean_w2 is None else f"{_SIGNS.get(rate.w2_kind or '', '')}{rate.mean_w2:.3g}",
            )
        )
    header = ("change", "test", "rejected", "95 % interval", "predicted", "mean z", "predicted z", "W2")
    tables.print_table(header, rows)
    tables.print_notes(found.sentences.values())
    tables.print_notes(f"warning: {warning}" for warning in found.warnings)


_SIGNS = {"lower bound": ">= ", "upper bound": "<= "}


def _write(
    files: outputs.Outputs, found: Audit, command: list[str], seed: int, inputs: list[Path], started: float
) -> None:
    from fkeax.io import describe_run

    provenance = describe_run(command=command, seed=seed, inputs=inputs, started=started)
    document = {name: entry for name, entry in found.to_dict().items() if name != "results"}
    files.write(found.to_results(), provenance, document)


def _draw(found: Audit, path: Any, file: FeatureFile) -> None:
    from fkeax.report import AuditCell, audit_grid, save_figure

    fields = [
        AuditCell(
            test=rate.test,
            arm="null" if rate.change == "null" else f"{rate.change} {rate.strength:g}",
            rate=rate.rate,
            interval=rate.interval,
            count=f"{rate.num_rejections}/{rate.num_draws}",
        )
        for rate in found.rates
    ]
    settings = found.settings
    title = (
        f"Draws rejected at level {settings['alpha']:g}, with 95 % intervals:\n"
        f"{settings['num_samples']} samples a side of {file.path.name}, {settings['dimension']} dimensions"
    )
    save_figure(audit_grid(fields, title=title), path)
