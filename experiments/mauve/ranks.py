"""Rank correlations, and whether numbers with errors are in the order that a claim says."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from fkeax.results import Result

DECIDED = 2.0  # joint standard errors


def spearman(first: Sequence[float] | np.ndarray, second: Sequence[float] | np.ndarray) -> float:
    """Return Spearman's rank correlation, ties sharing their mean rank; NaN-free: 0 where one side is constant."""
    from scipy import stats

    if len(set(map(float, first))) < 2 or len(set(map(float, second))) < 2:
        return 0.0
    found: Any = stats.spearmanr(first, second)
    return float(found.statistic)


def judged_above(higher: Result, lower: Result) -> str:
    """Return "yes" where a number is above another beyond twice their joint error, "no", or "within the errors"."""
    gap = float(higher) - float(lower)
    error = float(np.hypot(higher.stderr or 0.0, lower.stderr or 0.0))
    if abs(gap) <= DECIDED * error:
        return "within the errors"
    return "yes" if gap > 0 else "no"


def judged_order(descending: Sequence[Result]) -> str:
    """Return how the steps of a claimed order came out, in one clause."""
    steps = [judged_above(first, second) for first, second in pairwise(descending)]
    if not steps:
        return "cannot be judged: fewer than two numbers"
    if all(step == "yes" for step in steps):
        return "yes"
    wrong, open_ = steps.count("no"), steps.count("within the errors")
    if wrong == 0 and open_ == len(steps):
        return "cannot be judged: all differences are within two standard errors"
    if wrong == 0:
        return f"in trend: {len(steps) - open_} of {len(steps)} steps beyond two standard errors, none against"
    return f"no: {wrong} of {len(steps)} steps go the other way beyond two standard errors"


def shown(result: Result, digits: int = 3) -> str:
    """Return a value with its error in a few characters."""
    if result.value is None:
        return "-"
    value = f"{result.value:.{digits}f}"
    return value if result.stderr is None else f"{value} +- {result.stderr:.{digits}f}"
