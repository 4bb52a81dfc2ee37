"""The trace that optimal transport between Gaussians needs, without a matrix square root. Host, float64."""

from __future__ import annotations

import numpy as np

WELL_CONDITIONED = 1e-8  # of squared pivots


def triangle(rows: np.ndarray) -> np.ndarray:
    """Return a matrix with the same Gram matrix ``R'R = X'X`` and at most as many rows as columns.

    By Cholesky of ``X'X`` where that is well conditioned (squared pivots within 1e8 of each other, which keeps the
    nuclear norms below good to 1e-11), else by Householder QR, which does not square the condition number.

    Cost:
        ``n d^2`` flops where n > d, twice as many by QR; nothing otherwise.
    """
    from scipy import linalg

    if rows.shape[0] <= rows.shape[1]:
        return rows
    try:
        factor = linalg.cholesky(rows.T @ rows, check_finite=False)
    except linalg.LinAlgError:
        return np.asarray(np.linalg.qr(rows, mode="r"))
    pivots = np.square(np.diagonal(factor))
    if pivots.min() > WELL_CONDITIONED * pivots.max():
        return factor
    return np.asarray(np.linalg.qr(rows, mode="r"))


def nuclear_norm(matrix: np.ndarray) -> float:
    """Return the sum of the singular values."""
    from scipy import linalg

    return float(np.sum(linalg.svdvals(matrix, check_finite=False)))


def symmetric_root(covariance: np.ndarray) -> np.ndarray:
    """Return a factor F with ``F'F`` equal to a positive semi-definite matrix, up to rounding."""
    from scipy import linalg

    values, vectors = linalg.eigh(covariance, check_finite=False)
    return np.sqrt(np.maximum(values, 0))[:, None] * vectors.T


def stacked_roots(covariances: np.ndarray) -> np.ndarray:
    """Return the same for a stack of matrices."""
    values, vectors = np.linalg.eigh(covariances)
    return np.sqrt(np.maximum(values, 0))[..., :, None] * np.swapaxes(vectors, -1, -2)


def covariance_root_trace(first: np.ndarray, second: np.ndarray) -> float:
    """Return ``tr (A'A B'B)^{1/2}``: the nuclear norm of ``A B'``, the smaller of rows and columns on either side.

    Args:
        first: (n, d) factor A: centred rows, over ``sqrt(n - 1)`` for a covariance.
        second: (m, d) factor B.

    Cost:
        QR of a side with more rows than columns, then the singular values of a matrix of min(n, d) by min(m, d).

    Example:
        >>> import numpy as np
        >>> covariance_root_trace(np.diag([2.0, 3.0]), np.diag([5.0, 1.0]))
        13.0
    """
    return nuclear_norm(triangle(first) @ triangle(second).T)
