"""Exact intervals for a proportion."""

from __future__ import annotations


def clopper_pearson(num_successes: int, num_trials: int, level: float = 0.95) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a success probability: coverage at least ``level``, whatever it is.

    Example:
        >>> [round(v, 4) for v in clopper_pearson(25, 500, 0.999)]
        [0.0238, 0.0903]
    """
    from scipy import special

    if not 0 <= num_successes <= num_trials or num_trials < 1:
        raise ValueError(f"num_successes must lie between 0 and num_trials; got {num_successes} of {num_trials}.")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1; got {level!r}.")
    tail = (1 - level) / 2
    low = special.betaincinv(num_successes, num_trials - num_successes + 1, tail) if num_successes else 0.0
    high = special.betaincinv(num_successes + 1, num_trials - num_successes, 1 - tail)
    return float(low), float(high) if num_successes < num_trials else 1.0
