"""Rules that choose a bandwidth from data. Always asked for by name: no score has a default bandwidth."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import numpy as np

from fkeax.numerics import batching, checks

MAX_EXACT_ROWS = 2000  # two million pairs
NUM_SAMPLED_PAIRS = 100_000
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


def median_bandwidth(x: np.ndarray | jax.Array, *, key: jax.Array | None = None) -> Bandwidth:
    """Return the median of ``||x_i - x_j||`` over pairs ``i < j``.

    Exact up to 2,000 rows. Beyond, the median of 100,000 random pairs, with the standard error of a sample median (half
    the distance between the order statistics one standard deviation to either side).

    Beware: at the median, RKE is near e for any data, so the rule suits a reference set whose bandwidth is then shared,
    not a comparison in which each set has its own. Other packages differ by sqrt 2.

    Args:
        x: Rows are samples; float64 data are used as they are, the rest in float32.
        key: Needed beyond 2,000 rows.

    Raises:
        ValueError: If there is one row only, or the median is 0 because more than half of the pairs are duplicates.

    Example:
        >>> import numpy as np
        >>> median_bandwidth(np.asarray([[0.0], [1.0], [3.0]])).value
        2.0
    """
    x = checks.matrix(x)
    num_rows = x.shape[0]
    if num_rows < 2:
        raise ValueError("the median rule needs at least 2 rows; x has 1. Give a number as bandwidth.")
    if num_rows <= MAX_EXACT_ROWS:
        distances = _all_distances(np.asarray(x))
        source, stderr = f"median of all {distances.size:,} pairwise distances", None
    else:
        key = checks.typed_key(key, f"the median rule beyond {MAX_EXACT_ROWS:,} rows")
        distances = _sampled_distances(np.asarray(x), np.random.default_rng(batching.key_seed(key)))
        stderr = _median_stderr(distances)
        source = f"median of {distances.size:,} random pairwise distances, standard error {stderr:.2g}"
    value = float(np.median(distances))
    if value == 0:
        share = float(np.mean(distances == 0))
        raise ValueError(
            f"the median distance of x is 0: {share:.0%} of the pairs are duplicates. Give a number as bandwidth."
        )
    return Bandwidth(value, source, stderr)


def given_bandwidth(value: object) -> Bandwidth:
    """Return a bandwidth given as a number, checked."""
    number = checks.positive_number(value, "bandwidth")
    if not SMALLEST <= number <= 1 / SMALLEST:
        raise ValueError(
            f"bandwidth must lie between {SMALLEST:g} and {1 / SMALLEST:g}; got {number:g}: scale the data."
        )
    return Bandwidth(number, "given", None)


def _all_distances(x: np.ndarray) -> np.ndarray:
    rows = x.astype(np.float64)
    rows = rows - rows.mean(axis=0)
    norms = np.square(rows).sum(axis=1)
    first, second = np.triu_indices(rows.shape[0], k=1)
    sums = norms[first] + norms[second]
    squared = sums - 2 * (rows @ rows.T)[first, second]
    squared[squared <= 1e-13 * sums] = 0  # the cancellation's own rounding: a duplicate
    return np.sqrt(squared)


def _sampled_distances(x: np.ndarray, random: np.random.Generator) -> np.ndarray:
    num_rows = x.shape[0]
    first = random.integers(num_rows, size=NUM_SAMPLED_PAIRS)
    second = (first + random.integers(1, num_rows, size=NUM_SAMPLED_PAIRS)) % num_rows
    distances = np.empty(NUM_SAMPLED_PAIRS)
    chunk = 10_000
    for start in range(0, NUM_SAMPLED_PAIRS, chunk):
        part = slice(start, start + chunk)
        difference = x[first[part]].astype(np.float64) - x[second[part]].astype(np.float64)
        distances[part] = np.sqrt(np.square(difference).sum(axis=1))
    return distances


def _median_stderr(distances: np.ndarray) -> float:
    half_width = 0.5 / np.sqrt(distances.size)
    low, high = np.quantile(distances, [0.5 - half_width, 0.5 + half_width])
    return float(high - low) / 2
