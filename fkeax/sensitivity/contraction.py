"""The isotropic contraction ``mu + (1 - s)(y - mu)``."""

from __future__ import annotations

import jax
import numpy as np

from fkeax.sensitivity.affine import AffineMap
from fkeax.sensitivity.changed import checked_strength
from fkeax.sensitivity.corpus import Corpus


def contraction(key: jax.Array, strength: float, corpus: Corpus, reference: np.ndarray | None) -> AffineMap:
    """Return the contraction by a share s, at most 1, about the mean. W2 = s rho, exactly."""
    del key, reference
    share = checked_strength(strength, largest=1.0)
    return AffineMap(np.zeros(corpus.dimension), 1.0 - share, share * corpus.rho, "exact", (1.0 - share) ** 2)
