"""From estimates to results: names, settings, and the diagnostics that say when to worry."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fkeax.diversity import estimates as values
from fkeax.diversity.estimates import Estimate
from fkeax.diversity.evidence import Evidence
from fkeax.diversity.plan import Plan
from fkeax.results import Result

NOTABLE_MASS = 0.01
SATURATED = 0.02  # plain VENDI-1, measured: 6 % low at a saturation of 1.6 %, 19 % at 5.9 %, 73 % at 68 %


def results_from_evidence(
    found: Evidence,
    *,
    settings: Mapping[str, object],
    plan: Plan,
    metrics: Sequence[str],
    orders: Sequence[float],
    num_kept: int | None,
    unit_diagonal: bool,
) -> dict[str, Result]:
    """Return the results of the metrics asked for, by name.

    Args:
        found: What one pass over the samples left behind.
        settings: Of all results, but for the order and the number of samples.
        plan: Route and memory.
        metrics: Of :data:`fkeax.diversity.scores.METRICS`.
        orders: Of VENDI.
        num_kept: Eigenvalues that truncated scores keep.
        unit_diagonal: Whether ``k(x, x) = 1``; else there is no population RKE.
    """
    scheme = settings["features"]
    estimates: dict[str, Estimate] = {}
    for metric in metrics:
        if metric == "vendi":
            estimates |= values.plain_vendi(found, orders)
        elif metric == "vendi-debiased" and isinstance(scheme, str):
            estimates |= values.debiased_vendi_scores(found, orders, scheme)
        elif metric == "vendi-truncated" and num_kept is not None:
            estimates |= values.truncated_vendi(found, orders, num_kept)
        elif metric == "rke":
            estimates["rke"] = values.plain_rke(found)
            if isinstance(scheme, str):
                estimates["rke-debiased"] = values.debiased_rke(found, scheme)
            if unit_diagonal and found.nystrom is None:
                estimates["rke-population"] = values.population_rke(found, scheme if isinstance(scheme, str) else None)
    shared = _shared_diagnostics(found, plan, settings)
    return {name: _result(name, estimate, found, settings, shared) for name, estimate in estimates.items()}


def _result(
    name: str, estimate: Estimate, found: Evidence, settings: Mapping[str, object], shared: Mapping[str, object]
) -> Result:
    parts = [estimate.diagnostics, {"stderr_method": estimate.stderr_method}]
    if name.startswith("vendi"):
        parts.append(_spectrum_diagnostics(found))
    num_frequencies = settings["num_frequencies"]
    if isinstance(num_frequencies, int):
        parts.append(_saturation(name, estimate.value, num_frequencies))
    own = {"order": "inf" if estimate.order == math.inf else estimate.order, "num_samples": found.num_samples}
    return Result(
        name=name,
        value=estimate.value,
        stderr=estimate.stderr,
        settings=dict(settings) | own,  # pyright: ignore[reportArgumentType]
        diagnostics=_joined(shared, *parts),  # pyright: ignore[reportArgumentType]
    )


def _shared_diagnostics(found: Evidence, plan: Plan, settings: Mapping[str, object]) -> dict[str, object]:
    diagnostics: dict[str, object] = {
        "plan": plan.to_dict(),
        "computed_in": found.computed_in,
        "trace": float(found.traces.mean()),
        "warnings": list(found.warnings),
    }
    num_frequencies = settings["num_frequencies"]
    # The bound is the variance of independent frequencies.
    if isinstance(num_frequencies, int) and settings["features"] == "iid" and found.pairs is not None:
        diagnostics["expected_spectrum_error"] = found.pairs.expected_spectrum_error(
            num_frequencies, found.weight_share
        )
    if found.nystrom is not None:
        diagnostics |= found.nystrom.diagnostics()
    return diagnostics


def _joined(*parts: Mapping[str, object]) -> dict[str, object]:
    """Join diagnostics; their warnings add up."""
    joined: dict[str, object] = {}
    warnings: list[object] = []
    for part in parts:
        more = part.get("warnings", [])
        warnings += more if isinstance(more, list) else []
        joined |= part
    return joined | {"warnings": warnings}


def _spectrum_diagnostics(found: Evidence) -> dict[str, object]:
    if not found.spectra:  # VENDI by quadrature
        return {}
    worst = max(found.spectra, key=lambda spectrum: abs(float(spectrum.mass_removed)))
    mass = float(worst.mass_removed)
    lost = f"eigenvalues below rounding hold {mass:.2g} of the sum and count as 0: scores of low order are not reliable"
    return {
        "warnings": [lost] if abs(mass) > NOTABLE_MASS else [],
        "mass_removed": mass,
        "num_removed": round(float(worst.num_removed)),
        "cutoff": float(worst.cutoff),
        "smallest_eigenvalue": float(worst.smallest),
    }


def _saturation(name: str, value: float | None, num_frequencies: int) -> dict[str, object]:
    if value is None:
        return {}
    saturation = value / (2 * num_frequencies)
    diagnostics: dict[str, object] = {"saturation": saturation}
    plain = name == "rke" or (name.startswith("vendi") and "debiased" not in name)
    if saturation > SATURATED and plain:
        diagnostics["warnings"] = [
            f"above {SATURATED:.0%} of the ceiling 2r = {2 * num_frequencies}: "
            "a plain feature score reads low here; take more frequencies"
        ]
    return diagnostics
