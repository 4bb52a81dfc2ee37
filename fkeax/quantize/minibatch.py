"""k-means by minibatches, for more rows than every iteration can afford to visit."""

from __future__ import annotations

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax.numerics import batching, checks
from fkeax.numerics.grouped import grouped_row_sums
from fkeax.quantize import host_lloyd, starts
from fkeax.quantize.kmeans import KMeans, centred_rows, squared_distances

_START_ROWS_PER_CLUSTER = 100  # a run of Lloyd's iteration on a sample of this size gives the start


def minibatch_kmeans(
    x: ArrayLike,
    *,
    num_clusters: int,
    batch_rows: int = 16_384,
    max_batches: int = 300,
    tolerance: float = 1e-3,
    key: jax.Array | None = None,
) -> KMeans:
    """Return k-means clusters from random batches of rows, and the labels of all rows in one last pass.

    Each batch moves a centre to the mean of all rows that batches have given it so far (Sculley 2010). The start is a
    run of Lloyd's iteration on a random sample of 100 rows a cluster. Centres are within sampling noise of the means of
    their rows, not equal to them; the objective is that of the centres returned.

    Args:
        x: Rows, (n, d).
        num_clusters: k.
        batch_rows: Rows of a batch, drawn with replacement.
        max_batches: Stop there at the latest.
        tolerance: Converged when, over a batch, centres move by less than this share of the root mean square distance.
        key: Typed key.

    Raises:
        ValueError, TypeError: One sentence that names the argument.

    Cost:
        ``2 (100 k iterations + batch_rows batches + n) k d`` flops; a copy of the rows.
    """
    data, centre = centred_rows(x)
    number = checks.count(num_clusters, "num_clusters")
    if number > data.shape[0]:
        raise ValueError(f"num_clusters must be at most the number of rows, {data.shape[0]}; got {number}.")
    size = min(checks.count(batch_rows, "batch_rows"), data.shape[0])
    limit = checks.count(max_batches, "max_batches")
    tolerance = checks.positive_number(tolerance, "tolerance")
    random = np.random.default_rng(batching.key_seed(checks.typed_key(key, "the batches of k-means")))
    sampled = data[np.sort(random.choice(data.shape[0], min(data.shape[0], _START_ROWS_PER_CLUSTER * number), False))]
    first = starts.random_rows(random, sampled, number, eligible=np.ones(sampled.shape[0], bool))
    start = host_lloyd.lloyd(sampled, first, tolerance=1e-4, max_iterations=30)
    centres = start.centres.astype(np.float64)
    seen = np.bincount(start.labels, minlength=number).astype(np.float64)
    converged, batch = False, 0
    while batch < limit and not converged:
        batch += 1
        rows = data[random.integers(data.shape[0], size=size)]
        nearest = host_lloyd.nearest_centre(rows, centres.astype(data.dtype))
        counts = np.bincount(nearest.labels, minlength=number).astype(np.float64)
        sums = grouped_row_sums(rows, nearest.labels, number).astype(np.float64)
        seen += counts
        moves = (sums - counts[:, None] * centres) / np.maximum(seen, 1)[:, None]
        centres += moves
        mean_square = float(np.mean(np.einsum("nd,nd->n", rows, rows) + nearest.scores, dtype=np.float64))
        converged = float(np.square(moves).sum(axis=1).mean()) <= tolerance**2 * max(mean_square, 0.0)
    final = centres.astype(data.dtype)
    labels = host_lloyd.nearest_centre(data, final).labels.astype(np.int32)
    distances = squared_distances(data, final, labels)
    objective = float(distances.sum(dtype=np.float64))
    return KMeans(final + centre, labels, distances, objective, (objective,), batch, converged)
