"""Sums of rows by group on the host."""

from __future__ import annotations

import numpy as np


def grouped_row_sums(x: np.ndarray, groups: np.ndarray, num_groups: int) -> np.ndarray:
    """Return the (num_groups, d) sums of the rows of each group, added in row order.

    A product with the sparse one-hot matrix of the groups: one pass over the rows, where ``np.add.at`` and a sort with
    ``np.add.reduceat`` take ten times as long.

    Example:
        >>> grouped_row_sums(np.asarray([[1.0], [2.0], [4.0]]), np.asarray([0, 1, 0]), 3).ravel().tolist()
        [5.0, 2.0, 0.0]
    """
    from scipy import sparse  # the host edge, like LAPACK in fkeax.numerics.linalg

    num_rows = x.shape[0]
    ones = np.ones(num_rows, x.dtype)
    one_hot = sparse.csr_matrix((ones, groups, np.arange(num_rows + 1)), shape=(num_rows, num_groups))
    return np.asarray(one_hot.T @ x)
