"""Principal components of rows, from the smaller side, with signs that do not depend on the order of the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jax.typing import ArrayLike
from jaxtyping import Float

from fkeax.numerics import checks
from fkeax.numerics.host_threads import spans_on_all_threads
from fkeax.numerics.linalg import eigenpairs, relative_cutoff

_BLOCK_ROWS = 4096


@dataclass(frozen=True)
class PCA:
    """An affine map onto leading principal directions.

    Attributes:
        mean: Of the rows it was fitted to.
        components: Orthonormal directions as rows, by falling variance; the entry of largest size of each is positive.
        variances: Mean square of the rows along each, about the mean.
        total_variance: Sum over all directions, kept or not.
    """

    mean: Float[np.ndarray, "d"]
    components: Float[np.ndarray, "components d"]
    variances: Float[np.ndarray, "components"]
    total_variance: float

    @property
    def explained(self) -> float:
        """Share of the variance kept; 1 where there is none to keep."""
        return float(self.variances.sum() / self.total_variance) if self.total_variance > 0 else 1.0

    def project(self, x: ArrayLike) -> Float[np.ndarray, "n components"]:
        """Return the coordinates of rows along the components, in the working dtype of the rows.

        Cost:
            ``2 n d components`` flops; one copy of the rows.
        """
        rows = np.asarray(checks.matrix(x))
        if rows.shape[1] != self.mean.size:
            raise ValueError(f"x must have {self.mean.size} columns, as the rows fitted; got {rows.shape[1]}.")
        if rows.dtype != np.float32:
            rows = rows.astype(np.float64, copy=False)
        dtype = checks.working_dtype(rows.dtype)
        directions = self.components.T.astype(dtype)
        found = np.empty((rows.shape[0], directions.shape[1]), dtype)

        def project(first: int, last: int) -> None:
            for begin in range(first, last, _BLOCK_ROWS):
                end = min(last, begin + _BLOCK_ROWS)
                centred = _centred(rows[begin:end], self.mean).astype(dtype, copy=False)
                np.matmul(centred, directions, out=found[begin:end])

        with spans_on_all_threads() as for_spans:
            for_spans(project, rows.shape[0])
        return found


def fit_pca(x: ArrayLike, *, explained_variance: float | None = None, num_components: int | None = None) -> PCA:
    """Fit principal components that explain a share of the variance, or a number of them.

    In the dtype of the rows (float64 where it is none of the two), centred first and accumulated in float64 over blocks
    of rows: in float32, variances are good to about 1e-6 of the largest.

    Args:
        x: Rows, (n, d); several samples are stacked.
        explained_variance: In (0, 1]: the fewest components whose variances add up to this share. Directions without
            variance are never kept (but at least one component is).
        num_components: How many, at most min(n, d).

    Raises:
        ValueError: Not exactly one of the two is given, or it is out of its range.

    Cost:
        ``n d min(n, d)`` flops and an eigendecomposition of the smaller side; blocks of rows in float64.

    Example:
        >>> import numpy as np
        >>> pca = fit_pca(np.asarray([[0.0, 0.0], [2.0, 2.0], [4.0, 4.0]]), explained_variance=0.9)
        >>> pca.components.round(4).tolist(), round(pca.explained, 4)
        ([[0.7071, 0.7071]], 1.0)
    """
    rows = np.asarray(checks.matrix(x))
    checks.finite_rows(rows)
    smaller = min(rows.shape)
    if (explained_variance is None) == (num_components is None):
        raise ValueError("exactly one of explained_variance and num_components must be given.")
    if num_components is not None and checks.count(num_components, "num_components") > smaller:
        raise ValueError(f"num_components must be at most min(n, d) = {smaller}; got {num_components}.")
    if explained_variance is not None and not 0 < checks.finite_number(explained_variance, "explained_variance") <= 1:
        raise ValueError(f"explained_variance must lie in (0, 1]; got {explained_variance!r}.")
    mean = rows.mean(axis=0, dtype=np.float64)
    wide = rows.shape[0] < rows.shape[1]
    if rows.dtype != np.float32:
        rows = rows.astype(np.float64, copy=False)
    matrix = _gram(rows, mean) if wide else _covariance(rows, mean)
    variances, vectors = eigenpairs(matrix.astype(rows.dtype))
    variances = variances.astype(np.float64)
    variances = np.where(variances > relative_cutoff(smaller, rows.dtype) * variances[0], variances, 0)
    if explained_variance is not None:
        num_components = _num_explaining(variances, explained_variance)
    vectors = vectors[:, :num_components]
    directions = _directions(rows, mean, vectors) if wide else vectors.T
    return PCA(mean, _with_signs(directions), variances[:num_components], float(variances.sum()))


def _covariance(rows: np.ndarray, mean: np.ndarray) -> np.ndarray:
    totals: dict[int, np.ndarray] = {}

    def add(first: int, last: int) -> None:
        total = np.zeros((rows.shape[1], rows.shape[1]))
        for begin in range(first, last, _BLOCK_ROWS):
            centred = _centred(rows[begin : min(last, begin + _BLOCK_ROWS)], mean)
            total += centred.T @ centred  # NumPy computes half of a symmetric product
        totals[first] = total

    with spans_on_all_threads() as for_spans:
        for_spans(add, rows.shape[0])
    return sum(totals[first] for first in sorted(totals)) / rows.shape[0]


def _centred(rows: np.ndarray, mean: np.ndarray) -> np.ndarray:
    # In the dtype of the rows: rounding the mean moves all rows alike, and the rest is exact for rows near it.
    return rows - mean.astype(rows.dtype)


def _gram(rows: np.ndarray, mean: np.ndarray) -> np.ndarray:
    centred = _centred(rows, mean)
    return centred @ centred.T / rows.shape[0]


def _directions(rows: np.ndarray, mean: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return directions in row space from eigenvectors of the Gram matrix; orthonormalised, for null directions."""
    crossed = _centred(rows, mean).T @ vectors
    basis, triangle = np.linalg.qr(crossed)
    return (basis * np.where(np.diag(triangle) < 0, -1.0, 1.0)).T


def _num_explaining(variances: np.ndarray, share: float) -> int:
    cumulative = np.cumsum(variances)
    if not cumulative[-1] > 0:
        return 1
    # The last sum is the total exactly, so that share 1 is reached; a relative hair below keeps rounding out.
    return int(np.searchsorted(cumulative, share * cumulative[-1] * (1 - 1e-12))) + 1


def _with_signs(directions: np.ndarray) -> np.ndarray:
    largest = np.argmax(np.abs(directions), axis=1)
    signs = np.sign(directions[np.arange(directions.shape[0]), largest])
    return directions * np.where(signs == 0, 1.0, signs)[:, None]
