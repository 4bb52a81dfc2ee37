"""From evidence to values: each score with its standard error, its interval, and what they are of."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from fkeax.diversity.entropy import renyi_entropy
from fkeax.diversity.evidence import DEBIASED_SCHEMES, Evidence
from fkeax.diversity.frequency_jackknife import (
    DebiasedVendi,
    Extrapolation,
    HalvedSpectra,
    debiased_vendi,
    reliability_warning,
)
from fkeax.diversity.grouped_pairs import without_group_pairs
from fkeax.diversity.pairs import population_stderr, rke_interval, without_self_pairs
from fkeax.diversity.spectral_quadrature import NO_COUNT, QuadratureVendi
from fkeax.diversity.truncation import truncated_spectrum

BY_QUADRATURE = (
    "it needs more than one function of the eigenvalues, and spectrum='lanczos' finds none of them; "
    "spectrum='dense' does"
)
ONE_FREQUENCY = "one frequency has no pair of frequencies to estimate from; num_frequencies must be at least 2"
DEPENDENT = (
    "{scheme} frequencies depend on each other, so that debiasing for independent ones overcorrects; the plain score "
    "is the one to report"
)
LEVEL = 0.95
NOTABLE_QUADRATURE_ERROR = 0.01


@dataclass(frozen=True)
class Estimate:
    """A value with its standard error and what it is a standard error of.

    Attributes:
        order: Of the score.
        value: None where there is none; ``diagnostics`` then holds the reason.
        stderr: None where it is unknown.
        stderr_method: In words; None with an unknown error.
        diagnostics: What belongs to this score alone.
    """

    order: float
    value: float | None
    stderr: float | None = None
    stderr_method: str | None = None
    diagnostics: dict[str, object] = field(default_factory=dict)


def order_name(order: float) -> str:
    """Return the name of the VENDI score of an order: ``vendi-1``, ``vendi-1.5``, ``vendi-inf``."""
    return f"vendi-{order:.12g}"


@jax.jit
def _vendi_of_orders(
    spectrum: Float[Array, "f"], num_kept: Int[Array, ""], orders: Float[Array, "k"]
) -> Float[Array, "k"]:
    kept = truncated_spectrum(spectrum, num_kept)
    return jnp.exp(jax.vmap(renyi_entropy, in_axes=(None, 0))(kept, orders))


def _vendi_values(found: Evidence, orders: Sequence[float], num_kept: int | None) -> np.ndarray:
    """Return scores, one row a draw, one column an order; of all eigenvalues, or truncated."""
    dtype = found.spectra[0].values.dtype
    with jax.enable_x64(True) if dtype == np.float64 else contextlib.nullcontext():
        alphas = jnp.asarray(orders, dtype)
        size = found.spectra[0].values.size
        kept = jnp.asarray(size if num_kept is None else min(num_kept, size), jnp.int32)
        rows = [_vendi_of_orders(jnp.asarray(spectrum.values), kept, alphas) for spectrum in found.spectra]
        return np.asarray(rows, np.float64)


def plain_vendi(found: Evidence, orders: Sequence[float]) -> dict[str, Estimate]:
    """Return the plain VENDI scores, with the interval over fresh samples where one was asked for."""
    if found.quadrature:
        return {order_name(scores[0].order): _by_quadrature(scores) for scores in zip(*found.quadrature, strict=True)}
    values = _vendi_values(found, orders, None)
    estimates = {}
    for column, order in enumerate(orders):
        estimate = _over_draws(order, values[:, column])
        if found.intervals:
            interval = found.intervals[column]
            diagnostics = estimate.diagnostics | {"interval": [interval.lower, interval.upper], "level": interval.level}
            estimate = Estimate(order, estimate.value, interval.stderr, interval.method, diagnostics)
        if found.nystrom is not None:
            low, high = found.nystrom.score_bounds(order)
            estimate = Estimate(order, estimate.value, diagnostics=estimate.diagnostics | {"exact_bounds": [low, high]})
        estimates[order_name(order)] = estimate
    return estimates


def _by_quadrature(draws: Sequence[QuadratureVendi]) -> Estimate:
    """Return the mean over draws of a score from random vectors, with the error they leave."""
    order = draws[0].order
    present = [(draw.value, draw.stderr) for draw in draws if draw.value is not None]
    if not present:
        return Estimate(order, None, diagnostics={"reason": NO_COUNT})
    estimate = _over_draws(order, np.asarray([value for value, _ in present]))
    worst = max(draw.quadrature_error or 0.0 for draw in draws)
    diagnostics: dict[str, object] = {
        "num_vectors": [draw.num_vectors for draw in draws],
        "num_lanczos_steps": draws[0].num_steps,
        "quadrature_error": worst,
    }
    if worst > NOTABLE_QUADRATURE_ERROR:
        diagnostics["warnings"] = [
            f"the quadrature leaves the score uncertain by up to {worst:.1%}: small eigenvalues, which low orders "
            "weigh, are not resolved; take spectrum='dense'"
        ]
    diagnostics |= estimate.diagnostics
    if len(present) > 1 or present[0][1] is None:
        return Estimate(order, estimate.value, estimate.stderr, estimate.stderr_method, diagnostics)
    method = "spread over random vectors of the quadrature, given the covariance"
    return Estimate(order, estimate.value, present[0][1], method, diagnostics)


def truncated_vendi(found: Evidence, orders: Sequence[float], num_kept: int) -> dict[str, Estimate]:
    """Return the t-truncated VENDI scores."""
    if found.quadrature:
        return {
            f"{order_name(order)}-truncated": Estimate(order, None, diagnostics={"reason": BY_QUADRATURE})
            for order in orders
        }
    values = _vendi_values(found, orders, num_kept)
    kept = {"num_kept": num_kept}
    estimates = [_over_draws(order, values[:, column]) for column, order in enumerate(orders)]
    return {
        f"{order_name(e.order)}-truncated": Estimate(e.order, e.value, e.stderr, e.stderr_method, e.diagnostics | kept)
        for e in estimates
    }


def _over_draws(order: float, values: np.ndarray) -> Estimate:
    if values.size == 1:
        return Estimate(order, float(values[0]))
    spread = float(values.std(ddof=1))
    return Estimate(
        order,
        float(values.mean()),
        spread / values.size**0.5,
        "spread over draws of the frequencies; leaves out the bias that random features give a plain score",
        {"draws_sd": spread},
    )


def debiased_vendi_scores(found: Evidence, orders: Sequence[float], scheme: str) -> dict[str, Estimate]:
    """Return the VENDI scores without the bias of random frequencies, by first and second order of the jackknife."""
    names = [(f"{order_name(order)}-debiased", f"{order_name(order)}-debiased-second") for order in orders]
    if not found.halved:
        reason = ONE_FREQUENCY if scheme in DEBIASED_SCHEMES else DEPENDENT.format(scheme=scheme)
        reason = BY_QUADRATURE if found.quadrature else reason
        return {
            first: Estimate(order, None, diagnostics={"reason": reason})
            for (first, _), order in zip(names, orders, strict=True)
        }
    method = "jackknife over halves of the frequencies, given these samples"
    if scheme != "iid":
        method += f"; an upper bound for {scheme} frequencies, whose halves are less even than the whole"
    draws = [
        debiased_vendi(np.asarray(spectrum.values), halved, orders)
        for spectrum, halved in zip(found.spectra, found.halved, strict=True)
    ]
    estimates: dict[str, Estimate] = {}
    for (first, second), *of_draws in zip(names, *draws, strict=True):
        estimates[first] = _extrapolated([draw.first for draw in of_draws], of_draws, found.halved[0], method)
        if of_draws[0].second is not None:
            estimates[second] = _extrapolated([draw.second for draw in of_draws], of_draws, found.halved[0], method)
    return estimates


def _extrapolated(
    extrapolations: Sequence[Extrapolation | None],
    draws: Sequence[DebiasedVendi],
    halved: HalvedSpectra,
    method: str,
) -> Estimate:
    """Return the geometric mean over draws: the debiased logarithm is what has no leading bias."""
    order = draws[0].order
    present = [e for e in extrapolations if e is not None]
    if not present:
        return Estimate(order, None, diagnostics={"reason": draws[0].reason})
    warnings = [w for w in (reliability_warning(draw, halved.num_frequencies) for draw in draws) if w is not None]
    diagnostics: dict[str, object] = {
        "warnings": warnings[:1],
        "num_halvings": halved.halves.shape[0],
        "disagreement_of_orders": draws[0].disagreement,
    }
    if len(present) == 1:
        return Estimate(order, present[0].value, present[0].stderr, method, diagnostics)
    logs = np.log([e.value for e in present])
    value = math.exp(logs.mean())
    stderr = value * float(logs.std(ddof=1)) / logs.size**0.5
    return Estimate(order, value, stderr, "spread over draws of the frequencies, given these samples", diagnostics)


def plain_rke(found: Evidence) -> Estimate:
    """Return ``1 / mean k^2`` over all pairs, as features or kernel values have it."""
    estimate = _over_draws(2.0, 1 / found.second_moments)
    diagnostics = estimate.diagnostics | {"second_moment": float(found.second_moments.mean())}
    return Estimate(2.0, estimate.value, estimate.stderr, estimate.stderr_method, diagnostics)


def debiased_rke(found: Evidence, scheme: str) -> Estimate:
    """Return the inverse of the mean of ``k^2`` without the bias of random frequencies."""
    if scheme not in DEBIASED_SCHEMES:
        return _no_value(DEPENDENT.format(scheme=scheme))
    if None in found.debiased:
        return _no_value(ONE_FREQUENCY)
    moment, stderr, method = _best_moment(found, scheme)
    return _inverse(moment, stderr, f"{method}, given these samples (delta method)")


def population_rke(found: Evidence, scheme: str | None) -> Estimate:
    """Return the inverse of the mean of ``k^2`` over independent pairs: of distinct samples, or of distinct groups."""
    if found.num_samples < 2:
        return _no_value("one sample has no pair of distinct samples")
    if scheme in DEBIASED_SCHEMES and None in found.debiased:
        return _no_value(ONE_FREQUENCY)
    moment, frequency_stderr, frequency_method = _best_moment(found, scheme)
    if found.num_groups is not None:
        return _grouped_population_rke(found, moment, frequency_stderr, frequency_method)
    population = without_self_pairs(moment, found.weight_share)
    if found.pairs is None:
        reason = "no standard error: samples are weighted, or their rows were not kept"
        estimate = _inverse(population, None, None)
        return Estimate(2.0, estimate.value, diagnostics=estimate.diagnostics | {"stderr_reason": reason})
    sampling = found.pairs.u_statistic_stderr(found.num_samples)
    if sampling is None or frequency_stderr is None:
        return _inverse(population, None, None)
    method = (
        f"U-statistic variance over independent samples (from exact kernel values of {found.pairs.num_rows:,} rows)"
    )
    stderr = population_stderr(sampling, frequency_stderr, found.weight_share)
    return _population(population, stderr, method, frequency_method, found.num_samples)


def _grouped_population_rke(
    found: Evidence, moment: float, frequency_stderr: float | None, frequency_method: str
) -> Estimate:
    grouped, share, num_groups = found.grouped, found.group_share, found.num_groups
    if grouped is None or share is None or num_groups is None:
        return _no_value("groups have no population score under a kernel whose k(x, x) is not 1")
    # On the exact route all groups were measured, and this is the mean over pairs of different groups itself.
    population = without_group_pairs(moment, grouped.within, share)
    sampling = grouped.u_statistic_stderr(num_groups)
    if sampling is None or frequency_stderr is None:
        return _inverse(population, None, None)
    stderr = population_stderr(sampling, frequency_stderr, share)
    method = f"U-statistic variance over independent groups (from exact kernel values of {grouped.num_groups:,} groups)"
    return _population(population, stderr, method, frequency_method, num_groups)


def _population(moment: float, stderr: float, sampling_method: str, frequency_method: str, num_units: int) -> Estimate:
    method = f"{sampling_method} and {frequency_method}" if frequency_method else sampling_method
    estimate = _inverse(moment, stderr, f"{method}; delta method")
    interval = rke_interval(moment, stderr, num_units, LEVEL)
    if estimate.value is not None and interval is not None:
        estimate.diagnostics["interval"] = list(interval)
        estimate.diagnostics["level"] = LEVEL
    return estimate


def _best_moment(found: Evidence, scheme: str | None) -> tuple[float, float | None, str]:
    """Return the mean of ``k^2`` with the least bias that can be had, its error over frequencies, and its method."""
    if scheme is None:  # no random features, no bias
        return float(found.second_moments.mean()), 0.0, ""
    if scheme in DEBIASED_SCHEMES:
        moments = [moment for moment in found.debiased if moment is not None]
        values = np.asarray([moment.value for moment in moments])
        single, single_method = moments[0].stderr, "jackknife over frequencies"
        if scheme != "iid":
            single, single_method = None, ""  # the jackknife takes frequencies to be independent
    else:
        values, single, single_method = found.second_moments, None, ""
    if values.size > 1:
        return (
            float(values.mean()),
            float(values.std(ddof=1)) / values.size**0.5,
            "spread over draws of the frequencies",
        )
    return float(values[0]), single, single_method


def _no_value(reason: str) -> Estimate:
    return Estimate(2.0, None, diagnostics={"reason": reason})


def _inverse(moment: float, stderr: float | None, method: str | None) -> Estimate:
    """Return ``1 / moment`` with the delta method's error; no value where the moment is not positive."""
    diagnostics: dict[str, object] = {"second_moment": moment, "second_moment_stderr": stderr}
    if moment <= 0:
        reason = (
            f"the unbiased second moment is {moment:.3g}, not positive: no RKE can be had from it; "
            "take more samples, more frequencies or a larger bandwidth"
        )
        return Estimate(2.0, None, diagnostics=diagnostics | {"reason": reason})
    if stderr is None:
        return Estimate(2.0, 1 / moment, diagnostics=diagnostics)
    if stderr > moment / 2:
        diagnostics["warnings"] = ["the second moment is within two standard errors of 0: its inverse is not reliable"]
    return Estimate(2.0, 1 / moment, stderr / moment**2, method, diagnostics)
