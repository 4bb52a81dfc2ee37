"""`fkeax test`: do generated samples come from the law of the reference? A calibrated permutation test."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fkeax.cli import costs, options, outputs, parameters, running, tables

if TYPE_CHECKING:
    from fkeax.twosample import TwoSampleTest

NESTED = ("kernels", "settings", "diagnostics")
METHODS = ("mmdagg", "fuse", "mmd", "sweep", "frechet")


def two_sample(
    context: outputs.Context,
    reference: parameters.ReferenceArgument,
    generated: parameters.FeaturesArgument,
    method: Annotated[str, typer.Option(help=f"The statistic: {', '.join(METHODS)}.")] = "mmdagg",
    alpha: Annotated[float, typer.Option(help="Level: the largest chance of rejecting a true null hypothesis.")] = 0.05,
    num_permutations: parameters.PermutationsOption = None,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|files|none",
            help="A label for each row, REF's rows first, then GEN's; rows of one label move together. files: one "
            "label for each file of a folder.",
        ),
    ] = None,
    seed: parameters.SeedOption = 0,
    json: parameters.JsonOption = None,
    table: parameters.TableOption = None,
) -> None:
    """Test whether two sets of samples come from one law.

    Example: fkeax test REF.npy GEN.npy --method mmd --alpha 0.05 --json test.json
    """
    started = time.time()
    options.choose("--method", method, METHODS)
    target = outputs.check_outputs(context, json, generated, reference, groups, table=table)

    import jax

    from fkeax.io import describe_run
    from fkeax.twosample import two_sample_test

    files = [running.features(path) for path in (reference, generated)]
    labels = running.labels_of_rows(groups, *files)
    own = {} if num_permutations is None else {"num_permutations": num_permutations}
    (num_ref, dimension), (num_gen, _) = (file.array.shape for file in files)
    costs.announce_test(method, (num_ref, num_gen), dimension, num_permutations)
    with running.naming_pair(*files), running.spinner(f"{method} test ..."):
        found = two_sample_test(
            files[0].read(),
            files[1].read(),
            method=method,
            alpha=alpha,
            groups=labels,
            key=jax.random.key(seed),
            **own,
        )
    _show(found)
    if target.wanted:
        named = {"--method": method, "--alpha": alpha, "--num-permutations": num_permutations, "--groups": groups}
        command = [*options.command_words("test", reference, {}), generated]
        command += options.option_words({**named, "--seed": seed, "--json": json, "--table": table})
        inputs = [*(path for file in files for path in file.paths), *running.files_of(groups)]
        provenance = describe_run(command=command, seed=seed, inputs=inputs, started=started, references=files[0].paths)
        # The decision in front; kernels, settings and diagnostics are in the result.
        verdict = {key: value for key, value in found.to_dict().items() if key not in NESTED}
        target.write([found.to_result()], provenance, verdict)


def _show(found: TwoSampleTest) -> None:
    verdict = "reject: the samples come from different laws" if found.reject else "do not reject: no difference seen"
    rows: list[tuple[str, str]] = [
        ("p-value", f"{found.p_value:.4g}" + (f" {tables.format_stderr(found.p_stderr)}" if found.p_stderr else "")),
        ("z", "-" if found.z is None else f"{found.z:.2f}"),
        ("statistic", f"{found.statistic:.5g}"),
        ("permutations", f"{found.num_permutations}"),
    ]
    tables.print_table((f"{found.method} at level {found.alpha:g}", ""), rows)
    print(verdict)
    print(f"data: {found.n_ref} reference and {found.n_gen} generated samples; {found.scheme}")
    fired = [report for report in found.kernels if report.fired]
    if len(found.kernels) > 1:
        shown = ", ".join(f"{report.name} at {report.bandwidth:.3g}" for report in fired if report.bandwidth) or "none"
        print(f"kernels that fired, {len(fired)} of {len(found.kernels)}: {shown}")
    warnings: Any = found.diagnostics.get("warnings")
    tables.print_notes(f"warning: {warning}" for warning in (warnings if isinstance(warnings, list) else []))
