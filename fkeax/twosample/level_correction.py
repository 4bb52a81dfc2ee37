"""The level correction of aggregated tests: one threshold for many statistics, by bisection in one compile."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float


@dataclass(frozen=True)
class Correction:
    """The decision of an aggregated test.

    Attributes:
        level: u: kernel l rejects at level ``u w_l``.
        fired: Which kernels do.
        thresholds: The quantile that each statistic had to exceed.
        p_values: Each kernel's own p-value, from the first half of the draws.
        p_value: The smallest alpha at which any kernel fires with the same draws.
    """

    level: float
    fired: np.ndarray
    thresholds: np.ndarray
    p_values: np.ndarray
    p_value: float


def corrected_level(
    observed: np.ndarray,
    for_quantiles: np.ndarray,
    for_level: np.ndarray,
    weights: np.ndarray,
    alpha: float,
    *,
    num_steps: int = 50,
) -> Correction:
    """Return the largest u at which the draws for the level reject at most a share alpha, and who fires there.

    Kernel l has the quantile ``q_l(u)`` of order ``1 - u w_l`` of its own draws and the observed value together;
    ``u = sup{u : mean_b 1(max_l [M_lb - q_l(u)] > 0) <= alpha}`` (Schrab et al. 2023), found by ``num_steps`` halvings.

    Args:
        observed: (L,) statistics.
        for_quantiles: (L, B1) draws.
        for_level: (L, B2) further draws.
        weights: (L,) positive, sum at most 1.
        alpha: The level.
        num_steps: B3.

    Cost:
        A sort of L rows of B1 + 1; B3 passes over L B2 numbers.

    Example:
        >>> import numpy as np
        >>> draws = np.random.default_rng(1).standard_normal((2, 400))
        >>> found = corrected_level(np.asarray([9.0, 0.0]), draws[:, :199], draws[:, 199:], np.full(2, 0.5), 0.05)
        >>> found.fired.tolist(), found.p_value <= 0.05
        ([True, False], True)
    """
    together = np.sort(np.concatenate([for_quantiles, observed[:, None]], axis=1), axis=1).astype(np.float64)
    with jax.enable_x64(True):
        level, thresholds, fired = _bisect(
            jnp.asarray(observed, jnp.float64),
            jnp.asarray(together),
            jnp.asarray(for_level, jnp.float64),
            jnp.asarray(weights, jnp.float64),
            jnp.asarray(alpha, jnp.float64),
            num_steps=num_steps,
        )
        level, thresholds, fired = float(level), np.asarray(thresholds), np.asarray(fired)
    number = together.shape[1]
    p_values = (
        np.asarray([number - np.searchsorted(row, value) for row, value in zip(together, observed, strict=True)])
        / number
    )
    p_draws = np.stack([number - np.searchsorted(row, draws) for row, draws in zip(together, for_level, strict=True)])
    # A kernel fires at u when its own p-value is at most u w_l: the smallest such u, and the share of draws that do.
    smallest = np.min(p_values / weights)
    p_value = float(np.mean(np.min(p_draws / number / weights[:, None], axis=0) <= smallest))
    return Correction(level, fired, thresholds, p_values, max(p_value, 1 / (for_level.shape[1] + 1)))


@jax.jit(static_argnames="num_steps")
def _bisect(
    observed: Float[Array, "l"],
    together: Float[Array, "l _"],
    for_level: Float[Array, "l b"],
    weights: Float[Array, "l"],
    alpha: Float[Array, ""],
    *,
    num_steps: int,
) -> tuple[Float[Array, ""], Float[Array, "l"], Bool[Array, "l"]]:
    number = together.shape[1]

    def thresholds(level: Array) -> Array:
        places = jnp.ceil(number * (1 - level * weights)).astype(jnp.int32) - 1
        return jnp.take_along_axis(together, jnp.clip(places, 0, number - 1)[:, None], axis=1)[:, 0]

    def halve(_: Array, bracket: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = bracket
        middle = (low + high) / 2
        rejected = jnp.mean(jnp.any(for_level > thresholds(middle)[:, None], axis=0).astype(jnp.float64))
        return jnp.where(rejected <= alpha, middle, low), jnp.where(rejected <= alpha, high, middle)

    level = lax.fori_loop(0, num_steps, halve, (jnp.zeros((), jnp.float64), jnp.min(1 / weights)))[0]
    found = thresholds(level)
    return level, found, observed > found
