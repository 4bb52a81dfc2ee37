"""Quantiles of a law with a given skewness."""

from __future__ import annotations

from statistics import NormalDist


def standard_gamma_quantile(level: float, skewness: float) -> float:
    """Return a quantile of the gamma law with mean 0, standard deviation 1 and a skewness; normal at skewness 0.

    The usual stand-in (Pearson's type III) for a weighted sum of chi-square variables, such as the null law of MMD^2.

    Args:
        level: Between 0 and 1.
        skewness: At least 0.

    Raises:
        ValueError: If either is out of range.

    Example:
        >>> [round(standard_gamma_quantile(0.95, s), 4) for s in (0.0, 2.0)]  # at 2: exponential, log 20 - 1
        [1.6449, 1.9957]
    """
    from scipy import special  # the host edge

    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1; got {level!r}.")
    if not skewness >= 0:
        raise ValueError(f"skewness must be at least 0; got {skewness!r}.")
    if skewness < 1e-3:  # within 1e-3 of the normal law, where the gamma quantile loses its digits
        return NormalDist().inv_cdf(level)
    shape = 4 / skewness**2
    return float((special.gammaincinv(shape, level) - shape) / shape**0.5)
