"""MAUVE between two sets of rows as the experiments keep it: values, errors and floors, without long diagnostics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

import fkeax
from fkeax import frontier
from fkeax.results import Result

SUMMARIES = ("mauve", "mauve-smoothed", "mauve-debiased")


def compared(
    key: jax.Array,
    reference: np.ndarray,
    generated: np.ndarray,
    settings: Mapping[str, Any],
    *,
    names: tuple[str, ...] = SUMMARIES,
    **options: Any,
) -> list[Result]:
    """Return summaries of the frontier of two samples, as plug-in, smoothed and debiased unless others are named."""
    found = frontier.frontier(reference, generated, key=key, **options)
    return [kept(found[name], settings) for name in names if name in found]


def kept(result: Result, settings: Mapping[str, Any]) -> Result:
    """Return a result with settings of the experiment, its error and its floor, and no more."""
    wanted = ("null_floor", "seed_spread", "reason", "mass_p", "mass_q")
    diagnostics = {name: result.diagnostics[name] for name in wanted if name in result.diagnostics}
    own = {name: result.settings[name] for name in ("estimator", "num_buckets", "scale", "generator") if name in
           result.settings}  # fmt: skip
    return Result(result.name, result.value, result.stderr, {**own, **settings}, diagnostics)


def frechet_distance(reference: np.ndarray, generated: np.ndarray, settings: Mapping[str, Any]) -> Result:
    """Return the Frechet distance of two samples."""
    return kept(fkeax.frechet(reference, generated), settings)
