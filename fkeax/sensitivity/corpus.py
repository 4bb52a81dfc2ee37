"""What the controlled changes need to know of the embeddings, found once, in float64 on the host."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import jax
import numpy as np
from jax.typing import ArrayLike
from jaxtyping import Float

from fkeax.numerics import batching, checks
from fkeax.quantize import kmeans
from fkeax.twosample import init_gaussian, update_gaussian

T = TypeVar("T")
_CHUNK_ROWS = 4096


@dataclass(frozen=True)
class Corpus:
    """Moments, spectrum and modes of the embeddings that the changes are measured by.

    Attributes:
        num_rows: Rows it was found from.
        mean: Their mean.
        covariance: With 1/n.
        eigenvalues: Of the covariance, descending; none below 0.
        eigenvectors: In its columns, in the same order.
        centres: Of the modes (k-means clusters); None where none were asked for.
        mode_shares: Share of the rows in each mode.
        key: Draws what belongs to the audit and not to a single draw: the plane of the random rotation.
        derived: What has been derived from it, by name, such as matched rotations; filled as they are needed.
    """

    num_rows: int
    mean: Float[np.ndarray, "d"]
    covariance: Float[np.ndarray, "d d"]
    eigenvalues: Float[np.ndarray, "d"]
    eigenvectors: Float[np.ndarray, "d d"]
    centres: Float[np.ndarray, "k d"] | None
    mode_shares: Float[np.ndarray, "k"] | None
    key: jax.Array
    derived: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def dimension(self) -> int:
        """The number d of columns."""
        return self.mean.size

    @property
    def trace(self) -> float:
        """``tr S``, the mean squared distance from the mean."""
        return float(self.eigenvalues.sum())

    @property
    def rho(self) -> float:
        """``sqrt(tr S)``: the unit that strengths are measured in."""
        return self.trace**0.5

    @property
    def effective_dimension(self) -> float:
        """``(tr S)^2 / ||S||_F^2``, between 1 and d; low by about its own share of the number of rows."""
        return self.trace**2 / float(np.square(self.eigenvalues).sum())

    def once(self, name: Any, make: Callable[[], T]) -> T:
        """Return what ``make`` makes, the same object for the same name."""
        if name not in self.derived:
            self.derived[name] = make()
        return self.derived[name]

    def with_modes_of(self, key: jax.Array, rows: ArrayLike, *, num_modes: int = 10) -> Corpus:
        """Return the same corpus with modes of other rows, such as those that a draw left over."""
        centres, shares = _modes(key, np.asarray(checks.matrix(rows, "rows")), num_modes)
        return dataclasses.replace(self, centres=centres, mode_shares=shares)


def describe_corpus(key: jax.Array, rows: ArrayLike, *, num_modes: int = 10) -> Corpus:
    """Return mean, covariance, spectrum and modes of embeddings.

    Args:
        key: For k-means and for what is drawn once for a corpus; the same key and rows give the same corpus.
        rows: (n, d) embeddings, all there are.
        num_modes: Clusters of k-means, the best of 5 runs; 0 for none, which coverage changes then lack.

    Raises:
        ValueError: If rows are not finite, all equal, or fewer than 2 or than the modes.

    Cost:
        ``2 n d^2`` flops, one eigendecomposition of a d x d matrix, and k-means.

    Example:
        >>> import jax, numpy as np
        >>> rows = np.random.default_rng(0).standard_normal((400, 5))
        >>> corpus = describe_corpus(jax.random.key(0), rows, num_modes=2)
        >>> corpus.dimension, 4 < corpus.effective_dimension < 5, corpus.centres.shape
        (5, True, (2, 5))
    """
    key = checks.typed_key(key, "the modes and directions of a corpus")
    host = np.asarray(checks.matrix(rows, "rows"))
    checks.finite_rows(host, "rows")
    checks.square_range(host, "rows")
    if host.shape[0] < 2:
        raise ValueError(f"rows must be at least 2; got {host.shape[0]}.")
    key_modes, key_directions = jax.random.split(key)
    state = init_gaussian(host.shape[1])
    for chunk in batching.matrix_chunks(host, _CHUNK_ROWS):
        state = update_gaussian(state, chunk)
    covariance = state.scatter / state.num_rows
    values, vectors = np.linalg.eigh(covariance)
    if not float(values.sum()) > 0:
        raise ValueError("rows are all equal: there is no spread to measure a change by.")
    centres, shares = _modes(key_modes, host, num_modes) if num_modes else (None, None)
    return Corpus(
        num_rows=state.num_rows,
        mean=state.mean,
        covariance=covariance,
        eigenvalues=np.maximum(values[::-1], 0.0),
        eigenvectors=vectors[:, ::-1],
        centres=centres,
        mode_shares=shares,
        key=key_directions,
    )


def _modes(key: jax.Array, rows: np.ndarray, num_modes: int) -> tuple[np.ndarray, np.ndarray]:
    number = checks.count(num_modes, "num_modes")
    found = kmeans(rows, num_clusters=number, key=key)
    counts = np.bincount(found.labels, minlength=number)
    return found.centres.astype(np.float64), counts / rows.shape[0]
