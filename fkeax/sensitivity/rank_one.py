"""Rank-one rescalings ``y + (a - 1) v v'(y - mu)``: the spread along one direction v, times a."""

from __future__ import annotations

import jax
import numpy as np

from fkeax.numerics import batching
from fkeax.sensitivity.affine import AffineMap
from fkeax.sensitivity.changed import InfeasibleChange, checked_strength
from fkeax.sensitivity.corpus import Corpus


def principal_stretch(key: jax.Array, strength: float, corpus: Corpus, reference: np.ndarray | None) -> AffineMap:
    """Return the stretch (a > 1) along the first principal direction. W2 = s rho, exactly."""
    del key, reference
    return rescaling(strength, corpus, corpus.eigenvectors[:, 0], 1.0)


def principal_shrinkage(key: jax.Array, strength: float, corpus: Corpus, reference: np.ndarray | None) -> AffineMap:
    """Return the shrinkage (a < 1) along the first principal direction. W2 = s rho, exactly.

    Raises:
        InfeasibleChange: If a would be negative, which is a reflection: s rho above the deviation along v.
    """
    del key, reference
    return rescaling(strength, corpus, corpus.eigenvectors[:, 0], -1.0)


def random_stretch(key: jax.Array, strength: float, corpus: Corpus, reference: np.ndarray | None) -> AffineMap:
    """Return the control: the same W2 by a stretch along a random direction, a new one for every key.

    A random direction holds about 1/d of the trace, so that a is near ``1 + s sqrt(d)``.
    """
    del reference
    direction = np.random.default_rng(batching.key_seed(key)).standard_normal(corpus.dimension)
    return rescaling(strength, corpus, direction / np.linalg.norm(direction), 1.0)


def rescaling(strength: float, corpus: Corpus, direction: np.ndarray, sign: float) -> AffineMap:
    """Return the rescaling by ``a = 1 + sign s rho / sqrt(v'Sv)`` along a unit direction.

    The map is symmetric and, for a >= 0, not negative: it is the optimal one (Brenier), and ``W2 = |a - 1|
    sqrt(v'Sv)``.

    Raises:
        InfeasibleChange: If a would be negative, or there is no spread along the direction.
    """
    size = checked_strength(strength) * corpus.rho
    deviation = max(float(direction @ corpus.covariance @ direction), 0.0) ** 0.5
    if size > 0 and not deviation > 0:
        raise InfeasibleChange("strength must be 0 for a rescaling along a direction without spread.")
    factor = 1.0 + sign * (size / deviation if size else 0.0)
    if factor < 0:
        raise InfeasibleChange(
            f"strength must be at most {deviation / corpus.rho:.3g} for a shrinkage along this direction, whose "
            f"spread is then gone; got {strength:g}."
        )
    matrix = np.eye(corpus.dimension) + (factor - 1.0) * np.outer(direction, direction)
    return AffineMap(np.zeros(corpus.dimension), matrix, size, "exact", None, {"factor": factor})
