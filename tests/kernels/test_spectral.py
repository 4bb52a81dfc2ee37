"""Spectral densities: exact through quantiles of the mixing scale, and by tests of the draws."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from fkeax import kernels

MIXTURES = [
    kernels.Gaussian(1.0),
    kernels.LaplaceL2(1.0),
    kernels.Matern(1.0, 1.5),
    kernels.Matern(1.0, 2.5),
    kernels.RationalQuadratic(1.0, 0.7),
]


@pytest.mark.parametrize("kernel", MIXTURES, ids=lambda kernel: kernel.name)
def test_mixture_of_gaussians_has_this_kernel(x64, kernel):
    """k(t) = E exp(-t^2 m^2 / 2): the integral over levels of the mixing quantiles.

    The integrand is monotone between 0 and 1: the midpoint rule with N points is off by at most 1/(2N) = 1e-5.
    """
    num = 50_000
    scales = kernel.mixing_quantiles((np.arange(num) + 0.5) / num)
    for t in (0.2, 1.0, 3.0):
        exact = float(kernel(jnp.asarray([t]), jnp.zeros(1)))
        assert np.mean(np.exp(-((t * scales) ** 2) / 2)) == pytest.approx(exact, abs=1e-5)


@pytest.mark.parametrize(
    ("kernel", "law"),
    [
        (kernels.Gaussian(2.5), stats.norm()),
        (kernels.LaplaceL1(2.5), stats.cauchy()),
        (kernels.LaplaceL2(2.5), stats.t(1)),
        (kernels.Matern(2.5, 1.5), stats.t(3)),
        (kernels.Matern(2.5, 2.5), stats.t(5)),
    ],
    ids=lambda item: getattr(item, "name", ""),
)
def test_coordinates_of_frequencies(kernel, law):
    """Kolmogorov-Smirnov on 4,000 first coordinates, false-alarm rate 1e-6 each."""
    draws = kernel.sample_frequencies(jax.random.key(1), 4000, 3, jnp.float32)
    assert stats.kstest(np.asarray(draws, np.float64)[:, 0] * 2.5, law.cdf).pvalue > 1e-6


def test_frequencies_follow_the_spectral_density():
    """N(0, I/s^2): moments of 60,000 x 3 numbers; |z| < 4.5 each, false-alarm rate 7e-6 a moment."""
    bandwidth = 2.5
    draws = kernels.Gaussian(bandwidth).sample_frequencies(jax.random.key(1), 60_000, 3, jnp.float32)
    scaled = np.asarray(draws, np.float64) * bandwidth
    root = np.sqrt(scaled.size)
    assert abs(scaled.mean()) * root < 4.5
    assert abs((scaled**2).mean() - 1.0) * root / np.sqrt(2.0) < 4.5
    assert abs((scaled**4).mean() - 3.0) * root / np.sqrt(96.0) < 4.5
    assert abs((scaled[:, 0] * scaled[:, 1]).mean() * np.sqrt(60_000)) < 4.5


def test_cauchy_quantiles():
    levels = np.array([0.01, 0.5, 0.9])
    np.testing.assert_allclose(
        kernels.LaplaceL1(1.0).frequency_quantiles(levels), stats.cauchy.ppf(levels), rtol=1e-12, atol=1e-16
    )
