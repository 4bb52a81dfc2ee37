"""Pairs of rows of a pooled sample, tile by tile of the upper triangle: no N x N object is ever formed.

Every pair ``i < j`` appears once. A tile holds kernel values minus functions of one point alone (``f(x) + f(y)``): such
parts cancel from every MMD, its variance and its null distribution, but not from the rounding of float32, where they
can be a million times larger than what is left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Float, Integer

from fkeax import kernels
from fkeax.kernels import Kernel, Linear, Polynomial
from fkeax.numerics import linalg, pytrees

MIN_TILES = 5  # 15 of 25 tiles lie on or above the diagonal: 0.6 of the work of the square
MAX_TILE_ROWS = 1024  # 4 MiB of float32: a tile stays in the cache of a core
MAX_TILE_ROWS_ACCELERATOR = 4096


@pytrees.register
@dataclass(frozen=True)
class Points:
    """The pooled rows, reference first, cut into tiles of one size; the last is padded with zeros.

    Attributes:
        rows: Centred rows.
        shifts: For kernels of inner products, ``scale c . u`` of each centred row u, c the centre; 0 otherwise.
        base: For kernels of inner products, ``scale |c|^2 + offset``; 0 otherwise.
        num_rows: How many rows are not padding.
    """

    rows: Float[Array, "_ b d"]
    shifts: Float[Array, "_ b"]
    base: Float[Array, ""]
    num_rows: Integer[Array, ""]

    @property
    def num_tiles(self) -> int:
        """Tiles along one side."""
        return self.rows.shape[0]

    @property
    def tile_rows(self) -> int:
        """Rows of a tile."""
        return self.rows.shape[1]


def tile_shape(num_rows: int) -> tuple[int, int]:
    """Return the number of tiles along one side and the rows of each, a multiple of 8."""
    most = MAX_TILE_ROWS if jax.default_backend() == "cpu" else MAX_TILE_ROWS_ACCELERATOR
    num_tiles = max(-(-num_rows // most), MIN_TILES if num_rows > 256 else 1)
    tile_rows = -(-num_rows // num_tiles)
    tile_rows += -tile_rows % 8
    return -(-num_rows // tile_rows), tile_rows


def pooled_points(
    reference: np.ndarray, generated: np.ndarray, centre: np.ndarray, kernel: Kernel, dtype: np.dtype
) -> Points:
    """Return both samples as points for tiles, centred in float64 before the cast."""
    num_rows = reference.shape[0] + generated.shape[0]
    num_tiles, tile_rows = tile_shape(num_rows)
    rows = np.zeros((num_tiles * tile_rows, reference.shape[1]), dtype)
    shifts, base = np.zeros(num_tiles * tile_rows, dtype), 0.0
    start = 0
    for sample in (reference, generated):
        part = slice(start, start + sample.shape[0])
        np.subtract(sample, centre, out=rows[part], dtype=np.float64, casting="same_kind")
        if isinstance(kernel, Polynomial):
            shifts[part] = float(kernel.scale) * ((sample - centre) @ centre)
        start += sample.shape[0]
    if isinstance(kernel, Polynomial):
        base = float(kernel.scale) * float(centre @ centre) + float(0.0 if kernel.offset is None else kernel.offset)
    return Points(
        jnp.asarray(rows.reshape(num_tiles, tile_rows, -1)),
        jnp.asarray(shifts.reshape(num_tiles, tile_rows)),
        jnp.asarray(base, dtype),
        jnp.asarray(num_rows, jnp.int32),
    )


def tiled(values: np.ndarray, num_tiles: int, tile_rows: int) -> Float[Array, "_ b ..."]:
    """Return host values of the pooled rows cut like the points, with zeros for padding."""
    padded = np.zeros((num_tiles * tile_rows, *values.shape[1:]), values.dtype)
    padded[: values.shape[0]] = values
    return jnp.asarray(padded.reshape(num_tiles, tile_rows, *values.shape[1:]))


def tile_pairs(num_tiles: int) -> tuple[Integer[Array, "_"], Integer[Array, "_"]]:
    """Return the row and the column of every tile on or above the diagonal."""
    first, second = np.triu_indices(num_tiles)
    return jnp.asarray(first, jnp.int32), jnp.asarray(second, jnp.int32)


def upper_pairs(
    first: Integer[Array, ""], second: Integer[Array, ""], tile_rows: int, num_rows: Integer[Array, ""]
) -> Bool[Array, "b b"]:
    """Return which entries of a tile are pairs ``i < j`` of rows that exist."""
    within = jnp.arange(tile_rows, dtype=jnp.int32)
    i, j = first * tile_rows + within, second * tile_rows + within
    return (i[:, None] < j[None, :]) & (j < num_rows)[None, :]


def reduced_values(
    kernel: Kernel, base: Float[Array, ""], products: Float[Array, "*shape"], shifts: Float[Array, "*shape"]
) -> Float[Array, "*shape"]:
    """Return the values of a kernel of inner products, less what depends on one point alone.

    With centred rows u, v and centre c, ``scale x.y + offset = A + e``, ``e = scale (c.u + c.v) + scale u.v``. Of
    ``(A + e)^p`` the terms ``A^p`` and ``p A^(p-1) scale (c.u + c.v)`` drop out of every MMD; they are never formed.

    Args:
        kernel: Linear or polynomial.
        base: A.
        products: ``u.v``.
        shifts: ``scale (c.u + c.v)``.
    """
    if not isinstance(kernel, Polynomial):
        return products
    degree = kernel.degree
    scaled = jnp.asarray(kernel.scale, products.dtype) * products
    excess = shifts + scaled
    total = degree * base ** (degree - 1) * scaled
    for power in range(2, degree + 1):
        total = total + math.comb(degree, power) * base ** (degree - power) * excess**power
    return total


def typical_value(kernel: Kernel, points: Points) -> Float[Array, ""]:
    """Return a constant near the kernel's mean, to be taken off its values: the mean over a few pairs of rows.

    Zero for kernels of inner products, from which :func:`reduced_values` takes more.
    """
    if isinstance(kernel, (Linear, Polynomial)):
        return jnp.zeros((), points.rows.dtype)
    few = min(32, points.tile_rows)
    return jnp.mean(kernels.cross_gram(kernel, points.rows[0, :few], points.rows[points.num_tiles // 2, -few:]))


def kernel_tile(
    kernel: Kernel, points: Points, offset: Float[Array, ""], first: Integer[Array, ""], second: Integer[Array, ""]
) -> Float[Array, "b b"]:
    """Return one tile of reduced kernel values; 0 below and on the diagonal and for padding."""
    x, y = points.rows[first], points.rows[second]
    if isinstance(kernel, (Linear, Polynomial)):
        products = lax.dot_general(x, y, (((1,), (1,)), ((), ())), precision=linalg.PRECISION)
        shifts = points.shifts[first][:, None] + points.shifts[second][None, :]
        values = reduced_values(kernel, points.base, products, shifts)
    else:
        values = kernels.cross_gram(kernel, x, y) - offset
    return jnp.where(upper_pairs(first, second, points.tile_rows, points.num_rows), values, 0)


def diagonal_values(kernel: Kernel, points: Points, offset: Float[Array, ""]) -> Float[Array, "n"]:
    """Return the reduced values ``k(x_i, x_i)`` of all rows, padding included, for V-statistics."""
    rows = points.rows.reshape(-1, points.rows.shape[-1])
    if isinstance(kernel, (Linear, Polynomial)):
        return reduced_values(kernel, points.base, jnp.sum(jnp.square(rows), axis=1), 2 * points.shifts.reshape(-1))
    return jax.vmap(lambda x: kernel(x, x))(rows) - offset
