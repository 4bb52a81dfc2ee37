"""The package vendi-score 0.0.3 by its own call on a kernel matrix made the fast way."""

from __future__ import annotations

import warnings

import numpy as np


def score(x: np.ndarray, bandwidth: float, order: int) -> float:
    """Return the exact VENDI score of an order, of a Gaussian kernel, in float64: n x n numbers and all eigenvalues."""
    from vendi_score import vendi  # pyright: ignore[reportMissingImports]

    rows = x.astype(np.float64)
    norms = np.square(rows).sum(axis=1)
    gram = np.exp((2 * rows @ rows.T - norms[:, None] - norms[None]) / (2 * bandwidth**2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it names a part of SciPy that has moved
        return float(vendi.score_K(gram, q=order))
