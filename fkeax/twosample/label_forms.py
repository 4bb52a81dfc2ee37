"""Every permutation through one product: quadratic forms of the kernel matrix in columns of labels.

With u the indicator of the reference under one labelling, K the kernel matrix without its diagonal and r = K 1,
``S_xx = u'Ku``, ``S_xy = u'r - u'Ku`` and ``S_yy = 1'r - 2 u'r + u'Ku``, for any n and m. The matrix appears tile by
tile of its upper triangle; labels are centred so that what is large and constant in K does not round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

from fkeax.kernels import Kernel
from fkeax.numerics import linalg, pairwise, pytrees, selection
from fkeax.twosample.tiles import Points, kernel_tile, tile_pairs, tiled, typical_value, upper_pairs


@runtime_checkable
class DistanceKernel(Protocol):
    """A kernel whose values follow from squared l2 distances alone, the energy kernel included."""

    def of_squared_distance(self, squared: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        """Return ``k`` elementwise from squared l2 distances."""
        ...


@pytrees.register
@dataclass(frozen=True)
class SquaredDistances:
    """Squared distances of all pairs ``i < j`` by tiles of the upper triangle; infinite elsewhere."""

    tiles: Float[Array, "_ b b"]

    def median_distance(self, num_rows: int) -> float:
        """Return the median distance over all pairs, exactly."""
        values = np.asarray(self.tiles)
        return selection.median_of_smallest(values, num_rows * (num_rows - 1) // 2, root=True)


@jax.jit
def squared_distance_tiles(points: Points) -> SquaredDistances:
    """Return all squared distances. Cost: ``1.2 N^2 d`` flops and ``0.6 N^2`` numbers."""

    def tile(pair: tuple[Array, Array]) -> Array:
        i, j = pair
        squared = pairwise.squared_distances(points.rows[i], points.rows[j])
        return jnp.where(upper_pairs(i, j, points.tile_rows, points.num_rows), squared, jnp.inf)

    return SquaredDistances(lax.map(tile, tile_pairs(points.num_tiles)))


@dataclass(frozen=True)
class LabelForms:
    """For each labelling, what the sums of kernel values need, in float64.

    Attributes:
        inside: ``u'Ku``.
        touching: ``u'r``.
        total: ``1'r``, the same for all.
        num_first: ``1'u``, rows of the reference.
        num_rows: N.
        rounding: Relative rounding of the products.
    """

    inside: np.ndarray
    touching: np.ndarray
    total: float
    num_first: np.ndarray
    num_rows: int
    rounding: float

    def unbiased_mmd2(self) -> np.ndarray:
        """Return the U-statistic of MMD^2 under every labelling."""
        n, m = self.num_first, self.num_rows - self.num_first
        across = self.touching - self.inside
        within_second = self.total - 2 * self.touching + self.inside
        return self.inside / (n * (n - 1)) + within_second / (m * (m - 1)) - 2 * across / (n * m)


def label_forms(
    kernel: Kernel, source: Points | SquaredDistances, labels: Float[Array, "n b"], num_tiles: int, tile_rows: int
) -> LabelForms:
    """Return the forms of every column of labels.

    Args:
        kernel: Any for points; one of the l2 distance for squared distances.
        source: What tiles are made from: points, each tile computed and dropped; or distances held once.
        labels: Indicators of the reference, one labelling a column.
        num_tiles: Of the source, along one side.
        tile_rows: Rows of a tile.

    Cost:
        ``1.2 N^2 b`` flops, and as much with d for b from points; memory for N b labels and a tile.
    """
    host = np.asarray(labels)
    num_rows = host.shape[0]
    num_first = np.rint(host.sum(axis=0, dtype=np.float64))
    shares = (num_first / num_rows).astype(host.dtype)
    forms, row_sums = _forms(
        kernel, source, tiled(host - shares, num_tiles, tile_rows), jnp.asarray(num_rows, jnp.int32)
    )
    sums = np.asarray(row_sums, np.float64).reshape(-1)[:num_rows]
    total = float(sums.sum())
    touching = _projections(host, sums)
    wide = shares.astype(np.float64)
    inside = np.asarray(forms, np.float64) + 2 * wide * touching - wide**2 * total
    return LabelForms(inside, touching, total, num_first, num_rows, 64 * float(np.finfo(host.dtype).eps))


def _projections(labels: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Return ``labels' sums`` in float64, a block of rows at a time."""
    found = np.zeros(labels.shape[1])
    for start in range(0, sums.size, 1024):
        part = slice(start, start + 1024)
        found += sums[part] @ labels[part].astype(np.float64)
    return found


@jax.jit
def _forms(
    kernel: Kernel, source: Points | SquaredDistances, labels: Float[Array, "_ b k"], num_rows: Array
) -> tuple[Float[Array, "k"], Float[Array, "_ b"]]:
    num_tiles, tile_rows, _ = labels.shape
    inside = (
        (jnp.arange(num_tiles * tile_rows, dtype=jnp.int32) < num_rows)
        .astype(labels.dtype)
        .reshape(num_tiles, tile_rows)
    )
    held_once = isinstance(source, SquaredDistances)
    offset = _value_at_centre(kernel, source) if held_once else typical_value(kernel, source)

    def tile(i: Array, j: Array, squared: Array | None) -> Array:
        if squared is None:
            assert isinstance(source, Points)
            return kernel_tile(kernel, source, offset, i, j)
        assert isinstance(kernel, DistanceKernel)
        exists = jnp.isfinite(squared)
        return jnp.where(exists, kernel.of_squared_distance(jnp.where(exists, squared, 0)) - offset, 0)

    def add(totals: tuple[Array, Array], item: tuple[Array, Array, Array | None]) -> tuple[tuple[Array, Array], None]:
        i, j, squared = item
        forms, sums = totals
        values = tile(i, j, squared)
        products = jnp.matmul(values, labels[j], precision=linalg.PRECISION)
        forms = forms + 2 * jnp.sum(labels[i] * products, axis=0)
        sums = sums.at[i].add(jnp.matmul(values, inside[j], precision=linalg.PRECISION))
        sums = sums.at[j].add(jnp.matmul(inside[i], values, precision=linalg.PRECISION))
        return (forms, sums), None

    first, second = tile_pairs(num_tiles)
    held = source.tiles if isinstance(source, SquaredDistances) else None
    start = jnp.zeros(labels.shape[2], labels.dtype), jnp.zeros((num_tiles, tile_rows), labels.dtype)
    return lax.scan(add, start, (first, second, held))[0]


def _value_at_centre(kernel: Kernel, distances: SquaredDistances) -> Float[Array, ""]:
    """Return a constant near the kernel's mean: the mean over some pairs of one tile."""
    assert isinstance(kernel, DistanceKernel)
    some = distances.tiles[distances.tiles.shape[0] // 2, :32, -32:]
    exists = jnp.isfinite(some)
    values = jnp.where(exists, kernel.of_squared_distance(jnp.where(exists, some, 0)), 0)
    return jnp.sum(values) / jnp.maximum(jnp.sum(exists, dtype=values.dtype), 1)
