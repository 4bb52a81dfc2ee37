"""MAUVE paper, Section 7.7: truncation and architecture of image generators, MAUVE beside the Frechet distance.

The generators are those of the FKEA experiments: a VAE and a GAN trained on digits, in the features of a classifier of
digits. Truncation scales the latent vector, not StyleGAN's mapped one.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import jax

from experiments import data
from experiments.experiment import Experiment, Finding, Table
from experiments.fkea.generated import ENCODERS, drawn, encoded, train_all
from experiments.fkea.params import TruncationParams
from experiments.mauve.comparisons import compared, frechet_distance
from experiments.mauve.panels import Line, Panel, draw_panels
from experiments.mauve.ranks import shown, spearman
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import UNUSED, checked_params
from fkeax.results import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOG = logging.getLogger(__name__)
SUPPORTED = {
    **{group: names for group, names in UNUSED.items() if group not in ("data", "encoder")},
    "encoder": ENCODERS,
}


def inputs(config: Config) -> Mapping[str, str]:
    """Return names and SHA-256 of the digits."""
    return data.image_source(config.data.name).inputs(config.data)


def files(config: Config) -> list[Path]:
    """Return the user's own files of digits."""
    return data.image_source(config.data.name).files(config.data)


def run(config: Config) -> Outcome:
    """Compare samples of both generators at every truncation with the digits they were trained on."""
    params = checked_params(config, TruncationParams, SUPPORTED)
    trained = train_all(config, params)
    count = min(params.num_samples, len(trained.digits.images))
    key = jax.random.key(config.seed)
    order = jax.random.permutation(key, len(trained.digits.images))[:count]
    reference = encoded(config, trained, trained.digits.images[order])
    results = []
    for place, (kind, sampler) in enumerate(trained.samplers.items()):
        for number, psi in enumerate(params.psis):
            pictures = drawn(config, sampler, 100 * place + number, count, psi)
            rows = encoded(config, trained, pictures)
            settings = {"generator": kind, "psi": psi, "num_samples": count}
            results += compared(key, reference, rows, settings)
            results.append(frechet_distance(reference, rows, settings))
            LOG.info("%s, psi = %g: MAUVE %.3f", kind, psi, float(results[-4]))
    what = data.image_source(config.data.name).description(config.data)
    title = f"{config.title} (stand-ins: a VAE and a GAN trained on {what}, n = {count:,}, {config.encoder.name})"
    licence = {"source": trained.digits.source, "licence": trained.digits.licence}
    return Outcome(title, results, {}, None, licence)


def _curve(run: RunFolder, name: str, kind: str) -> list[Result]:
    return [r for r in run.results if r.name == name and r.settings["generator"] == kind]


def _kinds(run: RunFolder) -> list[str]:
    return list(dict.fromkeys(str(r.settings["generator"]) for r in run.results))


def findings(run: RunFolder) -> list[Finding]:
    """Return the abstract's claims beside the correlations."""
    both = {name: [float(r) for kind in _kinds(run) for r in _curve(run, name, kind)] for name in ("mauve", "frechet")}
    within = {
        kind: spearman(
            [float(r) for r in _curve(run, "mauve", kind)], [-float(r) for r in _curve(run, "frechet", kind)]
        )
        for kind in _kinds(run)
    }
    overall = spearman(both["mauve"], [-value for value in both["frechet"]])
    listed = ", ".join(f"{kind} {value:.3f}" for kind, value in within.items())
    best = {kind: max(_curve(run, "mauve", kind), key=float) for kind in _kinds(run)}
    nearest = {kind: min(_curve(run, "frechet", kind), key=float) for kind in _kinds(run)}
    orders = [
        max(best, key=lambda kind: float(best[kind])) == min(nearest, key=lambda kind: float(nearest[kind])),
    ]
    architecture = ", ".join(
        f"{kind}: MAUVE {shown(best[kind])} at psi = {best[kind].settings['psi']}, Frechet {float(nearest[kind]):.3g} "
        f"at psi = {nearest[kind].settings['psi']}"
        for kind in best
    )
    lowest = min(within.values())
    return [
        Finding(
            "truncation: perfect rank correlation with the Frechet distance",
            f"Spearman of MAUVE and minus the Frechet distance over psi: {listed}; over all {overall:.3f}",
            "yes" if lowest > 0.999 else "nearly" if lowest > 0.9 else "in trend" if lowest > 0.5 else "no",
        ),
        Finding(
            "architecture: MAUVE orders generators as the Frechet distance does",
            architecture,
            "yes, of two generators" if all(orders) else "no",
        ),
    ]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return both measures against the truncation."""
    panels = []
    for name, label in (("mauve", "MAUVE"), ("mauve-debiased", "MAUVE, debiased"), ("frechet", "Frechet distance")):
        lines = []
        for kind in _kinds(run):
            found = [r for r in _curve(run, name, kind) if r.value is not None]
            psis = [float(str(r.settings["psi"])) for r in found]
            lines.append(Line(kind, psis, [float(r) for r in found], [r.stderr or 0.0 for r in found]))
        panels.append(Panel(label, "truncation psi", label, lines, log_y=name == "frechet"))
    return {"truncation": draw_panels(panels, run.title)}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return all values."""
    rows: list[list[str | float | int | None]] = []
    names = ("mauve", "mauve-smoothed", "mauve-debiased", "frechet")
    for kind in _kinds(run):
        for place in zip(*(_curve(run, name, kind) for name in names), strict=True):
            values = [None if r.value is None else round(r.value, 4) for r in place]
            rows.append([kind, float(str(place[0].settings["psi"])), *values])
    header = ["generator", "psi", "MAUVE", "smoothed", "debiased", "Frechet"]
    return {"truncation": Table("Samples of generators against the digits.", header, rows)}


EXPERIMENT = Experiment(
    place="MAUVE paper, Section 7.7",
    run=run,
    draw=draw,
    findings=findings,
    inputs=inputs,
    files=files,
    tables=tables,
)
