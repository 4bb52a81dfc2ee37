"""The Inception Score: loops as an oracle, closed forms, and its jackknife."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fkeax.diversity import inception_score

P = np.random.default_rng(0).dirichlet(np.full(6, 0.4), 50)


def _by_loops(rows: np.ndarray) -> float:
    mean = rows.mean(axis=0)
    terms = [sum(p * math.log(p / q) for p, q in zip(row, mean, strict=True) if p > 0) for row in rows]
    return math.exp(math.fsum(terms) / len(rows))


def test_whole_and_splits_are_those_of_the_definition():
    found = inception_score(P, num_splits=7)
    assert float(found.whole) == pytest.approx(_by_loops(P), rel=1e-12)
    parts = [_by_loops(P[i * 50 // 7 : (i + 1) * 50 // 7]) for i in range(7)]
    np.testing.assert_allclose(found.splits.diagnostics["scores_of_splits"], parts, rtol=1e-12)
    assert float(found.splits) == pytest.approx(np.mean(parts), rel=1e-12)
    assert found.splits.diagnostics["std_over_splits"] == pytest.approx(np.std(parts), rel=1e-10)


def test_the_error_is_the_delete_one_jackknife():
    left_out = np.asarray([_by_loops(np.delete(P, i, axis=0)) for i in range(50)])
    expected = math.sqrt(49 / 50 * np.sum((left_out - left_out.mean()) ** 2))
    assert inception_score(P).whole.stderr == pytest.approx(expected, rel=1e-8)


def test_closed_forms():
    sure = inception_score(np.tile(np.eye(4), (25, 1)), num_splits=5)
    assert (float(sure.whole), float(sure.splits)) == pytest.approx((4, 4))
    unsure = inception_score(np.full((30, 4), 0.25), num_splits=3)
    assert float(unsure.whole) == pytest.approx(1)
    assert unsure.whole.stderr == pytest.approx(0, abs=1e-12)


def test_half_precision_is_normalised():
    half = P.astype(np.float16)
    assert float(inception_score(half).whole) == pytest.approx(_by_loops(P), rel=2e-3)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (2 * P, "probabilities must sum to 1 in every row; row"),
        (np.tile([[1.5, -0.5], [0.5, 0.5]], (5, 1)), "must not be negative; row 0 holds -0.5"),
        (P[:5], "num_splits must be at most the number of rows, 5; got 10"),
        (np.full((20, 2), np.nan), "probabilities must be finite"),
    ],
)
def test_bad_probabilities(rows: np.ndarray, sentence: str):
    with pytest.raises(ValueError, match=sentence):
        inception_score(rows)
