"""Slow float64 transcriptions of the definitions, which share no code with the package."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

Array = NDArray[np.float64]


def gram(name: str, x: Array, y: Array, bandwidth: float = 1.0) -> Array:
    """Kernel values from differences (or inner products) of float64 rows."""
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    l2 = cdist(x, y)
    if name == "gaussian":
        return np.exp(-(l2**2) / (2 * bandwidth**2))
    if name == "laplace-l1":
        return np.exp(-cdist(x, y, "cityblock") / bandwidth)
    if name == "laplace-l2":
        return np.exp(-l2 / bandwidth)
    if name == "energy":
        return -l2
    if name == "imq":
        return (1 + l2**2 / bandwidth**2) ** -0.5
    if name == "iq":
        return 1 / (1 + l2**2 / bandwidth**2)
    if name == "linear":
        return x @ y.T
    if name == "kid":
        return (x @ y.T / x.shape[1] + 1) ** 3
    raise ValueError(name)


def mmd2(name: str, x: Array, y: Array, bandwidth: float = 1.0, *, unbiased: bool = True) -> float:
    """The squared MMD by its definition."""
    n, m = len(x), len(y)
    xx, yy, xy = gram(name, x, x, bandwidth), gram(name, y, y, bandwidth), gram(name, x, y, bandwidth)
    if not unbiased:
        return float(xx.mean() + yy.mean() - 2 * xy.mean())
    return float((xx.sum() - np.trace(xx)) / (n * (n - 1)) + (yy.sum() - np.trace(yy)) / (m * (m - 1)) - 2 * xy.mean())


def gaussian_mmd2(mean: Array, first: Array, second: Array, bandwidth: float) -> float:
    """Population MMD^2 of N(0, S1) and N(mean, S2), Gaussian kernel."""
    size, v = len(mean), bandwidth**2

    def term(spread: Array) -> float:
        return float(np.linalg.det(np.eye(size) + spread / v) ** -0.5)

    inner = mean @ np.linalg.solve(v * np.eye(size) + first + second, mean)
    return term(2 * first) + term(2 * second) - 2 * term(first + second) * float(np.exp(-inner / 2))
