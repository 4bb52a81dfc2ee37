"""Scores as functions of a spectrum and of a Gram matrix."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fkeax
from tests.helpers import closed_forms as forms
from tests.helpers import oracle

ORDERS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0 - 1e-6, 1.0, 1.0 + 1e-6, 1.1, 1.25, 1.5, 2.0, 3.0, 10.0, 100.0, 1e4, math.inf)


def _spectra() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {
        "uniform": np.full(8, 1 / 8),
        "point": np.array([1.0]),
        "geometric": forms.gaussian_ratio(1.0, 1.0) ** np.arange(30) * (1 - forms.gaussian_ratio(1.0, 1.0)),
        "dirichlet": np.sort(rng.dirichlet(np.full(50, 0.3))),
        "spike": np.append(np.full(1000, 1e-6), 1 - 1e-3),
    }


def _value(spectrum: np.ndarray, order: float, dtype: str) -> float:
    return float(fkeax.vendi_from_spectrum(jnp.asarray(spectrum, dtype), order))


@pytest.mark.parametrize("name", _spectra())
def test_float64(x64, name):
    spectrum = _spectra()[name]
    spectrum = spectrum / spectrum.sum()
    for order in ORDERS:
        expected = oracle.hill_number(spectrum, order, cutoff=0.0)
        assert _value(spectrum, order, "float64") == pytest.approx(expected, rel=1e-11), f"order {order}"


@pytest.mark.parametrize("name", _spectra())
def test_float32(name):
    """Spectrum rounded to float32: log p has an absolute error of 8 u at |log p| <= 16, and so has the entropy, near
    1 too.

    Orders enter as float32: 1 +- 1e-6 becomes 1 +- 9.54e-7, which moves the score by less than 1e-6 var(log p)/2 <
    1e-5.
    """
    spectrum = _spectra()[name].astype(np.float32)
    spectrum = spectrum / spectrum.sum()
    for order in ORDERS:
        expected = oracle.hill_number(spectrum.astype(np.float64), order, cutoff=0.0)
        assert _value(spectrum, order, "float32") == pytest.approx(expected, rel=2e-5), f"order {order}"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_continuity_at_order_one_and_at_infinity(x64, dtype):
    """d log V/d a = -var(log p)/2 at 1; at large a, log V = a/(a-1) (-log p_max) - log(multiplicity)/(a-1) +
    exponentially small.
    """
    spectrum = _spectra()["dirichlet"]
    spectrum = spectrum / spectrum.sum()
    logs = np.log(spectrum)
    slope = -0.5 * float(spectrum @ logs**2 - (spectrum @ logs) ** 2)
    at_one = math.log(_value(spectrum, 1.0, dtype))
    noise = 1e-12 if dtype == "float64" else 1e-5
    for step in (-1e-6, 1e-6, -1e-3, 1e-3):
        moved = math.log(_value(spectrum, 1.0 + step, dtype))
        # third cumulants of log p are below 1e3 here: the second-order term is below 500 step^2
        assert moved == pytest.approx(
            at_one + slope * step, abs=noise + 500 * step**2 + abs(slope) * (1e-7 if dtype == "float32" else 0)
        )
    for order in (50.0, 1e3, 1e5):
        top = -math.log(spectrum.max())
        gap = len(spectrum) * (np.sort(spectrum)[-2] / spectrum.max()) ** order
        assert math.log(_value(spectrum, order, dtype)) == pytest.approx(
            order / (order - 1) * top, abs=noise * 10 + gap
        )


@pytest.mark.parametrize("boundary", [0.75, 1.25])
def test_no_seam_between_formulas(x64, boundary):
    """Two formulas meet at 1 +- 1/4; on both sides of the seam the score is the same function."""
    spectrum = _spectra()["dirichlet"] / _spectra()["dirichlet"].sum()
    below, above = (_value(spectrum, boundary + step, "float64") for step in (-1e-9, 1e-9))
    assert below == pytest.approx(above, rel=1e-7)


def test_order_two_of_a_gram_matrix_is_rke(x64):
    gram = oracle.gaussian_gram(np.random.default_rng(1).standard_normal((30, 3)), 1.0)
    assert fkeax.vendi_from_gram(gram, order=2.0) == pytest.approx(fkeax.rke_from_gram(gram), rel=1e-12)


def test_equicorrelated_points_through_their_gram_matrix(x64):
    for n, rho in ((2, 0.3), (20, 0.5), (100, 0.9)):
        spectrum = forms.equicorrelated_spectrum(n, rho)
        gram = forms.equicorrelated_gram(n, rho)
        for order in (0.0, 0.5, 1.0, 1.5, 2.0, math.inf):
            assert fkeax.vendi_from_gram(gram, order=order) == pytest.approx(
                oracle.hill_number(spectrum, order), rel=1e-6
            )
        assert fkeax.rke_from_gram(gram) == pytest.approx(oracle.hill_number(spectrum, 2.0), rel=1e-12)


def test_scale_of_a_gram_matrix_does_not_matter(x64):
    gram = oracle.gaussian_gram(np.random.default_rng(2).standard_normal((15, 3)), 1.0)
    assert fkeax.vendi_from_gram(7.0 * gram) == pytest.approx(fkeax.vendi_from_gram(gram), rel=1e-12)
    assert fkeax.rke_from_gram(7.0 * gram) == pytest.approx(fkeax.rke_from_gram(gram), rel=1e-12)


def test_published_examples_of_vendi_score(x64):
    """The README of vendi-score 0.0.3, to the digits it prints."""
    samples = np.array([0.0, 0.0, 10.0, 10.0, 20.0, 20.0])
    gram = np.exp(-np.abs(samples[:, None] - samples[None, :]))
    assert fkeax.vendi_from_gram(gram) == pytest.approx(2.9999, abs=1e-4)  # printed truncated: 2.99994
    x = np.array([[100.0, 0.0], [99.0, 1.0], [1.0, 99.0], [0.0, 100.0]])
    assert fkeax.vendi(x, kernel="cosine").value == pytest.approx(1.999898, abs=5e-7)
    assert fkeax.vendi_from_gram(oracle.cosine_gram(x)) == pytest.approx(1.999898, abs=5e-7)


def test_gradient_at_repeated_and_zero_eigenvalues(x64):
    """d V_2/d p_i = -2 p_i V_2^2 and d V_1/d p_i = -(1 + log p_i) V_1, also where p_i repeats; finite at p_i = 0."""
    spectrum = jnp.asarray([0.0, 0.0, 0.25, 0.25, 0.5])
    second = np.asarray(jax.grad(lambda p: fkeax.vendi_from_spectrum(p, 2.0))(spectrum))
    np.testing.assert_allclose(second, -2 * np.asarray(spectrum) / 0.375**2, rtol=1e-12)
    first = np.asarray(jax.grad(lambda p: fkeax.vendi_from_spectrum(p, 1.0))(spectrum))
    np.testing.assert_allclose(first[2:], -(1 + np.log([0.25, 0.25, 0.5])) * 2.0**1.5, rtol=1e-12)
    for order in (0.5, 1.0, 1.0 + 1e-6, 2.0, math.inf):
        assert np.isfinite(np.asarray(jax.grad(lambda p, a=order: fkeax.vendi_from_spectrum(p, a))(spectrum))).all()


def test_orders_are_vmapped_in_one_trace(x64):
    spectrum = jnp.asarray([0.1, 0.2, 0.7])
    orders = jnp.asarray([0.0, 0.5, 1.0, 2.0, jnp.inf])
    together = jax.vmap(lambda a: fkeax.vendi_from_spectrum(spectrum, a))(orders)
    expected = [oracle.hill_number(np.asarray(spectrum), float(a)) for a in orders]
    np.testing.assert_allclose(np.asarray(together), expected, rtol=1e-12)
