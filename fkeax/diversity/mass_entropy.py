"""The entropy of eigenvalues that do not sum to 1, weighted by what they sum to."""

from __future__ import annotations

import numpy as np


def mass_entropy(eigenvalues: np.ndarray) -> float:
    """Return ``-sum l log(l / sum l)``: the sum of the eigenvalues times the entropy of their shares, in nats.

    Args:
        eigenvalues: Not negative; zeros add nothing, and of no eigenvalue the sum is 0.

    Example:
        >>> import numpy as np
        >>> round(mass_entropy(np.asarray([0.25, 0.25, 0.0])), 6)  # half of log 2
        0.346574
    """
    positive = np.asarray(eigenvalues, np.float64)
    positive = positive[positive > 0]
    return float(-np.sum(positive * np.log(positive / positive.sum()))) + 0.0
