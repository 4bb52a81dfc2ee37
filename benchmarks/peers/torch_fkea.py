"""FKEA as an expert writes it in torch: chunks, no gradient, in-place cos and sin, products added in place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from benchmarks.timing import seconds_of

CHUNKS = (1_000, 2_000, 4_000, 10_000)


def covariance(x: Any, frequencies: Any, chunk: int) -> Any:
    """Return the covariance of the 2r features of rows, all tensors on one device, ``frequencies`` being (d, r)."""
    import torch  # pyright: ignore[reportMissingImports]

    num_samples, num_frequencies = x.shape[0], frequencies.shape[1]
    with torch.no_grad():
        total = torch.zeros((2 * num_frequencies, 2 * num_frequencies), dtype=x.dtype, device=x.device)
        for start in range(0, num_samples, chunk):
            angles = x[start : start + chunk] @ frequencies
            features = torch.empty((angles.shape[0], 2 * num_frequencies), dtype=x.dtype, device=x.device)
            torch.cos(angles, out=features[:, :num_frequencies])
            torch.sin(angles, out=features[:, num_frequencies:])
            total.addmm_(features.T, features)
        return total.div_(num_samples * num_frequencies)


def best_chunk(x: np.ndarray, frequencies: np.ndarray) -> int:
    """Return the fastest of several chunk sizes, found on at most 10,000 rows."""
    import torch  # pyright: ignore[reportMissingImports]

    rows, maps = torch.from_numpy(x[: CHUNKS[-1]]), torch.from_numpy(frequencies)
    sizes = [chunk for chunk in CHUNKS if chunk <= len(rows)] or [len(rows)]
    return min(sizes, key=lambda chunk: seconds_of(lambda: covariance(rows, maps, chunk)))


def scores(x: np.ndarray, frequencies: np.ndarray, chunk: int) -> tuple[float, float]:
    """Return VENDI-1 and RKE, plain."""
    import torch  # pyright: ignore[reportMissingImports]

    matrix = covariance(torch.from_numpy(x), torch.from_numpy(frequencies), chunk)
    rke = 1 / float(matrix.double().square().sum())
    spectrum = torch.linalg.eigvalsh(matrix).double()
    spectrum = spectrum[spectrum > 0]
    return math.exp(-float((spectrum * spectrum.log()).sum())), rke
