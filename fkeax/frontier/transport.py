"""Frontiers of an optimal transport cost in place of an f-divergence: ``(S(P, R_l), S(Q, R_l))``.

Needs ott-jax: ``pip install fkeax[transport]``.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.typing import ArrayLike
from jaxtyping import Array, Bool, Float

from fkeax.frontier.curve import FrontierCurve, Mixtures
from fkeax.frontier.summaries import area
from fkeax.numerics import checks
from fkeax.results import JSONValue

COSTS = ("squared", "euclidean")
_NUM_INTERVALS = 8  # of the mixture weights; even, for Simpson's rule


@dataclass(frozen=True)
class TransportFrontier:
    """A frontier of transport costs.

    Attributes:
        curve: Costs at mixtures ``i/8``, both ends included.
        values: ``[FI, midpoint, MAUVE]``, defined as for divergences, with costs in place of them.
        settings: What defines the numbers.
        diagnostics: Convergence and warnings.
    """

    curve: FrontierCurve
    values: np.ndarray
    settings: dict[str, JSONValue]
    diagnostics: dict[str, JSONValue]


def transport_frontier(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    scale: float = 5.0,
    cost: str = "squared",
    regularization: float = 0.05,
    num_points: int = 512,
) -> TransportFrontier:
    """Return the frontier of debiased Sinkhorn divergences from both samples to their mixtures.

    ``S(P, R) = OT(P, R) - OT(P, P)/2 - OT(R, R)/2``, OT the entropic transport cost. Costs are in units of the mean
    cost between the pooled rows, so that they are free of the scale of the data. Not an f-divergence: a value says how
    far mass must move, not how likely samples are. For the Euclidean cost without regularization the curve is a
    straight line, ``((1 - l) W, l W)``.

    Args:
        reference: Samples of P, (n, d).
        generated: Samples of Q, (m, d).
        scale: The constant c of ``exp(-c S)``.
        cost: "squared" or "euclidean" distance.
        regularization: Of the entropy, in units of the mean cost.
        num_points: At most so many rows of each side, the first ones, for the cost is quadratic.

    Raises:
        ImportError: ott-jax is not installed; the sentence says how to get it.
        ValueError: An argument is out of its range, or all rows are equal.

    Cost:
        Some hundred Sinkhorn iterations of ``2 s^2`` numbers for each of 15 pairs of laws, s points a side.

    References:
        The MAUVE paper compares such frontiers in its Section 7.4, without a formula; Sinkhorn divergences are of
        Genevay, Peyre and Cuturi (2018).
    """
    _require_ott()
    checks.choice(cost, "cost", COSTS)
    epsilon = checks.positive_number(regularization, "regularization")
    limit = checks.count(num_points, "num_points", minimum=2)
    constant = checks.positive_number(scale, "scale")
    p, q = (
        np.asarray(checks.matrix(side, name))[:limit].astype(np.float64)
        for side, name in ((reference, "reference"), (generated, "generated"))
    )
    pooled = np.concatenate([p, q])
    centre = pooled.mean(axis=0)
    pooled = pooled - centre
    norms = np.square(pooled).sum(axis=1)
    squared = np.maximum(norms[:, None] + norms - 2 * pooled @ pooled.T, 0)
    unit = float(np.mean(squared) ** 0.5 if cost == "squared" else np.mean(np.sqrt(squared)))
    if not unit > 0:
        raise ValueError("reference and generated must not all be one point: there is nothing to move.")
    dtype = checks.working_dtype(np.float64)
    sides = (jnp.asarray((side - centre) / unit, dtype) for side in (p, q))
    weights = np.arange(_NUM_INTERVALS + 1) / _NUM_INTERVALS
    # ott-jax relies on implicit promotion, which the caller may have forbidden.
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        to_p, to_q, converged = _costs(
            *sides, jnp.asarray(weights[1:-1], dtype), jnp.asarray(epsilon, dtype), cost=cost
        )
    mixtures = Mixtures(jnp.asarray(weights, dtype), jnp.asarray(1 - weights, dtype))
    curve = FrontierCurve(mixtures, to_p, to_q)
    settings: dict[str, JSONValue] = {"cost": cost, "regularization": epsilon, "num_points": limit}
    failed = int(np.sum(~np.asarray(converged)))
    warnings: list[JSONValue] = [f"{failed} of {converged.size} Sinkhorn problems did not converge"] if failed else []
    return TransportFrontier(
        curve,
        _summaries(curve, constant),
        settings,
        {"cost_unit": unit, "num_unconverged": failed, "warnings": warnings},
    )


def _require_ott() -> None:
    try:
        import ott  # noqa: F401  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise ImportError(
            "method='transport' needs ott-jax, which is not installed: pip install 'fkeax[transport]'."
        ) from error


def _summaries(curve: FrontierCurve, scale: float) -> np.ndarray:
    of_p, to_p, to_q = (
        np.asarray(values, np.float64) for values in (curve.mixtures.of_p, curve.divergence_p, curve.divergence_q)
    )
    simpson = np.array([1, *[4, 2] * (_NUM_INTERVALS // 2 - 1), 4, 1]) / (3 * _NUM_INTERVALS)
    integral = 2 * float(simpson @ (of_p * to_p + (1 - of_p) * to_q))
    middle = (to_p[_NUM_INTERVALS // 2] + to_q[_NUM_INTERVALS // 2]) / 2
    return np.array([integral, middle, float(area(curve, scale))])


@functools.partial(jax.jit, static_argnames="cost")
def _costs(
    p: Float[Array, "n d"],
    q: Float[Array, "m d"],
    weights: Float[Array, "l"],
    epsilon: Float[Array, ""],
    *,
    cost: str,
) -> tuple[Float[Array, "mixtures"], Float[Array, "mixtures"], Bool[Array, "problems"]]:
    """Return ``S(P, R_l)`` and ``S(Q, R_l)`` with both ends, and whether each problem converged."""
    from ott.geometry.costs import Euclidean, SqEuclidean  # pyright: ignore[reportMissingImports]
    from ott.tools.sinkhorn_divergence import sinkdiv  # pyright: ignore[reportMissingImports]

    kind = SqEuclidean() if cost == "squared" else Euclidean()
    both = jnp.concatenate([p, q])
    even_p, even_q = (jnp.full(side.shape[0], 1 / side.shape[0], side.dtype) for side in (p, q))

    def divergence(
        x: Float[Array, "n d"], y: Float[Array, "m d"], a: Float[Array, "n"], b: Float[Array, "m"]
    ) -> tuple[Float[Array, ""], Bool[Array, ""]]:
        traced: Any = epsilon  # annotated as a float there
        value, solved = sinkdiv(x, y, cost_fn=kind, epsilon=traced, a=a, b=b)
        return value, jnp.all(jnp.stack(solved.converged))

    def at(weight: Float[Array, ""]) -> tuple[Array, Array, Array, Array]:
        mixed = jnp.concatenate([even_p * weight, even_q * (1 - weight)])
        return *divergence(p, both, even_p, mixed), *divergence(q, both, even_q, mixed)

    whole, whole_converged = divergence(p, q, even_p, even_q)
    to_p, done_p, to_q, done_q = lax.map(at, weights)
    nothing = jnp.zeros(1, p.dtype)
    return (
        jnp.concatenate([whole[None], to_p, nothing]),
        jnp.concatenate([nothing, to_q, whole[None]]),
        jnp.concatenate([whole_converged[None], done_p, done_q]),
    )
