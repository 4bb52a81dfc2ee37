"""The smallest strength that a budget detects, and the budget that a strength needs, from predictions."""

from __future__ import annotations

from collections.abc import Callable

from fkeax.numerics import checks
from fkeax.sensitivity.changed import InfeasibleChange
from fkeax.sensitivity.prediction import Prediction

SMALLEST_STRENGTH = 1e-4
LARGEST_BUDGET = 10**9


def smallest_detectable(
    predict: Callable[[float], Prediction],
    n: int,
    m: int | None = None,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    largest: float = 1.0,
    tolerance: float = 1e-3,
) -> float | None:
    """Return the smallest strength that a test of n (and m) rows detects with a wanted power, or None.

    By bisection in the logarithm of the strength, as if the power grew with it. A strength that the corpus does not
    allow counts as too large to ask for: the answer is then None if no possible one suffices.

    Args:
        predict: Prediction at a strength, such as ``lambda s: predict_leading("kid", corpus, affine(key, s, corpus,
            None))``.
        n: Rows a side, or of the reference.
        m: Generated rows; n by default.
        power: Wanted, above alpha and below 1.
        alpha: Level of the test.
        largest: Strength to look up to.
        tolerance: Relative, of the strength.

    Raises:
        ValueError: If a number is out of range.

    Cost:
        Some 15 predictions.

    Example:
        >>> from fkeax.sensitivity.prediction import Prediction
        >>> from fkeax.twosample.mmd_estimates import VarianceParts
        >>> parts = VarianceParts(0.0, 0.0, 1.0, 1.0, 1.0)
        >>> predict = lambda strength: Prediction(strength**2, 1.0, parts, 0.0)
        >>> found = smallest_detectable(predict, 1000, power=0.5)  # z = s^2 n / sqrt 8 is 1.645 there
        >>> round(found, 3)
        0.068
    """
    _checked(power, alpha, n, m)
    low, high = SMALLEST_STRENGTH, checks.positive_number(largest, "largest")

    def enough(strength: float) -> bool | None:
        try:
            return predict(strength).power(n, m, alpha=alpha) >= power
        except InfeasibleChange:
            return None

    at_high = enough(high)
    if at_high is False:
        return None
    feasible = at_high is not None
    if enough(low):
        return low
    while high / low > 1 + tolerance:
        middle = (low * high) ** 0.5
        found = enough(middle)
        if found is False:
            low = middle
        else:
            high, feasible = middle, found is not None
    return high if feasible else None


def samples_needed(
    prediction: Prediction, *, power: float = 0.8, alpha: float = 0.05, ratio: float = 1.0
) -> int | None:
    """Return the smallest n at which a test detects a change with a wanted power; None beyond 10^9, or if MMD^2 <= 0.

    Args:
        prediction: Of the change.
        power: Wanted, above alpha and below 1.
        alpha: Level of the test.
        ratio: Generated rows for each reference row; n counts the latter.

    Raises:
        ValueError: If a number is out of range.

    Example:
        >>> from fkeax.sensitivity.prediction import Prediction
        >>> from fkeax.twosample.mmd_estimates import VarianceParts
        >>> parts = VarianceParts(0.0, 0.0, 1.0, 1.0, 1.0)
        >>> samples_needed(Prediction(0.01, 1.0, parts, 0.0), power=0.5)  # 1.645 sqrt 8 / 0.01
        466
    """
    _checked(power, alpha, 2, None)
    ratio = checks.positive_number(ratio, "ratio")
    if not prediction.mmd2 > 0:
        return None

    def enough(n: int) -> bool:
        return prediction.power(n, max(round(ratio * n), 2), alpha=alpha) >= power

    high = 2
    while not enough(high):
        high *= 2
        if high > LARGEST_BUDGET:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _checked(power: float, alpha: float, n: int, m: int | None) -> None:
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1; got {alpha!r}.")
    if not alpha < power < 1:
        raise ValueError(f"power must lie between alpha ({alpha:g}) and 1; got {power!r}.")
    checks.count(n, "n", minimum=2)
    if m is not None:
        checks.count(m, "m", minimum=2)
