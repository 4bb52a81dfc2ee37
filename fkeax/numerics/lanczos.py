"""Quadratic forms of functions of a large symmetric matrix from products with it: Lanczos' recursion.

The recursion from a vector v, by matfree, gives a Gauss rule of ``v^T f(C) v`` for every f at once: nodes and weights
from a few dozen products with C, exact for polynomials of degree below twice their number.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Key

from fkeax.numerics import linalg


@dataclass(frozen=True)
class GaussRules:
    """Gauss rules of ``v^T f(C) v``, one a vector.

    Attributes:
        nodes: (vectors, steps).
        weights: Not negative; a row sums to ``|v|^2``.
    """

    nodes: np.ndarray
    weights: np.ndarray

    def joined(self, other: GaussRules) -> GaussRules:
        """Return the rules of both sets of vectors, of one number of steps."""
        return GaussRules(np.concatenate([self.nodes, other.nodes]), np.concatenate([self.weights, other.weights]))

    def forms(self, values: np.ndarray) -> np.ndarray:
        """Return ``v^T f(C) v`` of each vector from the values of f at the nodes."""
        return np.sum(self.weights * values, axis=1)


@dataclass(frozen=True)
class Recursion:
    """Lanczos' recursion from several vectors, in float64 on the host.

    Attributes:
        diagonals: Of the tridiagonal matrices, one row a vector, (vectors, steps).
        off_diagonals: (vectors, steps - 1); 0 from where the recursion ended early.
        squared_lengths: Of the vectors.
    """

    diagonals: np.ndarray
    off_diagonals: np.ndarray
    squared_lengths: np.ndarray

    @property
    def num_steps(self) -> int:
        """How many steps the recursion took."""
        return self.diagonals.shape[1]

    def gauss_rules(self) -> GaussRules:
        """Return the Gauss rules: too high for functions like ``-x log x``, whose even derivatives are negative."""
        return self._rules(self.diagonals)

    def radau_rules(self) -> GaussRules:
        """Return the rules with one node at 0, for a matrix without negative eigenvalues.

        Gauss-Radau rules: too low where Gauss rules are too high, if the odd derivatives are positive where the even
        ones are negative, as those of ``-x log x`` are. The two bracket the form.
        """
        pivot = self.diagonals[:, 0]
        for step in range(1, self.num_steps - 1):
            ratio = np.square(self.off_diagonals[:, step - 1]) / np.where(pivot > 0, pivot, 1)
            pivot = np.where(pivot > 0, self.diagonals[:, step] - ratio, 0)
        diagonals = self.diagonals.copy()
        if self.num_steps > 1:  # where pivots end by rounding, the Gauss rule stays
            last = np.square(self.off_diagonals[:, -1]) / np.where(pivot > 0, pivot, 1)
            diagonals[:, -1] = np.where(pivot > 0, last, diagonals[:, -1])
        return self._rules(diagonals)

    def _rules(self, diagonals: np.ndarray) -> GaussRules:
        from scipy import linalg as lapack

        pairs = [
            lapack.eigh_tridiagonal(diagonal, off_diagonal, check_finite=False)
            for diagonal, off_diagonal in zip(diagonals, self.off_diagonals, strict=True)
        ]
        nodes, first = np.stack([pair[0] for pair in pairs]), np.stack([pair[1][0] for pair in pairs])
        return GaussRules(nodes, np.square(first) * self.squared_lengths[:, None])


def recursion(blocks: Sequence[Float[Array, "_ _"]], vectors: Float[Array, "b f"], *, num_steps: int) -> Recursion:
    """Return Lanczos' recursion of a symmetric matrix, given by its blocks on and above the diagonal.

    Where the vectors lie in an invariant subspace of fewer dimensions than steps, it ends early, and rules are exact.

    Args:
        blocks: As of :func:`fkeax.numerics.linalg.symmetric_blocks`.
        vectors: Starting points, one a row; not 0.
        num_steps: Products with the matrix for each, at most its size.

    Cost:
        ``2 f^2`` flops a vector and step; the matrix is read twice a step for all vectors. ``vectors * steps * f``
        numbers beside it, for full reorthogonalisation.

    Example:
        >>> import jax.numpy as jnp
        >>> blocks = (jnp.diag(jnp.asarray([1.0, 2.0, 3.0])),)
        >>> rules = recursion(blocks, jnp.ones((1, 3)), num_steps=3).gauss_rules()
        >>> [round(float(v), 4) for v in rules.forms(rules.nodes**2)]
        [14.0]
    """
    size = vectors.shape[1]
    found = _tridiagonal(tuple(blocks), vectors, num_steps=min(num_steps, size))
    diagonals, off_diagonals, lengths = (np.asarray(part, np.float64) for part in found)
    # What follows a residual of rounding size is noise (NaN where it is 0): the invariant subspace is complete.
    scale = np.nanmax(np.abs(diagonals), axis=1, keepdims=True)
    noise = scale * linalg.relative_cutoff(size, np.dtype(blocks[0].dtype))
    ended = np.logical_or.accumulate(~(np.abs(off_diagonals) > noise), axis=1)
    rest = np.concatenate([np.zeros((len(ended), 1), bool), ended], axis=1)
    return Recursion(np.where(rest, 0, diagonals), np.where(ended, 0, off_diagonals), np.square(lengths))


@partial(jax.jit, static_argnames=("num_vectors", "num_iterations"))
def top_subspace(
    key: Key[Array, ""], blocks: tuple[Float[Array, "_ _"], ...], *, num_vectors: int, num_iterations: int
) -> Float[Array, "_ f"]:
    """Return orthonormal rows that span nearly the eigenvectors of largest eigenvalues, by subspace iteration.

    Args:
        key: Of the rows it begins with.
        blocks: As of :func:`recursion`.
        num_vectors: Rows.
        num_iterations: Products with the matrix for each.
    """
    size = sum(linalg.block_widths(blocks))
    rows = jax.random.normal(key, (num_vectors, size), blocks[0].dtype)
    for _ in range(num_iterations):
        rows = jnp.linalg.qr(products(blocks, rows).T)[0].T
    return rows


def products(blocks: Sequence[Float[Array, "_ _"]], vectors: Float[Array, "b f"]) -> Float[Array, "b f"]:
    """Return the products of a symmetric matrix with vectors, one a row. Traceable; the matrix is never assembled."""
    edges = np.cumsum([0, *linalg.block_widths(blocks)])
    parts = [vectors[:, start:stop] for start, stop in itertools.pairwise(edges)]
    sums = [jnp.zeros_like(part) for part in parts]
    remaining = iter(blocks)
    for i in range(len(parts)):
        for j in range(i, len(parts)):
            block = next(remaining)
            transposed = lax.dot_general(parts[j], block, (((1,), (1,)), ((), ())), precision=linalg.PRECISION)
            sums[i] = sums[i] + transposed
            if i != j:
                sums[j] = sums[j] + lax.dot(parts[i], block, precision=linalg.PRECISION)
    return jnp.concatenate(sums, axis=1)


@partial(jax.jit, static_argnames="num_steps")
def _tridiagonal(
    blocks: tuple[Float[Array, "_ _"], ...], vectors: Float[Array, "b f"], *, num_steps: int
) -> tuple[Float[Array, "b _"], Float[Array, "b _"], Float[Array, "b"]]:
    from matfree import decomp  # where it is used: few processes need it

    decompose = decomp.tridiag_sym(num_steps, materialize=False, reortho="full", custom_vjp=False)

    def one_vector(vector: Float[Array, "f"]) -> tuple[Array, Array, Array]:
        length = jnp.linalg.norm(vector)
        found = decompose(lambda v: products(blocks, v[None])[0], vector / length)
        diagonal, off_diagonal = found.J_small
        return diagonal, off_diagonal, length

    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):  # another library's habits
        return jax.vmap(one_vector)(vectors)
