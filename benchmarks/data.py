"""Samples that benchmarks score: made from a fixed seed, float32."""

from __future__ import annotations

import numpy as np


def normal(n: int, d: int, *, seed: int = 0) -> np.ndarray:
    """Return n rows of N(0, I_d)."""
    return np.random.default_rng(seed).standard_normal((n, d), dtype=np.float32)


def pair(n: int, d: int, *, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Return two samples of n rows, the second moved by ``shift`` in every coordinate."""
    return normal(n, d), normal(n, d, seed=1) + np.float32(shift)


def groups(n: int, d: int, number: int, *, seed: int = 0) -> np.ndarray:
    """Return n rows of ``number`` well separated groups of unequal weight."""
    random = np.random.default_rng(seed)
    weights = np.arange(number, 0, -1, dtype=np.float64)
    labels = random.choice(number, n, p=weights / weights.sum())
    centres = 4 * random.standard_normal((number, d), dtype=np.float32)
    return centres[labels] + normal(n, d, seed=seed + 1)
