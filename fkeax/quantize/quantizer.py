"""One quantizer for several samples: unit rows, principal components, k-means over all rows together.

Neither the order of the samples nor that of their rows matters. Rows are put into an order that depends on their
content alone (that of a hash) before anything random or rounded happens to them, so that swapping two samples swaps
their labels, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import numpy as np
from jax.typing import ArrayLike
from jaxtyping import Bool, Float, Int

from fkeax.numerics import checks
from fkeax.quantize.kmeans import KMeans, kmeans
from fkeax.quantize.minibatch import minibatch_kmeans
from fkeax.quantize.pca import fit_pca

MINIBATCH_ABOVE = 1_000_000  # rows of all samples together
MIN_COUNT_PER_BUCKET = 5  # of the smaller sample, on average: below, summaries of histograms are mostly bias


@dataclass(frozen=True)
class PooledRows:
    """Rows of several samples, reduced together, in an order that their content alone decides.

    Attributes:
        rows: All rows, unit length first if asked, then along principal components.
        order: Stacked row number of each.
        sizes: Rows of each sample as stacked.
        is_repeat: Whether a row equals the one before it, as given.
        explained_variance: Share of the variance the components keep; None without them.
    """

    rows: Float[np.ndarray, "n d"]
    order: Int[np.ndarray, "n"]
    sizes: tuple[int, ...]
    is_repeat: Bool[np.ndarray, "n"]
    explained_variance: float | None


@dataclass(frozen=True)
class Quantization:
    """Buckets of several samples.

    Attributes:
        labels: One vector per sample: the bucket of each row, from 0 to ``num_buckets - 1``.
        num_buckets: Some may be empty.
        clusters: The k-means behind it, over the pooled rows.
    """

    labels: tuple[np.ndarray, ...]
    num_buckets: int
    clusters: KMeans

    def squared_distances(self, pooled: PooledRows) -> tuple[np.ndarray, ...]:
        """Return, for each sample, the squared distance of each row to the centre of its bucket."""
        return _by_sample(pooled, self.clusters.squared_distances)


def default_num_buckets(*sizes: int) -> int:
    """Return ``max(2, round(n / 10))`` of the smallest sample: the rule of mauve-text.

    Example:
        >>> default_num_buckets(5000, 6000), default_num_buckets(3, 3)
        (500, 2)
    """
    return max(2, round(min(sizes) / 10))


def pool_rows(
    samples: Sequence[ArrayLike],
    *,
    unit_rows: bool = True,
    explained_variance: float | None = 0.9,
    num_components: int | None = None,
) -> PooledRows:
    """Return the rows of all samples together, reduced, in an order of their content alone.

    Args:
        samples: (n, d) arrays of one d.
        unit_rows: Scale every row to length 1 first.
        explained_variance: Keep the fewest principal components that explain this share; None keeps all coordinates.
        num_components: Keep this many instead; give ``explained_variance=None``.

    Raises:
        ValueError: A sample is not a finite matrix, widths differ, or a row of length 0 cannot be scaled.

    Cost:
        A hash and a sort of the rows, and :func:`fkeax.quantize.fit_pca`; two copies of the rows.
    """
    if len(samples) == 0:
        raise ValueError("samples must be at least one (n, d) array; got none.")
    arrays = [np.asarray(checks.matrix(sample, f"sample {number}")) for number, sample in enumerate(samples)]
    dtype = checks.working_dtype(np.result_type(*(array.dtype for array in arrays)))
    for number, array in enumerate(arrays):
        checks.finite_rows(array, f"sample {number}")
        if array.shape[1] != arrays[0].shape[1]:
            raise ValueError(
                f"samples must have one dimension; sample 0 has {arrays[0].shape[1]}, "
                f"sample {number} has {array.shape[1]}."
            )
    stacked = np.concatenate([array.astype(dtype, copy=False) for array in arrays])
    order, is_repeat = content_order(stacked)
    rows = stacked[order]
    if unit_rows:
        rows = _unit_rows(rows, order, [array.shape[0] for array in arrays])
    explained = None
    if explained_variance is not None or num_components is not None:
        pca = fit_pca(rows, explained_variance=explained_variance, num_components=num_components)
        rows, explained = pca.project(rows), pca.explained
    return PooledRows(rows, order, tuple(array.shape[0] for array in arrays), is_repeat, explained)


def quantize_rows(
    pooled: PooledRows,
    *,
    num_buckets: int | None = None,
    start: str = "rows",
    num_restarts: int = 5,
    max_iterations: int = 300,
    key: jax.Array | None = None,
) -> Quantization:
    """Return the buckets that k-means over the pooled rows makes; above a million rows, its minibatch variant.

    Args:
        pooled: From :func:`pool_rows`.
        num_buckets: k; a tenth of the smallest sample unless given.
        start: "rows" (random distinct rows) or "plus-plus".
        num_restarts: Runs of k-means; the smallest objective wins.
        max_iterations: Of each run.
        key: Typed key.

    Cost:
        As :func:`fkeax.quantize.kmeans`.
    """
    number = default_num_buckets(*pooled.sizes) if num_buckets is None else checks.count(num_buckets, "num_buckets")
    if number > pooled.rows.shape[0]:
        raise ValueError(f"num_buckets must be at most the number of rows, {pooled.rows.shape[0]}; got {number}.")
    if pooled.rows.shape[0] > MINIBATCH_ABOVE:
        clusters = minibatch_kmeans(pooled.rows, num_clusters=number, key=key)
    else:
        clusters = kmeans(
            pooled.rows,
            num_clusters=number,
            start=start,
            num_restarts=num_restarts,
            max_iterations=max_iterations,
            eligible=~pooled.is_repeat,
            key=key,
        )
    return Quantization(_by_sample(pooled, clusters.labels), number, clusters)


def quantize(
    *samples: ArrayLike,
    num_buckets: int | None = None,
    unit_rows: bool = True,
    explained_variance: float | None = 0.9,
    start: str = "rows",
    num_restarts: int = 5,
    key: jax.Array | None = None,
) -> Quantization:
    """Put the rows of any number of samples into shared buckets, so that all their histograms are comparable.

    The defaults are those of mauve-text: rows of length 1, components that explain 0.9 of the variance, k-means with a
    tenth of the smallest sample as buckets, the best of 5 runs.

    Args:
        samples: (n, d) arrays of one d. Their order, and that of their rows, does not matter.
        num_buckets: As :func:`quantize_rows`.
        unit_rows: As :func:`pool_rows`.
        explained_variance: As :func:`pool_rows`.
        start: As :func:`quantize_rows`.
        num_restarts: As :func:`quantize_rows`.
        key: Typed key.

    Example:
        >>> import jax, numpy as np
        >>> p, q = np.asarray([[0.0], [9.0], [0.1]]), np.asarray([[9.1], [0.2]])
        >>> found = quantize(p, q, num_buckets=2, unit_rows=False, key=jax.random.key(0))
        >>> (found.labels[0] == found.labels[0][0]).tolist(), (found.labels[1] == found.labels[0][0]).tolist()
        ([True, False, True], [False, True])

    References:
        MAUVE paper, Section 4.1. Other code depends on which sample is stacked first.
    """
    pooled = pool_rows(samples, unit_rows=unit_rows, explained_variance=explained_variance)
    return quantize_rows(pooled, num_buckets=num_buckets, start=start, num_restarts=num_restarts, key=key)


def content_order(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return an order of rows that depends on their content alone, and which rows, in that order, repeat another.

    The order is that of a 64-bit hash: integer arithmetic, so free of rounding. Should two distinct rows share a hash,
    the second is taken for a repeat, which only keeps it from starting a cluster.
    """
    words = np.ascontiguousarray(rows + 0.0).view(np.uint32)  # + 0.0: both zeros are one number
    multipliers = _scrambled(np.arange(1, words.shape[1] + 1, dtype=np.uint64)) | np.uint64(1)
    hashes = np.empty(rows.shape[0], np.uint64)
    for begin in range(0, rows.shape[0], 4096):
        hashes[begin : begin + 4096] = words[begin : begin + 4096].astype(np.uint64) @ multipliers  # modulo 2^64
    hashes = _scrambled(hashes)
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    return order, np.concatenate([[False], ordered[1:] == ordered[:-1]])


def _scrambled(words: np.ndarray) -> np.ndarray:
    """Return the finalizer of the splitmix64 generator (Steele, Lea and Flood 2014) of each word."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _unit_rows(rows: np.ndarray, order: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Scale rows to length 1, in place, and return them."""
    squared = np.einsum("nd,nd->n", rows, rows, dtype=np.float64)  # float32 squares neither overflow nor vanish there
    zero = np.sort(order[np.flatnonzero(squared == 0)])
    if zero.size:
        edges = np.cumsum([0, *sizes])
        sample = int(np.searchsorted(edges, zero[0], side="right")) - 1
        raise ValueError(
            f"samples hold {zero.size} rows of length 0, which have no direction, the first in sample {sample} at row "
            f"{zero[0] - edges[sample]} (rows counted from 0); pass unit_rows=False to use lengths as they are."
        )
    rows /= np.sqrt(squared)[:, None].astype(rows.dtype)
    return rows


def _by_sample(pooled: PooledRows, values: np.ndarray) -> tuple[np.ndarray, ...]:
    stacked = np.empty_like(values)
    stacked[pooled.order] = values
    return tuple(np.split(stacked, np.cumsum(pooled.sizes)[:-1]))
