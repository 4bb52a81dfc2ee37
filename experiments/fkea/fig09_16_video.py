"""FKEA paper, Figs. 9 and 16: clips; scores against the number of classes, and the modes as film strips.

The paper encodes UCF101 and Kinetics-400 by I3D. No encoder of clips is at hand: features of the frames are pooled over
time (`clips.pooled`), of digits that move, or of the user's own clips (data=clip_features).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from experiments import data
from experiments.experiment import Experiment, Finding, Table
from experiments.fkea import clips, scoring, shown
from experiments.fkea.mode_labels import chance_purity, find_modes, purities
from experiments.fkea.params import VideoParams
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import checked_params
from fkeax.io import sha256_of_file
from fkeax.report import ModePanel, mode_grid, score_curves
from fkeax.results import Result

OWN = "clip_features"
SUPPORTED = {"encoder": ("none",), "estimator": ("fkea",), "inference": ("none", "jackknife")}


def inputs(config: Config) -> Mapping[str, str]:
    """Return names and SHA-256 of what the experiment will read."""
    if config.data.name == OWN:
        return {path.name: sha256_of_file(path) for path in files(config)}
    return data.image_source(config.data.name).inputs(config.data)


def files(config: Config) -> list[Path]:
    """Return the user's own files that the experiment reads."""
    if config.data.name == OWN:
        path = Path(config.data.path or "")
        return [path] if path.is_file() else []
    return data.image_source(config.data.name).files(config.data)


def run(config: Config) -> Outcome:
    """Pool the frames, score the first t classes for every t, and find the modes of all.

    Raises:
        ValueError: The configuration asks for what this experiment does not do.
    """
    params = checked_params(config, VideoParams, SUPPORTED)
    found = clips.load(config.data, params, config.seed)
    rows = clips.pooled(found.frames)
    bandwidth = scoring.bandwidth_of(rows, config)
    results: list[Result] = []
    if found.labels is not None:
        scoring.check_counts(params.class_counts, len(found.label_names), "params.class_counts")
        results += scoring.by_number_of_classes(
            rows, found.labels, params.class_counts, config, bandwidth, setting="num_classes"
        )
    whole = scoring.scores(rows, config, bandwidth)
    results += [scoring.with_settings(result, {"all_samples": len(rows)}) for result in whole]
    modes = find_modes(rows, config, bandwidth, params.num_modes, params.num_top_samples)
    arrays = {"shares": modes.shares, "top_indices": modes.sample_indices}
    if found.labels is not None:
        results += purities(modes, found.labels, found.label_names)
        arrays["chance_purity"] = np.array(chance_purity(found.labels, params.num_top_samples))
    if found.pictures is not None:
        arrays["strips"] = clips.film_strips(found.pictures, modes.sample_indices)
    stand_in = "" if config.data.name == OWN else "stand-in for UCF101 and Kinetics-400: "
    return Outcome(
        title=f"{config.title} ({stand_in}{found.description}, n = {len(rows):,})",
        results=results,
        arrays=arrays,
        headline=next(result.value for result in whole if result.name == scoring.headline_name(config)),
        data={"source": found.source, "licence": found.licence},
    )


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the scores against the number of classes, and film strips of the modes."""
    figures = {}
    numbers = shown.numbers(run.results[0])
    panels = shown.score_panels(run.results, "num_classes")
    if panels:
        figures["scores"] = score_curves(panels, x_label="number of classes", title=shown.heading(run.title, numbers))
    if "strips" in run.arrays:
        titles = [shown.mode_title(result) for result in shown.mode_purities(run.results)]
        strips = [
            # One clip a line: the strips of a mode are one picture.
            ModePanel(title, [np.concatenate(list(mode.astype(np.float64) / 255))])
            for title, mode in zip(titles, run.arrays["strips"], strict=True)
        ]
        figures["modes"] = mode_grid(strips, title=shown.heading(run.title, f"film strips, {numbers}"), num_columns=3)
    return shown.compact(figures)


def findings(run: RunFolder) -> list[Finding]:
    """Return the claims of the paper about clips beside what the run says."""
    found = [shown.trend(run.results, "num_classes", claim="scores increase with the number of classes")]
    pure = shown.mode_purities(run.results)
    claim = "the first mode is broad, later ones are more specific"
    if len(pure) < 2:
        return [*found, Finding(claim, "there are no classes to judge by", "cannot be judged: no classes")]
    first, later = float(pure[0]), float(np.mean([float(result) for result in pure[1:]]))
    chance = float(run.arrays["chance_purity"])
    ours = (
        f"share of the commonest class among the top clips: mode 1 {100 * first:.0f} %, the others "
        f"{100 * later:.0f} % on average; of clips drawn at random {100 * chance:.0f} %"
    )
    found.append(Finding(claim, ours, "yes" if later > first else "no: the first mode is as specific"))
    return [*found, *_features_chosen_late(run)]


def _features_chosen_late(run: RunFolder) -> list[Finding]:
    """Return what a reader must know of the stand-in's features; nothing about clips of the user's own."""
    if run.config["data"]["name"] != "mnist_5k":
        return []
    ours = (
        "with block means of the pixels, tried first on 2,000 clips, RKE fell from 16.3 to 9.6 over the classes; "
        "magnitudes of spatial frequencies, which do not see where the digit is, were taken after that was known"
    )
    return [Finding("(none) features are chosen before scores are seen", ours, "no: read the trend with that in mind")]


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the scores against the number of classes, and the classes of every mode."""
    found = {"all": shown.score_table(run.results, "all_samples", caption="Scores of all clips.")}
    if shown.mode_purities(run.results):
        caption = "Scores of the first t classes; n grows with t."
        found["scores"] = shown.score_table(run.results, "num_classes", caption=caption)
        found["modes"] = shown.share_table(run.results, caption="Classes of the top clips of every mode.")
    return found


EXPERIMENT = Experiment(
    place="FKEA paper, Figs. 9 and 16",
    run=run,
    draw=draw,
    findings=findings,
    inputs=inputs,
    files=files,
    tables=tables,
)
