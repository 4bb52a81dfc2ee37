"""A bandwidth with its source, the median rule, and grids. No score has a default bandwidth."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import numpy as np

from fkeax.kernels.pair_distances import pair_distances
from fkeax.kernels.protocol import L1Kernel, SpectralKernel
from fkeax.numerics import checks

SMALLEST = 1e-15  # its square, and that of its inverse, are ordinary numbers in float32


@dataclass(frozen=True)
class Bandwidth:
    """A bandwidth and where it came from.

    Attributes:
        value: In the units of the data.
        source: "given", or a sentence that names the rule, the pairs it saw and, where they were sampled, its standard
            error.
        stderr: Standard error of the rule's value as an estimate of the rule on all pairs; None if none was sampled.
    """

    value: float
    source: str
    stderr: float | None


def given_bandwidth(value: object) -> Bandwidth:
    """Return a bandwidth given as a number, checked."""
    number = checks.positive_number(value, "bandwidth")
    if not SMALLEST <= number <= 1 / SMALLEST:
        raise ValueError(
            f"bandwidth must lie between {SMALLEST:g} and {1 / SMALLEST:g}; got {number:g}: scale the data."
        )
    return Bandwidth(number, "given", None)


def metric_of(kernel: SpectralKernel | None) -> str:
    """Return the distance that a kernel is a function of: "l1" or "l2"; l2 without a kernel."""
    return "l1" if isinstance(kernel, L1Kernel) else "l2"


def median_bandwidth(
    x: np.ndarray | jax.Array, *, kernel: SpectralKernel | None = None, key: jax.Array | None = None
) -> Bandwidth:
    """Return the median distance over pairs ``i < j``: of ``||x_i - x_j||_2``, or l1 distances for an l1 kernel.

    Exact up to 2,000 rows, by selection. Beyond, the median of 100,000 random pairs, with the standard error of a
    sample median (half the distance between the order statistics one standard deviation to either side).

    Beware: at the median, the Gaussian RKE is near e for any data, so the rule suits a reference set whose bandwidth is
    then shared, not a comparison in which each set has its own. Other packages differ by sqrt 2.

    Args:
        x: Rows are samples; measured in float64.
        kernel: Says which distance; its own bandwidth is ignored. None means l2.
        key: Needed beyond 2,000 rows.

    Raises:
        ValueError: If there is one row only, or the median is 0 because more than half of the pairs are duplicates.

    Example:
        >>> import numpy as np
        >>> median_bandwidth(np.asarray([[0.0], [1.0], [3.0]])).value
        2.0
    """
    found = pair_distances(x, metric=metric_of(kernel), rule="the median rule", key=key)
    source, stderr = f"median of {found.description}", None
    if found.sampled:
        stderr = _median_stderr(found.values)
        source += f", standard error {stderr:.2g}"
    value = float(np.median(found.values))
    if value == 0:
        raise ValueError(
            f"the median distance of x is 0: {found.share_of_duplicates:.0%} of the pairs are duplicates. "
            "Give a number as bandwidth."
        )
    return Bandwidth(value, source, stderr)


def bandwidth_grid(centre: float, *, ratio: float = 2.0, num: int = 7) -> np.ndarray:
    """Return ``num`` bandwidths in geometric progression, ascending, with ``centre`` in the middle of the logarithms.

    Args:
        centre: Such as the value of a rule.
        ratio: Of neighbours; above 1.
        num: How many; the centre itself is among them if it is odd.

    Example:
        >>> bandwidth_grid(4.0, ratio=2.0, num=3).tolist()
        [2.0, 4.0, 8.0]
    """
    centre = given_bandwidth(centre).value
    ratio = checks.finite_number(ratio, "ratio")
    if not ratio > 1:
        raise ValueError(f"ratio must be above 1; got {ratio:g}.")
    exponents = np.arange(checks.count(num, "num")) - (num - 1) / 2
    grid = centre * ratio**exponents
    given_bandwidth(float(grid[0]))
    given_bandwidth(float(grid[-1]))
    return grid


def _median_stderr(distances: np.ndarray) -> float:
    half_width = 0.5 / np.sqrt(distances.size)
    low, high = np.quantile(distances, [0.5 - half_width, 0.5 + half_width])
    return float(high - low) / 2
