"""The random rotation ``mu + R (y - mu)``, matched in Bures distance to a shift of the same strength.

Mean and trace stay, the covariance turns. ``R = exp(theta A)`` with one random skew A for a corpus, so that every draw
of an audit meets the same changed law, and theta the smallest angle at which the Bures distance of S and R S R' is
s rho. That distance bounds the 2-Wasserstein distance of the laws from below: the rotation is at least as far as the
shift.
"""

from __future__ import annotations

import math

import jax
import numpy as np

from fkeax.numerics import batching
from fkeax.numerics.transport_trace import nuclear_norm
from fkeax.sensitivity.affine import AffineMap
from fkeax.sensitivity.changed import InfeasibleChange, checked_strength
from fkeax.sensitivity.corpus import Corpus
from fkeax.sensitivity.skew_exponential import SkewExponential, random_skew

STEP = math.pi / 32  # the distance turns by at most 2 theta: no crossing hides between steps
MAX_THETA = 2 * math.pi
_TOLERANCE = 1e-10  # of the distance, relative
_MAX_STEPS = 60


def rotation(key: jax.Array, strength: float, corpus: Corpus, reference: np.ndarray | None) -> AffineMap:
    """Return the corpus's rotation at a strength: Bures distance s rho, a lower bound on W2.

    Args:
        key: Not used: the rotation is drawn once for a corpus.
        strength: s.
        corpus: Its spectrum says which strengths are possible.
        reference: Not used.

    Raises:
        InfeasibleChange: If no rotation of this spectrum, or not this one up to a full turn, goes as far.

    Cost:
        Once for a corpus: an eigendecomposition of a complex d x d matrix, and singular values of a d x d matrix every
        1/64 of a turn; once for a strength: some 6 more.
    """
    del key, reference
    share = checked_strength(strength)
    if share == 0:
        return AffineMap(np.zeros(corpus.dimension), 1.0, 0.0, "exact", 1.0, {"theta": 0.0})
    largest = largest_rotation(corpus.eigenvalues) / corpus.rho
    if share > largest:
        raise InfeasibleChange(
            f"strength must be at most {largest:.3g} for a rotation of this spectrum, whatever the axes; got {share:g}."
        )
    path = corpus.once("rotation path", lambda: RotationPath(corpus))
    return corpus.once(("rotation", share), lambda: path.matched(share))


def largest_rotation(eigenvalues: np.ndarray) -> float:
    """Return the largest Bures distance of S from R S R' over all rotations, given the eigenvalues of S in order.

    ``d_B^2 = 2 (tr S - tr (S R S R')^{1/2})``, and the last trace is smallest where R pairs the largest eigenvalue
    with the smallest: ``2 (tr S - sum_i sqrt(l_i l_{d+1-i}))``.

    Example:
        >>> import numpy as np
        >>> round(largest_rotation(np.asarray([4.0, 1.0])) ** 2, 12)  # (2 - 1)^2, twice
        2.0
    """
    squared = 2 * float(eigenvalues.sum() - np.sqrt(eigenvalues * eigenvalues[::-1]).sum())
    return max(squared, 0.0) ** 0.5


class RotationPath:
    """The Bures distances along ``theta -> exp(theta A)``, found as far as they are needed."""

    def __init__(self, corpus: Corpus):
        random = np.random.default_rng(batching.key_seed(corpus.key))
        # In the basis of eigenvectors, where a random skew matrix has the law it has in any other.
        self._turn = SkewExponential(random_skew(random, corpus.dimension))
        self._corpus = corpus
        positive = corpus.eigenvalues > 1e-14 * corpus.eigenvalues[0]
        self._deviations = np.sqrt(corpus.eigenvalues[positive])
        self._distances = [0.0]

    def distance(self, theta: float) -> float:
        """Return the Bures distance of S from its image."""
        roots = self._deviations
        turned = roots[:, None] * self._turn.rotation(theta, roots.size) * roots
        return max(2 * (self._corpus.trace - nuclear_norm(turned)), 0.0) ** 0.5

    def matched(self, strength: float) -> AffineMap:
        """Return the rotation at the first theta whose distance is ``strength`` times rho.

        Raises:
            InfeasibleChange: If there is none up to a full turn.
        """
        theta = self._crossing(strength * self._corpus.rho)
        vectors = self._corpus.eigenvectors
        found = self.distance(theta)
        return AffineMap(
            shift=np.zeros(self._corpus.dimension),
            matrix=vectors @ self._turn.rotation(theta) @ vectors.T,
            w2=found,
            w2_kind="lower bound",
            trace_ratio=1.0,
            details={"theta": theta, "bures_ratio": found / (strength * self._corpus.rho)},
        )

    def _crossing(self, target: float) -> float:
        """Bracket the first crossing on a grid of angles that all strengths share, then close in on it."""
        place = next((i for i, found in enumerate(self._distances) if found >= target), None)
        while place is None:
            number = len(self._distances)
            if number * STEP > MAX_THETA:
                reached = max(self._distances) / self._corpus.rho
                possible = largest_rotation(self._corpus.eigenvalues) / self._corpus.rho
                raise InfeasibleChange(
                    f"strength must be at most {reached:.3g} for the random rotation of this corpus "
                    f"({possible:.3g} for the best rotation of its spectrum); got {target / self._corpus.rho:g}."
                )
            self._distances.append(self.distance(number * STEP))
            place = number if self._distances[-1] >= target else None
        return self._closed_in((place - 1) * STEP, place * STEP, target)

    def _closed_in(self, low: float, high: float, target: float) -> float:
        """Return the angle in a bracket whose distance is the target: false position with halving (Illinois)."""
        below, above = self._distances[round(low / STEP)] - target, self._distances[round(high / STEP)] - target
        for _ in range(_MAX_STEPS):
            theta = low - below * (high - low) / (above - below)
            error = self.distance(theta) - target
            if abs(error) <= _TOLERANCE * target or high - low < 1e-14:
                return theta
            if error < 0:
                low, below, above = theta, error, above / 2
            else:
                high, above, below = theta, error, below / 2
        return high
