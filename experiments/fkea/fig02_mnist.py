"""FKEA paper, Fig. 2: scores of coloured MNIST against the number of digits, and the top samples of the leading modes.

The paper says "single-colored MNIST dataset with pixel embedding" and "colored MNIST data with images of 10 colored
digits", and prints no more. Here every digit has one hue of its own, ten hues evenly spaced, and a sample is the row of
its red, green and blue pixels in [0, 1]. Digits join in natural order: t = 3 holds the digits 0, 1 and 2.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

import fkeax
from experiments import data
from experiments.experiment import Experiment
from experiments.fkea import fig02_findings
from experiments.fkea.params import Fig02Params
from experiments.outcome import Outcome
from experiments.schema import Config
from experiments.supported import checked_params
from fkeax import kernels
from fkeax.datasets import colour_by_class

if TYPE_CHECKING:
    from fkeax.datasets import LabelledImages
    from fkeax.diversity import Modes
    from fkeax.kernels import Bandwidth
    from fkeax.results import Result

LOG = logging.getLogger(__name__)
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
    bandwidth = _bandwidth(rows, config)
    results: list[Result] = []
    found: list[Result] = []
    for num_digits in params.digit_counts:
        found = _scores(rows[: int(np.searchsorted(labels, num_digits))], config, bandwidth)
        results += [_with_settings(result, {"num_digits": num_digits}) for result in found]
        listed = ", ".join(f"{r.settings['estimator']} {r.name} {_shown(r)}" for r in found)
        LOG.info("digits 0 to %d, n = %d: %s", num_digits - 1, found[0].settings["num_samples"], listed)
    results += _digits_alone(rows, labels, config, bandwidth)
    modes = fkeax.modes(
        rows,
        num_modes=params.num_modes,
        num_samples=params.num_top_samples,
        kernel=config.kernel.name,
        bandwidth=bandwidth,
        method="fkea",
        features=config.features.name,
        num_frequencies=config.features.num_frequencies,
        batch_size=config.features.batch_size,
        key=jax.random.key(config.seed),
    )
    results += _purities(modes, labels)
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
        headline=next(result.value for result in found if result.name == _headline(config)),
        data={"source": digits.source, "licence": digits.licence},
    )


def _checked(config: Config) -> Fig02Params:
    params = checked_params(config, Fig02Params, SUPPORTED)
    if config.kernel.bandwidth is None and config.kernel.bandwidth_rule is None:
        raise ValueError("kernel.bandwidth is not set; the paper's is kernel.bandwidth=7.")
    counts = params.digit_counts
    if not counts or counts != sorted(set(counts)) or not 1 <= counts[0] <= counts[-1] <= 10:
        raise ValueError(f"params.digit_counts must be ascending numbers from 1 to 10, got {list(counts)}.")
    return params


def _headline(config: Config) -> str:
    """Return the score to name first: debiased where debiasing is valid."""
    return "rke-debiased" if config.features.name in ("iid", "stratified") else "rke"


def _bandwidth(rows: np.ndarray, config: Config) -> Bandwidth:
    """Return the one bandwidth of all scores: found by a rule on the digits of all classes where one is set."""
    given, rule_words = config.kernel.bandwidth, config.kernel.bandwidth_rule
    rule = kernels.parse_bandwidth(given if rule_words is None else rule_words)
    family = kernels.kernel_family(config.kernel.name)
    if not isinstance(family, kernels.SpectralKernel):
        raise ValueError(f"kernel.name must be a shift-invariant kernel in {config.name}, got {config.kernel.name!r}.")
    return rule(rows, kernel=family, key=jax.random.key(config.seed))


def _digits_alone(rows: np.ndarray, labels: np.ndarray, config: Config, bandwidth: Bandwidth) -> list[Result]:
    """Return the exact scores of each digit by itself: they say which digit can pull a score of several down."""
    results = []
    for digit in np.unique(labels):
        found = _exact_scores(rows[labels == digit], config, bandwidth)
        results += [_with_settings(result, {"only_digit": int(digit)}) for result in found]
    return results


def _scores(rows: np.ndarray, config: Config, bandwidth: Bandwidth) -> list[Result]:
    """Return the scores through features, then the exact ones: all up to `max_exact_samples`, RKE at any size."""
    truncated = () if config.estimator.num_kept is None else ("vendi-truncated",)
    by_features = fkeax.score(
        rows,
        metrics=("vendi", "vendi-debiased", "rke", *truncated),
        orders=tuple(config.estimator.orders),
        num_kept=config.estimator.num_kept,
        kernel=config.kernel.name,
        bandwidth=bandwidth,
        method="fkea",
        features=config.features.name,
        intervals=config.inference.name == "jackknife",
        num_frequencies=config.features.num_frequencies,
        num_draws=config.features.num_draws,
        batch_size=config.features.batch_size,
        key=jax.random.key(config.seed),
    )
    return [*by_features.values(), *_by_landmarks(rows, config, bandwidth), *_exact_scores(rows, config, bandwidth)]


def _by_landmarks(rows: np.ndarray, config: Config, bandwidth: Bandwidth) -> list[Result]:
    """Return the scores by Nystrom features, where a number of landmarks asks for them."""
    if config.estimator.num_landmarks is None:
        return []
    found = fkeax.score(
        rows,
        orders=tuple(config.estimator.orders),
        kernel=config.kernel.name,
        bandwidth=bandwidth,
        method="nystrom",
        num_landmarks=config.estimator.num_landmarks,
        batch_size=config.features.batch_size,
        key=jax.random.key(config.seed),
    )
    return list(found.values())


def _exact_scores(rows: np.ndarray, config: Config, bandwidth: Bandwidth) -> list[Result]:
    metrics = ("vendi", "rke") if len(rows) <= config.estimator.max_exact_samples else ("rke",)
    orders = tuple(config.estimator.orders)
    exact = fkeax.score(
        rows,
        metrics=metrics,
        orders=orders,
        kernel=config.kernel.name,
        bandwidth=bandwidth,
        method="exact",
        intervals=config.inference.name == "jackknife",
    )
    return list(exact.values())


def _purities(modes: Modes, labels: np.ndarray) -> list[Result]:
    """Return for every mode the part of its top samples that belongs to their commonest digit."""
    results = []
    for position, indices in enumerate(modes.sample_indices):
        counts = np.bincount(labels[indices])
        settings: dict[str, Any] = {**modes.settings, "mode": position + 1, "num_top_samples": len(indices)}
        diagnostics: dict[str, Any] = {
            "digit": int(counts.argmax()),
            "eigenvalue": float(modes.eigenvalues[position]),
            "share": float(modes.shares[position]),
        }
        results.append(fkeax.Result("mode-purity", counts.max() / len(indices), None, settings, diagnostics))
    return results


def _with_settings(result: Result, extra: dict[str, Any]) -> Result:
    return dataclasses.replace(result, settings={**result.settings, **extra})


def _shown(result: Result) -> str:
    return "-" if result.value is None else f"{result.value:.4g}"


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
    inputs=inputs,
    files=files,
)
