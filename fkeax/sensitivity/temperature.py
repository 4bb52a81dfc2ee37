"""Temperature: the covariance's spectrum sharpened or flattened, at one mean, one trace and the same axes."""

from __future__ import annotations

import jax
import numpy as np
from jaxtyping import Float

from fkeax.sensitivity.affine import AffineMap
from fkeax.sensitivity.corpus import Corpus


def tempered_spectrum(eigenvalues: Float[np.ndarray, "d"], temperature: float) -> Float[np.ndarray, "d"]:
    """Return ``t p_i^(1/T) / sum_j p_j^(1/T)``, p the eigenvalues over their sum t: a softmax at temperature T.

    Below 1 the large eigenvalues gain, the effective dimension falls; above 1 the spectrum flattens. What is 0 stays 0.

    Raises:
        ValueError: If the temperature is not positive.

    Example:
        >>> import numpy as np
        >>> tempered_spectrum(np.asarray([0.8, 0.2]), 0.5).round(4).tolist()
        [0.9412, 0.0588]
    """
    if not temperature > 0:
        raise ValueError(f"temperature must be positive; got {temperature:g}.")
    positive = eigenvalues > 0
    logs = np.log(eigenvalues, where=positive, out=np.full(eigenvalues.shape, -np.inf)) / temperature
    powers = np.exp(logs - logs.max())
    return float(eigenvalues.sum()) * powers / powers.sum()


def temperature(key: jax.Array, strength: float, corpus: Corpus, reference: np.ndarray | None) -> AffineMap:
    """Return the map that gives the corpus the spectrum of temperature ``1 - strength``; a negative strength heats.

    Not matched to other changes; its W2, ``sqrt(sum (sqrt l'_i - sqrt l_i)^2)``, is exact, the map being symmetric and
    not negative. Directions below 1e-12 of the largest eigenvalue are left as they are.

    Raises:
        ValueError: If the strength is 1 or more.
    """
    del key, reference
    if not strength < 1:
        raise ValueError(
            f"strength must be below 1 for this change, which is temperature 1 - strength; got {strength:g}."
        )
    seen = corpus.eigenvalues > 1e-12 * corpus.eigenvalues[0]
    old = np.where(seen, corpus.eigenvalues, 0.0)
    new = tempered_spectrum(old, 1.0 - strength)
    factors = np.sqrt(np.divide(new, old, where=seen, out=np.ones_like(old)))
    moved = np.where(seen, np.sqrt(new) - np.sqrt(old), 0.0)
    vectors = corpus.eigenvectors
    return AffineMap(
        shift=np.zeros(corpus.dimension),
        matrix=(vectors * factors) @ vectors.T,
        w2=float(np.linalg.norm(moved)),
        w2_kind="exact",
        trace_ratio=None,
        details={"temperature": 1.0 - strength},
    )
