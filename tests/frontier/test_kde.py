"""Density ratios: against the sums written out, far from all samples, and against the law of the labels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fkeax.frontier import kde_ratios
from tests.helpers import gaussian_pair


def _density(x: np.ndarray, points: np.ndarray, h: float, leave: int | None) -> float:
    terms = [
        math.exp(-float(np.sum((x - y) ** 2)) / (2 * h**2)) / (math.sqrt(2 * math.pi) * h) ** len(x)
        for j, y in enumerate(points)
        if j != leave
    ]
    return math.fsum(terms) / len(terms)


def test_against_the_sums_written_out():
    """Leave-one-out on the own side. In float32 a squared distance is off by 1e-6 of the squared norms, 40 at most;
    over 2 h^2 = 0.5 that is 1e-4 of the ratio.
    """
    p, q = gaussian_pair.draw(np.random.default_rng(0), 30, 20, d=2)
    found = kde_ratios(p, q, bandwidth=0.5)
    at_p = [_density(x, p, 0.5, i) / _density(x, q, 0.5, None) for i, x in enumerate(p)]
    at_q = [_density(x, p, 0.5, None) / _density(x, q, 0.5, i) for i, x in enumerate(q)]
    np.testing.assert_allclose(found.at_p, at_p, rtol=1e-4)
    np.testing.assert_allclose(found.at_q, at_q, rtol=1e-4)


@pytest.mark.parametrize(("rule", "size"), [("scott", 20.0), ("silverman", 20 * 4 / 4)])
def test_rules_are_those_of_the_whitened_samples(x64, rule, size):
    p, q = gaussian_pair.draw(np.random.default_rng(1), 30, 20, d=2)
    mixing = np.array([[2.0, 0.0], [1.5, 0.3]])
    p, q = p @ mixing.T, q @ mixing.T
    width = size ** (-1 / 6)
    within = ((p - p.mean(axis=0)).T @ (p - p.mean(axis=0)) + (q - q.mean(axis=0)).T @ (q - q.mean(axis=0))) / 48
    whiten = np.linalg.inv(np.linalg.cholesky(within)).T
    found, expected = kde_ratios(p, q, bandwidth=rule), kde_ratios(p @ whiten, q @ whiten, bandwidth=width)
    assert found.diagnostics["bandwidth"] == pytest.approx(width)
    np.testing.assert_allclose(found.at_p, expected.at_p, rtol=1e-8)
    np.testing.assert_allclose(found.at_q, expected.at_q, rtol=1e-8)


def test_far_from_all_samples_nothing_is_lost_or_undefined():
    """A thousand bandwidths away every kernel value is 0 in floating point; logarithms are not."""
    p, q = np.asarray([[0.0], [0.1], [1000.0]]), np.asarray([[0.05], [2000.0]])
    found = kde_ratios(p, q, bandwidth=1.0)
    assert np.isfinite(found.at_p).all()
    assert np.isfinite(found.at_q).all()
    assert found.diagnostics["num_extreme_ratios"] > 0


def test_estimate_within_the_law_of_the_labels():
    """As for nearest neighbours: within 4 standard deviations (P < 1e-3) of its mean over 30 redraws of the labels; at
    h = 0.45 in 4 dimensions and n = 1000 its bias, smoothing down and noise up, is under a quarter of FI.
    """
    random = np.random.default_rng(2)
    p, q = gaussian_pair.draw(random, 1000, 1000)
    pooled = np.concatenate([p, q])
    squared = np.sum(pooled**2, axis=1)
    kernel = np.exp(-(squared[:, None] + squared - 2 * pooled @ pooled.T) / (2 * 0.45**2))
    np.fill_diagonal(kernel, 0.0)

    def estimate(of_p: np.ndarray) -> float:
        n, m = of_p.sum() - of_p, (~of_p).sum() - ~of_p  # without the row itself
        r = (kernel @ of_p / n) / np.maximum(kernel @ ~of_p / m, 1e-300)
        return gaussian_pair.pooled_fi(r[of_p], r[~of_p])

    found = kde_ratios(p, q, bandwidth=0.45)
    value = gaussian_pair.pooled_fi(found.at_p, found.at_q)
    assert value == pytest.approx(estimate(np.arange(2000) < 1000), rel=1e-4)
    mean, spread = gaussian_pair.relabelled(random, pooled, estimate, 30)
    assert abs(value - mean) < 4 * spread
    assert abs(mean - gaussian_pair.FI) < 0.25 * gaussian_pair.FI


def test_many_dimensions_are_warned_of():
    p, q = gaussian_pair.draw(np.random.default_rng(3), 30, 30, d=12)
    assert kde_ratios(p, q).diagnostics["warnings"]


@pytest.mark.parametrize(
    ("p", "bandwidth", "sentence"),
    [
        (np.ones((1, 2)), 1.0, "reference must have at least 2 samples"),
        (np.ones((5, 2)), "scott", "a bandwidth rule needs samples that vary in all their 2 dimensions"),
        (np.eye(5, 2), -1.0, "bandwidth must be a positive number; got -1.0."),
        (np.eye(5, 2), "wide", "bandwidth must be one of scott, silverman; got 'wide'."),
    ],
)
def test_bad_arguments_are_named(p, bandwidth, sentence):
    with pytest.raises(ValueError, match=sentence):
        kde_ratios(p, np.ones((3, 2)), bandwidth=bandwidth)
