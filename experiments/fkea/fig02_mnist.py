"""FKEA paper, Fig. 2: scores of coloured MNIST against the number of digits, and the top samples of the leading modes.

The paper says "single-colored MNIST dataset with pixel embedding" and "colored MNIST data with images of 10 colored
digits", and prints no more. Here every digit has one hue of its own, ten hues evenly spaced, and a sample is the row of
its red, green and blue pixels in [0, 1]. Digits join in natural order: t = 3 holds the digits 0, 1 and 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import jax
import numpy as np

from experiments import data
from experiments.experiment import Experiment
from experiments.fkea import fig02_findings, scoring
from experiments.fkea.mode_labels import find_modes, purities
from experiments.fkea.params import Fig02Params
from experiments.outcome import Outcome
from experiments.schema import Config
from experiments.supported import checked_params
from fkeax.datasets import colour_by_class

if TYPE_CHECKING:
    from fkeax.datasets import LabelledImages
    from fkeax.kernels import Bandwidth
    from fkeax.results import Result

SUPPORTED = {"encoder": ("pixels",), "estimator": ("fkea",), "inference": ("none", "jackknife")}


def inputs(config: Config) -> Mapping[str, str]:
    """Return names and SHA-256 of what the experiment will read."""
    return data.image_source(config.data.name).inputs(config.data)


def files(config: Config) -> list[Path]:
    """Return the user's own files that the experiment reads."""
    return data.image_source(config.data.name).files(config.data)


def run(config: Config) -> Outcome:
    """Score the digits below t for every t, exactly too where that is affordable, and find the modes of all.

    Raises:
        ValueError: The configuration asks for what this experiment does not do.
    """
    params = _checked(config)
    digits = data.load_images(config.data)
    order = np.argsort(digits.labels, kind="stable")
    order = order[digits.labels[order] < max(params.digit_counts)]
    labels = digits.labels[order]
    pictures = colour_by_class(digits.images[order], labels)
    # Double precision is for double precision input: under runtime.x64 the rows are that.
    rows = pictures.reshape(len(pictures), -1).astype(jax.dtypes.canonicalize_dtype(np.float64), copy=False)
    bandwidth = scoring.bandwidth_of(rows, config)
    results = scoring.by_number_of_classes(rows, labels, params.digit_counts, config, bandwidth, setting="num_digits")
    headline = scoring.headline_name(config)
    last = [result for result in results if result.settings["num_digits"] == params.digit_counts[-1]]
    results += _digits_alone(rows, labels, config, bandwidth)
    modes = find_modes(rows, config, bandwidth, params.num_modes, params.num_top_samples)
    results += purities(modes, labels, [str(digit) for digit in range(10)])
    return Outcome(
        title=_title(config, digits, len(rows)),
        results=results,
        arrays={
            "eigenvalues": modes.eigenvalues,
            "shares": modes.shares,
            "top_indices": order[modes.sample_indices],
            "top_labels": labels[modes.sample_indices],
            "top_values": modes.sample_values,
            "top_pictures": np.rint(pictures[modes.sample_indices] * 255).astype(np.uint8),
        },
        headline=next(result.value for result in last if result.name == headline),
        data={"source": digits.source, "licence": digits.licence},
    )


def _checked(config: Config) -> Fig02Params:
    params = checked_params(config, Fig02Params, SUPPORTED)
    scoring.check_counts(params.digit_counts, 10, "params.digit_counts")
    return params


def _digits_alone(rows: np.ndarray, labels: np.ndarray, config: Config, bandwidth: Bandwidth) -> list[Result]:
    """Return the exact scores of each digit by itself: they say which digit can pull a score of several down."""
    results = []
    for digit in np.unique(labels):
        found = scoring.exactly(rows[labels == digit], config, bandwidth)
        results += [scoring.with_settings(result, {"only_digit": int(digit)}) for result in found]
    return results


def _title(config: Config, digits: LabelledImages, num_samples: int) -> str:
    title = config.title
    changed = [word for word in (config.kernel.name, config.features.name) if word not in ("gaussian", "iid")]
    if changed:
        title += f" (not the paper's choice: {', '.join(changed)})"
    is_the_papers = (config.data.name, config.data.split, len(digits.labels)) == ("mnist", "train", 60_000)
    if is_the_papers:
        return title
    what = data.image_source(config.data.name).description(config.data)
    return f"{title} (stand-in for MNIST's 60,000 digits: {what}, n = {num_samples:,})"


EXPERIMENT = Experiment(
    place="FKEA paper, Fig. 2",
    run=run,
    draw=fig02_findings.draw,
    findings=fig02_findings.findings,
    tables=fig02_findings.tables,
    inputs=inputs,
    files=files,
)
