"""FKEA paper, Figs. 3 to 6: sets of images under an encoder; scores against the number of classes, and the modes.

One experiment for the four figures, which differ in data, bandwidth and whether there are classes (ImageNet has). The
paper uses DINOv2 features at 2r = 16,000; these come in as files of features. The encoders at hand are others, and a
bandwidth means nothing under another encoder: there it is set so that all samples have a stated RKE.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from experiments.experiment import Experiment, Finding, Table
from experiments.fkea import image_samples, scoring, shown
from experiments.fkea.image_encoders import NAMES
from experiments.fkea.mode_labels import chance_purity, find_modes, purities
from experiments.fkea.params import ImageModesParams
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import checked_params
from fkeax.report import ModePanel, mode_grid, score_curves
from fkeax.results import Result

SUPPORTED = {"encoder": ("none", *NAMES), "estimator": ("fkea",), "inference": ("none", "jackknife")}


def inputs(config: Config) -> Mapping[str, str]:
    """Return names and SHA-256 of what the experiment will read."""
    return image_samples.image_set(config.data.name).inputs(config.data)


def files(config: Config) -> list[Path]:
    """Return the user's own files that the experiment reads."""
    return image_samples.image_set(config.data.name).files(config.data)


def run(config: Config) -> Outcome:
    """Encode the images, score the first t classes for every t, and find the modes of all.

    Raises:
        ValueError: The configuration asks for what this experiment does not do.
    """
    params = checked_params(config, ImageModesParams, SUPPORTED)
    samples = image_samples.load(config.data, params.classes)
    if params.class_counts and samples.labels is None:
        raise ValueError(f"params.class_counts needs classes, and data {config.data.name} has none; give [].")
    if params.class_counts:
        scoring.check_counts(params.class_counts, len(samples.label_names), "params.class_counts")
    rows = image_samples.encoded(config, samples, config.encoder.name)
    bandwidth = scoring.bandwidth_of(rows, config)
    results: list[Result] = []
    if samples.labels is not None and params.class_counts:
        results += scoring.by_number_of_classes(
            rows,
            samples.labels,
            params.class_counts,
            config,
            bandwidth,
            setting="num_classes",
            num_samples=params.num_samples,
        )
    whole = scoring.scores(rows, config, bandwidth)
    scoring.log_scores("all samples", whole)
    results += [scoring.with_settings(result, {"all_samples": len(rows)}) for result in whole]
    modes = find_modes(rows, config, bandwidth, params.num_modes, params.num_top_samples)
    arrays = {"eigenvalues": modes.eigenvalues, "shares": modes.shares, "top_indices": modes.sample_indices}
    if samples.labels is not None:
        results += purities(modes, samples.labels, samples.label_names)
        arrays["chance_purity"] = np.array(chance_purity(samples.labels, modes.sample_indices.shape[1]))
    if config.encoder.name != "none":
        arrays["top_pictures"] = image_samples.thumbnails(samples, modes.sample_indices)
    return Outcome(
        title=_title(config, params, samples.description, len(rows)),
        results=results,
        arrays=arrays,
        headline=next(result.value for result in whole if result.name == scoring.headline_name(config)),
        data={"source": samples.source, "licence": samples.licence},
    )


def _title(config: Config, params: ImageModesParams, description: str, num_samples: int) -> str:
    if config.data.name == "features":
        return f"{config.title} ({description}, n = {num_samples:,})"
    kept = f" of the classes {', '.join(params.classes)}" if params.classes else ""
    return (
        f"{config.title} (stand-in for {params.stands_for}: {description}{kept}, n = {num_samples:,}, "
        f"{config.encoder.name})"
    )


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the curves, where there are classes, and the top samples of the modes, where there are pictures."""
    figures = {}
    numbers = shown.numbers(run.results[0])
    panels = shown.score_panels(run.results, "num_classes")
    if panels:
        figures["scores"] = score_curves(panels, x_label="number of classes", title=shown.heading(run.title, numbers))
    if "top_pictures" in run.arrays:
        titles = [shown.mode_title(result) for result in shown.mode_purities(run.results)]
        titles = titles or [f"mode {1 + place}: {100 * share:.2g} % of the trace" for place, share in _shares(run)]
        shown_modes = [
            ModePanel(title, list(pictures.astype(np.float64) / 255))
            for title, pictures in zip(titles, run.arrays["top_pictures"], strict=True)
        ]
        figures["modes"] = mode_grid(shown_modes, title=shown.heading(run.title, numbers), num_columns=4)
    return shown.compact(figures)


def _shares(run: RunFolder) -> list[tuple[int, float]]:
    return list(enumerate(run.arrays["shares"].tolist()))


def findings(run: RunFolder) -> list[Finding]:
    """Return the claims of the paper about this figure beside what the run says."""
    found = []
    if any("num_classes" in result.settings for result in run.results):
        found.append(
            shown.trend(
                run.results,
                "num_classes",
                claim="scores increase with the number of classes, at equal n",
            )
        )
    found.append(_common_characteristic(run))
    return found


def _common_characteristic(run: RunFolder) -> Finding:
    claim = "each mode shows a characteristic that its top images share"
    purities_found = shown.mode_purities(run.results)
    if not purities_found:
        return Finding(claim, "there are no classes to judge by", "cannot be judged: see the gallery")
    chance = float(run.arrays["chance_purity"])
    listed = ", ".join(f"{result.diagnostics['label']} {100 * float(result):.0f} %" for result in purities_found)
    above = [result for result in purities_found if float(result) >= min(1.0, 2 * chance)]
    agrees = "yes" if len(above) == len(purities_found) else f"for {len(above)} of {len(purities_found)} modes"
    ours = f"commonest class of the top images: {listed}; of as many images drawn at random: {100 * chance:.0f} %"
    return Finding(claim, ours, agrees)


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the scores against the number of classes and of all samples, and the classes of every mode."""
    found = {}
    if any("num_classes" in result.settings for result in run.results):
        found["scores"] = shown.score_table(
            run.results, "num_classes", caption="Scores of the first t classes, exact and through random features."
        )
    found["all"] = shown.score_table(run.results, "all_samples", caption="Scores of all samples.")
    if shown.mode_purities(run.results):
        found["modes"] = shown.share_table(run.results, caption="Classes of the top images of every mode.")
    return found


def experiment(figure: int) -> Experiment:
    """Return the experiment of one of the figures."""
    return Experiment(
        place=f"FKEA paper, Fig. {figure}",
        run=run,
        draw=draw,
        findings=findings,
        inputs=inputs,
        files=files,
        tables=tables,
    )
