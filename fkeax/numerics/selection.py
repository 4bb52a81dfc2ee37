"""Order statistics without sorting."""

from __future__ import annotations

import numpy as np

_SAMPLE = 20_000


def kth_smallest(values: np.ndarray, k: int) -> float:
    """Return the k-th smallest (from 0) of many numbers, exactly; see :func:`order_statistics`.

    Example:
        >>> import numpy as np
        >>> kth_smallest(np.asarray([3.0, 1.0, 2.0]), 1)
        2.0
    """
    return order_statistics(values, k, k)[0]


def order_statistics(values: np.ndarray, first: int, last: int) -> tuple[float, float]:
    """Return the smallest numbers of two ranks near to each other (from 0), exactly, in about two passes.

    A sorted, evenly spaced sample brackets the answer; one pass counts what lies below the bracket, and the few numbers
    inside are partitioned. Where the bracket misses, the whole array is.

    Args:
        values: Any shape; infinities are welcome, NaN is not.
        first: From 0 to ``last``.
        last: To ``values.size - 1``.
    """
    flat = values.reshape(-1)
    ranks = (first, last)
    if flat.size > 4 * _SAMPLE:
        sample = np.sort(flat[:: flat.size // _SAMPLE])
        reach = 8 * sample.size**0.5  # some 16 standard errors of a random sample
        low = sample[max(int(first / flat.size * sample.size - reach), 0)]
        high = sample[min(int(last / flat.size * sample.size + reach), sample.size - 1)]
        num_below = int(np.count_nonzero(flat < low))
        inside = flat[np.flatnonzero((flat >= low) & (flat <= high))]  # three times as fast as by the mask
        if num_below <= first and last < num_below + inside.size:
            flat, ranks = inside, (first - num_below, last - num_below)
    parted = np.partition(flat, ranks)
    return float(parted[ranks[0]]), float(parted[ranks[1]])


def median_of_smallest(values: np.ndarray, num_values: int, *, root: bool = False) -> float:
    """Return the median of the ``num_values`` smallest numbers: of a padded array's finite part.

    Args:
        values: Any shape.
        num_values: How many count.
        root: Return the median of their square roots instead; the roots of all are not needed for it.

    Example:
        >>> import numpy as np
        >>> median_of_smallest(np.asarray([np.inf, 3.0, 1.0]), 2)
        2.0
    """
    low, high = order_statistics(values, (num_values - 1) // 2, num_values // 2)
    return (low**0.5 + high**0.5) / 2 if root else (low + high) / 2
