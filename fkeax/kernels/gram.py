"""Kernel matrices by blocks of rows, and sums over them that never hold the matrix."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

from fkeax.kernels.distances import l1_distances
from fkeax.kernels.protocol import Kernel, L1Kernel, ProductKernel, SpectralKernel, with_bandwidth
from fkeax.numerics import linalg, pytrees


def cross_gram(kernel: Kernel, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
    """Return ``k(x_i, y_j)`` for all pairs: through one product or, for kernels of the l1 distance, in tiles.

    The points of a shift-invariant kernel must be centred: a squared distance made of inner products is off by a few
    ``eps (|x|^2 + |y|^2)``.

    Cost:
        ``2 n m d`` flops; one (n, m) matrix. Kernels of the l1 distance: ``3 n m d`` flops outside of a product.
    """
    if isinstance(kernel, L1Kernel):
        return kernel.of_l1_distance(l1_distances(x, y))
    if not isinstance(kernel, ProductKernel):
        raise TypeError(f"kernel must have of_products or of_l1_distance; got {type(kernel).__name__}.")
    products = lax.dot_general(x, y, (((1,), (1,)), ((), ())), precision=linalg.PRECISION)
    xx = jnp.sum(jnp.square(x), axis=1)
    yy = jnp.sum(jnp.square(y), axis=1)
    shape = products.shape
    return kernel.of_products(products, jnp.broadcast_to(xx[:, None], shape), jnp.broadcast_to(yy[None, :], shape))


def gram(kernel: Kernel, x: Float[Array, "n d"]) -> Float[Array, "n n"]:
    """Return the kernel matrix of ``x`` with an exact diagonal where the kernel's is 1.

    Example:
        >>> import jax.numpy as jnp
        >>> from fkeax.kernels import Gaussian
        >>> [round(float(v), 4) for v in gram(Gaussian(1.0), jnp.asarray([[0.0], [1.0]]))[0]]
        [1.0, 0.6065]
    """
    matrix = cross_gram(kernel, x, x)
    if not kernel.unit_diagonal:
        return matrix
    on_diagonal = jnp.eye(x.shape[0], dtype=bool)
    return jnp.where(on_diagonal, jnp.ones((), matrix.dtype), matrix)


@pytrees.register
@dataclass(frozen=True)
class RowPowers:
    """For every row i, weighted sums over the other rows j of functions of ``k_ij``.

    Attributes:
        second: Of ``k_ij^2``.
        fourth: Of ``k_ij^4``.
        doubled: Of the kernel at twice the difference, ``kappa(2 (x_i - x_j))``, which sets the variance of random
            features; None where it was not asked for, and for kernels that are not shift-invariant. For the Gaussian
            kernel it equals ``fourth``.
    """

    second: Float[Array, "n"]
    fourth: Float[Array, "n"]
    doubled: Float[Array, "n"] | None


def row_powers(
    kernel: Kernel, x: Float[Array, "n d"], weights: Float[Array, "n"], *, block_rows: int, doubled: bool = True
) -> RowPowers:
    """Return row sums of powers of the kernel matrix, and of the kernel at twice the difference, by blocks of rows.

    Args:
        kernel: Any.
        x: Rows; centred for a shift-invariant kernel.
        weights: One a row.
        block_rows: Rows of a block.
        doubled: Whether the kernel at twice the difference is wanted, which takes as much again.

    Cost:
        ``2 n^2 d`` flops; ``block_rows * n`` numbers at a time.
    """
    num_rows, dimension = x.shape
    num_blocks = -(-num_rows // block_rows)
    padding = num_blocks * block_rows - num_rows
    blocks = jnp.pad(x, ((0, padding), (0, 0)), mode="edge").reshape(num_blocks, block_rows, dimension)

    # kappa(2D) at one bandwidth is kappa(D) at half of it.
    doubled_kernel = None
    if doubled and isinstance(kernel, SpectralKernel):
        doubled_kernel = with_bandwidth(kernel, kernel.bandwidth / 2)

    def one_block(numbered: tuple[Array, Float[Array, "b d"]]) -> tuple[Array, Array, Array | None]:
        number, rows = numbered
        own = number * block_rows + jnp.arange(block_rows)
        others = own[:, None] != jnp.arange(num_rows)[None, :]

        def row_sums(values: Float[Array, "b n"]) -> Float[Array, "b"]:
            return jnp.matmul(values, weights, precision=linalg.PRECISION)

        squared = jnp.where(others, jnp.square(cross_gram(kernel, rows, x)), 0)
        at_twice = None
        if doubled_kernel is not None:
            at_twice = row_sums(jnp.where(others, cross_gram(doubled_kernel, rows, x), 0))
        return row_sums(squared), row_sums(jnp.square(squared)), at_twice

    sums = lax.map(one_block, (jnp.arange(num_blocks), blocks))
    return RowPowers(*jax.tree.map(lambda leaf: leaf.reshape(-1)[:num_rows], sums))


def zero_rows(x: np.ndarray | Float[Array, "n d"]) -> np.ndarray:
    """Return the numbers of the rows that are 0 everywhere, which have no direction for the cosine kernel."""
    return np.flatnonzero(~np.asarray((x != 0).any(axis=1)))
