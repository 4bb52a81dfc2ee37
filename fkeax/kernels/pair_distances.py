"""Distances of pairs of rows of a data set, on the host in float64: all of them, or those of random pairs."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from fkeax.kernels.distances import l1_distances
from fkeax.numerics import batching, checks

MAX_EXACT_ROWS = 2000  # two million pairs
NUM_SAMPLED_PAIRS = 100_000
_CHUNK_PAIRS = 10_000
_SAME_POINT = 1e-13  # relative to |x|^2 + |y|^2: the cancellation's own rounding


@dataclass(frozen=True)
class PairDistances:
    """Distances over pairs ``i < j``.

    Attributes:
        values: All of them, or those of random pairs, drawn with replacement.
        sampled: Which of the two.
        num_rows: Rows of the data set.
        metric: "l2" or "l1".
    """

    values: np.ndarray
    sampled: bool
    num_rows: int
    metric: str

    @property
    def description(self) -> str:
        """Which pairs these are, in words."""
        pairs = f"{self.values.size:,} random" if self.sampled else f"all {self.values.size:,}"
        return f"{pairs} pairwise {'' if self.metric == 'l2' else 'l1 '}distances"

    @property
    def share_of_duplicates(self) -> float:
        """The share of pairs at distance 0."""
        return float(np.mean(self.values == 0))


def pair_distances(x: np.ndarray | jax.Array, *, metric: str, rule: str, key: jax.Array | None) -> PairDistances:
    """Return the distances of all pairs up to 2,000 rows, beyond those of 100,000 random pairs.

    Args:
        x: Rows are samples; finite.
        metric: "l2" or "l1".
        rule: What they are for, in the words of an error.
        key: Needed beyond 2,000 rows.

    Raises:
        ValueError: If there is one row only, a number is not finite, or the key is missing.
    """
    x = checks.matrix(x)
    num_rows = x.shape[0]
    if num_rows < 2:
        raise ValueError(f"{rule} needs at least 2 rows; x has 1. Give a number as bandwidth.")
    checks.finite_rows(x)
    if num_rows <= MAX_EXACT_ROWS:
        rows = np.asarray(x).astype(np.float64)
        values = (_all_l2 if metric == "l2" else _all_l1)(rows - rows.mean(axis=0))
        return PairDistances(values, False, num_rows, metric)
    key = checks.typed_key(key, f"{rule} beyond {MAX_EXACT_ROWS:,} rows")
    random = np.random.default_rng(batching.key_seed(key))
    return PairDistances(_sampled(np.asarray(x), metric, random), True, num_rows, metric)


def _all_l2(centred: np.ndarray) -> np.ndarray:
    norms = np.square(centred).sum(axis=1)
    first, second = np.triu_indices(centred.shape[0], k=1)
    sums = norms[first] + norms[second]
    squared = sums - 2 * (centred @ centred.T)[first, second]
    squared[squared <= _SAME_POINT * sums] = 0
    return np.sqrt(squared)


def _all_l1(centred: np.ndarray) -> np.ndarray:
    with jax.enable_x64(True):
        matrix = np.asarray(_l1_distances(jnp.asarray(centred), jnp.asarray(centred)))
    return matrix[np.triu_indices(centred.shape[0], k=1)]


_l1_distances = jax.jit(l1_distances)


def _sampled(x: np.ndarray, metric: str, random: np.random.Generator) -> np.ndarray:
    num_rows = x.shape[0]
    first = random.integers(num_rows, size=NUM_SAMPLED_PAIRS)
    second = (first + random.integers(1, num_rows, size=NUM_SAMPLED_PAIRS)) % num_rows
    distances = np.empty(NUM_SAMPLED_PAIRS)
    for start in range(0, NUM_SAMPLED_PAIRS, _CHUNK_PAIRS):
        part = slice(start, start + _CHUNK_PAIRS)
        difference = x[first[part]].astype(np.float64) - x[second[part]].astype(np.float64)
        size = np.square(difference) if metric == "l2" else np.abs(difference)
        distances[part] = size.sum(axis=1)
    return np.sqrt(distances) if metric == "l2" else distances
