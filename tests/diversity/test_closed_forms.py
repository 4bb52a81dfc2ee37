"""Scores of whole data sets and laws whose spectra are known in closed form, on the exact route."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fkeax
from tests.helpers import closed_forms as forms
from tests.helpers import oracle, statistics

ORDERS = (0.5, 1.0, 1.5, 2.0, 5.0, math.inf)


def _vendi(x: np.ndarray, order: float, bandwidth: float, **settings) -> float:
    return float(fkeax.vendi(x, order=order, bandwidth=bandwidth, method="exact", **settings))


def test_two_groups(x64):
    """w = 0.3 at distance 1.5, printed; and other shares against the roots of the quadratic."""
    x = np.array([[0.0]] * 3 + [[1.5]] * 7)
    for order, printed in {1.0: 1.756177, 2.0: 1.601877, math.inf: 1.334638}.items():
        assert _vendi(x, order, 1.0) == pytest.approx(printed, abs=5e-7)
    for share, distance in ((1, 0.1), (5, 1.0), (9, 4.0)):
        x = np.array([[2.0]] * share + [[2.0 + distance]] * (10 - share))
        spectrum = forms.two_groups_spectrum(share / 10, math.exp(-(distance**2) / 2))
        for order in (0.0, *ORDERS):
            assert _vendi(x, order, 1.0) == pytest.approx(oracle.hill_number(spectrum, order), rel=1e-9)
        assert float(fkeax.rke(x, bandwidth=1.0)) == pytest.approx(oracle.hill_number(spectrum, 2.0), rel=1e-12)


def test_far_groups_count_as_their_shares(x64):
    """m groups far apart: the Hill number of the shares, exp(-50^2/2) = 0 in float64."""
    shares = np.array([1, 2, 3, 4])
    x = np.repeat(50.0 * np.eye(4), shares, axis=0)
    for order in (0.0, *ORDERS):
        assert _vendi(x, order, 1.0) == pytest.approx(oracle.hill_number(shares / 10, order), rel=1e-9)


def test_circle(x64):
    """64 equispaced points agree with the Bessel eigenvalues of the uniform law to 12 digits, and with the printed
    numbers.
    """
    x = forms.circle_points(64, 2.0)
    spectrum = forms.circle_spectrum(2.0, 1.0)
    printed = {1.0: 8.2562308, 1.5: 7.4359395, 2.0: 6.9719555, math.inf: 4.8308730}
    for order, value in printed.items():
        found = _vendi(x, order, 1.0)
        assert found == pytest.approx(oracle.hill_number(spectrum, order), rel=1e-12)
        assert found == pytest.approx(value, abs=5e-8)
    assert float(fkeax.rke(x, bandwidth=1.0)) == pytest.approx(oracle.hill_number(spectrum, 2.0), rel=1e-12)


@pytest.mark.parametrize(
    ("deviations", "num_nodes"), [([1.0], 60), ([0.5], 60), pytest.param([1.0, 0.4], 48, marks=pytest.mark.slow)]
)
def test_gaussian_law_at_every_order(x64, deviations, num_nodes):
    """Gauss-Hermite nodes as weighted samples: population values of N(0, diag) without any statistical error.

    The cut, about 1e-14 relative, drops the tail of the geometric laws: mass 1e-14 a time, whose square roots add up
    to 1e-6 of the sum at order 1/2, in one axis.
    """
    nodes, weights = forms.gauss_hermite(num_nodes, deviations)
    orders = (0.5, 1.0 - 1e-6, 1.0, 1.0 + 1e-6, 1.5, 2.0, 3.0, math.inf)
    results = fkeax.score(nodes, metrics=("vendi",), orders=orders, bandwidth=1.0, method="exact", weights=weights)
    for order, result in zip(orders, results.values(), strict=True):
        expected = forms.gaussian_vendi(deviations, 1.0, order)
        assert float(result) == pytest.approx(expected, rel=1e-4 if order == 0.5 else 1e-8), f"order {order}"


def test_gaussian_law_printed(x64):
    nodes, weights = forms.gauss_hermite(60, [1.0])
    for order, printed in {1.0: 2.9329899, 1.5: 2.4721360, 2.0: math.sqrt(5.0), math.inf: 1.6180340}.items():
        assert _vendi(nodes, order, 1.0, weights=weights) == pytest.approx(printed, abs=1e-7)


def test_mean_and_rotation_of_a_gaussian_do_not_matter(x64):
    """RKE = det(I + 4 S/s^2)^{1/2} for a full covariance and any mean."""
    nodes, weights = forms.gauss_hermite(24, [1.0, 1.0])
    factor = np.array([[0.6, 0.0], [0.3, 0.4]])
    x = nodes @ factor.T + np.array([3.0, -7.0])
    found = float(fkeax.rke(x, bandwidth=0.9, weights=weights, method="exact"))
    assert found == pytest.approx(forms.gaussian_rke(factor @ factor.T, 0.9), rel=1e-9)


def test_gaussian_mixture(x64):
    nodes, weights = forms.gauss_hermite(24, [1.0, 1.0])
    means = [np.array([0.0, 0.0]), np.array([1.5, -1.0]), np.array([0.2, 2.0])]
    factors = [np.diag([0.5, 0.3]), np.array([[0.4, 0.0], [0.3, 0.2]]), np.diag([0.2, 0.6])]
    shares = [0.5, 0.2, 0.3]
    x = np.concatenate([nodes @ factor.T + mean for factor, mean in zip(factors, means, strict=True)])
    masses = np.concatenate([share * weights for share in shares])
    moment = forms.mixture_second_moment(shares, means, [factor @ factor.T for factor in factors], 1.0)
    found = float(fkeax.rke(x, bandwidth=1.0, weights=masses, method="exact"))
    assert found == pytest.approx(1.0 / moment, rel=1e-9)


@pytest.mark.parametrize(
    ("dimension", "bandwidth", "printed"), [(256, 16.0, 7.27567), (256, 10.0, 151.449), (512, 22.0, 8.22360)]
)
def test_population_rke_of_high_dimensional_gaussians(dimension, bandwidth, printed):
    """10 samples of 500 points: 1/value is unbiased for E k^2. |z| < 4.8 (t, 9 degrees: 1e-3)."""
    draws = []
    for seed in range(10):
        x = np.random.default_rng(seed).standard_normal((500, dimension)).astype(np.float32)
        result = fkeax.score(x, metrics=("rke",), bandwidth=bandwidth, method="exact")["rke-population"]
        draws.append(1.0 / float(result))
    assert abs(statistics.z_score(draws, 1.0 / printed)) < 4.8


def test_population_rke_of_a_mixture():
    """20 samples of 300 points of a three-part mixture: |z| < 4 on the U-statistic (t, 19 degrees: rate 8e-4)."""
    means = [np.zeros(3), np.array([2.0, 0.0, 0.0]), np.array([0.0, 3.0, 1.0])]
    deviations, shares = [0.5, 1.0, 0.3], [0.5, 0.2, 0.3]
    moment = forms.mixture_second_moment(shares, means, [deviation**2 * np.eye(3) for deviation in deviations], 1.2)
    draws = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        part = rng.choice(3, 300, p=shares)
        x = np.stack(means)[part] + np.array(deviations)[part, None] * rng.standard_normal((300, 3))
        draws.append(1.0 / float(fkeax.score(x, metrics=("rke",), bandwidth=1.2, method="exact")["rke-population"]))
    assert abs(statistics.z_score(draws, moment)) < 4
