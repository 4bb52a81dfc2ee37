"""From estimates of a frontier to results: names, settings, errors, and the diagnostics that say when to worry."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fkeax.frontier.debiased import SUMMARY_NAMES
from fkeax.frontier.quantized import QuantizedFrontier
from fkeax.frontier.ratios import LikelihoodRatios, RatioSummaries
from fkeax.frontier.transport import TransportFrontier
from fkeax.results import Result

_MASS_OFF = 0.2
_ORDER = ("mauve", "fi", "mid")
_SETTINGS_OF_RATIOS = (
    "num_neighbors",
    "own_point",
    "bandwidth",
    "bandwidth_source",
    "cross_fit",
    "penalty",
    "num_draws",
)


def results_from_ratios(
    ratios: LikelihoodRatios, found: RatioSummaries, settings: Mapping[str, object]
) -> dict[str, Result]:
    """Return the summaries of likelihood ratios as results."""
    own = {name: value for name, value in ratios.diagnostics.items() if name in _SETTINGS_OF_RATIOS}
    seen = {name: value for name, value in ratios.diagnostics.items() if name not in own}
    warnings = seen.pop("warnings", [])
    worries = list(warnings) if isinstance(warnings, list) else []
    if max(abs(found.mass_p - 1), abs(found.mass_q - 1)) > _MASS_OFF:
        worries.append(
            f"the ratios give P a mass of {found.mass_p:.3g} and Q one of {found.mass_q:.3g}, not 1: they are far off"
        )
    diagnostics: dict[str, object] = {
        "stderr_method": "jackknife over 20 groups of rows, the ratios held fixed",
        **seen,
        "mass_p": found.mass_p,
        "mass_q": found.mass_q,
        "num_zero_ratios_at_q": int(np.sum(ratios.at_q == 0)),
        "num_infinite_ratios_at_p": int(np.sum(np.isinf(ratios.at_p))),
        "warnings": worries,
    }
    results = {
        name: Result(
            name,
            found.values[i],
            None if found.stderr is None else found.stderr[i],
            dict(settings) | own,
            diagnostics,
        )
        for i, name in enumerate(SUMMARY_NAMES)
    }
    return _in_order(results)


def _in_order(results: Mapping[str, Result]) -> dict[str, Result]:
    suffixes = ("", "-smoothed", "-debiased")
    return {name + end: results[name + end] for end in suffixes for name in _ORDER if name + end in results}


def results_from_transport(found: TransportFrontier, settings: Mapping[str, object]) -> dict[str, Result]:
    """Return the summaries of transport costs as results; no error is known for them."""
    results = {
        name: Result(name, value, None, dict(settings) | found.settings, found.diagnostics)
        for name, value in zip(SUMMARY_NAMES, found.values, strict=True)
    }
    return _in_order(results)


def results_from_quantizers(
    found: QuantizedFrontier, settings: dict[str, object], *, smoothed_headline: bool
) -> dict[str, Result]:
    """Return the summaries of quantized samples as results: the headline, the smoothed ones beside it, the debiased."""
    clusters = [quantizer.clusters for quantizer in found.quantizers]
    shared: dict[str, object] = {
        "explained_variance": found.pooled.explained_variance,
        "kmeans": [
            {"objective": one.objective, "iterations": one.num_iterations, "converged": one.converged}
            for one in clusters
        ],
        "costly_buckets": found.costs.to_dict(),
        "warnings": found.warnings(),
    }
    smoothed = settings | {"smoothing": "krichevsky-trofimov"}
    debiased = settings | {"smoothing": "delete-half jackknife"}
    results: dict[str, Result] = {}
    for i, name in enumerate(SUMMARY_NAMES):
        floor = {
            "mean": float(found.floor.mean[i]),
            "extreme_5_percent": float(found.floor.extreme[i]),
            "num_draws": found.floor.num_draws,
        }
        sampling = None if found.sampling_error is None else found.sampling_error[:, i]
        headline = found.smoothed if smoothed_headline else found.plug_in
        results[name] = _over_seeds(name, headline[:, i], sampling, settings, shared | {"null_floor": floor})
        if not smoothed_headline:
            results[f"{name}-smoothed"] = _over_seeds(
                f"{name}-smoothed", found.smoothed[:, i], sampling, smoothed, shared
            )
        if found.debiased is None or found.debiased_error is None:
            reason = "the delete-half jackknife needs at least 40 rows on each side"
            results[f"{name}-debiased"] = Result(f"{name}-debiased", None, None, debiased, {"reason": reason} | shared)
        else:
            results[f"{name}-debiased"] = _over_seeds(
                f"{name}-debiased", found.debiased[:, i], found.debiased_error[:, i], debiased, shared
            )
    return _in_order(results)


def _over_seeds(
    name: str,
    values: np.ndarray,
    sampling: np.ndarray | None,
    settings: dict[str, object],
    shared: dict[str, object],
) -> Result:
    """Return the mean over quantizers; its error joins that of the samples and that of the mean itself."""
    spread = float(values.std(ddof=1)) if values.size > 1 else None
    error = None if sampling is None else float(np.sqrt(np.mean(np.square(sampling))))
    joint = None
    if error is not None and spread is not None:
        joint = (error**2 + spread**2 / values.size) ** 0.5
    diagnostics: dict[str, object] = shared | {
        "by_seed": values.tolist(),
        "seed_spread": spread,
        "sampling_error": error,
        "stderr_method": "grouped jackknife of the samples and spread over quantizers",
    }
    return Result(name, float(values.mean()), joint, settings, diagnostics)
