"""Mean and covariance of a stream of rows: init, update, merge, finalize. Host, float64, shift-proof."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jax.typing import ArrayLike

from fkeax.numerics import batching, checks


@dataclass(frozen=True)
class GaussianState:
    """Rows so far: their number, mean, and sum of outer products about the mean."""

    num_rows: int
    mean: np.ndarray
    scatter: np.ndarray


def init_gaussian(dimension: int) -> GaussianState:
    """Return the state of no rows."""
    dimension = checks.count(dimension, "dimension")
    return GaussianState(0, np.zeros(dimension), np.zeros((dimension, dimension)))


def update_gaussian(state: GaussianState, rows: ArrayLike) -> GaussianState:
    """Return the state with a batch of rows added; an empty batch changes nothing.

    Raises:
        ValueError: If a row is not finite or the width differs.

    Cost:
        ``2 b d^2`` flops.
    """
    batch = batching.host_rows(rows, "rows")
    if batch.shape[0] == 0:
        return state
    if batch.shape[1] != state.mean.size:
        raise ValueError(f"rows must have {state.mean.size} columns like those before; got {batch.shape[1]}.")
    checks.finite_rows(batch, "rows", first_row=state.num_rows)
    mean = batch.mean(axis=0, dtype=np.float64)
    centred = batch - mean
    return merge_gaussians(state, GaussianState(batch.shape[0], mean, centred.T @ centred))


def merge_gaussians(a: GaussianState, b: GaussianState) -> GaussianState:
    """Return the state of the rows of both (Chan's formula); commutative, and associative up to rounding."""
    total = a.num_rows + b.num_rows
    if total == 0:
        return a
    step = b.mean - a.mean
    mean = a.mean + step * (b.num_rows / total)
    between = np.outer(step, step) * (a.num_rows * b.num_rows / total)
    return GaussianState(total, mean, a.scatter + b.scatter + between)


def finalize_gaussian(state: GaussianState) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and covariance, with 1/(n - 1).

    Raises:
        ValueError: If there are fewer than 2 rows.

    Example:
        >>> import numpy as np
        >>> state = update_gaussian(init_gaussian(1), np.asarray([[1.0], [3.0]]))
        >>> finalize_gaussian(state)
        (array([2.]), array([[2.]]))
    """
    if state.num_rows < 2:
        raise ValueError(f"a covariance needs at least 2 rows; the state has {state.num_rows}.")
    return state.mean, state.scatter / (state.num_rows - 1)
