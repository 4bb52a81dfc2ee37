"""Schemes of drawing frequencies: every one unbiased for every kernel; what they do to RKE (statistical laws)."""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax import features, kernels
from tests.helpers import closed_forms, statistics

KERNELS = [
    kernels.Gaussian(1.3),
    kernels.LaplaceL1(1.3),
    kernels.LaplaceL2(1.3),
    kernels.Matern(1.3, 1.5),
    kernels.Matern(1.3, 2.5),
    kernels.RationalQuadratic(1.3, 0.7),
]
HOST_SCHEMES = features.SCHEMES[1:]
DIFFERENCES = np.array([[0.7, 0.5, -0.3], [1.0, -0.5, 0.3], [2.0, 2.0, -1.0]])

_exact = jax.jit(lambda kernel: jax.vmap(lambda difference: kernel(difference, jnp.zeros(3)))(jnp.asarray(DIFFERENCES)))


@functools.cache
def _keys(num: int) -> tuple[jax.Array, ...]:
    return tuple(jax.random.split(jax.random.key(1), num))


# Kernels of the l1 distance have no directions; that they are refused is a test of its own.
PAIRS = [
    (k, scheme) for k in KERNELS for scheme in HOST_SCHEMES if scheme == "sobol" or isinstance(k, kernels.RadialKernel)
]


@pytest.mark.parametrize(("kernel", "scheme"), PAIRS, ids=[f"{kernel.name}-{scheme}" for kernel, scheme in PAIRS])
def test_joint_inner_products_are_unbiased(x64, kernel, scheme):
    """200 maps of r = 7 in d = 3, two blocks and a part: |z| < 4, false-alarm rate 9e-5 for each of 66 numbers.

    At shorter differences a stratified mean is too skewed (-4) for z at 200 draws; 20,000 draws at (0.2, 0.1,
    0) gave |z| < 1 for both Matern kernels. Independent frequencies: see test_variance.
    """
    draws = np.stack([features.joint_frequencies(key, kernel, 7, 3, scheme) for key in _keys(200)]) / 1.3
    products = np.cos(DIFFERENCES @ np.swapaxes(draws, 1, 2)).mean(axis=2)
    for column, exact in zip(products.T, np.asarray(_exact(kernel)), strict=True):
        assert abs(statistics.z_score(column, float(exact))) < 4


@pytest.mark.parametrize("scheme", features.SCHEMES)
@pytest.mark.parametrize(("r", "d"), [(1, 1), (5, 1), (2, 4), (9, 4)])
def test_shapes_and_scale(scheme, r, d):
    """r below, above and no multiple of d. Half the bandwidth doubles the frequencies of one key, to rounding."""
    centre, key, kernel = jnp.zeros(d), jax.random.key(3), kernels.Matern(1.3, 1.5)
    wide = features.sample_fourier_map(key, kernel, r, centre, scheme=scheme)
    narrow = features.sample_fourier_map(key, kernels.with_bandwidth(kernel, 0.65), r, centre, scheme=scheme)
    assert wide.frequencies.shape == (r, d)
    assert wide.frequencies.dtype == jnp.float32
    assert wide.scheme == scheme
    np.testing.assert_allclose(np.asarray(narrow.frequencies), 2 * np.asarray(wide.frequencies), rtol=3e-7)
    other = features.sample_fourier_map(jax.random.key(4), kernel, r, centre, scheme=scheme)
    assert not np.any(np.asarray(other.frequencies) == np.asarray(wide.frequencies))


def test_gaussian_iid_frequencies_are_normal_numbers_over_the_bandwidth(x64):
    """The same map as ever for a key, in either precision: float32 normal numbers, widened."""
    key = jax.random.key(5)
    for dtype in (jnp.float32, jnp.float64):
        fourier_map = features.sample_fourier_map(key, kernels.Gaussian(2.0), 6, jnp.zeros(3, dtype))
        normal = np.asarray(jax.random.normal(key, (6, 3), jnp.float32), dtype)
        np.testing.assert_array_equal(np.asarray(fourier_map.frequencies), normal / 2)


@pytest.mark.parametrize("scheme", ["orthogonal", "orthogonal-stratified"])
def test_blocks_are_orthogonal(scheme):
    """Rows of blocks of d = 4, the last one of 2; float64 QR."""
    frequencies = features.joint_frequencies(jax.random.key(6), kernels.Matern(1.0, 1.5), 10, 4, scheme)
    directions = frequencies / np.linalg.norm(frequencies, axis=1, keepdims=True)
    for block in (directions[:4], directions[4:8], directions[8:]):
        np.testing.assert_allclose(block @ block.T, np.eye(len(block)), atol=1e-14)


def test_stratified_lengths_have_one_in_each_part_of_the_chi_law():
    lengths = np.linalg.norm(
        features.joint_frequencies(jax.random.key(7), kernels.Gaussian(1.0), 20, 5, "orthogonal-stratified"), axis=1
    )
    edges = features.schemes.quasi_random.chi_quantiles(np.arange(1, 20) / 20, 5)
    np.testing.assert_array_equal(np.sort(np.searchsorted(edges, lengths)), np.arange(20))


def test_l1_kernels_have_no_directions():
    for scheme in ("orthogonal", "stratified", "orthogonal-stratified"):
        with pytest.raises(ValueError, match=f"scheme must be iid or sobol for the laplace-l1 kernel; got '{scheme}'"):
            features.sample_fourier_map(jax.random.key(0), kernels.LaplaceL1(1.0), 4, jnp.zeros(2), scheme=scheme)


def test_bad_schemes():
    with pytest.raises(ValueError, match=r"scheme must be one of iid, orthogonal, stratified, .*; got 'halton'"):
        features.sample_fourier_map(jax.random.key(0), kernels.Gaussian(1.0), 4, jnp.zeros(2), scheme="halton")
    with pytest.raises(ValueError, match="scheme='sobol' draws on the host: call it outside jit"):
        jax.jit(lambda key: features.sample_fourier_map(key, kernels.Gaussian(1.0), 4, jnp.zeros(2), scheme="sobol"))(
            jax.random.key(0)
        )


def test_the_bandwidth_may_be_traced():
    """Frequencies are drawn on the host at bandwidth 1 and scaled under the trace."""
    key = jax.random.key(8)

    def frequencies(bandwidth):
        return features.sample_fourier_map(
            key, kernels.Gaussian(bandwidth), 4, jnp.zeros(2), scheme="stratified"
        ).frequencies

    np.testing.assert_allclose(
        np.asarray(jax.jit(frequencies)(jnp.float32(4.0))), np.asarray(frequencies(4.0)), rtol=2e-7
    )


# What the schemes do to RKE: x ~ N(0, I_d) at bandwidth sqrt(d), n = infinity, so that frequencies are the only noise.


def _second_moments(frequencies: np.ndarray) -> tuple[float, float]:
    """Plain ||C||_F^2 and the debiased one from E cos, E sin of N(0, I); see closed_forms.population_covariance."""
    r = len(frequencies)
    squared = np.sum(frequencies**2, axis=1)
    sums, products = squared[:, None] + squared[None, :], frequencies @ frequencies.T
    minus, plus = np.exp(products - sums / 2), np.exp(-products - sums / 2)
    cosines, sines = (minus + plus) / (2 * r), (minus - plus) / (2 * r)
    total = np.sum(cosines**2) + np.sum(sines**2)
    own = np.sum(np.diag(cosines) ** 2) + np.sum(np.diag(sines) ** 2)
    return float(total), float(r / (r - 1) * (total - own))


def _draws(d: int, r: int, scheme: str, num_draws: int) -> np.ndarray:
    """Plain and debiased second moments, one row a draw."""
    kernel = kernels.Gaussian(math.sqrt(d))
    if scheme == "iid":
        sample = jax.jit(jax.vmap(lambda key: kernel.sample_frequencies(key, r, d, jnp.float32)))
        maps = list(np.asarray(sample(jax.random.split(jax.random.key(9), num_draws)), np.float64))
    else:
        maps = [features.joint_frequencies(key, kernel, r, d, scheme) / math.sqrt(d) for key in _keys(num_draws)]
    return np.array([_second_moments(frequencies) for frequencies in maps])


def _true_rke(d: int) -> float:
    return closed_forms.gaussian_rke(np.eye(d), math.sqrt(d))


def test_the_vectorised_population_covariance():
    frequencies = np.random.default_rng(0).standard_normal((5, 3))
    characteristic = closed_forms.gaussian_characteristic_function(np.zeros(3), np.eye(3))
    matrix = closed_forms.population_covariance(frequencies, characteristic)
    own = sum(np.sum(matrix[np.ix_([a, a + 5], [a, a + 5])] ** 2) for a in range(5))
    total = np.sum(matrix**2)
    np.testing.assert_allclose(_second_moments(frequencies), [total, 5 / 4 * (total - own)], rtol=1e-12)


@pytest.mark.parametrize(
    ("d", "r", "debiased", "plain"), [(32, 32, 5.9, -1.9), (128, 128, 1.5, -0.6), (32, 256, 0.7, -0.25)]
)
def test_orthogonal_stratified_draws_overcorrect(d, r, debiased, plain):
    """Percent of the true RKE over 100 draws, within 4.5 standard errors and 0.15 for the digits of the statement."""
    moments, true = _draws(d, r, "orthogonal-stratified", 100), _true_rke(d)
    for column, stated in ((1, debiased), (0, plain)):
        value = 1 / moments[:, column].mean()
        error = value * moments[:, column].std(ddof=1) / moments[:, column].mean() / 10
        assert abs(100 * (value / true - 1) - stated) < 450 * error / true + 0.15


def test_spread_of_rke():
    """d = r = 32, 300 draws each: stratified lengths cut the spread at least 3x (iid directions) and 8x (orthogonal).

    Measured 11 and 12; a ratio of two spreads of 300 draws has a standard error of 6 %.
    """
    spread = {
        scheme: np.std(1 / _draws(32, 32, scheme, 300)[:, 0], ddof=1)
        for scheme in ("iid", "stratified", "orthogonal-stratified")
    }
    assert spread["iid"] > 3 * spread["stratified"]
    assert spread["iid"] > 8 * spread["orthogonal-stratified"]


@pytest.mark.parametrize("scheme", ["iid", "stratified", "orthogonal", "sobol"])
def test_debiasing_by_scheme(scheme):
    """d = r = 32, 300 draws of the debiased m2: exact for iid (|z| < 4.5), within 1 % for stratified and sobol.

    Orthogonal directions alone overcorrect as orthogonal-stratified ones do, by about 6 %.
    """
    moments, true = _draws(32, 32, scheme, 300)[:, 1], _true_rke(32)
    if scheme == "iid":
        assert abs(statistics.z_score(moments, 1 / true)) < 4.5
        return
    error = moments.std(ddof=1) / math.sqrt(300) * true
    low, high = (0.04, 0.08) if scheme == "orthogonal" else (-0.01, 0.01)
    assert low - 4.5 * error < 1 / (moments.mean() * true) - 1 < high + 4.5 * error
