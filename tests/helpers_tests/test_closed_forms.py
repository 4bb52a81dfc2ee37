"""The closed forms against printed numbers and against dense linear algebra."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.helpers import closed_forms as forms
from tests.helpers import oracle

PRINTED = {
    # product of geometric laws, d = 1, deviation = bandwidth = 1
    0.5: 4.2360680,
    1.0: 2.9329899,
    1.5: 2.4721360,
    2.0: math.sqrt(5.0),
    math.inf: 1.6180340,
}


@pytest.mark.parametrize("order", PRINTED)
def test_geometric_law_printed(order):
    assert forms.gaussian_vendi([1.0], 1.0, order) == pytest.approx(PRINTED[order], abs=6e-8)


def test_high_dimensional_printed():
    # six printed digits, rounded: half a unit of the last one
    assert forms.gaussian_rke(np.eye(256), 16.0) == pytest.approx(7.27567, abs=5e-6)
    assert forms.gaussian_vendi([1.0] * 256, 16.0, 1.0) == pytest.approx(682.397, abs=5e-4)
    assert forms.gaussian_rke(np.eye(256), 10.0) == pytest.approx(151.449, abs=5e-4)
    assert forms.gaussian_rke(np.eye(512), 22.0) == pytest.approx(8.22360, abs=5e-6)
    assert forms.gaussian_vendi([1.0] * 512, 22.0, 1.0) == pytest.approx(1968.85, abs=5e-3)
    assert forms.gaussian_rke(np.eye(32), 4.0) == pytest.approx(1.25**16, rel=1e-12)


def test_orders_two_agree():
    deviations, bandwidth = [0.5, 1.0, 2.0], 1.7
    expected = forms.gaussian_rke(np.diag(np.square(deviations)), bandwidth)
    assert forms.gaussian_vendi(deviations, bandwidth, 2.0) == pytest.approx(expected, rel=1e-12)


def test_orders_around_one_agree():
    assert forms.gaussian_vendi([1.0], 1.0, 1.0 + 1e-7) == pytest.approx(
        forms.gaussian_vendi([1.0], 1.0, 1.0), rel=1e-6
    )


def test_two_groups_printed_and_by_gram():
    spectrum = forms.two_groups_spectrum(0.3, math.exp(-(1.5**2) / 2.0))
    assert oracle.hill_number(spectrum, 1.0) == pytest.approx(1.756177, abs=5e-7)
    assert oracle.hill_number(spectrum, 2.0) == pytest.approx(1.601877, abs=5e-7)
    assert oracle.hill_number(spectrum, math.inf) == pytest.approx(1.334638, abs=5e-7)
    gram = oracle.gaussian_gram(np.array([[0.0]] * 3 + [[1.5]] * 7), 1.0)
    np.testing.assert_allclose(oracle.gram_spectrum(gram)[:2], spectrum, rtol=1e-13)


def test_equicorrelated_by_gram():
    spectrum = oracle.gram_spectrum(forms.equicorrelated_gram(9, 0.4))
    np.testing.assert_allclose(spectrum, forms.equicorrelated_spectrum(9, 0.4), rtol=1e-13)


def test_circle_printed_and_by_points():
    spectrum = forms.circle_spectrum(2.0, 1.0)
    assert spectrum.sum() == pytest.approx(1.0, abs=1e-14)
    printed = {1.0: 8.2562308, 1.5: 7.4359395, 2.0: 6.9719555, math.inf: 4.8308730}
    for order, value in printed.items():
        assert oracle.hill_number(spectrum, order) == pytest.approx(value, abs=5e-8)
    points = oracle.gram_spectrum(oracle.gaussian_gram(forms.circle_points(64, 2.0), 1.0))
    np.testing.assert_allclose(points[:20], spectrum[:20], rtol=1e-11)


def test_mixture_of_one_is_the_gaussian_and_quadrature_agrees():
    rng = np.random.default_rng(0)
    factor = rng.standard_normal((3, 3))
    covariance, mean = factor @ factor.T, rng.standard_normal(3)
    moment = forms.mixture_second_moment([1.0], [mean], [covariance], 1.4)
    assert 1.0 / moment == pytest.approx(forms.gaussian_rke(covariance, 1.4), rel=1e-12)
    nodes, weights = forms.gauss_hermite(40, [1.0])
    points = np.concatenate([0.5 * nodes - 1.0, 0.8 * nodes + 2.0])
    masses = np.concatenate([0.3 * weights, 0.7 * weights])
    by_quadrature = oracle.second_moment(oracle.gaussian_gram(points, 1.0), masses)
    closed = forms.mixture_second_moment(
        [0.3, 0.7], [np.array([-1.0]), np.array([2.0])], [np.array([[0.25]]), np.array([[0.64]])], 1.0
    )
    assert by_quadrature == pytest.approx(closed, rel=1e-12)


def test_gauss_hermite_spectrum_is_geometric():
    nodes, weights = forms.gauss_hermite(80, [1.0])
    spectrum = oracle.gram_spectrum(oracle.gaussian_gram(nodes, 1.0), weights)
    ratio = forms.gaussian_ratio(1.0, 1.0)
    np.testing.assert_allclose(spectrum[:15], (1.0 - ratio) * ratio ** np.arange(15), rtol=1e-9)


def test_population_covariance_by_quadrature():
    rng = np.random.default_rng(1)
    frequencies, mean = rng.standard_normal((4, 2)), np.array([0.3, -0.7])
    deviations = [0.6, 1.2]
    nodes, weights = forms.gauss_hermite(60, deviations)
    expected = oracle.covariance(frequencies, np.zeros(2), nodes + mean, weights)
    function = forms.gaussian_characteristic_function(mean, np.diag(np.square(deviations)))
    matrix = forms.population_covariance(frequencies, function)
    np.testing.assert_allclose(matrix, expected, atol=1e-12)
    assert abs(matrix[0, 4 + 1] - matrix[1, 4 + 0]) > 1e-3  # the cross block is not symmetric
