"""SPEC: which groups of items one embedding tells apart and another does not."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from fkeax.diversity.modes import SIGN_RULE, leading_samples
from fkeax.diversity.paired import (
    BandwidthPair,
    JointMap,
    KernelPair,
    Paired,
    feature_width,
    joint_covariance,
    padded_pair,
    paired,
)
from fkeax.diversity.samples import Rows
from fkeax.numerics import checks, linalg
from fkeax.results import Result


@dataclass(frozen=True)
class Directions:
    """Leading directions of one sign.

    Attributes:
        eigenvalues: Of ``(K_1 - K_2) / n``, largest in absolute value first, (k,).
        item_indices: The items that stand out most in each, (k, s).
        item_values: Their entries in the unit eigenvector, (k, s); their squares are the parts of 1 that they hold.
    """

    eigenvalues: np.ndarray
    item_indices: np.ndarray
    item_values: np.ndarray


@dataclass(frozen=True)
class EmbeddingDifference:
    """How two embeddings of the same items differ.

    Attributes:
        distance: Result "spec": the spectral norm of ``(K_1 - K_2) / n``.
        first: Groups that the first embedding holds together more closely than the second does (positive eigenvalues).
        second: The reverse (negative eigenvalues).
    """

    distance: Result
    first: Directions
    second: Directions


def spec(
    first: Rows,
    second: Rows,
    *,
    kernels: KernelPair = ("gaussian", "gaussian"),
    bandwidths: BandwidthPair = (None, None),
    num_directions: int = 5,
    num_items: int = 25,
    method: str = "auto",
    num_frequencies: int = 1000,
    batch_size: int = 4096,
    key: jax.Array | None = None,
) -> EmbeddingDifference:
    """Return the spectral pairwise embedding comparison of two embeddings of the same items.

    The spectrum of ``(K_1 - K_2) / n``. A positive eigenvalue belongs to items that are alike for the first embedding
    and not for the second: a cluster that only the first one has. Through features, with ``F = [F_1, F_2]``,
    ``M = F'F / n = L L'`` and ``D = diag(I, -I)``, it is the spectrum of the symmetric ``L' D L``, in O(n).

    Args:
        first: (n, d) rows, one an item.
        second: (n, e) rows of the same items in the same order.
        kernels: One for each embedding; each with k(x, x) = 1.
        bandwidths: One for each embedding, in its own units: a number, or a rule that looks at that embedding.
        num_directions: How many directions of each sign to describe, if there are as many.
        num_items: How many items to name in each.
        method: "exact" (n x n), "features", or "auto": exact when n is at most the number of features of both.
        num_frequencies: Of each Fourier map.
        batch_size: Rows of a batch.
        key: Typed key, needed for Fourier features.

    Returns:
        The distance in [0, 1], without a standard error, and the directions of either sign. Random features add noise
        of size 1/sqrt(2 num_frequencies) to either kernel's values, and the distance is off by about as much.

    Raises:
        ValueError, TypeError: One sentence that names the argument, what was expected and what came.

    Cost:
        exact: ``2 n^2 (d + e) + 9 n^3`` flops, three n x n float64 matrices. features: O(n f (d + e + f)) and some
        ``20 f^3`` flops, f features of both embeddings, in two passes.

    Example:
        >>> import numpy as np
        >>> apart, together = 100 * np.eye(4), 100 * np.eye(3)[[0, 1, 2, 2]]  # the second merges items 2 and 3
        >>> found = spec(apart, together, bandwidths=(1.0, 1.0), num_items=2)
        >>> round(float(found.distance), 4), sorted(found.second.item_indices[0].tolist())
        (0.25, [2, 3])

    References:
        Jalali et al. (2025), "Towards an explainable comparison and alignment of feature embeddings" (SPEC).
    """
    num_directions = checks.count(num_directions, "num_directions")
    num_items = checks.count(num_items, "num_items")
    asked = paired(
        (("first", first), ("second", second)),
        kernels=kernels,
        bandwidths=bandwidths,
        method=method,
        num_frequencies=num_frequencies,
        batch_size=batch_size,
        key=key,
    )
    eigenvalues, vectors, diagnostics = (_exact if asked.route == "exact" else _through_features)(asked, num_directions)
    sides = []
    for sign in (1, -1):
        chosen = np.flatnonzero(sign * eigenvalues > diagnostics["cutoff"])
        chosen = chosen[np.argsort(-sign * eigenvalues[chosen], kind="stable")][:num_directions]
        _, indices, values = leading_samples(vectors[:, chosen], num_items)
        sides.append(Directions(eigenvalues[chosen], indices, values))
    distance = float(max(np.abs(eigenvalues).max(), 0.0))
    result = Result(
        name="spec",
        value=distance if distance > diagnostics["cutoff"] else 0.0,
        stderr=None,
        settings=asked.settings(),
        diagnostics={
            "plan": asked.plan.to_dict(),
            **diagnostics,
            "sign_rule": SIGN_RULE,
            "eigenvalues_first": sides[0].eigenvalues,
            "eigenvalues_second": sides[1].eigenvalues,
            "stderr_reason": "no standard error is known for this score",
            "warnings": [],
        },
    )
    return EmbeddingDifference(result, sides[0], sides[1])


def _extremes(matrix: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ``count`` smallest and the ``count`` largest eigenvalues with their eigenvectors as columns."""
    size = matrix.shape[0]
    if 2 * count >= size:
        return linalg.top_eigenpairs(matrix, size)
    top, low = linalg.top_eigenpairs(matrix, count), linalg.top_eigenpairs(-matrix, count)
    return np.concatenate([top[0], -low[0]]), np.concatenate([top[1], low[1]], axis=1)


def _exact(asked: Paired, count: int) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
    difference = (asked.first.gram() - asked.second.gram()) / asked.num_samples
    values, vectors = _extremes(difference, count)
    return values, vectors, {"cutoff": 2 * linalg.relative_cutoff(asked.num_samples, np.float64)}


def _through_features(asked: Paired, count: int) -> tuple[np.ndarray, np.ndarray, dict[str, float]]:
    """Return extreme eigenvalues, the unit eigenvectors over items, ``F D L w / (l sqrt n)``, and the cut-off."""
    maps = JointMap(*asked.maps())
    moment = joint_covariance(asked, maps)
    width = feature_width(maps.first, asked.first.data.dimension)
    signs = np.where(np.arange(moment.shape[0]) < width, 1.0, -1.0)
    values, vectors = linalg.top_eigenpairs(moment, moment.shape[0])
    relative = linalg.relative_cutoff(values.size, asked.dtype)
    kept = values > relative * values[0]
    factor = vectors[:, kept] * np.sqrt(values[kept])
    eigenvalues, rotations = _extremes((factor * signs[:, None]).T @ factor, count)
    cutoff = float(2 * relative * values[0])
    used = np.abs(eigenvalues) > cutoff
    coefficients = signs[:, None] * (factor @ rotations[:, used]) / (eigenvalues[used] * asked.num_samples**0.5)
    device = jnp.asarray(coefficients.astype(asked.dtype))
    rows = [
        np.asarray(_project(maps, device, *padded_pair(asked, maps, chunk)[:2]))[: chunk[0].shape[0]]
        for chunk in asked.chunks()
    ]
    if not used.any():
        return np.zeros(1), np.zeros((asked.num_samples, 1)), {"cutoff": cutoff}
    return eigenvalues[used], np.concatenate(rows), {"cutoff": cutoff}


@jax.jit
def _project(
    maps: JointMap, coefficients: Float[Array, "f k"], first: Float[Array, "b d"], second: Float[Array, "b _"]
) -> Float[Array, "b k"]:
    parts = [part for side in maps.parts(first, second) for part in side]
    return jnp.matmul(jnp.concatenate(parts, axis=1), coefficients, precision=linalg.PRECISION)
