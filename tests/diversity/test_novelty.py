"""KEN and FINC: float64 oracles for the difference of covariances, and planted clusters found again."""

from __future__ import annotations

import math

import jax
import numpy as np
import pytest

import fkeax
from fkeax.datasets import load_digits
from fkeax.diversity import finc, finc_of_states, ken, streaming
from fkeax.diversity.two_sets import SetOptions, shared_map, two_sets
from tests.helpers import oracle

RNG = np.random.default_rng(3)
REFERENCE, GENERATED = RNG.standard_normal((30, 2)), RNG.standard_normal((20, 2)) * 1.3
OPTIONS: SetOptions = {"bandwidth": 1.0, "num_frequencies": 24, "key": jax.random.key(1)}


def _signed(gram: np.ndarray, eta: float) -> np.ndarray:
    """Eigenvalues of D K, descending: those of C_X - eta C_Y, generated rows first."""
    shares = np.repeat([1 / len(GENERATED), -eta / len(REFERENCE)], [len(GENERATED), len(REFERENCE)])
    return np.sort(np.linalg.eigvals(shares[:, None] * gram).real)[::-1]


def _mass_and_score(eigenvalues: np.ndarray) -> tuple[float, float]:
    positive = eigenvalues[eigenvalues > 1e-7]
    mass = float(positive.sum())
    return mass, -math.fsum(v * math.log(v / mass) for v in positive)


def _pooled_features(options: SetOptions) -> np.ndarray:
    fourier_map = shared_map(two_sets(REFERENCE, GENERATED, options, method="features"))
    pooled = np.concatenate([GENERATED, REFERENCE])
    angles = (pooled - np.asarray(fourier_map.centre)) @ np.asarray(fourier_map.frequencies, np.float64).T
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=1) / math.sqrt(angles.shape[1])


@pytest.mark.parametrize("eta", [0.5, 1.0, 3.0])
def test_ken_is_the_positive_spectrum_of_the_signed_kernel_matrix(eta: float):
    """Both ways know small eigenvalues to the root of rounding, 1e-8 each, of which 50 add up: 1e-6 with logarithms."""
    found = ken(REFERENCE, GENERATED, eta=eta, bandwidth=1.0)
    mass, score = _mass_and_score(_signed(oracle.gaussian_gram(np.concatenate([GENERATED, REFERENCE]), 1.0), eta))
    assert float(found.mass) == pytest.approx(mass, abs=1e-6)
    assert float(found.score) == pytest.approx(score, abs=1e-5)
    assert found.score.settings["eta"] == eta
    assert found.score.settings["n_gen"] == 20


@pytest.mark.slow
def test_at_eta_zero_the_score_is_the_logarithm_of_vendi():
    found = ken(REFERENCE, GENERATED, eta=0, bandwidth=1.0)
    assert float(found.mass) == pytest.approx(1, abs=1e-7)
    assert math.exp(float(found.score)) == pytest.approx(float(fkeax.vendi(GENERATED, bandwidth=1.0)), abs=1e-4)


def test_finc_is_the_positive_spectrum_of_the_difference_of_covariances(x64):
    found = finc(REFERENCE, GENERATED, **OPTIONS)
    features = _pooled_features(OPTIONS)
    mass, score = _mass_and_score(_signed(features @ features.T, 1.0))
    assert float(found.mass) == pytest.approx(mass, abs=1e-6)
    assert float(found.score) == pytest.approx(score, abs=1e-5)


@pytest.mark.slow
def test_features_err_by_no_more_than_their_kernel_matrix_allows(x64):
    """With G = |D|^1/2 K |D|^1/2 and J the signs, the spectrum is that of G^1/2 J G^1/2, and by Weyl it moves by at
    most (|G^1/2| + |G~^1/2|) |G^1/2 - G~^1/2| <= (...) |G - G~|^1/2 in operator norms.
    """
    pooled = np.concatenate([GENERATED, REFERENCE])
    roots = np.sqrt(np.repeat([1 / len(GENERATED), 1 / len(REFERENCE)], [len(GENERATED), len(REFERENCE)]))
    options: SetOptions = {**OPTIONS, "num_frequencies": 400}
    features = _pooled_features(options)
    exact, approximate = (
        gram * np.outer(roots, roots) for gram in (oracle.gaussian_gram(pooled, 1.0), features @ features.T)
    )
    norms = [float(np.linalg.norm(matrix, 2)) ** 0.5 for matrix in (exact, approximate, exact - approximate)]
    allowed = (norms[0] + norms[1]) * norms[2]
    by_kernel = ken(REFERENCE, GENERATED, bandwidth=1.0).eigenvalues
    by_features = finc(REFERENCE, GENERATED, **options).eigenvalues
    assert abs(by_kernel[0] - by_features[0]) < allowed < 1


def test_equal_sets_hold_nothing_new():
    for found in (ken(GENERATED, GENERATED[::-1], bandwidth=1.0), finc(GENERATED, GENERATED[::-1], **OPTIONS)):
        assert (found.mass.value, found.score.value) == (0, 0)
        assert found.modes.sample_indices.shape[0] == 0


def test_far_groups_have_closed_forms():
    """Shares p and q of far groups: eigenvalues p - eta q."""
    groups = 100 * np.eye(4)
    p, q = np.asarray([4, 1, 3, 2]), np.asarray([1, 8, 1, 0])
    found = ken(np.repeat(groups, q, axis=0), np.repeat(groups, p, axis=0), eta=2, bandwidth=1.0)
    np.testing.assert_allclose(found.eigenvalues, [0.2, 0.2, 0.1], atol=1e-12)
    assert float(found.score) == pytest.approx(0.4 * math.log(2.5) + 0.1 * math.log(5), abs=1e-10)


@pytest.mark.parametrize("function", [ken, finc])
def test_a_planted_cluster_is_found_with_its_samples(function, key):
    """80 of 400 samples lie in a cluster that the reference lacks: its share is 0.2."""
    random = np.random.default_rng(5)
    common = random.standard_normal((640, 4)) * 0.5
    planted = random.standard_normal((80, 4)) * 0.2 + 4
    generated = np.concatenate([common[:120], planted, common[120:320]])
    options: SetOptions = {"bandwidth": 2.0, "num_frequencies": 200, "key": key}
    found = function(common[320:], generated, num_modes=3, num_samples=60, **options)
    # Points of the planted cluster differ: within it k averages exp(-4 * 2 * 0.04 / 8) = 0.96.
    assert found.eigenvalues[0] == pytest.approx(0.2 * 0.96, abs=0.02)
    assert ((found.modes.sample_indices[0] >= 120) & (found.modes.sample_indices[0] < 200)).all()
    at_samples = found.modes.evaluate(generated[found.modes.sample_indices[0]])[:, 0]
    np.testing.assert_allclose(at_samples, found.modes.sample_values[0], atol=1e-4)
    assert found.modes.evaluate(common[:120])[:, 0].max() < found.modes.sample_values[0].min()


@pytest.mark.slow
def test_a_digit_held_out_of_the_reference_is_found(key):
    """Real digits: the leading novel mode holds the one class that the reference lacks."""
    digits = load_digits()
    half = np.arange(len(digits.labels)) % 2 == 0
    reference = digits.features[half & (digits.labels != 6)]
    generated, labels = digits.features[~half], digits.labels[~half]
    found = finc(reference, generated, num_modes=1, num_samples=40, bandwidth=2.0, num_frequencies=250, key=key)
    assert np.mean(labels[found.modes.sample_indices[0]] == 6) > 0.9


@pytest.mark.slow
def test_states_give_the_same_spectrum_and_evaluate_points():
    fourier_map = shared_map(two_sets(REFERENCE, GENERATED, OPTIONS, method="features"))
    states = [streaming.update(streaming.init(fourier_map), x) for x in (REFERENCE, GENERATED)]
    found, whole = finc_of_states(*states, bandwidth=1.0), finc(REFERENCE, GENERATED, **OPTIONS)
    np.testing.assert_allclose(found.eigenvalues[:5], whole.eigenvalues[:5], atol=1e-5)
    values, expected = found.modes.evaluate(GENERATED)[:, 0], whole.modes.evaluate(GENERATED)[:, 0]
    np.testing.assert_allclose(np.abs(values), np.abs(expected), atol=1e-3)
    assert found.modes.sample_indices.shape[1] == 0


@pytest.mark.slow
def test_cosine_features_are_explicit_and_exact():
    both = REFERENCE + 1, GENERATED + 1
    exact, dual = ken(*both, kernel="cosine"), finc(*both, kernel="cosine")
    assert dual.score.settings["estimator"] == "dual"
    assert float(dual.score) == pytest.approx(float(exact.score), abs=1e-4)


def test_bad_eta():
    for eta in (-1.0, math.nan):
        with pytest.raises(ValueError, match="eta must be"):
            ken(REFERENCE, GENERATED, eta=eta, bandwidth=1.0)
