"""What each kernel can see at n = 780, d = 256 and strength 0.1: a rehearsal on synthetic features, in kind.

Reference law N(0.3, Q diag(1/i) Q'); the changes move it by 0.1 of its spread in 2-Wasserstein (shift, contraction) or
Bures distance (rotation). 6 draws and 199 permutations a cell instead of 12 and 500. Full-size runs rejected, of 12:
KID shift 12, rotation 0, contraction 1; Gaussian at the median 12, 2, 12; at a quarter of the median rotation 12.
"""

from __future__ import annotations

import jax
import numpy as np
import pytest
from scipy import linalg

from fkeax import kernels
from fkeax.twosample import mmd_test
from fkeax.twosample.presets import kid_kernel

pytestmark = pytest.mark.slow

N, D, STRENGTH, DRAWS = 780, 256, 0.1, 6
RANDOM = np.random.default_rng(0)
Q = np.linalg.qr(RANDOM.standard_normal((D, D)))[0]
SPECTRUM = 1 / np.arange(1, D + 1)
SPREAD = SPECTRUM.sum() ** 0.5
MEAN = np.full(D, 0.3)


def bures(rotation: np.ndarray) -> float:
    """Distance of S from R S R'."""
    root = (Q * np.sqrt(SPECTRUM)) @ Q.T
    crossed = linalg.svdvals(root @ rotation @ root).sum()
    return max(2 * SPECTRUM.sum() - 2 * crossed, 0.0) ** 0.5


def matched_rotation() -> np.ndarray:
    """exp(theta A), A random and skew, at the first theta where the distance is STRENGTH * SPREAD."""
    skew = RANDOM.standard_normal((D, D)) / D**0.5
    values, vectors = np.linalg.eigh(1j * (skew - skew.T))

    def rotation(theta: float) -> np.ndarray:
        return np.real((vectors * np.exp(-1j * theta * values)) @ vectors.conj().T)

    low, high = 0.0, 0.05
    while bures(rotation(high)) < STRENGTH * SPREAD:
        low, high = high, high + 0.05
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if bures(rotation(middle)) < STRENGTH * SPREAD else (low, middle)
    return rotation(high)


@pytest.fixture(scope="module")
def rejections() -> dict[tuple[str, str], int]:
    rotation = matched_rotation()
    counts: dict[tuple[str, str], int] = {}
    for draw in range(DRAWS):
        x, y = (MEAN + (RANDOM.standard_normal((N, D)) * np.sqrt(SPECTRUM)) @ Q.T for _ in "xy")
        direction = RANDOM.standard_normal(D)
        changed = {
            "null": y,
            "shift": y + STRENGTH * SPREAD * direction / np.linalg.norm(direction),
            "contraction": MEAN + (1 - STRENGTH) * (y - MEAN),
            "rotation": MEAN + (y - MEAN) @ rotation.T,
        }
        for change, rows in changed.items():
            key = jax.random.key(draw)
            median = mmd_test(x, rows, key=key, num_permutations=199)
            window = kernels.Gaussian(0.25 * median.settings["bandwidth"])
            tests = {
                "median": median,
                "window": mmd_test(x, rows, key=key, kernel=window, num_permutations=199),
                "kid": mmd_test(x, rows, key=key, kernel=kid_kernel(D), num_permutations=199),
            }
            for name, found in tests.items():
                counts[name, change] = counts.get((name, change), 0) + found.reject
    return counts


def test_what_each_kernel_sees(rejections):
    seen = {cell for cell, count in rejections.items() if count >= DRAWS - 1}
    assert {("kid", "shift"), ("median", "shift"), ("median", "contraction"), ("window", "rotation")} <= seen
    for cell in (("kid", "rotation"), ("kid", "contraction"), ("median", "rotation")):
        assert rejections[cell] <= DRAWS / 2, cell
    for name in ("kid", "median", "window"):
        assert rejections[name, "null"] <= 2  # of 6 at level 5 %: exceeded with probability 2e-3
