"""`fkeax score`: VENDI and RKE of one file of features, by any route."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fkeax.cli import applicability, by_class, caching, costs, options, outputs, parameters, relative, running, tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np

    from fkeax.io import FeatureFile
    from fkeax.results import Result


def score(
    context: outputs.Context,
    features: parameters.FeaturesArgument,
    ref: parameters.ReferenceOption = None,
    metrics: Annotated[
        str,
        typer.Option(
            help=f"Diversity: {', '.join(options.METRICS)}. Against --ref: {', '.join(relative.METRICS)}, and fid and "
            f"prdc for what they stand for. Of class probabilities in the place of features: {by_class.INCEPTION}."
        ),
    ] = "vendi,vendi-debiased,rke",
    orders: Annotated[str, typer.Option(help="Orders of VENDI, numbers from 0 to inf.")] = "1,1.5,2,inf",
    method: parameters.MethodOption = "auto",
    kernel: parameters.KernelOption = "gaussian",
    bandwidth: parameters.BandwidthOption = None,
    bandwidth_from: parameters.BandwidthFromOption = None,
    feature_scheme: parameters.FeaturesOption = "iid",
    num_frequencies: parameters.FrequenciesOption = 2000,
    num_draws: parameters.DrawsOption = 1,
    num_landmarks: parameters.LandmarksOption = 1000,
    num_kept: parameters.KeptOption = None,
    groups: parameters.GroupsOption = None,
    labels: parameters.LabelsOption = None,
    eta: parameters.EtaOption = 1.0,
    intervals: parameters.IntervalsOption = False,
    like: parameters.LikeOption = "mauve-text",
    seed: parameters.SeedOption = 0,
    batch_size: parameters.BatchOption = 4096,
    memory_budget: parameters.BudgetOption = None,
    spectrum: parameters.SpectrumOption = "dense",
    dtype: parameters.DtypeOption = "auto",
    json: parameters.JsonOption = None,
    table: parameters.TableOption = None,
    cache: parameters.CacheOption = None,
) -> None:
    """Score the diversity of samples, the effective number of different ones, or compare them with a reference.

    Example: fkeax score GEN.npy --bandwidth 7 --json out.json

    Example: fkeax score GEN.npy --ref REF.npy --metrics mauve,kid,fid,prdc

    Example: fkeax score GEN.npy --ref REF.npy --metrics ken,finc,rrke --bandwidth 7
    """
    started = time.time()
    own, against = _checked_metrics(metrics, ref)
    request = options.score_request(
        own,
        orders=orders,
        method=method,
        kernel=kernel,
        bandwidth=bandwidth,
        feature_scheme=feature_scheme,
        # Most relative scores bring a kernel of their own.
        needs_bandwidth=bool(set((*own, *against)) & set(applicability.WITH_KERNEL)),
        num_frequencies=num_frequencies,
        num_draws=num_draws,
        num_landmarks=num_landmarks,
        num_kept=num_kept,
        intervals=intervals,
        batch_size=batch_size,
        memory_budget=memory_budget,
        spectrum=options.choose("--spectrum", spectrum, options.SPECTRA),
    )
    options.choose("--dtype", dtype, options.DTYPES)
    options.choose("--like", like, relative.LIKE)
    every = (*own, *against)
    applicability.refuse_idle(context, every)
    if labels is not None and (against or groups is not None):
        raise ValueError("--labels is for diversity scores of every class, without --ref and --groups; leave them out.")
    target = outputs.check_outputs(context, json, features, ref, bandwidth_from, groups, labels, table=table)
    store = caching.check_cache(cache)
    named = {f"--{name.replace('_', '-')}": options.as_words(value) for name, value in request.items()}
    named |= {"--metrics": metrics, "--ref": ref, "--like": like, "--bandwidth-from": bandwidth_from}
    named |= {"--labels": labels, "--eta": eta}
    named |= {"--groups": groups, "--seed": seed, "--dtype": dtype, "--json": json, "--table": table}
    named = applicability.without(named, applicability.idle(every, intervals=intervals))

    from fkeax.io import describe_run

    file = running.features(features)
    request["bandwidth"] = running.bandwidth_of_reference(
        request["bandwidth"], bandwidth_from, request["kernel"], seed, file
    )
    request |= {"like": like, "eta": eta}
    request["groups"] = (
        None if labels is not None or by_class.INCEPTION in own else running.labels_of_rows(groups, file)
    )
    classes = None if labels is None else running.labels_from_file("--labels", labels, len(file.array))
    reference = None if ref is None else running.features(ref)
    inputs = [*file.paths, *(() if reference is None else reference.paths)]
    inputs += running.files_of(bandwidth_from, groups, labels)
    entries = caching.open_cache(store, (file, reference), inputs, named)
    results: dict[str, Result] = {}
    for part, compute, show_part in _parts(own, against, file, reference, classes, request, (seed, dtype)):
        found = caching.kept(entries, part, compute)
        show_part(found)
        if part == "diversity":
            route = next(iter(found.values())).settings["estimator"]
            tables.print_notes(applicability.notes_on_route(context, route))
        results |= found
    tables.print_notes(caching.notes(entries))
    if target.wanted:
        command = options.command_words("score", features, named)
        compared_with = () if reference is None else reference.paths
        provenance = describe_run(command=command, seed=seed, inputs=inputs, started=started, references=compared_with)
        target.write(results.values(), provenance | {"from_cache": [] if entries is None else entries.hits})
    outputs.finish(results.values())


def _checked_metrics(words: str, reference: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the metrics of the samples alone, and those against a reference."""
    names = options.parse_metrics(words, (*options.METRICS, *relative.METRICS, by_class.INCEPTION), relative.ALIASES)
    if by_class.INCEPTION in names and (len(names) > 1 or reference is not None):
        raise ValueError(
            f"{by_class.INCEPTION} reads class probabilities, other metrics features; ask for it alone, without --ref."
        )
    own = tuple(name for name in names if name in (*options.METRICS, by_class.INCEPTION))
    against = tuple(name for name in names if name not in own)
    if against and reference is None:
        raise ValueError(f"{against[0]} compares with a reference; give its features as --ref REF.npy.")
    if reference is not None and not against:
        raise ValueError(
            f"--ref is for scores against a reference; name some as --metrics {','.join(relative.METRICS)}."
        )
    return own, against


def _parts(
    own: Sequence[str],
    against: Sequence[str],
    file: FeatureFile,
    reference: FeatureFile | None,
    classes: np.ndarray | None,
    request: dict[str, Any],
    drawn: tuple[int, str],
) -> Iterator[tuple[str, Callable[[], dict[str, Result]], Callable[[dict[str, Result]], None]]]:
    """Yield what is asked for, part by part: its name, what computes it and what shows it.

    Args:
        own: Metrics of the samples alone.
        against: Metrics of the samples and the reference.
        file: The samples.
        reference: The reference.
        classes: A class for each row; None without labels.
        request: The options of all scores.
        drawn: Seed and dtype.
    """
    of_diversity = {name: value for name, value in request.items() if name not in ("like", "eta")}
    if by_class.INCEPTION in own:
        yield "inception", lambda: by_class.inception(file), by_class.show
    elif classes is not None:
        yield "classes", lambda: by_class.scores(file, classes, of_diversity, *drawn), by_class.show
    elif own:
        yield "diversity", lambda: _compute(file, of_diversity, *drawn), show
    if reference is not None:
        yield "reference", lambda: _compare(reference, file, against, request, *drawn), relative.show


def _compare(
    reference: FeatureFile, file: FeatureFile, metrics: Sequence[str], request: dict[str, Any], seed: int, dtype: str
) -> dict[str, Result]:
    with running.precision(dtype), running.naming_pair(reference, file), running.spinner("comparing ..."):
        return relative.scores(reference, file, metrics, request=request, seed=seed)


def _compute(file: FeatureFile, request: dict[str, Any], seed: int, dtype: str) -> dict[str, Result]:
    import jax

    import fkeax
    from fkeax.diversity import plan
    from fkeax.diversity.plan import memory_bytes

    array = file.array
    num_samples, dimension = array.shape
    with running.precision(dtype), running.naming_file(file):
        planned = plan(
            num_samples,
            dimension,
            **{
                name: request[name]
                for name in ("kernel", "method", "num_frequencies", "num_draws", "num_landmarks", "batch_size")
            },
            dtype="float64" if dtype == "float64" else "float32",
            memory_budget=memory_bytes(request["memory_budget"]),
        )
        costs.announce_scores(planned, num_samples, dimension, request["num_frequencies"], request["num_draws"])
        key = jax.random.key(seed)
        needs_all_rows = isinstance(request["bandwidth"], str) or request["groups"] is not None or request["intervals"]
        streamed = planned.route == "fkea" and not needs_all_rows and num_samples > planned.batch_size
        if streamed:
            # The same batches that the core would cut itself, hence the same numbers, but with a progress bar.
            with running.progress_batches(array, planned.batch_size, dtype) as batches:
                results = fkeax.score(batches, **{**request, "method": "fkea"}, key=key)
            return {name: _with_plan(result, planned.to_dict()) for name, result in results.items()}
        with running.spinner(f"{planned.route} route ..."):
            return fkeax.score(running.widened(array, dtype), **request, key=key)


def _with_plan(result: Result, planned: dict[str, Any]) -> Result:
    # The plan of a stream does not know how many samples come; the file does.
    return dataclasses.replace(result, diagnostics={**result.diagnostics, "plan": planned})


def show(results: dict[str, Result]) -> None:
    """Print the table of diversity scores, and what it takes to read them."""
    rows = [
        (
            name,
            tables.format_number(result.value, result.stderr),
            tables.format_stderr(result.stderr),
            tables.format_interval(result.diagnostics.get("interval"), result.stderr),
        )
        for name, result in results.items()
    ]
    columns = 4 if any(row[3] for row in rows) else 3
    tables.print_table(("score", "value", "std. error", "95 % interval")[:columns], [row[:columns] for row in rows])
    any_result = next(iter(results.values()))
    tables.print_notes(tables.describe_settings(any_result.settings, any_result.diagnostics))
    tables.print_notes([*tables.meanings_of(list(results.values())), *tables.warnings_of(results)])
