"""Many kernels at once: their statistics under every relabelling, tile by tile, distances computed once for all.

A family is one kernel whose bandwidth is an array: ``LaplaceL1(jnp.asarray([...]))``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

from fkeax.kernels import Kernel, L1Kernel
from fkeax.kernels.distances import l1_distances
from fkeax.numerics import linalg, pairwise
from fkeax.twosample.label_forms import LabelForms
from fkeax.twosample.tiles import Points, tile_pairs, upper_pairs

Families = tuple[Kernel, ...]
Values = TypeVar("Values")


@dataclass(frozen=True)
class FamilyForms:
    """For every kernel of all families, in order: its forms in the labels, and its size.

    Attributes:
        forms: One a kernel.
        frobenius: ``||K||_F`` of each kernel matrix without its diagonal.
    """

    forms: list[LabelForms]
    frobenius: np.ndarray


def family_forms(families: Families, points: Points, labels: Float[Array, "n b"]) -> FamilyForms:
    """Return what the unbiased MMD^2 of every kernel needs, under every column of labels.

    Cost:
        ``1.2 N^2 (d + L b)`` flops for L kernels; memory for L b numbers, N b labels and a few tiles.
    """
    host = np.asarray(labels)
    num_rows = host.shape[0]
    num_first = np.rint(host.sum(axis=0, dtype=np.float64))
    shares = (num_first / num_rows).astype(host.dtype)
    quadratic, row_sums, squares = (
        np.asarray(part, np.float64) for part in _family_forms(families, points, draws_first(host - shares, points))
    )
    sums = row_sums.reshape(len(row_sums), -1)[:, :num_rows]
    touching = np.zeros(quadratic.shape)
    for start in range(0, num_rows, 1024):
        part = slice(start, start + 1024)
        touching += sums[:, part] @ host[part].astype(np.float64)
    wide = shares.astype(np.float64)
    total = sums.sum(axis=1)
    inside = quadratic + 2 * wide * touching - wide**2 * total[:, None]
    rounding = 64 * float(np.finfo(host.dtype).eps)
    forms = [
        LabelForms(inside[k], touching[k], float(total[k]), num_first, num_rows, rounding) for k in range(len(total))
    ]
    return FamilyForms(forms, np.sqrt(squares))


def draws_first(columns: np.ndarray, points: Points) -> Float[Array, "_ k b"]:
    """Return columns of labels or signs in tiles with one draw a row: products with a tile run a tenth faster so."""
    padded = np.zeros((columns.shape[1], points.num_tiles * points.tile_rows), columns.dtype)
    padded[:, : columns.shape[0]] = columns.T
    by_tile = padded.reshape(columns.shape[1], points.num_tiles, points.tile_rows)
    return jnp.asarray(np.ascontiguousarray(by_tile.swapaxes(0, 1)))


@jax.jit
def _family_forms(
    families: Families, points: Points, labels: Float[Array, "_ k b"]
) -> tuple[Float[Array, "l k"], Float[Array, "l _ b"], Float[Array, "l"]]:
    num_tiles, num_labels, tile_rows = labels.shape
    in_tiles = jnp.arange(num_tiles * tile_rows, dtype=jnp.int32) < points.num_rows
    exists = in_tiles.astype(labels.dtype).reshape(num_tiles, tile_rows)

    def add(totals: tuple[Array, Array, Array], pair: tuple[Array, Array]) -> tuple[tuple[Array, Array, Array], None]:
        i, j = pair
        mask = upper_pairs(i, j, tile_rows, points.num_rows)
        distances = _distances(families, points.rows[i], points.rows[j])

        def of_kernel(kernel: Kernel) -> tuple[Array, Array, Array, Array]:
            values = jnp.where(mask, _values(kernel, distances), 0)
            products = jnp.matmul(labels[i], values, precision=linalg.PRECISION)
            return (
                2 * jnp.sum(products * labels[j], axis=1),
                jnp.matmul(values, exists[j], precision=linalg.PRECISION),
                jnp.matmul(exists[i], values, precision=linalg.PRECISION),
                2 * jnp.sum(jnp.square(values)),
            )

        forms, across, down, squares = _over_kernels(families, of_kernel)
        sums = totals[1].at[:, i].add(across).at[:, j].add(down)
        return (totals[0] + forms, sums, totals[2] + squares), None

    number = num_kernels(families)
    start = (
        jnp.zeros((number, num_labels), labels.dtype),
        jnp.zeros((number, num_tiles, tile_rows), labels.dtype),
        jnp.zeros(number, labels.dtype),
    )
    return lax.scan(add, start, tile_pairs(num_tiles))[0]


@jax.jit
def wild_forms(families: Families, x: Points, y: Points, signs: Float[Array, "_ k b"]) -> Float[Array, "l k"]:
    """Return ``sum_{i != j} r_i r_j h_ij`` for every kernel and every row r of signs.

    ``h_ij = k(x_i, x_j) + k(y_i, y_j) - k(x_i, y_j) - k(y_i, x_j)``: the U-statistic of paired samples, n(n - 1) times
    over, under exchanges of the two rows of a pair.

    Cost:
        ``2.4 n^2 (2 d + L b / 2)`` flops: a quarter of :func:`family_forms`.
    """
    num_tiles, num_draws, tile_rows = signs.shape

    def add(totals: Array, pair: tuple[Array, Array]) -> tuple[Array, None]:
        i, j = pair
        mask = upper_pairs(i, j, tile_rows, x.num_rows)
        parts = [
            (_distances(families, a.rows[i], b.rows[j]), sign)
            for a, b, sign in ((x, x, 1), (y, y, 1), (x, y, -1), (y, x, -1))
        ]

        def of_kernel(kernel: Kernel) -> Array:
            values = sum((sign * _values(kernel, distances) for distances, sign in parts), start=0.0)
            products = jnp.matmul(signs[i], jnp.where(mask, values, 0), precision=linalg.PRECISION)
            return 2 * jnp.sum(products * signs[j], axis=1)

        return totals + _over_kernels(families, of_kernel), None

    start = jnp.zeros((num_kernels(families), num_draws), signs.dtype)
    return lax.scan(add, start, tile_pairs(num_tiles))[0]


def num_kernels(families: Families) -> int:
    """Return how many kernels there are in all families."""
    return sum(family.bandwidth.shape[0] for family in families)  # pyright: ignore[reportAttributeAccessIssue]


def listed(families: Families) -> list[tuple[str, float]]:
    """Return name and bandwidth of every kernel, in order."""
    return [
        (family.name, float(width))
        for family in families
        for width in np.asarray(family.bandwidth)  # pyright: ignore[reportAttributeAccessIssue]
    ]


def _over_kernels(families: Families, function: Callable[[Kernel], Values]) -> Values:
    """Return the function's values for every kernel, family after family, stacked."""
    parts = [lax.map(function, family) for family in families]
    return jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *parts)


def _distances(families: Families, x: Float[Array, "b d"], y: Float[Array, "b d"]) -> dict[str, Array]:
    """Return the distances that the families need: "l1", "squared"."""
    found = {}
    if any(isinstance(family, L1Kernel) for family in families):
        found["l1"] = l1_distances(x, y)
    if any(not isinstance(family, L1Kernel) for family in families):
        found["squared"] = pairwise.squared_distances(x, y)
    return found


def _values(kernel: Kernel, distances: dict[str, Array]) -> Array:
    if isinstance(kernel, L1Kernel):
        return kernel.of_l1_distance(distances["l1"])
    return kernel.of_squared_distance(distances["squared"])  # pyright: ignore[reportAttributeAccessIssue]
