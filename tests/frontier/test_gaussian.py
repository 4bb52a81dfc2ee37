"""Gaussian frontiers: the truth within the reported error of integration, general covariances, refusals."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from scipy.stats import multivariate_normal

from fkeax.frontier import KL, GaussianLaw, compatible_mixtures, fit_gaussian, gaussian_ratios, summarize_ratios
from tests.helpers import gaussian_pair


def test_the_true_frontier_within_four_standard_errors(key):
    """P(|z| > 4) is 8e-4 a number, for the 19 degrees of freedom of the jackknife."""
    p = GaussianLaw(np.zeros(4), np.eye(4))
    q = GaussianLaw(np.eye(4)[0], np.eye(4))
    ratios = gaussian_ratios(p, q, num_draws=10_000, key=key)
    found = summarize_ratios(ratios, KL(), scale=5.0, mixtures=compatible_mixtures(), exact=True)
    truth = np.array([gaussian_pair.FI, gaussian_pair.MID, gaussian_pair.MAUVE_EXACT])
    assert found.stderr is not None
    assert (np.abs(found.values - truth) < 4 * found.stderr).all()
    assert found.stderr[0] < 0.01 * gaussian_pair.FI * 2


def test_ratios_of_general_covariances(key):
    random = np.random.default_rng(0)
    p, q = (GaussianLaw(random.standard_normal(3), np.tril(random.uniform(0.5, 1.5, (3, 3)))) for _ in range(2))
    x = random.standard_normal((20, 3))
    expected = [
        multivariate_normal(law.mean, law.factor @ law.factor.T).logpdf(x) + 1.5 * np.log(2 * np.pi) for law in (p, q)
    ]
    np.testing.assert_allclose(p.log_density(x), expected[0], rtol=1e-10)
    ratios = gaussian_ratios(p, q, num_draws=4000, key=key)
    assert np.mean(np.log(ratios.at_p)) > 0 > np.mean(np.log(ratios.at_q))  # both are divergences
    assert np.mean(p.log_density(x) - q.log_density(x)) == pytest.approx(np.mean(expected[0] - expected[1]))


def test_fit_is_the_mean_and_the_unbiased_covariance():
    x = np.random.default_rng(1).standard_normal((50, 3)) @ np.diag([1.0, 2.0, 0.1]) + 100
    law = fit_gaussian(x)
    np.testing.assert_allclose(law.mean, x.mean(axis=0))
    np.testing.assert_allclose(law.factor @ law.factor.T, np.cov(x.T), rtol=1e-9)


@pytest.mark.parametrize("x", [np.eye(3), np.ones((50, 2)), np.repeat(np.arange(9.0)[:, None], 2, axis=1)])
def test_singular_covariances_are_refused(x):
    with pytest.raises(ValueError, match="reference has a singular covariance"):
        fit_gaussian(x, "reference")


def test_bad_arguments_are_named():
    law = GaussianLaw(np.zeros(1), np.eye(1))
    with pytest.raises(ValueError, match="num_draws must be even"):
        gaussian_ratios(law, law, num_draws=11, key=jax.random.key(0))
