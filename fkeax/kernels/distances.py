"""Distances between points: from inner products where they are l2, in tiles where they are l1."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

_SAME_POINT = 128  # units of eps |x|^2; see joined_duplicates
_GROUP_COLUMNS = 8  # columns added at a time: a tile is read and written once for eight of them
_TILE_NUMBERS = 2**16  # a tile of l1 distances stays in the cache


def root(squared: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """Return the square root with derivative 0 at 0, where that of ``sqrt`` is infinite."""
    positive = squared > 0
    return jnp.where(positive, jnp.sqrt(jnp.where(positive, squared, 1)), 0)


def magnitude(difference: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
    """Return the absolute value with derivative 0 at 0, where JAX gives that of ``abs`` as 1."""
    return jnp.maximum(difference, -difference)  # a tie shares the derivative between 1 and -1


def joined_duplicates(
    xy: Float[Array, "*shape"], xx: Float[Array, "*shape"], yy: Float[Array, "*shape"]
) -> Float[Array, "*shape"]:
    """Return squared distances from inner products, 0 for points nearer than rounding can tell.

    ``xx + yy - 2 xy`` of two equal points is not 0 but rounding of size eps |x|^2, and its root is an error of size
    sqrt(eps) |x|, which a kernel with a kink at 0 shows whole. Squared distances up to ``128 eps (|x|^2 + |y|^2)``
    count as 0: points nearer than 0.006 |x| in float32, 2.4e-7 |x| in float64, |x| the distance from the centre. The
    rounding of equal points stays below (measured on CPU, d up to 65,536: at most 15 eps for normal coordinates, 66 eps
    for Cauchy ones, d near 2,000 the worst).
    """
    sums = xx + yy
    squared = sums - 2 * xy
    tolerance = _SAME_POINT * jnp.finfo(squared.dtype).eps
    return jnp.where(squared <= tolerance * sums, 0, squared)


def l1_distances(x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
    """Return ``||x_i - y_j||_1`` for all pairs, in tiles of rows, eight columns at a time.

    No difference tensor of n m d numbers exists at any time, in reverse mode either.

    Cost:
        ``3 n m d`` flops; the (n, m) matrix and one tile.
    """
    (num_rows, dimension), num_others = x.shape, y.shape[0]
    num_groups = -(-dimension // _GROUP_COLUMNS)
    block_rows = max(1, min(num_rows, _TILE_NUMBERS // num_others))
    num_blocks = -(-num_rows // block_rows)
    more_columns = num_groups * _GROUP_COLUMNS - dimension
    x = jnp.pad(x, ((0, num_blocks * block_rows - num_rows), (0, more_columns)))
    y = jnp.pad(y, ((0, 0), (0, more_columns)))
    columns_of_y = y.T.reshape(num_groups, _GROUP_COLUMNS, num_others)
    blocks = x.reshape(num_blocks, block_rows, num_groups, _GROUP_COLUMNS).transpose(0, 2, 3, 1)

    @jax.checkpoint
    def of_group(of_x: Float[Array, "_ b"], of_y: Float[Array, "_ m"]) -> Float[Array, "b m"]:
        return sum(
            (magnitude(of_x[i][:, None] - of_y[i][None, :]) for i in range(1, _GROUP_COLUMNS)),
            start=magnitude(of_x[0][:, None] - of_y[0][None, :]),
        )

    def one_block(columns_of_x: Float[Array, "_ _ b"]) -> Float[Array, "b m"]:
        def add(total: Float[Array, "b m"], group: tuple[Array, Array]) -> tuple[Float[Array, "b m"], None]:
            return total + of_group(*group), None

        return lax.scan(add, jnp.zeros((block_rows, num_others), x.dtype), (columns_of_x, columns_of_y))[0]

    return lax.map(one_block, blocks).reshape(-1, num_others)[:num_rows]
