"""Quantiles of Student's t."""

from __future__ import annotations


def central_quantile(level: float, degrees: float) -> float:
    """Return the number that a Student's t exceeds in size with probability ``1 - level``.

    Args:
        level: Central probability, between 0 and 1.
        degrees: Degrees of freedom, above 0; infinity gives the normal quantile.

    Raises:
        ValueError: If either is out of range.

    Example:
        >>> [round(central_quantile(0.95, v), 4) for v in (9, float("inf"))]
        [2.2622, 1.96]
    """
    from scipy import special  # the host edge

    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1; got {level!r}.")
    if not degrees > 0:
        raise ValueError(f"degrees must be above 0; got {degrees!r}.")
    upper = (1 + level) / 2
    return float(special.ndtri(upper) if degrees == float("inf") else special.stdtrit(degrees, upper))
