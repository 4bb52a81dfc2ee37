"""The corpus: moments, spectrum and modes, against NumPy."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from fkeax.sensitivity import describe_corpus


def test_moments_and_spectrum(rows, corpus):
    covariance = np.cov(rows, rowvar=False, bias=True)
    np.testing.assert_allclose(corpus.mean, rows.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(corpus.covariance, covariance, atol=1e-12 * np.trace(covariance))
    assert (np.diff(corpus.eigenvalues) <= 0).all()
    rebuilt = (corpus.eigenvectors * corpus.eigenvalues) @ corpus.eigenvectors.T
    np.testing.assert_allclose(rebuilt, covariance, atol=1e-12 * np.trace(covariance))
    assert corpus.rho**2 == pytest.approx(np.trace(covariance), rel=1e-12)
    expected = np.trace(covariance) ** 2 / np.square(covariance).sum()
    assert corpus.effective_dimension == pytest.approx(expected, rel=1e-12)


def test_modes(rows, corpus):
    """Three groups 4 to 5.7 apart: k-means finds their means."""
    assert corpus.mode_shares.sum() == pytest.approx(1)
    distances = np.linalg.norm(rows[:, None] - corpus.centres[None], axis=2).min(axis=1)
    assert np.square(distances).sum() < 0.6 * corpus.trace * len(rows)


def test_float32_rows_far_from_the_origin():
    """Moments of float32 rows are summed in float64 about their mean."""
    rows = np.random.default_rng(1).standard_normal((500, 4)).astype(np.float32) + np.float32(1e4)
    corpus = describe_corpus(jax.random.key(0), rows, num_modes=0)
    expected = np.cov(rows.astype(np.float64), rowvar=False, bias=True)
    np.testing.assert_allclose(corpus.covariance, expected, rtol=1e-9, atol=1e-9)


def test_same_key_same_corpus(rows, corpus):
    again = describe_corpus(jax.random.key(0), rows, num_modes=3)
    np.testing.assert_array_equal(again.centres, corpus.centres)
    assert (jax.random.key_data(again.key) == jax.random.key_data(corpus.key)).all()


def test_modes_of_other_rows(rows, corpus):
    other = corpus.with_modes_of(jax.random.key(1), rows[:100], num_modes=2)
    assert other.centres.shape == (2, rows.shape[1])
    assert other.mean is corpus.mean


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.ones((5, 2)), "rows are all equal"),
        (np.ones((1, 2)), "rows must be at least 2; got 1"),
        (np.asarray([[0.0, 1.0], [np.nan, 1.0]]), "rows must be finite; NaN or infinity in row 1"),
        (np.asarray([[0.0, 1.0], [2.0, 1.0]]), "num_clusters must be at most the number of rows, 2; got 10"),
    ],
)
def test_unfit_rows(rows, message):
    with pytest.raises(ValueError, match=message):
        describe_corpus(jax.random.key(0), rows)
