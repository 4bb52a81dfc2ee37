"""Likelihood ratios from nearest neighbours by two exact searches: scikit-learn's brute force and faiss' flat index."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import NearestNeighbors


def by_scikit_learn(x: np.ndarray, y: np.ndarray, k: int) -> list[float]:
    """Return the ratios at all rows, those of x first."""
    pooled = np.concatenate([x, y])
    search = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(pooled)
    return _ratios(search.kneighbors(return_distance=False), len(x))  # without points: the row itself is left out


def by_faiss(x: np.ndarray, y: np.ndarray, k: int) -> list[float]:
    """Return the ratios at all rows, those of x first."""
    import faiss  # pyright: ignore[reportMissingImports]

    pooled = np.ascontiguousarray(np.concatenate([x, y]), np.float32)
    index = faiss.IndexFlatL2(pooled.shape[1])
    index.add(pooled)
    _, found = index.search(pooled, k + 1)
    own = found == np.arange(len(pooled))[:, None]
    own[~own.any(axis=1), -1] = True  # a twin stood first: drop the farthest instead
    return _ratios(found[~own].reshape(len(pooled), k), len(x))


def _ratios(neighbours: np.ndarray, num_first: int) -> list[float]:
    n, m = num_first, len(neighbours) - num_first
    of_p = np.sum(neighbours < n, axis=1)
    of_q = neighbours.shape[1] - of_p
    is_first = np.arange(n + m) < n
    with np.errstate(divide="ignore"):
        ratios = ((of_p + is_first) / n) / ((of_q + ~is_first) / m)
    return (1 / (1 + ratios)).tolist()
