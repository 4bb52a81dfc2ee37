"""Classifier ratios: the truth within the error of the fit, unequal sizes, over-fitting, held-out use."""

from __future__ import annotations

import functools

import jax
import numpy as np
import pytest

from fkeax.frontier.classifier import classifier_ratios
from fkeax.frontier.ratios import LikelihoodRatios
from tests.helpers import gaussian_pair


@functools.cache
def _pair() -> tuple[np.ndarray, np.ndarray, LikelihoodRatios]:
    p, q = gaussian_pair.draw(np.random.default_rng(0), 1000, 1000)
    return p, q, classifier_ratios(p, q, key=jax.random.key(0))


def test_log_ratios_within_the_error_of_logistic_regression():
    """The model is right, so weights are within 4 standard errors of theirs: Fisher information E[s(1-s) x x'] of the
    800 rows trained on. A log ratio is off by |(x, 1)' delta|, at most 4 sqrt((x,1)' I^-1 (x,1)), both folds alike.
    """
    p, q, ratios = _pair()
    x = np.concatenate([p, q])
    columns = np.concatenate([x, np.ones((2000, 1))], axis=1)
    s = gaussian_pair.ratio(x) / (1 + gaussian_pair.ratio(x))
    information = 800 * (columns.T @ (columns * (s * (1 - s))[:, None])) / 2000
    allowed = 4 * np.sqrt(np.einsum("nd,de,ne->n", columns, np.linalg.inv(information), columns))
    error = np.abs(np.log(np.concatenate([ratios.at_p, ratios.at_q])) - np.log(gaussian_pair.ratio(x)))
    assert (error < allowed).all()
    # FI goes with the squared slope, whose relative error is 2 sd(w_1), some 16 % a fold and 11 % for two.
    slope_error = float(np.sqrt(np.linalg.inv(information)[0, 0]))
    value = gaussian_pair.pooled_fi(ratios.at_p, ratios.at_q)
    assert abs(value / gaussian_pair.FI - 1) < 4 * (2 * slope_error / np.sqrt(2) + 0.02)


def test_sizes_of_the_sides_leave_no_trace():
    """P = Q with 4 times as many rows on one side: log ratios are 0, not log 4, within 4 standard errors of the fit."""
    random = np.random.default_rng(1)
    p, q = random.standard_normal((800, 2)), random.standard_normal((200, 2))
    ratios = classifier_ratios(p, q, key=jax.random.key(1))
    # the intercept's variance is 1/320 + 1/80 on the rows trained on
    assert abs(float(np.mean(np.log(ratios.at_p)))) < 4 * np.sqrt(1 / 320 + 1 / 80)


def test_more_columns_than_rows_of_noise_separate_nothing():
    """80 noise columns and 80 rows a side to train on separate P from Q perfectly there; held-out rows know better."""
    random = np.random.default_rng(2)
    p, q = random.standard_normal((200, 80)), random.standard_normal((200, 80))
    ratios = classifier_ratios(p, q, key=jax.random.key(2))
    assert np.abs(np.log(ratios.at_q)).mean() < 1
    assert np.mean(np.logaddexp(0, np.log(ratios.at_q))) < np.log(2) + 0.2


def test_held_out_odds_are_calibrated_where_training_odds_are_not():
    """100 columns, 160 rows a side to train on: an unstopped, uncalibrated model has held-out log loss above log 2 by
    far; the ratios here are worth more than the prior.
    """
    random = np.random.default_rng(3)
    p, q = gaussian_pair.draw(random, 400, 400, d=100)
    q[:, 1] += 1.0
    ratios = classifier_ratios(p, q, key=jax.random.key(3))
    loss = (np.logaddexp(0, -np.log(ratios.at_p)).mean() + np.logaddexp(0, np.log(ratios.at_q)).mean()) / 2
    assert loss < np.log(2)


def test_a_half_without_cross_fitting():
    p, q, _ = _pair()
    ratios = classifier_ratios(p, q, cross_fit=False, key=jax.random.key(0))
    assert (ratios.at_p.size, ratios.at_q.size) == (500, 500)


def test_constant_columns_and_scales_do_no_harm():
    p, q, ratios = _pair()
    scales = np.array([1e3, 1.0, 1e-3, 1.0])
    wide_p, wide_q = (np.concatenate([side * scales + 5, np.ones((1000, 1))], axis=1) for side in (p, q))
    found = classifier_ratios(wide_p, wide_q, key=jax.random.key(0))
    np.testing.assert_allclose(np.log(found.at_q), np.log(ratios.at_q), atol=0.02)


def test_few_samples_are_refused():
    with pytest.raises(ValueError, match=r"generated must have at least 20 samples to train on and evaluate; got 5."):
        classifier_ratios(np.ones((30, 2)), np.ones((5, 2)), key=jax.random.key(0))
