"""The oracles themselves: two independent routes to each number."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.helpers import oracle

ORDERS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf)


def _points(seed: int, n: int = 12, d: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d))


def test_gaussian_gram_by_hand():
    gram = oracle.gaussian_gram(np.array([[0.0, 0.0], [3.0, 4.0]]), 5.0)
    np.testing.assert_allclose(gram, [[1.0, math.exp(-0.5)], [math.exp(-0.5), 1.0]], rtol=1e-15)


def test_hill_number_of_a_uniform_law_is_its_size():
    for order in (*ORDERS, 1.0 - 1e-6, 1.0 + 1e-6):
        assert oracle.hill_number(np.full(7, 1 / 7), order) == pytest.approx(7.0, rel=1e-12)


def test_hill_number_by_hand():
    p = np.array([0.5, 0.25, 0.25])
    assert oracle.hill_number(p, 2.0) == pytest.approx(1.0 / 0.375, rel=1e-15)
    assert oracle.hill_number(p, 1.0) == pytest.approx(2.0**1.5, rel=1e-15)
    assert oracle.hill_number(p, math.inf) == 2.0
    assert oracle.hill_number(p, 0.5) == pytest.approx((math.sqrt(0.5) + 1.0) ** 2, rel=1e-14)


def test_hill_number_is_smooth_at_order_one():
    p = np.array([0.6, 0.3, 0.1])
    entropy = -np.sum(p * np.log(p))
    slope = -0.5 * (np.sum(p * np.log(p) ** 2) - entropy**2)  # d log V / d order at 1: minus half the variance of log p
    for step in (-1e-6, 1e-6):
        expected = math.exp(entropy + slope * step)
        assert oracle.hill_number(p, 1.0 + step) == pytest.approx(expected, rel=1e-11)


def test_second_moment_is_the_inverse_of_order_two():
    gram = oracle.gaussian_gram(_points(0), 1.0)
    assert 1.0 / oracle.second_moment(gram) == pytest.approx(oracle.vendi_from_gram(gram, 2.0), rel=1e-12)


def test_integer_weights_are_repeated_rows():
    x, counts = _points(1), np.array([1, 2, 3, 1, 1, 4, 1, 2, 1, 1, 1, 2])
    repeated = np.repeat(x, counts, axis=0)
    for order in ORDERS:
        weighted = oracle.vendi_from_gram(oracle.gaussian_gram(x, 1.0), order, counts)
        # Repetition adds exact zeros to the spectrum, which float64 turns into 1e-17.
        assert weighted == pytest.approx(oracle.vendi_from_gram(oracle.gaussian_gram(repeated, 1.0), order), rel=1e-9)


def test_features_reproduce_the_kernel_of_their_frequencies():
    rng = np.random.default_rng(2)
    x, frequencies, centre = _points(3, 5), rng.standard_normal((7, 3)), rng.standard_normal(3)
    phi = oracle.features(frequencies, centre, x)
    expected = np.cos((x[:, None, :] - x[None, :, :]) @ frequencies.T).mean(axis=-1)
    np.testing.assert_allclose(phi @ phi.T, expected, atol=1e-14)
    np.testing.assert_allclose(oracle.covariance(frequencies, centre, x), phi.T @ phi / 5, atol=1e-15)


def test_debiased_second_moment_two_ways():
    rng = np.random.default_rng(4)
    x, frequencies = _points(5, 9), rng.standard_normal((6, 3))
    from_blocks = oracle.debiased_second_moment(oracle.covariance(frequencies, np.zeros(3), x))
    assert from_blocks == pytest.approx(oracle.debiased_second_moment_of_kernels(frequencies, x), rel=1e-12)


def test_expected_squared_norm_by_quadrature():
    """Averaging ||C||_F^2 over a Gauss-Hermite rule of frequencies (r = 2, one dimension) gives the formula."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    x, bandwidth = _points(6, 4, 1), 1.3
    average = 0.0
    for first, weight_first in zip(nodes, weights, strict=True):
        for second, weight_second in zip(nodes, weights, strict=True):
            if weight_first * weight_second > 1e-18:
                matrix = oracle.covariance(np.array([[first], [second]]) / bandwidth, np.zeros(1), x)
                average += weight_first * weight_second * float(np.sum(matrix**2))
    expected = oracle.expected_squared_norm(oracle.gaussian_gram(x, bandwidth), 2)
    assert average == pytest.approx(expected, rel=1e-10)


def test_off_diagonal_second_moment_and_its_identity():
    gram = oracle.gaussian_gram(_points(7, 10), 1.0)
    n, m2 = 10, oracle.second_moment(gram)
    assert oracle.off_diagonal_second_moment(gram) == pytest.approx((n**2 * m2 - n) / (n * (n - 1)), rel=1e-13)


def test_u_statistic_variance_of_a_linear_statistic():
    """For h(x, y) = (x + y)/2 the U-statistic is the mean, and the jackknife its usual squared standard error."""
    x = np.random.default_rng(8).standard_normal(20) + 10.0
    root_of_h = np.sqrt((x[:, None] + x[None, :]) / 2.0)  # the function squares its argument
    assert oracle.u_statistic_variance(root_of_h) == pytest.approx(x.var(ddof=1) / 20, rel=1e-10)


def test_spectrum_distance_pads_with_zeros():
    assert oracle.spectrum_distance(np.array([0.5, 0.5]), np.array([0.5, 0.3, 0.2])) == pytest.approx(math.sqrt(0.08))
