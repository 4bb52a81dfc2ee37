"""Scendi: how much of the diversity of images is explained by their texts, and how much the model adds of its own."""

from __future__ import annotations

import math

import jax
import numpy as np

from fkeax.diversity.mass_entropy import mass_entropy
from fkeax.diversity.paired import BandwidthPair, JointMap, KernelPair, feature_width, joint_covariance, paired
from fkeax.diversity.samples import Rows
from fkeax.numerics import checks, linalg
from fkeax.results import Result

FEW_ITEMS = 0.1  # texts explain by chance as large a share of the images as their features make of the items


def scendi(
    images: Rows,
    texts: Rows,
    *,
    kernels: KernelPair = ("gaussian", "gaussian"),
    bandwidths: BandwidthPair = (None, None),
    text_cutoff: float = 1e-4,
    num_frequencies: int = 1000,
    batch_size: int = 4096,
    key: jax.Array | None = None,
) -> dict[str, Result]:
    """Return the part of the diversity of images that is their model's own, and the part that their texts explain.

    The joint covariance of the features ``[phi_I, phi_T]`` is split by the Schur complement,
    ``S = C_II - C_IT C_TT^+ C_TI``: what of the features of images no linear function of the features of texts
    predicts. ``scendi-image`` is ``exp(-sum l log(l / sum l))`` over the spectrum of S and ``scendi-text`` the same
    over ``C_II - S``. ``vendi-1``, the whole diversity of the images, stands beside them; S and ``C_II - S`` have
    traces that add up to 1 (the ``share`` in the diagnostics), but the scores neither add up nor multiply to the whole.

    Features only. By kernel matrices of n distinct texts every image is explained, and S is 0; through features, any
    f_T of them explain about ``f_T / n`` of the images by chance alone. The diagnostics hold that number, with a
    warning above 0.1. Features are not centred, so that a constant text explains the mean of the images' features.

    Args:
        images: (n, d) embeddings of the images.
        texts: (n, e) embeddings of their texts, row by row.
        kernels: One for each; "cosine" has d and e features, shift-invariant kernels 2 num_frequencies each.
        bandwidths: One for each, in its own units: a number, or a rule that looks at that embedding.
        text_cutoff: Directions of the texts whose eigenvalue is below this times the largest are not used: the relative
            cut of the pseudo-inverse. At least the rounding of the sums is cut.
        num_frequencies: Of each Fourier map.
        batch_size: Rows of a batch.
        key: Typed key, needed for Fourier features.

    Returns:
        Results "scendi-image", "scendi-text" and "vendi-1", each at least 1; no standard error is known.

    Raises:
        ValueError, TypeError: One sentence that names the argument, what was expected and what came.

    Cost:
        O(n f (d + e + f)) and some ``20 f^3`` flops, f features of both; one f x f matrix, whatever n.

    Example:
        >>> import numpy as np
        >>> topics = np.repeat(np.eye(2), 50, axis=0)  # two texts; images show them, each in two styles
        >>> styles = np.tile(np.eye(2), (50, 1))
        >>> found = scendi(np.hstack([topics, styles]), topics, kernels=("cosine", "cosine"))
        >>> {name: round(float(result), 3) for name, result in found.items()}
        {'scendi-image': 1.0, 'scendi-text': 1.612, 'vendi-1': 2.828}
        >>> round(found["scendi-image"].diagnostics["share"], 3)
        0.25

    References:
        Ospanov et al. (2024), "Scendi score: prompt-aware diversity evaluation via Schur complement of CLIP
        embeddings".
    """
    cut = checks.finite_number(text_cutoff, "text_cutoff")
    if not 0 <= cut < 1:
        raise ValueError(f"text_cutoff must be at least 0 and below 1; got {cut:g}.")
    asked = paired(
        (("images", images), ("texts", texts)),
        kernels=kernels,
        bandwidths=bandwidths,
        method="features",
        num_frequencies=num_frequencies,
        batch_size=batch_size,
        key=key,
    )
    maps = JointMap(*asked.maps())
    joint = joint_covariance(asked, maps)
    rounding = linalg.relative_cutoff(joint.shape[0], asked.dtype)
    width = feature_width(maps.first, asked.first.data.dimension)
    own, explained, rank = schur_parts(joint, width, max(cut, rounding))
    by_chance = rank / asked.num_samples
    warnings = []
    if by_chance > FEW_ITEMS:
        warnings.append(
            f"{rank} directions of texts explain about {by_chance:.0%} of {asked.num_samples} images by chance alone; "
            "take more items, fewer frequencies or a larger text_cutoff"
        )
    shared = {
        "plan": asked.plan.to_dict(),
        "computed_in": str(asked.dtype),
        "text_rank": rank,
        "share_by_chance": by_chance,
        "stderr_reason": "no standard error is known for this score",
        "warnings": warnings,
    }
    settings = {**asked.settings(), "order": 1.0, "text_cutoff": cut}
    results = {}
    for name, matrix in (("scendi-image", own), ("scendi-text", explained), ("vendi-1", joint[:width, :width])):
        values = linalg.eigenvalues(matrix)
        size = float(np.linalg.norm(joint[:width, :width]))
        kept = values[values > rounding * size]
        diagnostics = {**shared, "share": float(kept.sum()), "smallest_eigenvalue": float(values[0])}
        results[name] = Result(name, math.exp(mass_entropy(kept)), None, settings, diagnostics)
    return results


def schur_parts(joint: np.ndarray, width: int, cutoff: float) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the Schur complement S of the second block of a joint covariance, ``C_II - S``, and the rank used.

    Args:
        joint: Symmetric, float64; the first ``width`` rows and columns are C_II.
        width: Of the first block.
        cutoff: Eigenvalues of the second block below this times the largest are not inverted.

    Example:
        >>> import numpy as np
        >>> own, explained, rank = schur_parts(np.asarray([[2.0, 1.0], [1.0, 1.0]]), 1, 1e-9)
        >>> own.tolist(), explained.tolist(), rank
        ([[1.0]], [[1.0]], 1)
    """
    second = joint[width:, width:]
    values, vectors = linalg.top_eigenpairs(second, second.shape[0])
    kept = values > cutoff * values[0]
    root = joint[:width, width:] @ (vectors[:, kept] / np.sqrt(values[kept]))
    explained = root @ root.T
    return joint[:width, :width] - explained, explained, int(kept.sum())
