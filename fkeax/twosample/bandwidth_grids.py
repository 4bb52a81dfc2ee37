"""Collections of bandwidths for aggregated tests: as the packages choose them, and scale-equivariant ones."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from fkeax.kernels import Gaussian, LaplaceL1
from fkeax.kernels.distances import l1_distances
from fkeax.numerics import pairwise, selection
from fkeax.twosample.kernel_families import Families

GRIDS = ("package", "equivariant")
ROWS_SEEN = 500  # of either sample, as the packages do
FLOOR_SMALLEST, FLOOR_LARGEST = 0.1, 0.3  # in the units of the data: not scale-equivariant


@jax.jit
def _both_distances(x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
    return l1_distances(x, y), jnp.sqrt(pairwise.squared_distances(x, y))


def aggregation_grid(reference: np.ndarray, generated: np.ndarray, number: int, grid: str) -> Families:
    """Return the kernels of MMDAgg: ``exp(-|.|_1 / b)`` and ``exp(-|.|_2^2 / b^2)``, ``number`` of each.

    b runs geometrically from half the smallest to twice the largest distance. "package": cross distances of the first
    500 rows of either sample; a smallest one below 0.1 is replaced by the 5 % quantile, at least 0.1, and the largest
    is at least 0.3, so that a change of units changes the test. "equivariant": distances among these rows of both
    samples together, from their 5 % quantile to the largest; relabelling 500 rows a side or fewer leaves them alone.

    Args:
        reference: Centred rows in the working dtype.
        generated: Likewise.
        number: Bandwidths of each kind, at least 2.
        grid: "package" or "equivariant".

    Raises:
        ValueError: If all rows seen are equal.
    """
    x, y = jnp.asarray(reference[:ROWS_SEEN]), jnp.asarray(generated[:ROWS_SEEN])
    if grid == "equivariant":
        x = y = jnp.concatenate([x, y])
    widths = []
    for distances in map(np.asarray, _both_distances(x, y)):
        if grid == "equivariant":
            values = distances[np.triu_indices(len(distances), 1)]
            values = values[values > 0]
            if values.size == 0:
                raise ValueError("all rows of both samples are equal: there is no distance to take a bandwidth from.")
            smallest, largest = selection.kth_smallest(values, values.size // 20), float(values.max())
        else:
            smallest, largest = float(distances.min()), max(float(distances.max()), FLOOR_LARGEST)
            if smallest < FLOOR_SMALLEST:
                smallest = max(selection.kth_smallest(distances, distances.size // 20), FLOOR_SMALLEST)
        widths.append(np.geomspace(smallest / 2, 2 * largest, number))
    dtype = x.dtype
    return LaplaceL1(jnp.asarray(widths[0], dtype)), Gaussian(jnp.asarray(widths[1] / 2**0.5, dtype))


def fusion_grid(pooled: np.ndarray, number: int) -> Families:
    """Return the kernels of MMD-FUSE: ``exp(-sqrt2 |.|_1 / b)`` and ``exp(-|.|_2^2 / (2 b^2))``, ``number`` of each.

    b runs evenly from half the 5 % quantile to twice the 95 % quantile of pooled distances. As in the package, each
    row's distance to itself and other zeros count as the median.

    Args:
        pooled: Centred rows of both samples.
        number: Bandwidths of each kind, at least 2.

    Raises:
        ValueError: If more than half of the distances are 0.
    """
    rows = jnp.asarray(pooled)
    widths = []
    for distances in map(np.asarray, _both_distances(rows, rows)):
        values = distances[np.triu_indices(len(distances))].astype(np.float64)
        median = float(np.median(values))
        if median == 0:
            raise ValueError("the median distance of the pooled rows is 0: at least half of the pairs are duplicates.")
        values[values == 0] = median
        low, high = (selection.kth_smallest(values, int(values.size * level)) for level in (0.05, 0.95))
        widths.append(np.linspace(low / 2, 2 * high, number))
    return LaplaceL1(jnp.asarray(widths[0] / 2**0.5, rows.dtype)), Gaussian(jnp.asarray(widths[1], rows.dtype))
