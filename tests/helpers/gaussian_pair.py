"""N(0, I_d) against N(e_1, I_d): true frontier summaries, true ratios, and what an estimator of ratios can know.

Truth for the KL generator and c = 5, by quadrature over the one coordinate that the ratio depends on.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MAUVE_EXACT, MAUVE_ON_25_POINTS, FI, MID = 0.631587, 0.631403, 0.151418, 0.111421


def draw(random: np.random.Generator, n: int, m: int, d: int = 4) -> tuple[Array, Array]:
    """n rows of N(0, I_d) and m of N(e_1, I_d)."""
    p, q = random.standard_normal((n, d)), random.standard_normal((m, d))
    q[:, 0] += 1.0
    return p, q


def ratio(x: Array) -> Array:
    """p/q at rows: exp((||x - e_1||^2 - ||x||^2)/2)."""
    return np.exp(0.5 - x[:, 0])


def fi_of_histograms(p: Array, q: Array) -> float:
    """Frontier integral (p + q)/2 - p q (log p - log q)/(p - q), summed; its limits are 0 at p = q and half the mass
    that one side misses.
    """
    total = 0.0
    for a, b in zip(p.tolist(), q.tolist(), strict=True):
        if a == 0.0 or b == 0.0:
            total += (a + b) / 2
        elif abs(a - b) < 1e-6 * (a + b):
            total += (a - b) ** 2 / (3.0 * (a + b))
        else:
            total += (a + b) / 2 - a * b * (np.log(a) - np.log(b)) / (a - b)
    return total


def pooled_fi(at_p: Array, at_q: Array) -> float:
    """FI of the two histograms on all samples that ratios give: masses r/(n r + m) and 1/(n r + m), scaled to sum 1."""
    n, m = len(at_p), len(at_q)
    pairs = []
    for r in [*at_p, *at_q]:
        pairs.append((1.0 / n, 0.0) if r == np.inf else (r / (n * r + m), 1.0 / (n * r + m)))
    p, q = np.array(pairs).T
    return fi_of_histograms(p / p.sum(), q / q.sum())


def relabelled(
    random: np.random.Generator, pooled: Array, estimate: Callable[[NDArray[np.bool_]], float], num_draws: int
) -> tuple[float, float]:
    """Mean and standard deviation of an estimator over labels redrawn at fixed places.

    Given where the pooled rows are, each is of P independently with probability r/(1 + r): the law of the labels, so
    the mean is what the estimator tends to, its bias included.
    """
    r = ratio(pooled)
    values = [estimate(random.random(len(pooled)) < r / (1.0 + r)) for _ in range(num_draws)]
    return float(np.mean(values)), float(np.std(values, ddof=1))
