"""Levels and quantiles of stratified and Sobol draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from fkeax.numerics import quasi_random


@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_strata_hold_one_level_each_in_random_order(size):
    levels = quasi_random.stratified_levels(np.random.default_rng(0), size)
    np.testing.assert_array_equal(np.sort(np.floor(levels * size)), np.arange(size))
    if size == 100:
        assert abs(stats.spearmanr(levels, np.arange(size)).statistic) < 0.5  # 5 standard errors of independence


def test_each_level_alone_is_uniform():
    """First level of 4 strata over 4,000 draws: Kolmogorov-Smirnov, false-alarm rate 1e-6."""
    random = np.random.default_rng(1)
    first = [quasi_random.stratified_levels(random, 4)[0] for _ in range(4000)]
    assert stats.kstest(first, stats.uniform.cdf).pvalue > 1e-6


@pytest.mark.parametrize("size", [1, 3, 16])
def test_sobol_levels(size):
    """Inside the open cube, different for every generator; a power of two has one level in each part of each axis."""
    levels = quasi_random.sobol_levels(np.random.default_rng(2), size, 5)
    assert levels.shape == (size, 5)
    assert np.all((levels > 0) & (levels < 1))
    assert not np.array_equal(levels, quasi_random.sobol_levels(np.random.default_rng(3), size, 5))
    if size == 16:
        np.testing.assert_array_equal(np.sort(np.floor(levels * 16), axis=0), np.tile(np.arange(16)[:, None], 5))


def test_sobol_dimension_is_limited():
    with pytest.raises(ValueError, match="Sobol points exist up to dimension 21,201; 21,202 are needed"):
        quasi_random.sobol_levels(np.random.default_rng(0), 2, 21_202)


def test_quantiles():
    levels = np.array([1e-6, 0.2, 0.5, 0.999])
    np.testing.assert_allclose(quasi_random.normal_quantiles(levels), stats.norm.ppf(levels), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(quasi_random.gamma_quantiles(levels, 0.7), stats.gamma.ppf(levels, 0.7), rtol=1e-12)
    np.testing.assert_allclose(quasi_random.chi_quantiles(levels, 3), stats.chi.ppf(levels, 3), rtol=1e-12)
    far = quasi_random.uniform_levels(np.random.default_rng(0), 1000)
    assert np.all((far > 0) & (far < 1))
