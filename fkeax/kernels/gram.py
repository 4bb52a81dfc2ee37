"""Kernel matrices by blocks of rows, and sums over them that never hold the matrix."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

from fkeax.kernels.pointwise import Kernel
from fkeax.numerics import linalg


def cross_gram(kernel: Kernel, x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
    """Return ``k(x_i, y_j)`` for all pairs, through one product.

    The points of a shift-invariant kernel must be centred.

    Cost:
        ``2 n m d`` flops; one (n, m) matrix.
    """
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


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class RowPowers:
    """For every row i, weighted sums over the other rows j of ``k_ij^2`` and ``k_ij^4``."""

    second: Float[Array, "n"]
    fourth: Float[Array, "n"]


def row_powers(kernel: Kernel, x: Float[Array, "n d"], weights: Float[Array, "n"], *, block_rows: int) -> RowPowers:
    """Return the row sums of the squared and fourth powers of the kernel matrix, block by block of rows.

    Cost:
        ``2 n^2 d`` flops; ``block_rows * n`` numbers at a time.
    """
    num_rows, dimension = x.shape
    num_blocks = -(-num_rows // block_rows)
    padding = num_blocks * block_rows - num_rows
    blocks = jnp.pad(x, ((0, padding), (0, 0)), mode="edge").reshape(num_blocks, block_rows, dimension)

    def one_block(numbered: tuple[Array, Float[Array, "b d"]]) -> tuple[Float[Array, "b"], Float[Array, "b"]]:
        number, rows = numbered
        own = number * block_rows + jnp.arange(block_rows)
        others = own[:, None] != jnp.arange(num_rows)[None, :]
        squared = jnp.where(others, jnp.square(cross_gram(kernel, rows, x)), 0)
        second = jnp.matmul(squared, weights, precision=linalg.PRECISION)
        return second, jnp.matmul(jnp.square(squared), weights, precision=linalg.PRECISION)

    second, fourth = lax.map(one_block, (jnp.arange(num_blocks), blocks))
    return RowPowers(second.reshape(-1)[:num_rows], fourth.reshape(-1)[:num_rows])


def zero_rows(x: np.ndarray | Float[Array, "n d"]) -> np.ndarray:
    """Return the numbers of the rows that are 0 everywhere, which have no direction for the cosine kernel."""
    return np.flatnonzero(~np.asarray((x != 0).any(axis=1)))
