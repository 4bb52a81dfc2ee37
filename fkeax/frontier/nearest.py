"""Likelihood ratios from nearest neighbours: how many come from P, how many from Q."""

from __future__ import annotations

import numpy as np
from jax.typing import ArrayLike

from fkeax.frontier.ratios import LikelihoodRatios
from fkeax.numerics import checks
from fkeax.numerics.neighbors import ball_counts, nearest

CONVENTIONS = ("counted", "excluded")


def nearest_ratios(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    num_neighbors: int | None = None,
    own_point: str = "counted",
) -> LikelihoodRatios:
    """Return likelihood ratios from the k nearest neighbours of every sample among all others of both sides.

    At a sample of Q with N neighbours of P and M of Q, itself not among them, ``p/q`` is ``(N/n) / ((M + 1)/m)``; at
    a sample of P, ``q/p`` is ``(M/m) / ((N + 1)/n)`` (Noshad et al. 2017). Where more neighbours tie at distance 0
    than are asked for (duplicates within or across the samples), each of them counts in proportion.

    Biased: by the binomial noise of k neighbours, upward for divergences, about 1/k; and by the width of the
    neighbourhood, downward, about ``(k / n)^(2/d)`` for smooth densities. Consistent as both vanish.

    Deviations from the paper: eq. (22) divides by M, which is 0 for some samples at any k; the 1 in M + 1 is the
    sample itself, so no ratio is infinite at a sample of Q, nor 0 at one of P.

    Args:
        reference: Samples of P, (n, d), reduced to few dimensions.
        generated: Samples of Q, (m, d).
        num_neighbors: k; the smaller sample's size to the power 1/2 unless given (at least 1).
        own_point: "counted": the ratios above. "excluded": ``(N / n) / (M / m)`` at both sides, refused where a sample
            has no neighbour of its own side.

    Raises:
        ValueError: Too few points for k, or "excluded" and a sample without a neighbour of its own side.

    Cost:
        ``2 (n + m)^2 d`` flops; blocks of at most 32 MiB of distances.

    Example:
        >>> import numpy as np
        >>> ratios = nearest_ratios(np.asarray([[0.0], [1.0], [2.0]]), np.asarray([[2.5], [9.0]]), num_neighbors=1)
        >>> ratios.at_q.tolist()  # both nearest neighbours: one of P, one of Q
        [0.6666666666666666, 0.0]

    References:
        MAUVE paper, Section 4.2, eqs. (22) and (25), Algorithm 2.
    """
    checks.choice(own_point, "own_point", CONVENTIONS)
    p, q = np.asarray(checks.matrix(reference, "reference")), np.asarray(checks.matrix(generated, "generated"))
    n, m = p.shape[0], q.shape[0]
    k = max(1, round(min(n, m) ** 0.5)) if num_neighbors is None else checks.count(num_neighbors, "num_neighbors")
    if k > n + m - 1:
        raise ValueError(f"num_neighbors must be at most {n + m - 1}, all other samples of both sides; got {k}.")
    of_p, of_q = _neighbor_counts(np.concatenate([p, q]), n, k)
    if own_point == "counted":
        own_p, own_q = of_p[:n] + 1, of_q[n:] + 1
    else:
        own_p, own_q = of_p[:n], of_q[n:]
        lonely = int(np.sum(own_p == 0)) + int(np.sum(own_q == 0))
        if lonely:
            raise ValueError(
                f"own_point='excluded' leaves {lonely} samples without a neighbour of their own side; "
                "take more num_neighbors, or own_point='counted'."
            )
    with np.errstate(divide="ignore"):
        at_p = (own_p / n) / (of_q[:n] / m)
    at_q = (of_p[n:] / n) / (own_q / m)
    return LikelihoodRatios(at_p, at_q, {"num_neighbors": k, "own_point": own_point})


def _neighbor_counts(pooled: np.ndarray, num_first: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return for every row how many of its k nearest other rows are among the first rows, and among the rest."""
    distances, indices = nearest(pooled, pooled, k, exclude_self=True)
    first = np.sum(indices < num_first, axis=1).astype(np.float64)
    crowded = np.flatnonzero(distances[:, -1] == 0)
    if crowded.size:
        radii = np.zeros(crowded.size)
        equal_first, equal_rest = (
            ball_counts(side, pooled[crowded], radii).inside.astype(np.float64)
            for side in (pooled[:num_first], pooled[num_first:])
        )
        is_first = crowded < num_first
        equal_first -= is_first
        equal_rest -= ~is_first
        first[crowded] = k * equal_first / (equal_first + equal_rest)
    return first, k - first
