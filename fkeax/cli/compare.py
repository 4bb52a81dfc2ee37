"""`fkeax compare`: four questions about generated samples, each with its own quantity and calibration."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from fkeax.cli import options, outputs, parameters, running, tables
from fkeax.cli.two_sample import METHODS

if TYPE_CHECKING:
    from fkeax.results import Result
    from fkeax.sensitivity import FourQuestions


def compare(
    context: outputs.Context,
    reference: parameters.ReferenceArgument,
    generated: parameters.FeaturesArgument,
    train: Annotated[
        str | None,
        typer.Option(
            metavar="TRAIN.npy", help="Features of what the model was trained on, none of it in REF: for copying."
        ),
    ] = None,
    method: Annotated[str, typer.Option(help=f"Of the distribution test: {', '.join(METHODS)}.")] = "mmdagg",
    alpha: Annotated[float, typer.Option(help="Level of each question.")] = 0.05,
    num_permutations: parameters.SinglePermutationsOption = 199,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.npy",
            help="A label for each row, REF's rows first, then GEN's; rows of one label move together.",
        ),
    ] = None,
    seed: parameters.SeedOption = 0,
    json: parameters.JsonOption = None,
    table: parameters.TableOption = None,
) -> None:
    """Compare samples with a reference by law, location and covariance, spectrum, and copying, each on its own scale.

    Example: fkeax compare REF.npy GEN.npy --json compare.json
    """
    started = time.time()
    options.choose("--method", method, METHODS)
    files = outputs.check_outputs(context, json, generated, reference, train, groups, table=table)

    import jax

    from fkeax.io import describe_run
    from fkeax.sensitivity import four_questions

    base, made = running.features(reference), running.features(generated)
    seen = None if train is None else running.features(train)
    labels = running.labels_of_rows(groups, base, made)
    others = {} if seen is None else {"training": seen}
    with running.naming_pair(base, made, **others), running.spinner("four questions ..."):
        found = four_questions(
            base.read(),
            made.read(),
            key=jax.random.key(seed),
            training=None if seen is None else seen.read(),
            alpha=alpha,
            method=method,
            groups=labels,
            num_permutations=num_permutations,
        )
    _show(found)
    if files.wanted:
        named = {"--train": train, "--method": method, "--alpha": alpha, "--num-permutations": num_permutations}
        command = [*options.command_words("compare", reference, {}), generated]
        command += options.option_words({**named, "--groups": groups, "--seed": seed, "--json": json, "--table": table})
        opened = [base, made] if seen is None else [base, made, seen]
        inputs = [*(path for file in opened for path in file.paths), *running.files_of(groups)]
        provenance = describe_run(command=command, seed=seed, inputs=inputs, references=base.paths, started=started)
        files.write(found.to_results(), provenance, {"four_questions": found.to_dict()})


def _show(found: FourQuestions) -> None:
    rows = [
        (answer.question if place == 0 else "", result.name, tables.format_number(result.value), _p_value(result))
        for answer in found.answers
        for place, result in enumerate(answer.results)
    ]
    tables.print_table(("question", "quantity", "value", "p-value"), rows)
    tables.print_notes(f"{answer.question}: {answer.verdict}" for answer in found.answers)
    tables.print_notes(f"warning: {warning}" for warning in found.warnings)


def _p_value(result: Result) -> str:
    p = result.diagnostics.get("p_value")
    return f"{p:.2g}" if isinstance(p, float) else "-"
