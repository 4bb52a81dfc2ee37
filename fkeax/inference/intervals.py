"""Standard errors and intervals from replicates."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np


def normal_interval(value: float, stderr: float, level: float = 0.95) -> tuple[float, float]:
    """Return ``value -+ z stderr`` with z the normal quantile of a central probability ``level``.

    Example:
        >>> [round(v, 2) for v in normal_interval(1.0, 0.5)]
        [0.02, 1.98]
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1; got {level!r}.")
    reach = NormalDist().inv_cdf((1 + level) / 2) * stderr
    return value - reach, value + reach


def jackknife_variance(leave_one_out: np.ndarray) -> float:
    """Return ``(n - 1)/n sum (t_i - mean)^2`` of an estimate's n values with one sample left out.

    For an estimate from two samples, add the variances of either side. The jackknife overstates the second-order part
    of a U-statistic's variance by a factor of 2: at P = Q, where nothing else is left, its standard error is sqrt 2 too
    wide.

    Example:
        >>> import numpy as np
        >>> x = np.asarray([0.0, 1.0, 5.0])
        >>> abs(jackknife_variance((x.sum() - x) / 2) - float(x.var(ddof=1)) / 3) < 1e-12  # of a mean: s^2 / n
        True
    """
    values = np.asarray(leave_one_out, np.float64)
    return float((values.size - 1) / values.size * np.square(values - values.mean()).sum())
