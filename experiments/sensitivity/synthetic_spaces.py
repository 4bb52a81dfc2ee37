"""Two synthetic laws in 256 dimensions: a Gaussian with a 1/i spectrum, and a rectified one with few large axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.schema import Config
from experiments.sensitivity.spaces import Embeddings, Space

if TYPE_CHECKING:
    import numpy as np

DIMENSION = 256
SEED = 7
TRACK = 20  # rows


def draw(name: str, seed: int, count: int) -> np.ndarray:
    """Return rows of a law: the orthogonal basis and the mixing matrix B follow from a fixed seed.

    * "synthetic-g": N(0.3, Q diag(1/i) Q').
    * "synthetic-p": max(0, B g - 0.5), B with entries N(0, 1/d).
    """
    import numpy as np

    fixed, random = np.random.default_rng(SEED), np.random.default_rng([SEED, seed, int(name == "synthetic-p")])
    basis = np.linalg.qr(fixed.standard_normal((DIMENSION, DIMENSION)))[0]
    mixing = fixed.standard_normal((DIMENSION, DIMENSION)) / DIMENSION**0.5
    normal = random.standard_normal((count, DIMENSION))
    if name == "synthetic-g":
        rows = 0.3 + (normal / np.arange(1, DIMENSION + 1) ** 0.5) @ basis.T
    else:
        rows = np.maximum(normal @ mixing.T - 0.5, 0)
    return rows.astype(np.float32)


def _space(name: str, what: str) -> Space:
    def load(config: Config, count: int) -> Embeddings:
        return Embeddings(draw(name, config.seed, count))

    return Space(name, "synthetic", what, "Drawn here.", "None needed.", load)


def draw_tracks(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of tracks of 20, half of whose variance is the track's own, and the number of each row's track."""
    import numpy as np

    tracks = np.repeat(np.arange(-(-count // TRACK)), TRACK)[:count]
    own, shared = (draw("synthetic-g", seed + part, count) for part in (1, 2))
    rows = 0.3 + ((own - 0.3) + (shared[tracks] - 0.3)) / np.float32(2) ** 0.5
    return rows.astype(np.float32), tracks


def _tracks() -> Space:
    def load(config: Config, count: int) -> Embeddings:
        rows, tracks = draw_tracks(config.seed, count)
        return Embeddings(rows, groups=tracks)

    what = "the same Gaussian in tracks of 20 rows that share half of their variance"
    return Space("synthetic-tracks", "synthetic", what, "Drawn here.", "None needed.", load)


SPACES = (
    _tracks(),
    _space("synthetic-g", "N(0.3, Q diag(1/i) Q') in 256 dimensions"),
    _space("synthetic-p", "max(0, B g - 0.5), g normal, in 256 dimensions: sparse, as rectified features are"),
)
