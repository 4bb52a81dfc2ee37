"""FKEA and RKE as the papers' published loops do them, described in NumPy.

Features of all samples at once; slices of 16 samples, for each of which the outer product of every sample is made,
(16, 2r, 2r) numbers, and summed; then all eigenvalues *and vectors*. For the kernel matrix, differences of every row
with a slice of rows, (n, b, d) numbers at a time, and a whole n x n matrix. Timed at small sizes: at large ones they do
not end.
"""

from __future__ import annotations

import numpy as np


def scores(x: np.ndarray, frequencies: np.ndarray, batch: int = 16) -> tuple[float, float]:
    """Return VENDI-1 and RKE of Fourier features, ``frequencies`` being (d, r)."""
    num_frequencies = frequencies.shape[1]
    angles = x @ frequencies
    features = np.concatenate([np.cos(angles), np.sin(angles)], axis=1) / np.sqrt(num_frequencies, dtype=x.dtype)
    matrix = np.zeros((2 * num_frequencies, 2 * num_frequencies), x.dtype)
    for start in range(0, len(x), batch):
        part = features[start : start + batch]
        matrix += (part[:, :, None] * part[:, None, :]).sum(axis=0)
    matrix /= np.asarray(len(x), x.dtype)
    values, _ = np.linalg.eigh(matrix)
    values = values[values > 0].astype(np.float64)
    return float(np.exp(-np.sum(values * np.log(values)))), 1 / float(np.square(matrix, dtype=np.float64).sum())


def exact_rke(x: np.ndarray, bandwidth: float, batch: int = 16) -> float:
    """Return exact RKE from a whole kernel matrix made of differences."""
    slices = []
    for start in range(0, len(x), batch):
        gaps = np.linalg.norm(x[:, None] - x[None, start : start + batch], axis=2)
        slices.append(np.exp(-(gaps**2) / (2 * bandwidth**2)))
    gram = np.concatenate(slices, axis=1)
    return 1 / float(np.square(gram / np.asarray(len(x), gram.dtype), dtype=np.float64).sum())
