"""FKEA paper, Fig. 1: one thing in many colours, scored without a reference; the top samples of the leading modes.

The paper draws "colorful elephants" from a text-to-image model. Here one handwritten digit is painted in a number of
hues, evenly spaced, each image in one: what differs is known. A reference of grey digits would not hold these at all,
which is the paper's case for scores without one.
"""

from __future__ import annotations

import colorsys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from experiments import data
from experiments.experiment import Experiment, Finding, Table
from experiments.fkea import scoring, shown
from experiments.fkea.mode_labels import find_modes, purities
from experiments.fkea.params import Fig01Params
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import checked_params
from fkeax.datasets import colour_by_class
from fkeax.report import ModePanel, mode_grid, score_curves

SUPPORTED = {"encoder": ("pixels",), "estimator": ("fkea",), "inference": ("none", "jackknife")}


def inputs(config: Config) -> Mapping[str, str]:
    """Return names and SHA-256 of what the experiment will read."""
    return data.image_source(config.data.name).inputs(config.data)


def files(config: Config) -> list[Path]:
    """Return the user's own files that the experiment reads."""
    return data.image_source(config.data.name).files(config.data)


def run(config: Config) -> Outcome:
    """Paint the digit, score the first t hues for every t at equal n, and find the modes of all.

    Raises:
        ValueError: The configuration asks for what this experiment does not do.
    """
    params = checked_params(config, Fig01Params, SUPPORTED)
    scoring.check_counts(params.hue_counts, params.num_hues, "params.hue_counts")
    found = data.load_images(config.data)
    grey = found.images[found.labels == params.digit]
    if not len(grey):
        raise ValueError(f"params.digit must be a digit from 0 to 9, got {params.digit}.")
    results = []
    for count in params.hue_counts:  # the same images every time, in more and more hues
        rows = _painted(grey, count, params.num_hues).reshape(len(grey), -1)
        scores = scoring.scores(rows, config, scoring.bandwidth_of(rows, config))
        scoring.log_scores(f"hues {count}", scores)
        results += [scoring.with_settings(result, {"num_hues": count}) for result in scores]
    pictures = _painted(grey, params.num_hues, params.num_hues)
    rows = pictures.reshape(len(grey), -1)
    modes = find_modes(rows, config, scoring.bandwidth_of(rows, config), params.num_modes, params.num_top_samples)
    hues = np.arange(len(grey)) % params.num_hues
    results += purities(modes, hues, [_hue_name(hue, params.num_hues) for hue in range(params.num_hues)])
    last = [result for result in results if result.settings.get("num_hues") == params.hue_counts[-1]]
    what = data.image_source(config.data.name).description(config.data)
    return Outcome(
        title=f"{config.title} (stand-in for images of colourful elephants: the digit {params.digit} of {what} in "
        f"{params.num_hues} hues, n = {len(grey)})",
        results=results,
        arrays={"shares": modes.shares, "top_pictures": np.rint(pictures[modes.sample_indices] * 255).astype(np.uint8)},
        headline=next(result.value for result in last if result.name == scoring.headline_name(config)),
        data={"source": found.source, "licence": found.licence},
    )


def _painted(grey: np.ndarray, num_used: int, num_hues: int) -> np.ndarray:
    """Return the images in the first of so many hues, one after the other, in double as in single precision."""
    return colour_by_class(grey, np.arange(len(grey)) % num_used, num_hues)


def _hue_name(hue: int, num_hues: int) -> str:
    red, green, blue = (round(255 * part) for part in colorsys.hsv_to_rgb(hue / num_hues, 1, 1))
    return f"hue {360 * hue // num_hues} (#{red:02x}{green:02x}{blue:02x})"


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the scores against the number of hues, and the top samples of the leading modes."""
    numbers = shown.numbers(run.results[0])
    panels = [
        ModePanel(shown.mode_title(result), list(pictures.astype(np.float64) / 255))
        for result, pictures in zip(shown.mode_purities(run.results), run.arrays["top_pictures"], strict=True)
    ]
    curves = shown.score_panels(run.results, "num_hues")
    return shown.compact(
        {
            "modes": mode_grid(panels, title=shown.heading(run.title, numbers), num_columns=4),
            "scores": score_curves(curves, x_label="number of hues", title=shown.heading(run.title, numbers)),
        }
    )


def findings(run: RunFolder) -> list[Finding]:
    """Return what the figure shows beside what the run says."""
    return [
        shown.pure_modes(run.results, claim="the top-4 clusters are samples of one colour each", what="hue"),
        shown.trend(
            run.results,
            "num_hues",
            claim="VENDI and RKE see the variety of colours without a reference",
            symbol="hues",
        ),
    ]


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the scores against the number of hues, and the hues of every mode."""
    return {
        "scores": shown.score_table(run.results, "num_hues", caption="Scores of the same images in so many hues."),
        "modes": shown.share_table(run.results, caption="Hues of the top samples of every mode."),
    }


EXPERIMENT = Experiment(
    place="FKEA paper, Fig. 1", run=run, draw=draw, findings=findings, inputs=inputs, files=files, tables=tables
)
