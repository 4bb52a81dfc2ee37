"""FKEA paper, Fig. 7: scores of a generator's samples against the truncation psi.

The paper truncates StyleGAN3 trained on FFHQ. Here a VAE and a GAN of digits are trained by the experiment, and psi
scales the latent vector (`generators` says how that differs). Precision and recall against the real digits stand
beside: what is gained in variety is paid for in typicality.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import fkeax
from experiments import data
from experiments.experiment import Experiment, Finding, Table
from experiments.fkea import generated, scoring, shown
from experiments.fkea.params import TruncationParams
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import checked_params
from fkeax.report import Curve, ModePanel, mode_grid, score_curves
from fkeax.results import Result

SUPPORTED = {"encoder": generated.ENCODERS, "estimator": ("fkea",), "inference": ("none", "jackknife")}
QUALITY = ("precision", "recall")


def inputs(config: Config) -> Mapping[str, str]:
    """Return names and SHA-256 of what the experiment will read."""
    return data.image_source(config.data.name).inputs(config.data)


def files(config: Config) -> list[Path]:
    """Return the user's own files that the experiment reads."""
    return data.image_source(config.data.name).files(config.data)


def run(config: Config) -> Outcome:
    """Train the generators where that was not done yet, draw at every psi, and score.

    Raises:
        ValueError: The configuration asks for what this experiment does not do.
    """
    params = checked_params(config, TruncationParams, SUPPORTED)
    if list(params.psis) != sorted(set(params.psis)) or not params.psis or params.psis[0] < 0:
        raise ValueError(f"params.psis must be ascending numbers, not negative; got {list(params.psis)}.")
    trained = generated.train_all(config, params)
    real = generated.encoded(config, trained, trained.digits.images)
    bandwidth = scoring.bandwidth_of(real, config)
    results: list[Result] = []
    arrays: dict[str, np.ndarray] = {}
    for name, sampler in trained.samplers.items():
        for number, psi in enumerate(params.psis):
            pictures = generated.drawn(config, sampler, number, params.num_samples, psi)
            rows = generated.encoded(config, trained, pictures)
            found = scoring.scores(rows, config, bandwidth)
            quality = fkeax.prdc(real, rows)
            found += [quality[word] for word in QUALITY]
            scoring.log_scores(f"{name}, psi {psi:g}", found)
            results += [scoring.with_settings(result, {"generator": name, "psi": psi}) for result in found]
            arrays[f"{name}_{number}"] = generated.montage_bytes(pictures[: params.num_top_samples])
    whole = scoring.scores(real[: params.num_samples], config, bandwidth)
    results += [scoring.with_settings(result, {"generator": "real digits"}) for result in whole]
    what = data.image_source(config.data.name).description(config.data)
    return Outcome(
        title=f"{config.title} (stand-in for StyleGAN3 on FFHQ: a VAE and a GAN trained on {what}, "
        f"n = {params.num_samples:,} at each psi, {config.encoder.name})",
        results=results,
        arrays=arrays,
        headline=float(next(result for result in results if result.name == "rke")),
        data={"source": trained.digits.source, "licence": trained.digits.licence},
    )


def _generators(run: RunFolder) -> list[str]:
    return [name for name in dict.fromkeys(str(r.settings["generator"]) for r in run.results) if "real" not in name]


def _quality(run: RunFolder, generator: str, name: str) -> Curve:
    found = [result for result in generated.results_of(run, generator) if result.name == name]
    psis = [float(str(result.settings["psi"])) for result in found]
    values, errors = [result.value for result in found], [result.stderr for result in found]
    return Curve(f"{name}, {generator}", psis, values, errors)


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the scores of each generator, and samples at every psi."""
    numbers = shown.numbers(run.results[0])
    panels: dict[str, list[Curve]] = {}
    for name in _generators(run):
        for title, curves in shown.score_panels(generated.results_of(run, name), "psi").items():
            panels[f"{name}: {title}"] = curves
    keep = [title for title in panels if "1.5" not in title]
    samples = []
    for name in _generators(run):
        for number, psi in enumerate(_quality(run, name, "precision").x):
            pictures = run.arrays[f"{name}_{number}"].astype(np.float64) / 255
            samples.append(ModePanel(f"{name}, psi = {psi:g}", list(pictures)))
    columns = len(samples) // max(len(_generators(run)), 1)
    return shown.compact(
        {
            "scores": score_curves(
                {title: panels[title] for title in keep}, x_label="psi", title=shown.heading(run.title, numbers)
            ),
            "samples": mode_grid(samples, title=shown.heading(run.title), num_columns=columns),
        }
    )


def findings(run: RunFolder) -> list[Finding]:
    """Return the claim of the paper for each generator, and what variety costs."""
    found = []
    for name in _generators(run):
        one = shown.trend(
            generated.results_of(run, name),
            "psi",
            claim=f"scores increase with the truncation factor ({name})",
            symbol="psi",
        )
        found.append(one)
    parts, traded = [], []
    for name in _generators(run):
        precision, recall = (_quality(run, name, word) for word in QUALITY)
        parts.append(
            f"{name}: precision {precision.values[0]:.2f} to {precision.values[-1]:.2f}, "
            f"recall {recall.values[0]:.2f} to {recall.values[-1]:.2f}"
        )
        traded.append(
            (precision.values[0] or 0) > (precision.values[-1] or 0)
            and (recall.values[0] or 0) < (recall.values[-1] or 0)
        )
    agrees = "yes" if all(traded) else f"for {sum(traded)} of {len(traded)} generators"
    found.append(Finding("truncation trades variety for typicality (as for StyleGAN)", "; ".join(parts), agrees))
    return found


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the scores against psi for each generator."""
    found = {}
    for name in _generators(run):
        table = shown.score_table(generated.results_of(run, name), "psi", caption=f"Scores against psi, {name}.")
        quality = [_quality(run, name, word).values for word in QUALITY]
        rows = [
            [*row, *(None if value is None else round(value, 3) for value in values)]
            for row, values in zip(table.rows, zip(*quality, strict=True), strict=True)
        ]
        found[name] = Table(table.caption, [*table.header, *QUALITY], rows)
    return found


EXPERIMENT = Experiment(
    place="FKEA paper, Fig. 7", run=run, draw=draw, findings=findings, inputs=inputs, files=files, tables=tables
)
