"""Scores of rows as the configuration asks for them: through features, by landmarks, and exactly where affordable."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

import fkeax
from experiments.schema import Config
from fkeax import kernels
from fkeax.kernels import Bandwidth
from fkeax.results import Result

LOG = logging.getLogger(__name__)
UNBIASED_SCHEMES = ("iid", "stratified")  # of frequencies: debiasing holds there


def headline_name(config: Config) -> str:
    """Return the score to name first: debiased where debiasing is valid."""
    return "rke-debiased" if config.features.name in UNBIASED_SCHEMES else "rke"


def bandwidth_of(rows: np.ndarray, config: Config) -> Bandwidth:
    """Return the one bandwidth of all scores: found by a rule on all rows where one is set.

    Raises:
        ValueError: Neither is set, or the kernel has no bandwidth.
    """
    given, rule_words = config.kernel.bandwidth, config.kernel.bandwidth_rule
    if given is None and rule_words is None:
        raise ValueError("kernel.bandwidth is not set; give kernel.bandwidth=7, or kernel.bandwidth_rule=median.")
    rule = kernels.parse_bandwidth(given if rule_words is None else rule_words)
    family = kernels.kernel_family(config.kernel.name)
    if not isinstance(family, kernels.SpectralKernel):
        raise ValueError(f"kernel.name must be a shift-invariant kernel in {config.name}, got {config.kernel.name!r}.")
    return rule(rows, kernel=family, key=jax.random.key(config.seed))


def scores(rows: np.ndarray, config: Config, bandwidth: Bandwidth) -> list[Result]:
    """Return the scores through features, then the exact ones: all up to `max_exact_samples`, RKE at any size."""
    return [
        *by_features(rows, config, bandwidth),
        *_by_landmarks(rows, config, bandwidth),
        *exactly(rows, config, bandwidth),
    ]


def by_features(rows: np.ndarray, config: Config, bandwidth: Bandwidth) -> list[Result]:
    """Return the scores through random Fourier features, plain and debiased."""
    truncated = () if config.estimator.num_kept is None else ("vendi-truncated",)
    found = fkeax.score(
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
    return list(found.values())


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


def exactly(rows: np.ndarray, config: Config, bandwidth: Bandwidth) -> list[Result]:
    """Return the exact scores: RKE at any size, VENDI up to `max_exact_samples` rows."""
    metrics = ("vendi", "rke") if len(rows) <= config.estimator.max_exact_samples else ("rke",)
    exact = fkeax.score(
        rows,
        metrics=metrics,
        orders=tuple(config.estimator.orders),
        kernel=config.kernel.name,
        bandwidth=bandwidth,
        method="exact",
        intervals=config.inference.name == "jackknife",
    )
    return list(exact.values())


def with_settings(result: Result, extra: Mapping[str, Any]) -> Result:
    """Return a result that says more about what it belongs to."""
    return dataclasses.replace(result, settings={**result.settings, **extra})


def shown(result: Result) -> str:
    """Return the value of a result for the log."""
    return "-" if result.value is None else f"{result.value:.4g}"


def log_scores(what: str, found: Sequence[Result]) -> None:
    """Say what was found, so that a long run can be watched."""
    listed = ", ".join(f"{result.settings.get('estimator', '')} {result.name} {shown(result)}" for result in found)
    LOG.info("%s, n = %d: %s", what, found[0].settings["num_samples"], listed)


def rows_of_first_classes(labels: np.ndarray, num_classes: int, num_samples: int | None = None) -> np.ndarray:
    """Return the row numbers of the classes 0 ... num_classes - 1.

    Args:
        labels: The class of each row.
        num_classes: How many classes.
        num_samples: In all, spread evenly over the classes, the first rows of each; None takes every row.

    Raises:
        ValueError: A class has too few rows.

    Example:
        >>> rows_of_first_classes(np.array([0, 1, 0, 1, 2, 0]), 2, 4).tolist()
        [0, 1, 2, 3]
    """
    if num_samples is None:
        return np.flatnonzero(labels < num_classes)
    per_class = num_samples // num_classes
    chosen = []
    for label in range(num_classes):
        found = np.flatnonzero(labels == label)
        if len(found) < per_class:
            raise ValueError(
                f"params.num_samples={num_samples} needs {per_class} samples of each of {num_classes} classes; class "
                f"{label} has {len(found)}."
            )
        chosen.append(found[:per_class])
    return np.sort(np.concatenate(chosen))


def by_number_of_classes(
    rows: np.ndarray,
    labels: np.ndarray,
    counts: Sequence[int],
    config: Config,
    bandwidth: Bandwidth,
    *,
    setting: str,
    num_samples: int | None = None,
) -> list[Result]:
    """Return the scores of the first t classes for every t; `setting` names t in the results."""
    results = []
    for count in counts:
        found = scores(rows[rows_of_first_classes(labels, count, num_samples)], config, bandwidth)
        log_scores(f"{setting.replace('_', ' ')} {count}", found)
        results += [with_settings(result, {setting: count}) for result in found]
    return results


def check_counts(counts: Sequence[int], most: int, name: str) -> None:
    """Raise ValueError unless these are ascending numbers of classes."""
    if not counts or list(counts) != sorted(set(counts)) or not 1 <= counts[0] <= counts[-1] <= most:
        raise ValueError(f"{name} must be ascending numbers from 1 to {most}, got {list(counts)}.")
