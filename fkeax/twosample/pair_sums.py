"""Sums of kernel values over the pairs of two samples, in one pass: all that an MMD and its errors need."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

from fkeax.kernels import Kernel
from fkeax.numerics import linalg
from fkeax.twosample.tiles import Points, diagonal_values, kernel_tile, tile_pairs, tiled, typical_value


@dataclass(frozen=True)
class PairSums:
    """Sums over pairs of distinct rows, in float64, of a kernel less functions of one point.

    Attributes:
        xx: For each reference row, the sum over the other reference rows.
        xy: For each reference row, the sum over the generated rows.
        yx: For each generated row, the sum over the reference rows.
        yy: For each generated row, the sum over the other generated rows.
        xx_squares: Sum of squared values over ordered pairs of reference rows; likewise the next two.
        xy_squares: Over reference and generated rows.
        yy_squares: Over ordered pairs of generated rows.
        x_diagonal: The value of each reference row with itself.
        y_diagonal: Likewise.
    """

    xx: np.ndarray
    xy: np.ndarray
    yx: np.ndarray
    yy: np.ndarray
    xx_squares: float
    xy_squares: float
    yy_squares: float
    x_diagonal: np.ndarray
    y_diagonal: np.ndarray

    @property
    def num_reference(self) -> int:
        """The number n of reference rows."""
        return self.xx.size

    @property
    def num_generated(self) -> int:
        """The number m of generated rows."""
        return self.yy.size


def pair_sums(kernel: Kernel, points: Points, num_reference: int) -> PairSums:
    """Return the sums for the pooled points of which the first ``num_reference`` rows are the reference.

    Cost:
        ``1.2 (n + m)^2 d`` flops; one tile of kernel values at a time.
    """
    num_rows = int(points.num_rows)
    sides = np.zeros((num_rows, 2), points.rows.dtype)
    sides[:num_reference, 0] = 1
    sides[num_reference:, 1] = 1
    first_powers, second_powers, diagonal = (
        np.asarray(part, np.float64)
        for part in _pair_sums(kernel, points, tiled(sides, points.num_tiles, points.tile_rows))
    )
    x, y = slice(0, num_reference), slice(num_reference, num_rows)
    return PairSums(
        xx=first_powers[x, 0],
        xy=first_powers[x, 1],
        yx=first_powers[y, 0],
        yy=first_powers[y, 1],
        xx_squares=float(second_powers[x, 0].sum()),
        xy_squares=float(second_powers[x, 1].sum()),
        yy_squares=float(second_powers[y, 1].sum()),
        x_diagonal=diagonal[x],
        y_diagonal=diagonal[y],
    )


@jax.jit
def _pair_sums(
    kernel: Kernel, points: Points, sides: Float[Array, "_ b 2"]
) -> tuple[Float[Array, "n 2"], Float[Array, "n 2"], Float[Array, "n"]]:
    offset = typical_value(kernel, points)

    def add(totals: tuple[Array, Array], pair: tuple[Array, Array]) -> tuple[tuple[Array, Array], None]:
        i, j = pair
        values = kernel_tile(kernel, points, offset, i, j)
        added = []
        for total, powers in zip(totals, (values, jnp.square(values)), strict=True):
            total = total.at[i].add(jnp.matmul(powers, sides[j], precision=linalg.PRECISION))
            added.append(total.at[j].add(jnp.matmul(powers.T, sides[i], precision=linalg.PRECISION)))
        return (added[0], added[1]), None

    zeros = jnp.zeros_like(sides)
    (first, second), _ = lax.scan(add, (zeros, zeros), tile_pairs(points.num_tiles))
    return first.reshape(-1, 2), second.reshape(-1, 2), diagonal_values(kernel, points, offset)
