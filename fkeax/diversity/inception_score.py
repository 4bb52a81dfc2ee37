"""The Inception Score, from class probabilities of generated images."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jax.typing import ArrayLike

from fkeax.inference import jackknife_variance
from fkeax.numerics import checks
from fkeax.results import Result

SUM_TOLERANCE = 2e-3  # probabilities in half precision
BLOCK_NUMBERS = 2**22


@dataclass(frozen=True)
class InceptionScore:
    """The Inception Score of all samples, and as it is usually quoted.

    Attributes:
        whole: Of all samples at once, "inception-score", with a jackknife standard error.
        splits: The mean over consecutive splits, "inception-score-splits"; the diagnostics hold each split's score and
            their standard deviation, which papers quote after the mean and which is no standard error of it.
    """

    whole: Result
    splits: Result


def inception_score(probabilities: ArrayLike, *, num_splits: int = 10) -> InceptionScore:
    """Return ``exp(mean KL(p(y|x) || p(y)))``: how sure a classifier is of each sample, and how unlike the samples are.

    Between 1 and the number of classes. From samples it reads low, since the mean of the predictions looks less even
    than p(y) is; splits of n/10 samples read lower still. The whole-sample score is the one to compare at equal n; the
    one over splits is for numbers already published.

    Args:
        probabilities: (n, classes): rows not negative that sum to 1, as after a softmax (the score of logits has no
            meaning). Which classifier made them sets the scale: the published scores are of one network's weights.
        num_splits: Into how many consecutive splits the rows are cut, in the order given; at most n.

    Returns:
        Both scores. The standard error of the whole is the delete-one jackknife's.

    Raises:
        ValueError: If a row is negative somewhere or does not sum to 1 (within 0.002; they are then normalised), or
            there are fewer rows than splits.

    Cost:
        Some 10 operations a number, in blocks of 32 MiB, in float64.

    Example:
        >>> import numpy as np
        >>> found = inception_score(np.tile(np.eye(5), (20, 1)))  # sure of every sample, and classes even
        >>> round(float(found.whole), 4), round(float(found.splits), 4)
        (5.0, 5.0)

    References:
        Salimans et al. (2016), "Improved techniques for training GANs"; Barratt and Sharma (2018), "A note on the
        inception score", on splits.
    """
    rows = np.asarray(checks.matrix(probabilities, "probabilities"))
    checks.finite_rows(rows, "probabilities")
    num_splits = checks.count(num_splits, "num_splits")
    num_rows, num_classes = rows.shape
    if num_splits > num_rows:
        raise ValueError(f"num_splits must be at most the number of rows, {num_rows}; got {num_splits}.")
    deviation = _check_simplex(rows)
    bounds = np.arange(num_splits + 1) * num_rows // num_splits
    sums, entropies = _sums(rows, bounds)
    total = sums.sum(axis=0)
    log_whole = float(_entropy(total / num_rows) - entropies.sum() / num_rows)
    settings = {"estimator": "inception-score", "num_samples": num_rows, "num_classes": num_classes}
    diagnostics: dict[str, object] = {"largest_deviation_of_a_sum": deviation, "warnings": []}
    stderr = None
    if num_rows > 1:
        left_out = _leave_one_out(rows, total)
        stderr = jackknife_variance(np.exp(left_out)) ** 0.5
        diagnostics |= {
            "stderr_method": "delete-one jackknife",
            "jackknife_bias": (num_rows - 1) * (float(np.exp(left_out).mean()) - math.exp(log_whole)),
        }
    whole = Result("inception-score", math.exp(log_whole), stderr, settings, diagnostics)
    sizes = np.diff(bounds)
    scores = np.exp([_entropy(s / size) - e / size for s, e, size in zip(sums, entropies, sizes, strict=True)])
    splits = Result(
        name="inception-score-splits",
        value=float(scores.mean()),
        stderr=float(scores.std(ddof=1)) / num_splits**0.5 if num_splits > 1 else None,
        settings={**settings, "num_splits": num_splits},
        diagnostics={
            "scores_of_splits": scores,
            "std_over_splits": float(scores.std()),
            "stderr_method": "standard deviation over splits (ddof 1) over the root of their number",
            "largest_deviation_of_a_sum": deviation,
            "warnings": [],
        },
    )
    return InceptionScore(whole, splits)


def _check_simplex(rows: np.ndarray) -> float:
    """Return the largest deviation of a row's sum from 1, after checking that it is small and no entry negative."""
    if rows.min() < 0:
        row = int(np.flatnonzero((rows < 0).any(axis=1))[0])
        raise ValueError(
            f"probabilities must not be negative; row {row} holds {rows[row].min():.3g} (apply a softmax to logits)."
        )
    off = np.abs(rows.sum(axis=1, dtype=np.float64) - 1)
    worst = int(off.argmax())
    if off[worst] > SUM_TOLERANCE:
        total = float(rows[worst].sum(dtype=np.float64))
        raise ValueError(f"probabilities must sum to 1 in every row; row {worst} sums to {total:.6g}.")
    return float(off[worst])


def _blocks(rows: np.ndarray, start: int, stop: int) -> list[tuple[int, int]]:
    step = max(1, BLOCK_NUMBERS // rows.shape[1])
    return [(first, min(first + step, stop)) for first in range(start, stop, step)]


def _normalized(rows: np.ndarray) -> np.ndarray:
    wide = rows.astype(np.float64)
    return wide / wide.sum(axis=1, keepdims=True)


def _entropy(probabilities: np.ndarray) -> np.ndarray:
    """Return the entropy along the last axis, in nats."""
    logs = np.log(probabilities, out=np.zeros_like(probabilities), where=probabilities > 0)
    return np.asarray(-np.sum(probabilities * logs, axis=-1))


def _sums(rows: np.ndarray, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sum of the rows of every split, and the sum of their entropies."""
    sums = np.zeros((bounds.size - 1, rows.shape[1]))
    entropies = np.zeros(bounds.size - 1)
    for number in range(bounds.size - 1):
        for start, stop in _blocks(rows, int(bounds[number]), int(bounds[number + 1])):
            block = _normalized(rows[start:stop])
            sums[number] += block.sum(axis=0)
            entropies[number] += float(_entropy(block).sum())
    return sums, entropies


def _leave_one_out(rows: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return the logarithm of the score of all rows but one, for each."""
    num_rows = rows.shape[0]
    found, entropies = np.empty(num_rows), np.empty(num_rows)
    for start, stop in _blocks(rows, 0, num_rows):
        block = _normalized(rows[start:stop])
        entropies[start:stop] = _entropy(block)
        found[start:stop] = _entropy(np.maximum(total - block, 0) / (num_rows - 1))
    return found - (entropies.sum() - entropies) / (num_rows - 1)
