"""Slow, plain NumPy float64 transcriptions of the definitions.

Every function follows the equation it names, with loops or dense linear algebra, and shares no code with the package:
agreement with the package is then evidence, not a tautology.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def gaussian_gram(x: Array, bandwidth: float, y: Array | None = None) -> Array:
    """Kernel values exp(-||x_i - y_j||^2 / (2 s^2)) from the differences themselves, row by row."""
    x = np.asarray(x, np.float64)
    y = x if y is None else np.asarray(y, np.float64)
    gram = np.empty((len(x), len(y)))
    for i, point in enumerate(x):
        gram[i] = np.exp(-np.sum((point - y) ** 2, axis=1) / (2.0 * bandwidth**2))
    return gram


def cosine_gram(x: Array) -> Array:
    """Cosines of the angles between rows."""
    x = np.asarray(x, np.float64)
    unit = x / np.sqrt(np.sum(x**2, axis=1, keepdims=True))
    return unit @ unit.T


def linear_gram(x: Array) -> Array:
    """Inner products of rows."""
    x = np.asarray(x, np.float64)
    return x @ x.T


def normalized_weights(num_samples: int, weights: Array | None = None) -> Array:
    """Weights that add up to one; uniform ones when none are given."""
    if weights is None:
        return np.full(num_samples, 1.0 / num_samples)
    weights = np.asarray(weights, np.float64)
    return weights / weights.sum()


def gram_spectrum(gram: Array, weights: Array | None = None) -> Array:
    """Eigenvalues of D^{1/2} K D^{1/2}, D the weights, descending and scaled to unit sum: those of K/n when uniform."""
    root = np.sqrt(normalized_weights(len(gram), weights))
    eigenvalues = np.linalg.eigvalsh(gram * np.outer(root, root))[::-1]
    return eigenvalues / eigenvalues.sum()


def hill_number(probabilities: Array, order: float, *, cutoff: float = 1e-13) -> float:
    """(sum_i p_i^a)^{1/(1-a)}, with its limits at a = 0, 1 and infinity (VENDI_a as a function of the spectrum).

    Eigenvalues at or below `cutoff` times the largest are rounding of zeros: they are dropped and the rest is
    renormalised.
    """
    p = np.asarray(probabilities, np.float64)
    p = p[p > cutoff * p.max()]
    p = p / p.sum()
    if order == 0:
        return float(len(p))
    if order == math.inf:
        return float(1.0 / p.max())
    if order == 1:
        return math.exp(-math.fsum(v * math.log(v) for v in p))
    if abs(order - 1.0) < 0.5:
        # Around a = 1 the naive power cancels; log sum p^a = log1p(sum p (p^{a-1} - 1)) does not.
        excess = math.fsum(v * math.expm1((order - 1.0) * math.log(v)) for v in p)
        return math.exp(math.log1p(excess) / (1.0 - order))
    top = float(p.max())
    log_sum = order * math.log(top) + math.log(math.fsum((v / top) ** order for v in p))
    return math.exp(log_sum / (1.0 - order))


def vendi_from_gram(gram: Array, order: float, weights: Array | None = None) -> float:
    """VENDI of a Gram matrix."""
    return hill_number(gram_spectrum(gram, weights), order)


def second_moment(gram: Array, weights: Array | None = None) -> float:
    """Mean of k^2 over all (weighted) pairs, the diagonal included: 1/RKE when k(x, x) = 1."""
    w = normalized_weights(len(gram), weights)
    return float(w @ (gram**2) @ w)


def off_diagonal_second_moment(gram: Array) -> float:
    """Mean of k^2 over pairs i != j: the U-statistic, unbiased for E k(X, X')^2."""
    n = len(gram)
    total = 0.0
    for i in range(n):
        for j in range(n):
            if i != j:
                total += gram[i, j] ** 2
    return total / (n * (n - 1))


def features(frequencies: Array, centre: Array, x: Array) -> Array:
    """[cos(w_1'(x-c)), ..., cos(w_r'(x-c)), sin(w_1'(x-c)), ..., sin(w_r'(x-c))]/sqrt(r), rows = points (eq. 1)."""
    frequencies, centre, x = (np.asarray(a, np.float64) for a in (frequencies, centre, x))
    num_frequencies = len(frequencies)
    rows = np.empty((len(x), 2 * num_frequencies))
    for i, point in enumerate(x):
        for a, frequency in enumerate(frequencies):
            angle = float(np.dot(frequency, point - centre))
            rows[i, a] = math.cos(angle) / math.sqrt(num_frequencies)
            rows[i, num_frequencies + a] = math.sin(angle) / math.sqrt(num_frequencies)
    return rows


def covariance(frequencies: Array, centre: Array, x: Array, weights: Array | None = None) -> Array:
    """Proxy kernel covariance, a sum of outer products (eq. 2)."""
    phi = features(frequencies, centre, x)
    total = np.zeros((phi.shape[1], phi.shape[1]))
    for weight, row in zip(normalized_weights(len(phi), weights), phi, strict=True):
        total += weight * np.outer(row, row)
    return total


def covariance_spectrum(matrix: Array) -> Array:
    """Eigenvalues of a covariance, descending and scaled to unit sum."""
    eigenvalues = np.linalg.eigvalsh(matrix)[::-1]
    return eigenvalues / eigenvalues.sum()


def debiased_second_moment(matrix: Array) -> float:
    """r/(r-1) (||C||_F^2 - sum_a ||C_aa||_F^2), C_aa the 2 x 2 block of frequency a: unbiased for mean k^2 under iid
    draws.
    """
    r = len(matrix) // 2
    own = 0.0
    for a in range(r):
        for i in (a, a + r):
            for j in (a, a + r):
                own += matrix[i, j] ** 2
    return r / (r - 1) * (float(np.sum(matrix**2)) - own)


def debiased_second_moment_of_kernels(frequencies: Array, x: Array) -> float:
    """The same number from its meaning: mean over pairs a != b and over all i, j of cos(w_a'D_ij) cos(w_b'D_ij)."""
    r, n = len(frequencies), len(x)
    total = 0.0
    for i in range(n):
        for j in range(n):
            cosines = np.cos(frequencies @ (x[i] - x[j]))
            total += (cosines.sum() ** 2 - np.sum(cosines**2)) / (r * (r - 1))
    return total / n**2


def expected_squared_norm(gram: Array, num_frequencies: int) -> float:
    """E||C||_F^2 over iid frequencies of the Gaussian kernel: mean k^2 + mean (1 - k^2)^2/(2r)."""
    return float(np.mean(gram**2) + np.mean((1.0 - gram**2) ** 2) / (2 * num_frequencies))


def expected_spectrum_error(gram: Array, num_frequencies: int) -> float:
    """Root mean square bound on ||lambda~ - lambda||_2 over iid frequencies, Gaussian kernel."""
    return math.sqrt(float(np.mean((1.0 - gram**2) ** 2)) / (2 * num_frequencies))


def spectrum_distance(first: Array, second: Array) -> float:
    """Euclidean distance of two sorted spectra, the shorter one filled up with zeros."""
    size = max(len(first), len(second))
    a, b = np.zeros(size), np.zeros(size)
    a[: len(first)] = np.sort(first)[::-1]
    b[: len(second)] = np.sort(second)[::-1]
    return float(np.sqrt(np.sum((a - b) ** 2)))


def u_statistic_variance(gram: Array) -> float:
    """Exact-in-expectation variance estimate of the U-statistic of k^2, by the delete-one jackknife in loops."""
    n = len(gram)
    squares = gram**2 - np.diag(np.diag(gram) ** 2)
    total = squares.sum()
    left_out = np.array([(total - 2.0 * squares[i].sum()) / ((n - 1) * (n - 2)) for i in range(n)])
    return float((n - 1) / n * np.sum((left_out - left_out.mean()) ** 2))
