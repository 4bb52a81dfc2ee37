"""From likelihood ratios at samples to a frontier, its summaries and their sampling error.

Shared by the estimators of the ratio (nearest neighbours, densities, classifier, Gaussians).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

from fkeax.frontier.curve import FrontierCurve, Mixtures, PairedMasses, frontier_curve
from fkeax.frontier.generators import Generator, Scalar
from fkeax.frontier.summaries import area, exact_area, frontier_integral, frontier_midpoint
from fkeax.frontier.summary_generators import integral_generator
from fkeax.numerics import checks
from fkeax.results import JSONValue

ATOMS = ("pooled", "other-side")
_LARGEST_LOG = 80.0  # exp of it, and of its negative, are ordinary numbers in float32
_NUM_GROUPS = 20


@dataclass(frozen=True)
class LikelihoodRatios:
    """Estimated likelihood ratios ``p/q`` at samples of both sides.

    Attributes:
        at_p: At samples of P: positive, infinite where the estimate of q is 0.
        at_q: At samples of Q: finite, 0 where the estimate of p is 0.
        diagnostics: What was seen on the way.
    """

    at_p: Float[np.ndarray, "n"]
    at_q: Float[np.ndarray, "m"]
    diagnostics: dict[str, JSONValue] = field(default_factory=dict)


@dataclass(frozen=True)
class RatioSummaries:
    """A frontier and its summaries from likelihood ratios.

    Attributes:
        curve: The frontier.
        values: ``[FI, midpoint, MAUVE]``.
        stderr: Their standard errors as means over samples, the ratios held as they are; None for few samples.
        mass_p: What the ratios say that P's total mass is: 1 but for the error of the ratios.
        mass_q: The same of Q.
    """

    curve: FrontierCurve
    values: np.ndarray
    stderr: np.ndarray | None
    mass_p: float
    mass_q: float


def ratios_from_logs(log_at_p: np.ndarray, log_at_q: np.ndarray, diagnostics: dict[str, JSONValue]) -> LikelihoodRatios:
    """Return ratios from their logarithms, held within exp(+-80); how many were held is a diagnostic."""
    held = sum(int(np.sum(np.abs(logs) > _LARGEST_LOG)) for logs in (log_at_p, log_at_q))
    at_p, at_q = (np.exp(np.clip(logs, -_LARGEST_LOG, _LARGEST_LOG)) for logs in (log_at_p, log_at_q))
    return LikelihoodRatios(at_p, at_q, diagnostics | {"num_extreme_ratios": held})


def masses_from_weighted_ratios(
    at_p: Float[Array, "n"],
    at_q: Float[Array, "m"],
    weights_p: Float[Array, "n"],
    weights_q: Float[Array, "m"],
    *,
    atoms: str,
) -> tuple[PairedMasses, Float[Array, "2"]]:
    """Return the masses that ratios put on weighted samples, and the total masses of P and Q. Traceable.

    "pooled": all samples are draws from the mixture of P and Q in proportion to the sample sizes n and m, under which P
    has mass ``r / (n r + m)`` at a sample of ratio r, and Q has ``1 / (n r + m)``. Neither exceeds what one sample may
    weigh, ``1/n`` and ``1/m``, so that no outlying ratio carries a sum, and both are scaled to sum to 1: a pair of
    histograms on the samples.

    "other-side": eq. (25) of the paper, the first coordinate as a mean over Q's samples and the second over P's, with
    masses in proportion to the ratio and no limit to what one sample weighs.
    """
    size_p, size_q = jnp.sum(weights_p), jnp.sum(weights_q)
    if atoms == "other-side":
        p_first, q_second = at_q * weights_q / size_q, weights_p / at_p / size_p
        masses = PairedMasses(p_first, weights_q / size_q, weights_p / size_p, q_second)
        return masses, jnp.stack([jnp.sum(p_first), jnp.sum(q_second)])
    odds = jnp.concatenate([at_p, at_q]) * (size_p / size_q)
    weights = jnp.concatenate([weights_p, weights_q])
    p = weights / (1 + 1 / odds) / size_p  # right at odds 0 and infinity, too
    q = weights / (1 + odds) / size_q
    totals = jnp.stack([jnp.sum(p), jnp.sum(q)])
    p, q = p / totals[0], q / totals[1]
    return PairedMasses(p, q, p, q), totals


def summarize_ratios(
    ratios: LikelihoodRatios,
    generator: Generator,
    *,
    scale: float,
    mixtures: Mixtures,
    exact: bool = False,
    atoms: str = "pooled",
) -> RatioSummaries:
    """Return the frontier that likelihood ratios give, with its summaries.

    The standard errors come from a jackknife that leaves out every twentieth row of both sides in turn: they hold the
    ratios as they are, so that the error of the ratios, mostly bias, is not in them.

    Args:
        ratios: At samples of both sides.
        generator: f.
        scale: The constant c of the area.
        mixtures: The grid of the curve, and of the area.
        exact: Take the area by quadrature instead.
        atoms: "pooled" or "other-side", as :func:`masses_from_weighted_ratios`.

    Cost:
        ``O(21 (n + m) l)``; "other-side" takes FI by quadrature, at three times that.
    """
    checks.choice(atoms, "atoms", ATOMS)
    dtype = checks.working_dtype(np.float64)
    sides = jnp.asarray(ratios.at_p, dtype), jnp.asarray(ratios.at_q, dtype)
    constant = jnp.asarray(scale, dtype)
    masses, totals = masses_from_weighted_ratios(*sides, *(jnp.ones_like(side) for side in sides), atoms=atoms)
    curve = _curve(masses, generator, mixtures)
    few = min(ratios.at_p.size, ratios.at_q.size) < 2 * _NUM_GROUPS
    groups = 0 if few else _NUM_GROUPS
    found = np.asarray(_jackknifed(*sides, generator, constant, mixtures, atoms=atoms, num_groups=groups), np.float64)
    values = found[-1].copy()
    if exact:
        values[2] = float(_exact_area(masses, generator, constant))
    stderr = None
    if not few:
        spread = np.square(found[:-1] - found[:-1].mean(axis=0)).sum(axis=0)
        stderr = np.sqrt(spread * (_NUM_GROUPS - 1) / _NUM_GROUPS)
    return RatioSummaries(curve, values, stderr, float(totals[0]), float(totals[1]))


_curve = jax.jit(frontier_curve)
_exact_area = jax.jit(exact_area)


@functools.partial(jax.jit, static_argnames=("atoms", "num_groups"))
def _jackknifed(
    at_p: Float[Array, "n"],
    at_q: Float[Array, "m"],
    generator: Generator,
    scale: Scalar,
    mixtures: Mixtures,
    *,
    atoms: str,
    num_groups: int,
) -> Float[Array, "groups 3"]:
    """Return ``[FI, midpoint, MAUVE]`` without each group of rows in turn; the last row is without none."""

    def kept(side: Float[Array, "n"], group: Array) -> Float[Array, "n"]:
        if num_groups == 0:
            return jnp.ones_like(side)
        return (jnp.arange(side.shape[0], dtype=jnp.int32) % num_groups != group).astype(side.dtype)

    def without(group: Array) -> Float[Array, "3"]:
        masses, _ = masses_from_weighted_ratios(at_p, at_q, kept(at_p, group), kept(at_q, group), atoms=atoms)
        if atoms == "pooled":
            integral = integral_generator(generator).divergence(masses.p_first, masses.q_first)
        else:
            integral = frontier_integral(masses, generator)
        curve = frontier_curve(masses, generator, mixtures)
        return jnp.stack([integral, frontier_midpoint(masses, generator), area(curve, scale)])

    return lax.map(without, jnp.arange(num_groups + 1, dtype=jnp.int32))
