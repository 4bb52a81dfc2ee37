"""k-means by faiss and by scikit-learn; the value is the objective of the centres each ends with."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import KMeans


def by_faiss(rows: np.ndarray, num_clusters: int, num_restarts: int, start: np.ndarray | None = None) -> float:
    """Return the objective of faiss' Kmeans, run until nothing moves (500 iterations at most)."""
    import faiss  # pyright: ignore[reportMissingImports]

    clustering = faiss.Kmeans(
        rows.shape[1],
        num_clusters,
        niter=500,
        nredo=num_restarts,
        min_points_per_centroid=1,
        max_points_per_centroid=len(rows),
    )
    clustering.train(rows, init_centroids=start)
    distances, _ = clustering.index.search(rows, 1)
    return float(distances.sum(dtype=np.float64))


def by_scikit_learn(rows: np.ndarray, num_clusters: int, start: np.ndarray) -> float:
    """Return the objective of scikit-learn's KMeans (Lloyd) from given centres, run until nothing moves."""
    settings: dict[str, Any] = {"init": start, "n_init": 1}  # annotated as str there
    found: Any = KMeans(num_clusters, max_iter=300, tol=0.0, random_state=0, **settings).fit(rows)
    return float(found.inertia_)
