"""FKEA paper, Figs. 10 to 13: the modes of generators' samples.

The paper's are LDM, VDVAE, InsGen and StyleGAN-XL trained on FFHQ; here a VAE and a GAN of digits, whose modes can be
named: by the class that the classifier gives each sample.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from experiments import data
from experiments.experiment import Experiment, Finding, Table
from experiments.fkea import fig07_truncation, generated, scoring, shown
from experiments.fkea.mode_labels import chance_purity, find_modes, purities
from experiments.fkea.params import GeneratorParams
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import checked_params
from fkeax.report import ModePanel, mode_grid
from fkeax.results import Result


def run(config: Config) -> Outcome:
    """Train where that was not done yet, draw from every generator, and find the modes.

    Raises:
        ValueError: The configuration asks for what this experiment does not do.
    """
    params = checked_params(config, GeneratorParams, fig07_truncation.SUPPORTED)
    trained = generated.train_all(config, params)
    bandwidth = scoring.bandwidth_of(generated.encoded(config, trained, trained.digits.images), config)
    results: list[Result] = []
    arrays: dict[str, np.ndarray] = {}
    for number, (name, sampler) in enumerate(trained.samplers.items()):
        pictures = generated.drawn(config, sampler, 200 + number, params.num_samples)
        rows = generated.encoded(config, trained, pictures)
        labels = trained.classifier.probabilities(pictures).argmax(axis=1)
        modes = find_modes(rows, config, bandwidth, params.num_modes, params.num_top_samples)
        found = scoring.scores(rows, config, bandwidth)
        scoring.log_scores(name, found)
        found += purities(modes, labels, [str(digit) for digit in range(10)])
        results += [scoring.with_settings(result, {"generator": name}) for result in found]
        arrays[name] = generated.montage_bytes(pictures[modes.sample_indices])
        arrays[f"chance_{name}"] = np.array(chance_purity(labels, params.num_top_samples))
    what = data.image_source(config.data.name).description(config.data)
    return Outcome(
        title=f"{config.title} (stand-in for models of FFHQ: a VAE and a GAN trained on {what}, "
        f"n = {params.num_samples:,})",
        results=results,
        arrays=arrays,
        headline=float(next(result for result in results if result.name == "rke")),
        data={"source": trained.digits.source, "licence": trained.digits.licence},
    )


def _generators(run: RunFolder) -> list[str]:
    return list(dict.fromkeys(str(result.settings["generator"]) for result in run.results))


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the modes of each generator."""
    figures = {}
    for name in _generators(run):
        panels = [
            ModePanel(shown.mode_title(result), list(pictures.astype(np.float64) / 255))
            for result, pictures in zip(
                shown.mode_purities(generated.results_of(run, name)), run.arrays[name], strict=True
            )
        ]
        heading = shown.heading(run.title, f"{name}, {shown.numbers(generated.results_of(run, name)[0])}")
        figures[f"modes-{name}"] = mode_grid(panels, title=heading)
    return shown.compact(figures)


def findings(run: RunFolder) -> list[Finding]:
    """Return whether the modes of generated samples are clusters, by the classifier."""
    found = []
    for name in _generators(run):
        chance = float(run.arrays[f"chance_{name}"])
        one = shown.pure_modes(
            generated.results_of(run, name),
            claim=f"FKEA shows the clusters among a generator's samples ({name})",
            what="digit",
            pure=0.8,
        )
        ours = f"{one.ours} (by the classifier; of samples drawn at random {100 * chance:.0f} %)"
        found.append(Finding(one.paper, ours, one.agrees))
    return found


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the scores of the generators, and the digits of every mode."""
    found = {"scores": shown.score_table(run.results, "generator", caption="Scores of the samples of each generator.")}
    for name in _generators(run):
        caption = f"Digits among the top samples of every mode, {name}, by the classifier."
        found[f"modes-{name}"] = shown.share_table(generated.results_of(run, name), caption=caption)
    return found


EXPERIMENT = Experiment(
    place="FKEA paper, Figs. 10 to 13",
    run=run,
    draw=draw,
    findings=findings,
    inputs=fig07_truncation.inputs,
    files=fig07_truncation.files,
    tables=tables,
)
