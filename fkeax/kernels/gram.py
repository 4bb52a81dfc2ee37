"""Kernel matrices by blocks of rows, and sums over them that never hold the matrix."""

from __future__ import annotations

from dataclasses import dataclass

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
    """Return row sums of powers of the kernel matrix, and of the kernel at twice the difference, by square blocks.

    Blocks above the diagonal serve their rows and, transposed, their columns: half of the matrix is never computed.

    Args:
        kernel: Any.
        x: Rows; centred for a shift-invariant kernel.
        weights: One a row.
        block_rows: Rows and columns of a block. On CPU a block should fit the cache: 256.
        doubled: Whether the kernel at twice the difference is wanted, which takes as much again.

    Cost:
        ``n^2 d`` flops; a few ``block_rows^2`` numbers at a time.
    """
    num_rows, dimension = x.shape
    num_blocks = -(-num_rows // block_rows)
    padding = num_blocks * block_rows - num_rows
    blocks = jnp.pad(x, ((0, padding), (0, 0)), mode="edge").reshape(num_blocks, block_rows, dimension)
    block_weights = jnp.pad(weights, (0, padding)).reshape(num_blocks, block_rows)

    # kappa(2D) at one bandwidth is kappa(D) at half of it.
    doubled_kernel = None
    if doubled and isinstance(kernel, SpectralKernel):
        doubled_kernel = with_bandwidth(kernel, kernel.bandwidth / 2)

    def one_block(sums: list[Array], pair: tuple[Array, Array]) -> tuple[list[Array], None]:
        i, j = pair
        rows, columns = blocks[i], blocks[j]
        own = jnp.eye(block_rows, dtype=bool) & jnp.broadcast_to(i == j, (block_rows, block_rows))
        squared = jnp.where(own, 0, jnp.square(cross_gram(kernel, rows, columns)))
        powers = [squared, jnp.square(squared)]
        if doubled_kernel is not None:
            powers.append(jnp.where(own, 0, cross_gram(doubled_kernel, rows, columns)))
        # On the diagonal the block's columns are its rows, already counted.
        transposed_weights = jnp.where(i == j, 0, block_weights[i])
        return [
            total.at[i]
            .add(jnp.matmul(values, block_weights[j], precision=linalg.PRECISION))
            .at[j]
            .add(jnp.matmul(transposed_weights, values, precision=linalg.PRECISION))
            for total, values in zip(sums, powers, strict=True)
        ], None

    upper, right = np.triu_indices(num_blocks)
    zeros = [jnp.zeros_like(block_weights) for _ in range(2 if doubled_kernel is None else 3)]
    found, _ = lax.scan(one_block, zeros, (jnp.asarray(upper), jnp.asarray(right)))
    second, fourth, *rest = (total.reshape(-1)[:num_rows] for total in found)
    return RowPowers(second, fourth, rest[0] if rest else None)


def zero_rows(x: np.ndarray | Float[Array, "n d"]) -> np.ndarray:
    """Return the numbers of the rows that are 0 everywhere, which have no direction for the cosine kernel."""
    return np.flatnonzero(~np.asarray((x != 0).any(axis=1)))
