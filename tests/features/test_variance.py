"""Independent frequencies: inner products unbiased, one cosine of variance (1 + kappa(2D))/2 - kappa(D)^2."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax import diversity, features, kernels
from tests.helpers import oracle, statistics

X = np.random.default_rng(0).standard_normal((9, 3))
X = X - X.mean(axis=0)

_row_powers = jax.jit(lambda kernel, x: kernels.row_powers(kernel, x, jnp.ones(9), block_rows=4))

_gram = jax.jit(kernels.gram)


def _pair_moments(kernel: kernels.Kernel) -> diversity.PairMoments:
    moments = diversity.pair_moments(_row_powers(kernel, jnp.asarray(X)))
    assert moments is not None
    return moments


def test_gaussian_error_is_the_one_of_the_paper(x64):
    """sqrt(mean (1 - k^2)^2 / (2r)), over all pairs."""
    expected = oracle.expected_spectrum_error(oracle.gaussian_gram(X, 1.3), 50)
    assert _pair_moments(kernels.Gaussian(1.3)).expected_spectrum_error(50, 1 / 9) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "kernel",
    [
        kernels.Gaussian(1.3),
        kernels.LaplaceL1(3.0),
        kernels.LaplaceL2(1.3),
        kernels.Matern(1.3, 1.5),
        kernels.Matern(1.3, 2.5),
        kernels.RationalQuadratic(1.3, 0.7),
    ],
    ids=lambda kernel: kernel.name,
)
def test_mean_of_products_and_excess_of_the_squared_norm(x64, kernel):
    """2,000 maps of r = 5. Inner products at three differences: |z| < 4, false-alarm rate 6e-5 for each of 18 numbers.

    E ||C||_F^2 = mean k^2 + the square of the expected error: |z| < 4.5, false-alarm rate 7e-6 for each of 6.
    """
    sample = jax.jit(jax.vmap(lambda key: kernel.sample_frequencies(key, 5, 3, jnp.float32)))
    frequencies = np.asarray(sample(jax.random.split(jax.random.key(1), 2000)), np.float64)
    differences = (X[:, None] - X[None]).reshape(-1, 3)
    products = np.cos(differences @ np.swapaxes(frequencies, 1, 2)).mean(axis=2)
    gram = np.asarray(_gram(kernel, jnp.asarray(X))).ravel()
    for pair in (1, 2, 5):
        assert abs(statistics.z_score(products[:, pair], gram[pair])) < 4
    moments = _pair_moments(kernel)
    expected = 1 / 9 + 8 / 9 * moments.second + moments.expected_spectrum_error(5, 1 / 9) ** 2
    assert abs(statistics.z_score(np.mean(products**2, axis=1), expected)) < 4.5


def test_kernels_without_features_have_no_such_error(x64):
    with pytest.raises(ValueError, match="needs a shift-invariant kernel"):
        _pair_moments(kernels.Cosine()).expected_spectrum_error(50, 1 / 9)


def test_features_of_a_heavy_tailed_kernel_have_unit_length():
    """Cauchy frequencies reach 1e5: the angles lose digits, the length 1 does not."""
    fourier_map = features.sample_fourier_map(jax.random.key(2), kernels.LaplaceL1(0.01), 500, jnp.zeros(3))
    phi = jax.vmap(lambda x: features.featurize(fourier_map, x))(jnp.asarray(X, jnp.float32))
    np.testing.assert_allclose(np.sum(np.asarray(phi, np.float64) ** 2, axis=1), 1.0, atol=1e-6)
