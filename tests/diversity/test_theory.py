"""Theorem 2 and Corollary 1 in numbers and on draws of frequencies, and the bounds beside them."""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from fkeax import features, kernels
from fkeax.diversity import pairs, theory
from tests.helpers import oracle, statistics

NUM_SAMPLES, NUM_FREQUENCIES, NUM_DRAWS, BANDWIDTH = 40, 24, 400, 2.0
DELTA = 0.1
ORDERS = (1.25, 1.5, 2.0, 4.0, math.inf)


@functools.cache
def _draws() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The exact spectrum, and over draws the proxy's spectrum, ||K~ - K||_F/n and the eigenvector residual."""
    x = np.random.default_rng(0).standard_normal((NUM_SAMPLES, 3))
    gram = oracle.gaussian_gram(x, BANDWIDTH) / NUM_SAMPLES
    with jax.enable_x64(True):
        rows, exact = jnp.asarray(x), jnp.asarray(gram)
        eigenvalues = jnp.linalg.eigvalsh(exact)

        @jax.jit
        def draw(key):
            fourier_map = features.sample_fourier_map(
                key, kernels.Gaussian(BANDWIDTH), NUM_FREQUENCIES, jnp.zeros(3, rows.dtype)
            )
            phi = jax.vmap(functools.partial(features.featurize, fourier_map))(rows)
            proxy = phi @ phi.T / NUM_SAMPLES
            values, vectors = jnp.linalg.eigh(proxy)
            residual = exact @ vectors - vectors * eigenvalues[None, :]
            return values, jnp.linalg.norm(proxy - exact), jnp.linalg.norm(residual)

        proxies, frobenius, residuals = jax.lax.map(draw, jax.random.split(jax.random.key(3), NUM_DRAWS))
        return np.asarray(eigenvalues), np.asarray(proxies), np.asarray(frobenius), np.asarray(residuals)


def _distances() -> np.ndarray:
    exact, proxies, _, _ = _draws()
    return np.linalg.norm(proxies - exact, axis=1)


def _most_failures(delta: float) -> int:
    """A right bound of level delta fails more often than this with probability 1e-4 at most."""
    return int(stats.binom.ppf(1 - 1e-4, NUM_DRAWS, delta))


def test_the_papers_numbers():
    """50,000 images, 16,000 features, delta 0.05: 0.115, where RKE = 996.7 (Table 1) and so ||lambda||_2 = 0.032."""
    norm = 996.7**-0.5
    assert round(theory.spectrum_bound(50_000, 8_000, 0.05), 3) == 0.115
    assert round(norm, 3) == 0.032
    assert theory.spectrum_bound(50_000, 8_000, 0.05) > 3 * norm  # vacuous: the zero vector is closer
    assert 1 / math.sqrt(2 * 8_000) < norm / 4  # the root mean square bound is not
    assert theory.concentration_bound(8_000, 0.05) < norm  # nor is the one that holds with probability 0.95


@pytest.mark.parametrize(
    ("bound", "inverse"),
    [
        (theory.spectrum_bound, theory.frequencies_for_spectrum),
        (theory.eigenvector_bound, theory.frequencies_for_eigenvectors),
        (
            functools.partial(theory.score_bound, 1.5, feature_dimension=300),
            functools.partial(theory.frequencies_for_score, 1.5, feature_dimension=300),
        ),
        (functools.partial(theory.score_bound, 3), functools.partial(theory.frequencies_for_score, 3)),
        (
            lambda n, r, delta: theory.concentration_bound(r, delta),
            lambda n, epsilon, delta: theory.frequencies_by_concentration(epsilon, delta),
        ),
    ],
)
def test_inverse_is_the_smallest_number_that_will_do(bound, inverse):
    for n, epsilon, delta in ((100, 0.3, 0.05), (50_000, 0.01, 0.001)):
        r = inverse(n, epsilon, delta)
        assert bound(n, r, delta) <= epsilon < bound(n, r - 1, delta)


def test_theorem_2_follows_from_its_proof():
    """The printed bound is never below what the proof gives, but for two samples at delta above 0.9."""
    for n in (2, 3, 4, 10, 200, 50_000, 10**7):
        for delta in (1e-6, 0.01, 0.3, 0.5, 0.9, *((0.999,) if n > 2 else ())):
            ratio = theory.union_bound(n, 7, delta) / theory.spectrum_bound(n, 7, delta)
            assert ratio <= 1
            assert n < 10 or 0.5 < ratio < 0.8
    assert theory.union_bound(2, 7, 0.99) > theory.spectrum_bound(2, 7, 0.99)


def test_theorem_2_holds_over_draws():
    """400 draws at n = 40, r = 24, delta = 0.1: failures within the binomial law (rate 1e-4); there are none."""
    _, _, _, residuals = _draws()
    failures = np.sum(_distances() > theory.spectrum_bound(NUM_SAMPLES, NUM_FREQUENCIES, DELTA))
    residual_failures = np.sum(residuals > theory.eigenvector_bound(NUM_SAMPLES, NUM_FREQUENCIES, DELTA))
    assert max(failures, residual_failures) <= _most_failures(DELTA)
    assert failures == residual_failures == 0


def test_the_chain_of_the_proof():
    """Spectra are no further apart than matrices, residuals at most twice as far: rounding of float64 aside."""
    _, _, frobenius, residuals = _draws()
    assert np.all(_distances() <= frobenius * (1 + 1e-12))
    assert np.all(residuals <= 2 * frobenius * (1 + 1e-12))


def test_sharper_bounds_hold_over_draws():
    """The same 400 draws, for the matrices and so for the spectra: binomial at rate 1e-4, at three levels."""
    exact, _, frobenius, _ = _draws()
    gram = _gram()
    variance = float(np.mean((1 - gram**2) ** 2)) / 2
    assert len(exact) == len(gram)
    for delta in (0.5, 0.1, 0.01):
        for bound in (
            theory.union_bound(NUM_SAMPLES, NUM_FREQUENCIES, delta),
            theory.concentration_bound(NUM_FREQUENCIES, delta),
            theory.concentration_bound(NUM_FREQUENCIES, delta, variance=variance),
        ):
            assert np.sum(frobenius > bound) <= _most_failures(delta)


def _gram() -> np.ndarray:
    x = np.random.default_rng(0).standard_normal((NUM_SAMPLES, 3))
    return oracle.gaussian_gram(x, BANDWIDTH)


def test_data_driven_error_is_exact_for_matrices_and_far_below_theorem_2():
    """Root mean square of ||K~ - K||_F/n: |z| < 4 over 400 draws (rate 8e-5); at most 1/12 of Theorem 2 here."""
    _, _, frobenius, _ = _draws()
    with jax.enable_x64(True):
        x = jnp.asarray(np.random.default_rng(0).standard_normal((NUM_SAMPLES, 3)))
        moments = pairs.pair_moments(pairs.squared_row_sums(kernels.Gaussian(BANDWIDTH), x, None))
    assert moments is not None
    expected = moments.expected_spectrum_error(NUM_FREQUENCIES, 1 / NUM_SAMPLES)
    assert expected == pytest.approx(oracle.expected_spectrum_error(_gram(), NUM_FREQUENCIES), rel=1e-10)
    assert abs(statistics.z_score(frobenius**2, expected**2)) < 4
    assert np.sqrt(np.mean(_distances() ** 2)) <= expected
    assert expected < theory.spectrum_bound(NUM_SAMPLES, NUM_FREQUENCIES, DELTA) / 12


@pytest.mark.parametrize("order", ORDERS)
def test_corollary_1_holds_draw_by_draw(order):
    """The a-norm moves by no more than the bound at the distance that was drawn; so does it at Theorem 2's distance."""
    exact, proxies, _, _ = _draws()
    exponent = -1.0 if order == math.inf else (1 - order) / order
    norm = oracle.hill_number(exact, order) ** exponent
    for proxy, distance in zip(proxies[:50], _distances()[:50], strict=True):
        score = oracle.hill_number(proxy, order)
        change = abs(score**exponent - norm)
        assert change <= theory.norm_bound(order, distance, NUM_SAMPLES) * (1 + 1e-9)
        assert change <= theory.score_bound(order, NUM_SAMPLES, NUM_FREQUENCIES, DELTA)
        low, high = theory.score_interval(score, theory.norm_bound(order, distance, NUM_SAMPLES), order, NUM_SAMPLES)
        assert low <= norm ** (1 / exponent) <= high


def test_corollary_1_by_its_formula():
    """m^(1/a - 1/2) below order 2, nothing from order 2 on; a kernel without finite features counts the samples."""
    base = theory.spectrum_bound(1000, 500, 0.1)
    assert theory.score_bound(1.25, 1000, 500, 0.1, feature_dimension=64) == pytest.approx(64**0.3 * base)
    assert theory.score_bound(1.25, 1000, 500, 0.1) == pytest.approx(1000**0.3 * base)
    assert theory.score_bound(1.25, 1000, 500, 0.1, feature_dimension=10**6) == pytest.approx(1000**0.3 * base)
    for order in (2, 3.5, math.inf):
        assert theory.score_bound(order, 1000, 500, 0.1, feature_dimension=64) == base


def test_entropy_bound_holds_draw_by_draw():
    exact, proxies, _, _ = _draws()
    entropy = math.log(oracle.hill_number(exact, 1))
    for proxy, distance in zip(proxies[:50], _distances()[:50], strict=True):
        change = abs(math.log(oracle.hill_number(proxy, 1)) - entropy)
        assert change <= theory.entropy_bound(distance, NUM_SAMPLES)
    assert theory.entropy_change(0.5, 5) == pytest.approx(0.5 * math.log(4) + math.log(2))
    assert theory.entropy_bound(5.0, 10) == math.log(10)


def test_entropy_change_is_attained():
    """Audenaert's bound is sharp: from a point mass to (1 - T, T/(m-1), ...)."""
    for variation in (0.1, 0.4, 0.7):
        spread = np.full(8, variation / 7)
        spread[0] = 1 - variation
        assert theory.entropy_change(variation, 8) == pytest.approx(math.log(oracle.hill_number(spread, 1)), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: theory.spectrum_bound(1, 10, 0.1), "num_samples must be at least 2; got 1"),
        (lambda: theory.spectrum_bound(10, 0, 0.1), "num_frequencies must be at least 1; got 0"),
        (lambda: theory.spectrum_bound(10, 10, 1.0), "delta must be a probability between 0 and 1; got 1.0"),
        (lambda: theory.union_bound(10, 10, 0), "delta must be a probability"),
        (lambda: theory.concentration_bound(10, 0.1, variance=1.5), "variance must be a number from 0 to 1"),
        (lambda: theory.score_bound(1, 10, 10, 0.1), "order must be above 1"),
        (lambda: theory.score_interval(2.0, 0.1, 1, 10), "order must be above 1"),
        (lambda: theory.frequencies_for_spectrum(10, 0.0, 0.1), "epsilon must be a positive number"),
    ],
)
def test_bad_input_is_one_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call()
