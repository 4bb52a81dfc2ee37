"""Summaries from exact likelihood ratios: truth within the reported error, and the limits."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy.special import beta

from fkeax.frontier import KL, LikelihoodRatios, compatible_mixtures, summarize_ratios
from tests.helpers import gaussian_pair, statistics

N, M = 1000, 1500


def _summaries(ratios: LikelihoodRatios, **settings):
    return summarize_ratios(ratios, KL(), scale=5.0, mixtures=compatible_mixtures(), **settings)


@functools.cache
def _exact(seed: int) -> LikelihoodRatios:
    p, q = gaussian_pair.draw(np.random.default_rng(seed), N, M)
    return LikelihoodRatios(gaussian_pair.ratio(p), gaussian_pair.ratio(q))


@pytest.mark.parametrize("atoms", ["pooled", "other-side"])
def test_the_true_frontier_within_four_standard_errors(atoms):
    """Exact ratios leave only the error of the means. P(|z| > 4) is 8e-4 a number, t with 19
    degrees of freedom.
    """
    found = _summaries(_exact(0), atoms=atoms, exact=True)
    truth = np.array([gaussian_pair.FI, gaussian_pair.MID, gaussian_pair.MAUVE_EXACT])
    assert found.stderr is not None
    assert (np.abs(found.values - truth) < 4 * found.stderr).all()
    assert (found.stderr < [0.01, 0.01, 0.03]).all()
    assert found.mass_p == pytest.approx(1, abs=0.1)


def test_pooled_atoms_give_the_integral_of_their_histograms():
    """Against the float64 formula; float32 sums of 2,500 terms are good to 1e-5."""
    ratios = _exact(0)
    assert _summaries(ratios).values[0] == pytest.approx(gaussian_pair.pooled_fi(ratios.at_p, ratios.at_q), rel=1e-5)


def test_reported_errors_match_the_spread_over_samples():
    """30 pairs of samples; the ratio of spreads is the root of an F variable, 0.2 % two-sided."""
    found = [_summaries(_exact(seed)) for seed in range(30)]
    for i in range(3):
        ratio = statistics.spread_ratio(
            [one.values[i] for one in found], [one.stderr[i] for one in found if one.stderr is not None]
        )
        low, high = statistics.spread_ratio_bounds(30, 19, 0.002)
        assert low < ratio < high


def test_disjoint_samples():
    """Ratios 0 and infinity: FI 1, midpoint log 2, MAUVE c B(c + 1, c)."""
    found = _summaries(LikelihoodRatios(np.full(N, np.inf), np.zeros(M)), exact=True)
    np.testing.assert_allclose(found.values, [1.0, np.log(2), 5 * beta(6, 5)], rtol=1e-5)


def test_equal_laws():
    found = _summaries(LikelihoodRatios(np.ones(N), np.ones(M)))
    np.testing.assert_allclose(found.values, [0.0, 0.0, 1.0], atol=1e-6)


def test_few_samples_have_no_error():
    assert _summaries(LikelihoodRatios(np.ones(30), np.ones(50))).stderr is None


def test_unknown_atoms_are_refused():
    with pytest.raises(ValueError, match=r"atoms must be one of pooled, other-side; got 'both'."):
        _summaries(_exact(0), atoms="both")
