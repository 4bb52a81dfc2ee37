"""Symmetric matrices: products by blocks, and spectra.

Half of a symmetric product is free. :func:`symmetric_blocks` takes the columns of ``F`` in separate parts and forms the
blocks of ``F^T F`` on and above the diagonal only; with ten parts that is 11/20 of the work of the whole product, and
no part is ever copied to slice it. :func:`eigenvalues` finds eigenvalues without eigenvectors, which
``jnp.linalg.eigvalsh`` does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

from fkeax.numerics import pytrees

PRECISION = (
    lax.Precision.HIGHEST
)  # TF32 and bf16 products would move every score; a global flag would move the caller's too


def symmetric_blocks(parts: Sequence[Float[Array, "b _"]]) -> tuple[Float[Array, "_ _"], ...]:
    """Return the blocks ``F_i^T F_j`` for ``i <= j``, row by row, of an F given by its column parts."""
    contract_rows = (((0,), (0,)), ((), ()))
    return tuple(
        lax.dot_general(left, right, contract_rows, precision=PRECISION)
        for i, left in enumerate(parts)
        for right in parts[i:]
    )


def zero_blocks(widths: Sequence[int], dtype: np.dtype | type) -> tuple[Float[Array, "_ _"], ...]:
    """Return blocks of zeros laid out as :func:`symmetric_blocks` lays out its result for parts of these widths."""
    return tuple(jnp.zeros((left, right), dtype) for i, left in enumerate(widths) for right in widths[i:])


def block_widths(blocks: Sequence[Float[Array, "_ _"]]) -> list[int]:
    """Return the widths of the parts that ``blocks`` came from: its first row of blocks spans all of them."""
    num_parts = int((2 * len(blocks)) ** 0.5)  # len = p (p + 1) / 2
    return [block.shape[-1] for block in blocks[:num_parts]]


def dense_symmetric(blocks: Sequence[Float[Array, "_ _"]]) -> Float[Array, "f f"]:
    """Return the whole symmetric matrix of which ``blocks`` holds the part on and above the diagonal. Traceable."""
    widths = block_widths(blocks)
    num_parts = len(widths)
    place = {(i, j): k for k, (i, j) in enumerate((i, j) for i in range(num_parts) for j in range(i, num_parts))}
    return jnp.block(
        [[blocks[place[i, j]] if i <= j else blocks[place[j, i]].T for j in range(num_parts)] for i in range(num_parts)]
    )


def upper_triangle(blocks: Sequence[Float[Array, "_ _"]]) -> np.ndarray:
    """Return a host matrix with the upper triangle of the symmetric matrix; below, it is not filled in."""
    edges = np.cumsum([0, *block_widths(blocks)])
    matrix = np.zeros((edges[-1], edges[-1]), blocks[0].dtype)
    remaining = iter(blocks)
    for i in range(len(edges) - 1):
        for j in range(i, len(edges) - 1):
            matrix[edges[i] : edges[i + 1], edges[j] : edges[j + 1]] = np.asarray(next(remaining))
    return matrix


def squared_norm(blocks: Sequence[Float[Array, "_ _"]]) -> Float[Array, ""]:
    """Return the squared Frobenius norm of the whole symmetric matrix: blocks off the diagonal count twice."""
    num_parts = len(block_widths(blocks))
    off_diagonal = [i != j for i in range(num_parts) for j in range(i, num_parts)]
    return sum(
        ((2 if twice else 1) * jnp.sum(jnp.square(block)) for twice, block in zip(off_diagonal, blocks, strict=True)),
        start=jnp.zeros((), blocks[0].dtype),
    )


def trace(blocks: Sequence[Float[Array, "_ _"]]) -> Float[Array, ""]:
    """Return the trace of the whole symmetric matrix."""
    widths = block_widths(blocks)
    starts = np.cumsum([0, *range(len(widths), 1, -1)])
    return sum((jnp.trace(blocks[k]) for k in starts), start=jnp.zeros((), blocks[0].dtype))


def eigenvalues(matrix: np.ndarray | Float[Array, "f f"], *, overwrite: bool = False) -> np.ndarray:
    """Return the eigenvalues, ascending, of a symmetric matrix, without eigenvectors. Eager; not differentiable.

    On the host LAPACK reduces the matrix to tridiagonal form and stops there (``scipy.linalg.eigvalsh``). On other
    backends the reduction runs on the device and the O(f^2) rest on the host. ``jnp.linalg.eigvalsh``, which finds all
    vectors as well, is the differentiable way.

    Args:
        matrix: Symmetric; only its upper triangle is read.
        overwrite: Let LAPACK work in the buffer of ``matrix`` (a NumPy array the caller no longer needs).

    Cost:
        4/3 f^3 flops, half of them memory bound; one copy of the matrix unless ``overwrite``.
    """
    from scipy import linalg  # the host edge: nothing else in the package needs SciPy

    if isinstance(matrix, jax.Array) and next(iter(matrix.devices())).platform != "cpu":
        _, diagonal, off_diagonal, _ = lax.linalg.tridiagonal(matrix, lower=False)
        bands = np.asarray(diagonal), np.asarray(off_diagonal)
        return np.asarray(linalg.eigvalsh_tridiagonal(*bands, check_finite=False))
    # LAPACK reads columns: the transpose of a row-major upper triangle is a column-major lower one, and costs no copy.
    columns = np.asarray(matrix).T
    return np.asarray(linalg.eigvalsh(columns, lower=True, overwrite_a=overwrite, check_finite=False))


def block_eigenvalues(blocks: Sequence[Float[Array, "_ _"]]) -> np.ndarray:
    """Return the eigenvalues, ascending, of the symmetric matrix that ``blocks`` holds, the fastest way. Eager."""
    if next(iter(blocks[0].devices())).platform == "cpu":
        return eigenvalues(upper_triangle(blocks), overwrite=True)
    return eigenvalues(dense_symmetric(blocks))


def eigenpairs(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all eigenvalues, descending, with unit eigenvectors as columns, by divide and conquer. On the host."""
    from scipy import linalg

    values, vectors = linalg.eigh(matrix.T, lower=True, driver="evd", check_finite=False)
    return values[::-1], vectors[:, ::-1]


def top_eigenpairs(matrix: np.ndarray | Float[Array, "f f"], num_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest eigenvalues, descending, and their unit eigenvectors as columns. Eager, on the host."""
    from scipy import linalg

    size = matrix.shape[0]
    values, vectors = linalg.eigh(
        np.asarray(matrix).T, lower=True, subset_by_index=(size - num_pairs, size - 1), check_finite=False
    )
    return values[::-1], vectors[:, ::-1]


@pytrees.register
@dataclass(frozen=True)
class Spectrum:
    """A non-negative spectrum that sums to 1, and what was done to make it so.

    Attributes:
        values: Eigenvalues over their sum after the cut, ascending; entries below the cut-off are 0.
        trace: Sum of the eigenvalues as they came.
        cutoff: Eigenvalues at or below this were set to 0 (absolute, in units of the trace).
        mass_removed: Sum of the eigenvalues set to 0, over the trace; negative where negative ones outweigh.
        num_removed: How many were set to 0.
        smallest: The smallest eigenvalue as it came, over the trace: how negative rounding made it.
    """

    values: Float[Array | np.ndarray, "f"]
    trace: Float[Array | np.ndarray, ""]
    cutoff: Float[Array | np.ndarray, ""]
    mass_removed: Float[Array | np.ndarray, ""]
    num_removed: Float[Array | np.ndarray, ""]
    smallest: Float[Array | np.ndarray, ""]


def relative_cutoff(size: int, dtype: np.dtype | type) -> float:
    """Return the size, relative to the largest eigenvalue, below which an eigenvalue may be rounding noise.

    It is ``(8 + size / 32) eps``. The rounding of LAPACK's reduction, measured on rank-one matrices, where it is worst,
    is 6, 14 and 40 eps at sizes 200, 1000 and 3000; the cut-off is 14, 39 and 102 eps there.
    """
    return (8 + size / 32) * float(jnp.finfo(dtype).eps)


NOISE_MARGIN = 4
SMALLEST_CUTOFF = 16  # in eps
LARGEST_CUTOFF = 4  # times that of the worst case; a matrix that is not positive semi-definite must not lose everything


def _observed_cutoff(eigenvalues: Float[Array, "f"]) -> Float[Array, ""]:
    """Return the cut-off relative to the largest eigenvalue that the noise of this very spectrum asks for.

    Rounding moves the eigenvalues 0 of a deficient matrix to both sides, so that the negative ones show how large the
    noise is: four times the largest of them (0 came back as up to 2.6 times that, in ten spectra of equal rows), at
    least 16 eps. The worst case of :func:`relative_cutoff` would cut true eigenvalues, of N(0, I_256) through 8000
    features in float32 10 % of VENDI-1, and with some LAPACKs is not the worst: 1.7 times it was seen for equal rows.
    """
    worst = LARGEST_CUTOFF * relative_cutoff(eigenvalues.shape[-1], eigenvalues.dtype)
    smallest = min(worst, SMALLEST_CUTOFF * float(jnp.finfo(eigenvalues.dtype).eps))
    return jnp.clip(-NOISE_MARGIN * jnp.min(eigenvalues) / jnp.max(eigenvalues), smallest, worst)


def normalized_spectrum(eigenvalues: Float[Array, "f"], extra_cutoff: Float[Array, ""] | float = 0.0) -> Spectrum:
    """Set eigenvalues that are rounding noise to 0 and scale the rest to sum to 1. Traceable and differentiable.

    Args:
        eigenvalues: Of a positive semi-definite matrix, up to rounding.
        extra_cutoff: Relative error of the matrix itself, added to the cut-off of rounding.

    Example:
        >>> import jax.numpy as jnp
        >>> spectrum = normalized_spectrum(jnp.asarray([-1e-9, 1e-9, 1.0, 3.0]))
        >>> [float(v) for v in spectrum.values], float(spectrum.num_removed)
        ([0.0, 0.0, 0.25, 0.75], 2.0)
    """
    total = jnp.sum(eigenvalues)
    relative = _observed_cutoff(eigenvalues) + extra_cutoff
    cutoff = relative * jnp.max(eigenvalues)
    kept = jnp.where(eigenvalues > cutoff, eigenvalues, 0)
    kept_total = jnp.sum(kept)
    return Spectrum(
        values=kept / kept_total,
        trace=total,
        cutoff=cutoff / total,
        mass_removed=(total - kept_total) / total,
        num_removed=jnp.sum(eigenvalues <= cutoff).astype(eigenvalues.dtype),
        smallest=jnp.min(eigenvalues) / total,
    )
