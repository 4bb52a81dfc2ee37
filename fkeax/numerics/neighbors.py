"""Exact nearest neighbours and balls around points, by blocks of queries: the distance matrix is never held."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Int

from fkeax.numerics import pairwise

BLOCK_BYTES = 32 * 2**20  # of one block of distances


def nearest(
    queries: np.ndarray | Float[Array, "n d"],
    points: np.ndarray | Float[Array, "m d"],
    num_neighbors: int,
    *,
    exclude_self: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the distances to the nearest points of every query, ascending, and their row numbers.

    Distances come from inner products of rows centred together, in float64 under ``jax.enable_x64`` and in float32
    otherwise: within rounding (a share of about ``sqrt(d) eps`` of the squared norms) of 0 they are 0. Ties go to the
    lower row number.

    Args:
        queries: One a row.
        points: What is searched.
        num_neighbors: At most the number of points (less one with ``exclude_self``).
        exclude_self: Query i is point i, and does not count as its own neighbour; duplicates of it in other rows do.

    Returns:
        Two (n, num_neighbors) arrays.

    Raises:
        ValueError: If there are fewer points than neighbours asked for, or widths differ.

    Cost:
        ``2 n m d`` flops; blocks of at most 32 MiB of distances.

    Example:
        >>> import numpy as np
        >>> points = np.asarray([[0.0], [1.0], [3.0]], np.float32)
        >>> distances, indices = nearest(points, points, 1, exclude_self=True)
        >>> distances[:, 0].tolist(), indices[:, 0].tolist()
        ([1.0, 1.0, 2.0], [1, 0, 1])
    """
    queries, points = centred_together(queries, points)
    available = points.shape[0] - bool(exclude_self)
    if not 1 <= num_neighbors <= available:
        raise ValueError(f"num_neighbors must lie between 1 and {available}, the points at hand; got {num_neighbors}.")
    distances, indices = _nearest(
        jnp.asarray(queries),
        jnp.asarray(points),
        num_neighbors,
        exclude_self,
        _block_rows(queries.shape[0], points.shape[0], queries.dtype),
    )
    return np.asarray(distances), np.asarray(indices)


@dataclass(frozen=True)
class BallCounts:
    """Which balls around points hold which queries.

    Attributes:
        containing: For each query, in how many balls it lies.
        inside: For each point, how many queries its ball holds.
    """

    containing: np.ndarray
    inside: np.ndarray


def ball_counts(
    queries: np.ndarray | Float[Array, "n d"], points: np.ndarray | Float[Array, "m d"], radii: np.ndarray
) -> BallCounts:
    """Count queries in closed balls of given radii around points; a query within rounding of the rim lies inside.

    Cost:
        ``2 n m d`` flops; blocks of at most 32 MiB of distances.

    Example:
        >>> import numpy as np
        >>> found = ball_counts(np.asarray([[0.0], [2.0]]), np.asarray([[1.0], [5.0]]), np.asarray([1.0, 1.0]))
        >>> found.containing.tolist(), found.inside.tolist()
        ([1, 1], [2, 0])
    """
    return mutual_ball_counts(queries, points, np.zeros(queries.shape[0]), radii)[1]


def mutual_ball_counts(
    first: np.ndarray | Float[Array, "n d"],
    second: np.ndarray | Float[Array, "m d"],
    first_radii: np.ndarray,
    second_radii: np.ndarray,
) -> tuple[BallCounts, BallCounts]:
    """Return the counts for balls around the first points and those around the second, in one pass over distances.

    Cost:
        ``2 n m d`` flops; blocks of at most 32 MiB of distances.
    """
    first, second = centred_together(first, second)
    block_rows = _block_rows(first.shape[0], second.shape[0], first.dtype)
    around_second, around_first, in_first, in_second = _ball_counts(
        jnp.asarray(first),
        jnp.asarray(second),
        jnp.asarray(first_radii, first.dtype),
        jnp.asarray(second_radii, first.dtype),
        block_rows,
    )
    return (
        BallCounts(containing=np.asarray(around_first), inside=np.asarray(in_first)),
        BallCounts(containing=np.asarray(around_second), inside=np.asarray(in_second)),
    )


def centred_together(
    first: np.ndarray | Float[Array, "n d"], second: np.ndarray | Float[Array, "m d"]
) -> tuple[np.ndarray, np.ndarray]:
    """Return both sets minus the mean of the second, subtracted in float64 before the cast to the working dtype."""
    first, second = np.asarray(first), np.asarray(second)
    if first.ndim != 2 or second.ndim != 2 or first.shape[1] != second.shape[1]:
        raise ValueError(f"both sets must be matrices of one width; got shapes {first.shape} and {second.shape}.")
    wide = first.dtype == np.float64 or second.dtype == np.float64
    dtype = np.dtype(np.float64 if wide and jax.config.read("jax_enable_x64") else np.float32)
    centre = second.mean(axis=0, dtype=np.float64)
    return (first - centre).astype(dtype), (second - centre).astype(dtype)


def _block_rows(num_queries: int, num_points: int, dtype: np.dtype) -> int:
    rows = min(num_queries, max(1, BLOCK_BYTES // (num_points * dtype.itemsize)))
    num_blocks = -(-num_queries // rows)
    return -(-num_queries // num_blocks)  # blocks of one size, the last as full as can be


def _blocks(queries: Float[Array, "n d"], block_rows: int) -> tuple[Int[Array, "k b"], Float[Array, "k b d"]]:
    num_blocks = -(-queries.shape[0] // block_rows)
    padding = num_blocks * block_rows - queries.shape[0]
    padded = jnp.pad(queries, ((0, padding), (0, 0)))
    return (
        jnp.arange(num_blocks * block_rows).reshape(num_blocks, block_rows),
        padded.reshape(num_blocks, block_rows, queries.shape[1]),
    )


@functools.partial(jax.jit, static_argnames=("num_neighbors", "exclude_self", "block_rows"))
def _nearest(
    queries: Float[Array, "n d"], points: Float[Array, "m d"], num_neighbors: int, exclude_self: bool, block_rows: int
) -> tuple[Float[Array, "n k"], Int[Array, "n k"]]:
    def one_block(block: tuple[Array, Array]) -> tuple[Array, Array]:
        numbers, rows = block
        squared = pairwise.squared_distances(rows, points)
        if exclude_self:
            own = numbers[:, None] == jnp.arange(points.shape[0])[None, :]
            squared = jnp.where(own, jnp.inf, squared)
        negative, indices = lax.top_k(-squared, num_neighbors)
        return jnp.sqrt(-negative), indices

    distances, indices = lax.map(one_block, _blocks(queries, block_rows))
    shape = (-1, num_neighbors)
    return distances.reshape(shape)[: queries.shape[0]], indices.reshape(shape)[: queries.shape[0]]


@functools.partial(jax.jit, static_argnames="block_rows")
def _ball_counts(
    first: Float[Array, "n d"],
    second: Float[Array, "m d"],
    first_radii: Float[Array, "n"],
    second_radii: Float[Array, "m"],
    block_rows: int,
) -> tuple[Int[Array, "n"], Int[Array, "m"], Int[Array, "n"], Int[Array, "m"]]:
    tolerance = pairwise.rounding_share(second.shape[1], second.dtype)
    norms = jnp.sum(jnp.square(second), axis=1)
    numbers, blocks = _blocks(first, block_rows)
    radii = jnp.pad(first_radii, (0, numbers.size - first_radii.shape[0])).reshape(numbers.shape)

    def one_block(
        carry: tuple[Array, Array], block: tuple[Array, Array, Array]
    ) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        around_first, in_second = carry
        own, rows, own_radii = block
        squared = pairwise.squared_distances(rows, second)
        squared = jnp.where((own < first.shape[0])[:, None], squared, jnp.inf)
        beyond = squared - tolerance * (jnp.sum(jnp.square(rows), axis=1)[:, None] + norms[None, :])
        within_second = beyond <= jnp.square(second_radii)[None, :]
        within_first = beyond <= jnp.square(own_radii)[:, None]
        carry = (
            around_first + jnp.sum(within_first, axis=0, dtype=jnp.int32),
            in_second + jnp.sum(within_second, axis=0, dtype=jnp.int32),
        )
        return carry, (
            jnp.sum(within_second, axis=1, dtype=jnp.int32),
            jnp.sum(within_first, axis=1, dtype=jnp.int32),
        )

    zeros = jnp.zeros(second.shape[0], jnp.int32)
    (around_first, in_second), per_row = lax.scan(one_block, (zeros, zeros), (numbers, blocks, radii))
    around_second, in_first = (counts.reshape(-1)[: first.shape[0]] for counts in per_row)
    return around_second, around_first, in_first, in_second
