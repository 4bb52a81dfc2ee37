"""The Frechet distance by two packages' formulas: pytorch-fid's matrix square root, torchmetrics' eigenvalues."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg


def pytorch_fid(x: np.ndarray, y: np.ndarray) -> float:
    """Return the distance with ``scipy.linalg.sqrtm`` of the product of the covariances."""
    return _distance(x, y, lambda product: float(np.trace(scipy.linalg.sqrtm(product)).real))


def torchmetrics(x: np.ndarray, y: np.ndarray) -> float:
    """Return the distance with the roots of the eigenvalues of that product, of no symmetry, found by torch."""
    import torch  # pyright: ignore[reportMissingImports]

    return _distance(
        x, y, lambda product: float(torch.linalg.eigvals(torch.from_numpy(product)).sqrt().real.sum().item())
    )


def _distance(x: np.ndarray, y: np.ndarray, root_trace: Callable[[np.ndarray], float]) -> float:
    first, second = np.cov(x, rowvar=False), np.cov(y, rowvar=False)
    shift = x.mean(axis=0, dtype=np.float64) - y.mean(axis=0, dtype=np.float64)
    return float(shift @ shift + np.trace(first) + np.trace(second) - 2 * root_trace(first @ second))
