"""Scores of two embeddings of the same items against float64 oracles: SPEC, conditional VENDI, Scendi."""

from __future__ import annotations

import math

import jax
import numpy as np
import pytest

import fkeax
from fkeax.diversity import conditional_vendi, scendi, spec
from fkeax.diversity.paired import paired
from tests.helpers import oracle

RNG = np.random.default_rng(7)
X = RNG.standard_normal((40, 3))
Y = np.concatenate([X[:, :1] + 0.3 * RNG.standard_normal((40, 1)), RNG.standard_normal((40, 1))], axis=1)
BANDWIDTHS = (1.5, 0.8)
KEY = jax.random.key(2)
GRAMS = oracle.gaussian_gram(X, 1.5), oracle.gaussian_gram(Y, 0.8)


def _asked(names: tuple[str, str], num_frequencies: int):
    return paired(
        tuple(zip(names, (X, Y), strict=True)),
        kernels=("gaussian", "gaussian"),
        bandwidths=BANDWIDTHS,
        method="features",
        num_frequencies=num_frequencies,
        batch_size=16,
        key=KEY,
    )


def _features(fourier_map, x: np.ndarray) -> np.ndarray:
    return oracle.features(np.asarray(fourier_map.frequencies), np.asarray(fourier_map.centre), x)


# SPEC


def test_spec_is_the_spectrum_of_the_difference_of_kernel_matrices():
    found = spec(X, Y, bandwidths=BANDWIDTHS, num_directions=3, num_items=40)
    values, vectors = np.linalg.eigh((GRAMS[0] - GRAMS[1]) / 40)
    assert float(found.distance) == pytest.approx(np.abs(values).max(), abs=1e-13)
    np.testing.assert_allclose(found.first.eigenvalues, values[::-1][:3], atol=1e-13)
    np.testing.assert_allclose(found.second.eigenvalues, values[:3], atol=1e-13)
    leading = np.zeros(40)
    leading[found.first.item_indices[0]] = found.first.item_values[0]
    assert abs(leading @ vectors[:, -1]) == pytest.approx(1, abs=1e-10)


def test_spec_through_features_is_that_of_their_kernel_matrices(x64):
    options = {"bandwidths": BANDWIDTHS, "num_frequencies": 12, "batch_size": 16, "key": KEY}
    found = spec(X, Y, method="features", num_directions=2, num_items=40, **options)
    maps = _asked(("first", "second"), 12).maps()
    first, second = _features(maps[0], X), _features(maps[1], Y)
    values, vectors = np.linalg.eigh((first @ first.T - second @ second.T) / 40)
    # The factor of a singular matrix is known to the root of its rounding, the spectrum to 1e-8.
    np.testing.assert_allclose(found.first.eigenvalues, values[::-1][:2], atol=1e-7)
    np.testing.assert_allclose(found.second.eigenvalues, values[:2], atol=1e-7)
    leading = np.zeros(40)
    leading[found.second.item_indices[0]] = found.second.item_values[0]
    assert abs(leading @ vectors[:, 0]) == pytest.approx(1, abs=1e-6)


def test_spec_names_the_group_that_only_one_embedding_tells_apart():
    """Of three groups of 20 the second embedding merges two: (K_1 - K_2)/n has one negative eigenvalue, -1/3."""
    groups = np.repeat(np.arange(3), 20)
    first, second = 100.0 * np.eye(3)[groups], 100.0 * np.eye(3)[np.minimum(groups, 1)]
    found = spec(first, second, bandwidths=(1.0, 1.0), num_items=40)
    assert float(found.distance) == pytest.approx(1 / 3, abs=1e-12)
    assert sorted(found.second.item_indices[0].tolist()) == list(range(20, 60))
    same = spec(first, first, bandwidths=(1.0, 1.0))
    assert same.distance.value == 0
    assert same.first.eigenvalues.size == 0


# Conditional VENDI


@pytest.mark.parametrize("order", [0.5, 1.0, 2.0, math.inf])
def test_conditional_entropies_are_those_of_the_kernel_matrices(order: float):
    found = conditional_vendi(X, Y, order=order, bandwidths=BANDWIDTHS)
    joint, own, known = (
        math.log(oracle.vendi_from_gram(gram, order)) for gram in (GRAMS[0] * GRAMS[1], GRAMS[0], GRAMS[1])
    )
    named = {name.rpartition("-")[0]: float(result) for name, result in found.items()}
    assert named["conditional-entropy"] == pytest.approx(joint - known, abs=1e-6)
    assert named["mutual-information"] == pytest.approx(own + known - joint, abs=1e-6)
    product = named["conditional-vendi"] * named["information-vendi"]
    assert product == pytest.approx(oracle.vendi_from_gram(GRAMS[0], order), rel=1e-6)


def test_conditional_entropies_through_features_are_those_of_the_joint_map(x64):
    found = conditional_vendi(X, Y, bandwidths=BANDWIDTHS, method="features", num_frequencies=15, key=KEY)
    first, second = _asked(("x", "y"), 15).maps()
    frequencies = [np.asarray(m.frequencies) for m in (first, second)]
    centre = np.concatenate([np.asarray(first.centre), np.asarray(second.centre)])
    joint = oracle.features(np.concatenate(frequencies, axis=1), centre, np.concatenate([X, Y], axis=1))
    entropies = [
        math.log(oracle.hill_number(oracle.covariance_spectrum(f.T @ f), 1.0))
        for f in (joint, _features(first, X), _features(second, Y))
    ]
    assert float(found["conditional-entropy-1"]) == pytest.approx(entropies[0] - entropies[2], abs=1e-9)
    assert "read low" in found["conditional-entropy-1"].diagnostics["warnings"][0]


@pytest.mark.slow
def test_conditional_entropy_through_few_features_reads_low_on_average():
    """Measured over 60 keys: -0.14 with a spread of 0.10 at r = 25; the mean of 12 is five standard errors below 0, so
    that a right program fails with probability 3e-7.
    """
    exact = float(conditional_vendi(X, Y, bandwidths=BANDWIDTHS)["conditional-entropy-1"])
    options = {"bandwidths": BANDWIDTHS, "method": "features"}
    found = [
        float(conditional_vendi(X, Y, num_frequencies=25, key=jax.random.key(seed), **options)["conditional-entropy-1"])
        for seed in range(12)
    ]
    assert -0.3 < np.mean(found) - exact < 0


def test_laws_of_mutual_information():
    """I(X;Y) >= 0; nothing is left of X given X where all points are far apart, and I = H; a constant tells nothing."""
    assert float(conditional_vendi(X, Y, bandwidths=BANDWIDTHS)["mutual-information-1"]) > -1e-9
    constant = conditional_vendi(X, np.ones((40, 1)), bandwidths=(1.5, 1.0))
    assert float(constant["mutual-information-1"]) == pytest.approx(0, abs=1e-9)
    apart = np.repeat(100.0 * np.eye(5), 8, axis=0)
    itself = conditional_vendi(apart, apart, bandwidths=(1.0, 1.0))
    assert float(itself["conditional-entropy-1"]) == pytest.approx(0, abs=1e-9)
    assert float(itself["information-vendi-1"]) == pytest.approx(5, abs=1e-6)


# Scendi


def test_scendi_is_the_schur_complement_of_the_feature_covariance(x64):
    found = scendi(X, Y, bandwidths=BANDWIDTHS, num_frequencies=6, text_cutoff=1e-3, batch_size=16, key=KEY)
    maps = _asked(("images", "texts"), 6).maps()
    first, second = _features(maps[0], X), _features(maps[1], Y)
    texts = second.T @ second / 40
    cross = first.T @ second / 40
    explained = cross @ np.linalg.pinv(texts, rcond=1e-3, hermitian=True) @ cross.T
    own = first.T @ first / 40 - explained
    for name, matrix in (("scendi-image", own), ("scendi-text", explained)):
        values = np.linalg.eigvalsh(matrix)
        values = values[values > 1e-12]
        expected = math.exp(-math.fsum(v * math.log(v / values.sum()) for v in values))
        assert float(found[name]) == pytest.approx(expected, rel=1e-8), name
    shares = [found[name].diagnostics["share"] for name in ("scendi-image", "scendi-text")]
    assert sum(shares) == pytest.approx(1, abs=1e-9)
    assert "by chance alone" in found["scendi-image"].diagnostics["warnings"][0]


@pytest.mark.slow
def test_scendi_of_images_that_are_their_texts_and_of_a_constant_text():
    """Images equal to their texts are explained whole; one text for all explains the mean of the features only."""
    groups = np.repeat(np.eye(4), 25, axis=0)
    whole = scendi(groups, groups, kernels=("cosine", "cosine"))
    assert float(whole["scendi-image"]) == pytest.approx(1, abs=1e-3)
    assert float(whole["scendi-text"]) == pytest.approx(4, rel=1e-4)
    assert float(whole["vendi-1"]) == pytest.approx(float(fkeax.vendi(groups, kernel="cosine")), rel=1e-4)
    one = scendi(groups, np.ones((100, 2)), kernels=("cosine", "cosine"))
    # The mean feature (1/4, ..., 1/4) has squared length 1/4: one eigenvalue; what is left has three of 1/4.
    assert one["scendi-text"].diagnostics["share"] == pytest.approx(0.25, abs=1e-5)
    assert float(one["scendi-image"]) == pytest.approx(math.exp(0.75 * math.log(3)), rel=1e-4)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: spec(X, Y[:-1], bandwidths=BANDWIDTHS), "must have a row for each of the same items; got 40 and 39"),
        (lambda: spec(X, Y, bandwidths=(1.0, None)), "bandwidth is needed"),
        (lambda: scendi(X, Y * np.nan, bandwidths=BANDWIDTHS, key=KEY), "texts must be finite"),
        (lambda: scendi(X, Y, bandwidths=BANDWIDTHS), "key is needed for random Fourier features"),
        (lambda: scendi(X, Y, bandwidths=BANDWIDTHS, text_cutoff=1.0, key=KEY), "text_cutoff must be at least 0"),
        (lambda: conditional_vendi(X, Y, bandwidths=BANDWIDTHS, order=-1.0), "order must be a number from 0 to inf"),
        (
            lambda: conditional_vendi(X, Y, kernels=("gaussian", "cosine"), bandwidths=(1.0, None), method="features"),
            "needs shift-invariant kernels here; y has 'cosine'",
        ),
        (lambda: spec(X, Y, kernels=("linear", "cosine")), "kernel must have k"),
    ],
)
def test_bad_arguments(call, sentence: str):
    with pytest.raises(ValueError, match=sentence):
        call()
