"""Optimal matchings of two small sets of points."""

from __future__ import annotations

import numpy as np


def cheapest_matching(costs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of a matching of least total cost of a cost matrix. Cost: O(n^3) time.

    Example:
        >>> import numpy as np
        >>> rows, columns = cheapest_matching(np.asarray([[4.0, 1.0], [2.0, 8.0]]))
        >>> columns.tolist()
        [1, 0]
    """
    from scipy import optimize

    return optimize.linear_sum_assignment(costs)
