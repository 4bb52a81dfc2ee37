"""Order statistics without sorting."""

from __future__ import annotations

import numpy as np

_SAMPLE = 20_000


def kth_smallest(values: np.ndarray, k: int) -> float:
    """Return the k-th smallest (from 0) of many numbers, exactly, in about two passes over them.

    A sorted, evenly spaced sample brackets the answer; one pass counts what lies below the bracket, and the few numbers
    inside are partitioned. Where the bracket misses, the whole array is.

    Args:
        values: Any shape; infinities are welcome, NaN is not.
        k: From 0 to ``values.size - 1``.

    Example:
        >>> import numpy as np
        >>> kth_smallest(np.asarray([3.0, 1.0, 2.0]), 1)
        2.0
    """
    flat = values.reshape(-1)
    if flat.size > 4 * _SAMPLE:
        sample = np.sort(flat[:: flat.size // _SAMPLE])
        place, reach = k / flat.size * sample.size, 8 * sample.size**0.5  # some 16 standard errors of a random sample
        low = sample[max(int(place - reach), 0)]
        high = sample[min(int(place + reach), sample.size - 1)]
        num_below = int(np.count_nonzero(flat < low))
        inside = flat[(flat >= low) & (flat <= high)]
        if num_below <= k < num_below + inside.size:
            return float(np.partition(inside, k - num_below)[k - num_below])
    return float(np.partition(flat, k)[k])


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
    middle = [kth_smallest(values, k) for k in sorted({(num_values - 1) // 2, num_values // 2})]
    return sum(v**0.5 if root else v for v in middle) / len(middle)
