"""`fkeax curve`: diversity scores along one setting, as a table, a figure and strict JSON."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fkeax.cli import applicability, options, outputs, parameters, running, tables

if TYPE_CHECKING:
    from fkeax.diversity import DiversityCurve
    from fkeax.results import Result

AXES = {
    "num-samples": "number of samples",
    "bandwidth": "bandwidth",
    "num-frequencies": "number of frequencies r",
    "order": "order",
}
AXIS_OPTIONS = {"order": "orders"}  # where the option has another name than the axis


def curve(
    context: outputs.Context,
    features: parameters.FeaturesArgument,
    over: Annotated[str, typer.Option(help=f"The setting on the horizontal axis: {', '.join(AXES)}.")],
    values: Annotated[str, typer.Option(help="Its values, as in 100,300,1000.")],
    metrics: Annotated[str, typer.Option(help=f"Of {', '.join(options.METRICS)}.")] = "vendi,vendi-debiased,rke",
    orders: Annotated[str, typer.Option(help="Orders of VENDI, except along the order.")] = "1",
    method: parameters.MethodOption = "auto",
    kernel: parameters.KernelOption = "gaussian",
    bandwidth: parameters.BandwidthOption = None,
    feature_scheme: parameters.FeaturesOption = "iid",
    num_frequencies: parameters.FrequenciesOption = 2000,
    num_draws: parameters.DrawsOption = 1,
    num_landmarks: parameters.LandmarksOption = 1000,
    num_kept: parameters.KeptOption = None,
    groups: parameters.GroupsOption = None,
    intervals: parameters.IntervalsOption = False,
    seed: parameters.SeedOption = 0,
    batch_size: parameters.BatchOption = 4096,
    dtype: parameters.DtypeOption = "auto",
    json: parameters.JsonOption = None,
    table: parameters.TableOption = None,
    figure: parameters.FigureOption = None,
) -> None:
    """Score samples along one setting: how the scores move with n, bandwidth, frequencies or order.

    Example: fkeax curve GEN.npy --over num-samples --values 100,300,1000 --bandwidth 7 --figure curve.svg
    """
    started = time.time()
    axis = options.choose("--over", over, tuple(AXES)).replace("-", "_")
    grid = options.parse_values("--values", values)
    request = options.score_request(
        options.parse_metrics(metrics),
        orders=orders,
        method=method,
        kernel=kernel,
        bandwidth=str(grid[0]) if axis == "bandwidth" else bandwidth,
        feature_scheme=feature_scheme,
        num_frequencies=num_frequencies,
        num_draws=num_draws,
        num_landmarks=num_landmarks,
        num_kept=num_kept,
        intervals=intervals,
        batch_size=batch_size,
    )
    own_option = AXIS_OPTIONS.get(axis, axis)
    if outputs.given(context, own_option):
        word = f"--{own_option.replace('_', '-')}"
        raise ValueError(f"{word} is what the curve goes over; give its values with --values only.")
    applicability.refuse_idle(context, request["metrics"])
    options.choose("--dtype", dtype, options.DTYPES)
    target = outputs.check_outputs(context, json, features, groups, table=table)
    picture = options.check_figure(figure, features, groups, json, table)
    named = {f"--{name.replace('_', '-')}": options.as_words(value) for name, value in request.items()}
    named.pop(f"--{own_option.replace('_', '-')}", None)
    named = applicability.without(named, applicability.idle(request["metrics"], intervals=intervals))
    named = {"--over": over, "--values": values, **named, "--groups": groups, "--seed": seed, "--dtype": dtype}

    from fkeax.io import describe_run

    file = running.features(features)
    request["groups"] = running.labels_of_rows(groups, file)
    found = _compute(file, axis, grid, request, seed, dtype)
    _show(found, over)
    if target.wanted:
        written = {"--json": json, "--table": table, "--figure": figure}
        command = options.command_words("curve", features, {**named, **written})
        inputs = [*file.paths, *running.files_of(groups)]
        provenance = describe_run(command=command, seed=seed, inputs=inputs, started=started)
        along = {"over": over, "values": [f"{value:.12g}" for value in found.values]}
        target.write(found.results(), provenance | along)
    if picture is not None:
        _draw(found, AXES[over], str(file.path.name), picture)
        print(f"written: {figure}")
    outputs.finish(found.results())


def _compute(
    file: Any, axis: str, grid: tuple[float, ...], request: dict[str, Any], seed: int, dtype: str
) -> DiversityCurve:
    import jax

    from fkeax.diversity import curve as diversity_curve

    own = {name: value for name, value in request.items() if name != axis}
    if axis == "order":
        own.pop("orders")
    with running.precision(dtype), running.naming_file(file), running.spinner(f"{len(grid)} points ..."):
        rows = running.widened(file.array, dtype)
        return diversity_curve(rows, over=axis, values=grid, **own, key=jax.random.key(seed))


def _show(found: DiversityCurve, over: str) -> None:
    rows = [
        (
            name,
            f"{value:g}",
            tables.format_number(result.value, result.stderr),
            tables.format_stderr(result.stderr),
            tables.format_interval(result.diagnostics.get("interval"), result.stderr),
        )
        for name in found.names
        for value, point in zip(found.values, found.points, strict=True)
        if (result := point.get(name)) is not None
    ]
    columns = 5 if any(row[4] for row in rows) else 4
    header = ("score", over, "value", "std. error", "95 % interval")
    tables.print_table(header[:columns], [row[:columns] for row in rows])
    first: Result = next(iter(found.points[-1].values()))
    ends = f"{min(found.values):g} to {max(found.values):g}"
    along = {over.replace("-", "_"): f"{ends} (the axis)"}
    tables.print_notes(tables.describe_settings(first.settings, first.diagnostics, along=along)[:1])
    if any(result.value is None for result in found.results()):
        tables.print_notes(["a dash: the score has no value there; --json holds the reason"])


def _draw(found: DiversityCurve, x_label: str, title: str, path: Any) -> None:
    from fkeax.report import save_figure, score_curves, score_panels

    points = [
        (name, value, result)
        for value, point in zip(found.values, found.points, strict=True)
        for name, result in point.items()
    ]
    save_figure(score_curves(score_panels(points), x_label=x_label, title=title), path)
