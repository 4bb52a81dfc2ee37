"""k-means: several runs of Lloyd's iteration, each until no row changes its cluster, and the best of them."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike
from jaxtyping import Float, Int

from fkeax.numerics import batching, checks
from fkeax.quantize import device_lloyd, host_lloyd, starts


@dataclass(frozen=True)
class KMeans:
    """A partition of rows around centres.

    Attributes:
        centres: Means of the rows of each cluster, in the coordinates of the rows as given.
        labels: Cluster of each row.
        squared_distances: Of each row to the centre of its cluster.
        objective: Sum of the squared distances, in float64: what k-means makes small.
        objectives: Of every run, from inner products: good to a few units of rounding.
        num_iterations: Assignments of the best run after its first.
        converged: Whether no row of the best run changed its cluster at the end, or the tolerance was met.
    """

    centres: Float[np.ndarray, "k d"]
    labels: Int[np.ndarray, "n"]
    squared_distances: Float[np.ndarray, "n"]
    objective: float
    objectives: tuple[float, ...]
    num_iterations: int
    converged: bool


_BLOCK_ROWS = 4096
_device_lloyd = jax.jit(device_lloyd.lloyd, static_argnames="max_iterations")


def kmeans(
    x: ArrayLike,
    *,
    num_clusters: int | None = None,
    start: str | ArrayLike = "rows",
    num_restarts: int = 5,
    max_iterations: int = 300,
    tolerance: float = 0.0,
    eligible: ArrayLike | None = None,
    key: jax.Array | None = None,
) -> KMeans:
    """Return the best of several runs of k-means.

    Args:
        x: Rows, (n, d). Centred before any product.
        num_clusters: k; not needed with given centres.
        start: "rows" (random rows, none twice), "plus-plus" (k-means++), or the (k, d) centres to start from, for a
            single run.
        num_restarts: Runs, each from a start of its own; the smallest objective wins.
        max_iterations: Of each run.
        tolerance: Stop when the mean squared distance falls by no more than this share of itself. 0: when no row
            changes its cluster.
        eligible: Which rows may start a cluster; all by default. For "rows", marking repeats keeps starts distinct.
        key: Typed key; not needed with given centres.

    Returns:
        The best run. An unconverged one is returned as it is and says so.

    Raises:
        ValueError, TypeError: One sentence that names the argument.

    Cost:
        At most ``2 n k d`` flops an iteration; on CPU less, in proportion to the clusters that still change. Two copies
        of the rows. On an accelerator one compile for each (n, d, k).

    Example:
        >>> import jax, numpy as np
        >>> x = np.asarray([[0.0], [1.0], [10.0], [11.0]])
        >>> found = kmeans(x, num_clusters=2, key=jax.random.key(0))
        >>> sorted(float(c) for c in found.centres[:, 0]), found.objective
        ([0.5, 10.5], 1.0)
    """
    max_iterations = checks.count(max_iterations, "max_iterations")
    if not checks.finite_number(tolerance, "tolerance") >= 0:
        raise ValueError(f"tolerance must be at least 0; got {tolerance!r}.")
    data, centre = centred_rows(x)
    runs = [
        _run(data, first, tolerance, max_iterations)
        for first in _first_centres(data, centre, num_clusters, start, num_restarts, eligible, key)
    ]
    run = min(runs, key=lambda one: one.objective)
    distances = squared_distances(data, run.centres, run.labels)
    return KMeans(
        centres=run.centres + centre,
        labels=run.labels,
        squared_distances=distances,
        objective=float(distances.sum(dtype=np.float64)),
        objectives=tuple(one.objective for one in runs),
        num_iterations=run.num_iterations,
        converged=run.converged,
    )


def centred_rows(x: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return checked rows in the working dtype less their mean, and the mean."""
    rows = checks.matrix(x)
    checks.finite_rows(rows)
    host = np.asarray(rows)
    dtype = checks.working_dtype(host.dtype)
    centre = host.mean(axis=0, dtype=np.float64).astype(dtype)
    return batching.pad(host, None, host.shape[0], centre=centre, dtype=dtype).rows, centre


def squared_distances(x: np.ndarray, centres: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the squared distance of each row to the centre its label names, from the difference itself."""
    distances = np.empty(x.shape[0], x.dtype)
    for begin in range(0, x.shape[0], _BLOCK_ROWS):
        block = slice(begin, begin + _BLOCK_ROWS)
        difference = x[block] - centres[labels[block]]
        distances[block] = np.einsum("nd,nd->n", difference, difference)
    return distances


def _run(x: np.ndarray, start: np.ndarray, tolerance: float, max_iterations: int) -> host_lloyd.Clusters:
    """Run Lloyd's iteration where it is fast: on the host by BLAS, or compiled on the accelerator JAX has."""
    if jax.default_backend() == "cpu":
        return host_lloyd.lloyd(x, start, tolerance=tolerance, max_iterations=max_iterations)
    found = _device_lloyd(
        jnp.asarray(x), jnp.asarray(start), jnp.asarray(tolerance, x.dtype), max_iterations=max_iterations
    )
    return host_lloyd.Clusters(
        np.asarray(found.centres),
        np.asarray(found.labels),
        float(found.objective),
        int(found.num_iterations),
        bool(found.converged),
    )


def _first_centres(
    data: np.ndarray,
    centre: np.ndarray,
    num_clusters: int | None,
    start: str | ArrayLike,
    num_restarts: int,
    eligible: ArrayLike | None,
    key: jax.Array | None,
) -> list[np.ndarray]:
    """Return the first centres of every run, centred as the data are."""
    if not isinstance(start, str):
        return [_given_start(data, centre, num_clusters, start)]
    num_rows = data.shape[0]
    checks.choice(start, "start", starts.RULES)
    if num_clusters is None:
        raise ValueError("num_clusters is needed unless start holds the first centres.")
    if checks.count(num_clusters, "num_clusters") > num_rows:
        raise ValueError(f"num_clusters must be at most the number of rows, {num_rows}; got {num_clusters}.")
    key = checks.typed_key(key, "the start of k-means")
    allowed = np.ones(num_rows, bool) if eligible is None else np.asarray(eligible)
    if allowed.dtype != bool or allowed.shape != (num_rows,) or not allowed.any():
        raise ValueError(f"eligible must be {num_rows} booleans, not all False; got shape {allowed.shape}.")
    random = np.random.default_rng(batching.key_seed(key))
    return [
        starts.start_centres(random, data, num_clusters, rule=start, eligible=allowed)
        for _ in range(checks.count(num_restarts, "num_restarts"))
    ]


def _given_start(data: np.ndarray, centre: np.ndarray, num_clusters: int | None, start: ArrayLike) -> np.ndarray:
    given = np.asarray(checks.matrix(start, "start"))
    num_rows, dimension = data.shape
    if given.shape[1] != dimension or given.shape[0] > num_rows:
        raise ValueError(
            f"start must hold k centres of {dimension} numbers, with k at most {num_rows}, the number of rows; "
            f"got shape {given.shape}."
        )
    if num_clusters is not None and num_clusters != given.shape[0]:
        raise ValueError(f"num_clusters is {num_clusters}, but start holds {given.shape[0]} centres.")
    checks.finite_rows(given, "start")
    return (given - centre).astype(data.dtype)
