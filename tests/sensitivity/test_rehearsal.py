"""What each test sees at n = 780, d = 256 and strength 0.1, on two synthetic spaces: counts, z, and their prediction.

Space g is N(0.3, Q diag(1/i) Q'), p is max(0, B g - 0.5) with standard normal g and a random B, as features after a
rectifier are. 12 draws and 500 permutations a cell; 8 draws of MMDAgg at its defaults. A count must lie in the central
99.9 % of what 12 draws of a cell give after the reported count (beta-binomial, Jeffreys prior): 22 cells, false alarms
2 % in total at new keys. To see the table: `python -m tests.sensitivity.test_rehearsal` (two minutes).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field

import jax
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.spatial.distance import pdist

from fkeax.kernels import Gaussian
from fkeax.sensitivity import (
    CHANGES,
    Corpus,
    apply_change,
    describe_corpus,
    predict_from_rows,
    predict_gaussian,
    predict_leading,
)
from fkeax.twosample import mmd_test, mmdagg
from fkeax.twosample.presets import kid_kernel

pytestmark = pytest.mark.slow

N, D, STRENGTH, DRAWS, AGGREGATED_DRAWS = 780, 256, 0.1, 12, 8
Rows = NDArray[np.float32]

# Rejections reported for spaces g and p.
REPORTED = {
    ("kid", "shift"): (12, 12),
    ("kid", "rotation"): (0, 2),
    ("kid", "contraction"): (1, 3),
    ("median", "shift"): (12, 12),
    ("median", "rotation"): (2, 2),
    ("median", "contraction"): (12, 12),
    ("quarter", "rotation"): (12, 5),
    ("laplace-l1", "rotation"): (3, 12),
    ("mmdagg", "rotation"): (7, 8),
    ("mmdagg", "copies"): (0, 0),
    ("mmdagg", "null"): (0, 2),
}
SPACES = ("g", "p")
CELLS = [(space, *cell) for space in SPACES for cell in REPORTED]


def sampler(space: str) -> Callable[[np.random.Generator, int], Rows]:
    random = np.random.default_rng(0)
    axes = np.linalg.qr(random.standard_normal((D, D)))[0]
    root = (axes / np.sqrt(np.arange(1, D + 1))) @ axes.T
    mixing = random.standard_normal((D, D)) / D**0.5
    if space == "g":
        return lambda random, n: (0.3 + random.standard_normal((n, D)) @ root).astype(np.float32)
    return lambda random, n: np.maximum(random.standard_normal((n, D)) @ mixing.T - 0.5, 0).astype(np.float32)


@dataclass
class Cell:
    """Decisions, z and bandwidths of the draws of one test and change."""

    rejections: list[bool] = field(default_factory=list)
    z: list[float] = field(default_factory=list)
    bandwidths: list[float] = field(default_factory=list)


@functools.cache
def corpus_of(space: str) -> Corpus:
    return describe_corpus(jax.random.key(0), sampler(space)(np.random.default_rng(1), 20_000), num_modes=0)


def run(test: str, x: Rows, y: Rows, key: jax.Array):
    if test == "mmdagg":
        return mmdagg(x, y, key=key)
    if test == "kid":
        return mmd_test(x, y, key=key, kernel=kid_kernel(D))
    if test == "laplace-l1":
        width = float(np.median(pdist(np.concatenate([x, y]), "cityblock")))
        return mmd_test(x, y, key=key, kernel=test, bandwidth=width)
    if test == "quarter":
        width = 0.25 * float(np.median(pdist(np.concatenate([x, y]))))
        return mmd_test(x, y, key=key, bandwidth=width)
    return mmd_test(x, y, key=key)


@functools.cache
def rehearsal(space: str) -> dict[tuple[str, str], Cell]:
    """Run all cells on the same draws."""
    sample, corpus = sampler(space), corpus_of(space)
    random = np.random.default_rng(2)
    cells = {cell: Cell() for cell in REPORTED}
    for draw in range(DRAWS):
        x, y = sample(random, N), sample(random, N)
        key = jax.random.key(draw)
        for (test, change), cell in cells.items():
            if test == "mmdagg" and draw >= AGGREGATED_DRAWS:
                continue
            strength = 0.25 if change == "copies" else STRENGTH
            changed = apply_change(change, key, corpus, y, strength, reference=x)
            found = run(test, x, changed.samples, key)
            cell.rejections.append(found.reject)
            cell.z.append(float(found.z))
            cell.bandwidths.append(found.settings.get("bandwidth", 0.0))
    return cells


@pytest.mark.parametrize(("space", "test", "change"), CELLS)
def test_rejections(space, test, change):
    cell = rehearsal(space)[test, change]
    draws = len(cell.rejections)
    reported = REPORTED[test, change][SPACES.index(space)]
    low, high = stats.betabinom.ppf([0.0005, 0.9995], draws, reported + 0.5, draws - reported + 0.5)
    assert low <= sum(cell.rejections) <= high


def predictions(space: str, test: str, change: str) -> tuple[float, float, float]:
    """Predicted z: to leading order, from closed forms, from rows and their images."""
    corpus = corpus_of(space)
    kernel = kid_kernel(D)
    if test == "median":
        kernel = Gaussian(float(np.mean(rehearsal(space)[test, change].bandwidths)))
    moved = CHANGES[change].affine(jax.random.key(0), STRENGTH, corpus, None)
    rows = sampler(space)(np.random.default_rng(3), 1000).astype(np.float64)
    images = corpus.mean + moved.shift + moved.linear(rows - corpus.mean)
    return (
        predict_leading("kid" if test == "kid" else "gaussian-median", corpus, moved).z(N),
        predict_gaussian(kernel, corpus, moved, rows).z(N),
        predict_from_rows(kernel, rows, images).z(N),
    )


@pytest.mark.parametrize("change", ["shift", "contraction", "rotation"])
@pytest.mark.parametrize("test", ["kid", "median"])
@pytest.mark.parametrize("space", SPACES)
def test_predicted_z(space, test, change):
    """To leading order within the factor 1.5 that the reported 14.5/13.2, 8.2/5.9 and 0.65/0.47 lie in; the finer ones
    within 10 %. To each come 4 standard errors of the mean of 12 z, at a deviation of 1 at least.
    """
    scores = rehearsal(space)[test, change].z
    observed, noise = np.mean(scores), 4 * max(np.std(scores, ddof=1), 1.0) / DRAWS**0.5
    leading, closed, seen = predictions(space, test, change)
    assert leading / 1.5 - noise < observed < 1.5 * leading + noise
    for finer in (closed, seen):
        assert abs(observed - finer) < 0.1 * abs(finer) + noise


if __name__ == "__main__":
    for space, test, change in CELLS:
        cell = rehearsal(space)[test, change]
        counts = f"{sum(cell.rejections)} of {len(cell.rejections)}"
        row = f"| {space} | {test} | {change} | {counts} | {REPORTED[test, change][SPACES.index(space)]} "
        row += f"| {np.mean(cell.z):.2f} "
        known = test in ("kid", "median")
        print(
            row + "| " + (" | ".join(f"{z:.2f}" for z in predictions(space, test, change)) if known else "| |") + " |"
        )
