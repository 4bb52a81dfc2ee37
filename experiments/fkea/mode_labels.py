"""Modes as the configuration asks for them, and how the classes of their top samples are shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

import fkeax
from experiments.schema import Config
from fkeax.diversity import Modes
from fkeax.kernels import Bandwidth
from fkeax.results import Result

PURE = 0.9


def find_modes(rows: np.ndarray, config: Config, bandwidth: Bandwidth, num_modes: int, num_top_samples: int) -> Modes:
    """Return the leading modes through random Fourier features, under the frequencies of the scores."""
    return fkeax.modes(
        rows,
        num_modes=num_modes,
        num_samples=num_top_samples,
        kernel=config.kernel.name,
        bandwidth=bandwidth,
        method="fkea",
        features=config.features.name,
        num_frequencies=config.features.num_frequencies,
        batch_size=config.features.batch_size,
        key=jax.random.key(config.seed),
    )


def purities(modes: Modes, labels: np.ndarray, label_names: Sequence[str]) -> list[Result]:
    """Return for every mode the part of its top samples that belongs to their commonest class, "mode-purity".

    The diagnostics hold the commonest class, the number of top samples of every class among them, and the mode's share
    of the trace.
    """
    results = []
    for position, indices in enumerate(modes.sample_indices):
        counts = np.bincount(labels[indices], minlength=len(label_names))
        settings: dict[str, Any] = {**modes.settings, "mode": position + 1, "num_top_samples": len(indices)}
        diagnostics: dict[str, Any] = {
            "label": label_names[int(counts.argmax())],
            "counts": {
                label_names[label]: int(counts[label]) for label in np.argsort(-counts, kind="stable") if counts[label]
            },
            "eigenvalue": float(modes.eigenvalues[position]),
            "share": float(modes.shares[position]),
        }
        results.append(Result("mode-purity", counts.max() / len(indices), None, settings, diagnostics))
    return results


def chance_purity(labels: np.ndarray, num_top_samples: int, *, num_draws: int = 400) -> float:
    """Return the mean purity of as many samples drawn at random: what a mode that knows no class would have."""
    random = np.random.default_rng(0)
    draws = (random.choice(labels, num_top_samples, replace=False) for _ in range(num_draws))
    return float(np.mean([np.bincount(draw).max() / num_top_samples for draw in draws]))
