"""Mean shifts ``y + s rho u``: a random, a principal or a reference direction u."""

from __future__ import annotations

import jax
import numpy as np

from fkeax.numerics import batching
from fkeax.sensitivity.affine import AffineMap
from fkeax.sensitivity.changed import checked_strength
from fkeax.sensitivity.corpus import Corpus


def no_change(key: jax.Array, strength: float, corpus: Corpus, reference: np.ndarray | None) -> AffineMap:
    """Return the identity, whatever the strength."""
    del key, strength, reference
    return AffineMap(np.zeros(corpus.dimension), 1.0, 0.0, "exact", 1.0)


def random_shift(key: jax.Array, strength: float, corpus: Corpus, reference: np.ndarray | None) -> AffineMap:
    """Return a shift along a direction that is uniform on the sphere, a new one for every key. W2 = s rho."""
    del reference
    direction = np.random.default_rng(batching.key_seed(key)).standard_normal(corpus.dimension)
    return _shift(strength, corpus, direction)


def principal_shift(key: jax.Array, strength: float, corpus: Corpus, reference: np.ndarray | None) -> AffineMap:
    """Return a shift along the corpus's first principal direction, either way by the key. W2 = s rho."""
    del reference
    sign = np.random.default_rng(batching.key_seed(key)).choice([-1.0, 1.0])
    return _shift(strength, corpus, sign * corpus.eigenvectors[:, 0])


def reference_shift(key: jax.Array, strength: float, corpus: Corpus, reference: np.ndarray | None) -> AffineMap:
    """Return a shift from the mean toward a random row of the reference sample. W2 = s rho.

    Such directions follow the covariance, where uniform ones spread over all d dimensions: between the random and the
    principal shift.

    Raises:
        ValueError: If there is no reference sample, or its random row is the mean itself.
    """
    if reference is None:
        raise ValueError("the change 'shift-reference' needs reference, the other sample of the draw.")
    row = np.random.default_rng(batching.key_seed(key)).integers(reference.shape[0])
    return _shift(strength, corpus, reference[row] - corpus.mean)


def _shift(strength: float, corpus: Corpus, direction: np.ndarray) -> AffineMap:
    size = checked_strength(strength) * corpus.rho
    length = float(np.linalg.norm(direction))
    if not length > 0:
        raise ValueError("the direction of the shift has length 0: a reference row equals the mean.")
    return AffineMap((size / length) * direction, 1.0, size, "exact", 1.0)
