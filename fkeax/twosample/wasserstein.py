"""Wasserstein distances: exact by matching on small samples, sliced on large ones."""

from __future__ import annotations

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax.numerics import batching, checks
from fkeax.numerics.assignment import cheapest_matching
from fkeax.results import Result
from fkeax.twosample.samples import two_samples

MAX_MATCHED = 5000  # an n x n float64 matrix of 200 MB, and minutes of matching


def wasserstein(reference: ArrayLike, generated: ArrayLike, *, key: jax.Array | None = None) -> Result:
    """Return the exact 2-Wasserstein distance of two samples of one size, by optimal matching.

    The distance of the empirical laws: in d dimensions it exceeds that of the populations by about ``n^(-1/d)``, so
    that it is far from 0 at P = Q for any n in use; compare at equal n only.

    Args:
        reference: (n, d) rows, at most 5,000.
        generated: (n, d) rows.
        key: Not used; every metric takes one.

    Raises:
        ValueError: If the sizes differ or exceed 5,000, or rows are unfit.

    Cost:
        O(n^3) time in the worst case, an n x n matrix in float64.

    Example:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).standard_normal((30, 2))
        >>> round(wasserstein(x, x[::-1] + [3.0, 4.0]).value, 9)
        5.0
    """
    del key
    samples = two_samples(reference, generated)
    n, m = samples.num_reference, samples.num_generated
    if n != m or n > MAX_MATCHED:
        raise ValueError(
            f"reference and generated must have the same number of rows, at most {MAX_MATCHED:,}, to be matched; "
            f"they have {n:,} and {m:,}. sliced_wasserstein takes any."
        )
    rows = samples.pooled(np.dtype(np.float64))
    x, y = rows[:n], rows[n:]
    costs = np.square(x).sum(axis=1)[:, None] + np.square(y).sum(axis=1)[None, :] - 2 * x @ y.T
    matched = cheapest_matching(costs)
    squared = np.square(x[matched[0]] - y[matched[1]]).sum(axis=1)  # without the cancellation
    return Result(
        name="wasserstein-2",
        value=float(squared.mean()) ** 0.5,
        stderr=None,
        settings=samples.settings | {"dtype": "float64"},
        diagnostics=samples.diagnostics
        | {
            "stderr_reason": "the bias at finite n is larger than any error that resampling could tell",
            "warnings": list(samples.warnings),
        },
    )


def sliced_wasserstein(
    reference: ArrayLike, generated: ArrayLike, *, key: jax.Array | None = None, num_projections: int = 500
) -> Result:
    """Return the squared sliced 2-Wasserstein distance: the mean squared distance along random directions.

    Along a direction the distance is exact for any n and m, through both quantile functions. A shift by c gives
    ``|c|^2 / d`` exactly in expectation over directions.

    Args:
        reference: (n, d) rows.
        generated: (m, d) rows.
        key: Draws the directions.
        num_projections: How many.

    Returns:
        A result whose standard error covers the random directions, not the samples.

    Raises:
        ValueError: If there is no key or rows are unfit.

    Cost:
        ``2 (n + m) d num_projections`` flops and as many sorts as projections.

    Example:
        >>> import jax, numpy as np
        >>> x = np.random.default_rng(0).standard_normal((200, 2))
        >>> result = sliced_wasserstein(x, x + [3.0, 4.0], key=jax.random.key(0))
        >>> bool(abs(result.value - 12.5) < 4 * result.stderr)
        True
    """
    number = checks.count(num_projections, "num_projections", minimum=2)
    random = np.random.default_rng(batching.key_seed(checks.typed_key(key, "random directions")))
    samples = two_samples(reference, generated)
    directions = random.standard_normal((samples.dimension, number))
    directions /= np.sqrt(np.square(directions).sum(axis=0))
    rows = samples.pooled(np.dtype(np.float64))
    squared = np.empty(number)
    for start in range(0, number, 64):
        projected = rows @ directions[:, start : start + 64]
        squared[start : start + 64] = squared_distances_on_lines(
            projected[: samples.num_reference], projected[samples.num_reference :]
        )
    return Result(
        name="sliced-wasserstein-2-squared",
        value=squared.mean(),
        stderr=float(squared.std(ddof=1)) / number**0.5,
        settings=samples.settings | {"dtype": "float64", "num_projections": number},
        diagnostics=samples.diagnostics
        | {"stderr_method": "over random directions, given the samples", "warnings": list(samples.warnings)},
    )


def squared_distances_on_lines(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the squared 2-Wasserstein distance of each column of x from the same column of y, for any n and m.

    Both quantile functions are constant between the levels ``i/n`` and ``j/m``.

    Example:
        >>> import numpy as np
        >>> squared_distances_on_lines(np.asarray([[0.0], [1.0]]), np.asarray([[2.0]])).tolist()
        [2.5]
    """
    x, y = np.sort(x, axis=0), np.sort(y, axis=0)
    n, m = len(x), len(y)
    if n == m:
        return np.square(x - y).mean(axis=0)
    levels = np.unique(np.concatenate([np.arange(1, n + 1) * m, np.arange(1, m + 1) * n]))  # in units of 1/(n m)
    widths = np.diff(levels, prepend=0) / (n * m)
    gaps = x[-(-levels // m) - 1] - y[-(-levels // n) - 1]
    return widths @ np.square(gaps)
