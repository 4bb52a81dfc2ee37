"""FKEA as a careful NumPy user writes it: chunks of ``X @ W``, cos and sin, BLAS's symmetric product, eigenvalues."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from benchmarks.timing import seconds_of

CHUNKS = (1_000, 2_000, 4_000, 10_000)


def covariance(x: np.ndarray, frequencies: np.ndarray, chunk: int) -> np.ndarray:
    """Return the covariance of the 2r features of rows, ``frequencies`` being (d, r)."""
    num_samples, num_frequencies = len(x), frequencies.shape[1]
    total = np.zeros((2 * num_frequencies, 2 * num_frequencies), x.dtype)
    for start in range(0, num_samples, chunk):
        angles = np.asarray(x[start : start + chunk]) @ frequencies
        features = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
        features /= np.sqrt(num_frequencies, dtype=x.dtype)
        total += features.T @ features  # one operand twice: BLAS's symmetric product
    return total / np.asarray(num_samples, x.dtype)


def best_chunk(x: np.ndarray, frequencies: np.ndarray) -> int:
    """Return the fastest of several chunk sizes, found on at most 10,000 rows."""
    rows = x[: CHUNKS[-1]]
    sizes = [chunk for chunk in CHUNKS if chunk <= len(rows)] or [len(rows)]
    return min(sizes, key=lambda chunk: seconds_of(lambda: covariance(rows, frequencies, chunk)))


def scores(x: np.ndarray, frequencies: np.ndarray, chunk: int) -> tuple[float, float]:
    """Return VENDI-1 and RKE, plain."""
    matrix = covariance(x, frequencies, chunk)
    rke = 1 / float(np.square(matrix, dtype=np.float64).sum())
    spectrum = scipy.linalg.eigvalsh(matrix, overwrite_a=True, check_finite=False)
    spectrum = spectrum[spectrum > 0].astype(np.float64)
    return float(np.exp(-np.sum(spectrum * np.log(spectrum)))), rke


def leading_modes(x: np.ndarray, frequencies: np.ndarray, chunk: int, number: int) -> np.ndarray:
    """Return the leading eigenvalues of the covariance, found with all its vectors, and each mode's best sample."""
    values, vectors = np.linalg.eigh(covariance(x, frequencies, chunk))
    vectors = vectors[:, ::-1][:, :number]
    scores_of_rows = []
    for start in range(0, len(x), chunk):
        angles = x[start : start + chunk] @ frequencies
        scores_of_rows.append(np.concatenate([np.cos(angles), np.sin(angles)], axis=1) @ vectors)
    np.argsort(np.concatenate(scores_of_rows), axis=0)  # the samples that show each mode best
    return values[::-1][:number]
