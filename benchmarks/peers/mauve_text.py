"""The package mauve-text 0.4.0 (GPL: compared with, never a part) by its one call, k-means by faiss."""

from __future__ import annotations

from typing import Any

import numpy as np


def score(p: np.ndarray, q: np.ndarray, num_buckets: int, num_restarts: int) -> float:
    """Return MAUVE, features in."""
    import mauve  # pyright: ignore[reportMissingImports]

    settings: dict[str, Any] = {"num_buckets": num_buckets, "kmeans_num_redo": num_restarts}  # annotated as str there
    return float(mauve.compute_mauve(p_features=p, q_features=q, verbose=False, **settings).mauve)
