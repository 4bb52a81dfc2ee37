"""Nystrom features: exact where landmarks span the data, low and by a known amount elsewhere; any batches agree."""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fkeax
from fkeax import kernels
from fkeax.diversity import nystrom
from tests.helpers import oracle

ORDERS = (0.0, 0.5, 1.0, 1.5, 2.0, math.inf)
GAUSSIAN = kernels.Gaussian(1.5)
KERNELS = {
    "gaussian": (GAUSSIAN, lambda x: oracle.gaussian_gram(x, 1.5)),
    "cosine": (kernels.Cosine(), oracle.cosine_gram),
    "linear": (kernels.Linear(), oracle.linear_gram),
    "polynomial": (kernels.Polynomial(3, 0.25, 1.0), lambda x: (oracle.linear_gram(x) / 4 + 1) ** 3),
    "laplace-l1": (kernels.LaplaceL1(4.0), lambda x: np.exp(-np.abs(x[:, None] - x[None]).sum(axis=2) / 4)),
}


def _rows(num_samples: int, dimension: int = 4, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((num_samples, dimension)) + 0.3


@functools.cache
def _found(num_landmarks: int) -> nystrom.NystromSpectrum:
    """100 rows in float64 under the Gaussian kernel: shared, as every number of landmarks compiles anew."""
    with jax.enable_x64(True):
        return nystrom.nystrom_spectrum(_rows(100), GAUSSIAN, num_landmarks=num_landmarks, key=jax.random.key(1))


@functools.cache
def _exact() -> np.ndarray:
    return oracle.gram_spectrum(oracle.gaussian_gram(_rows(100), 1.5))


def _descending(found: nystrom.NystromSpectrum) -> np.ndarray:
    """Eigenvalues before scaling, largest first."""
    return np.sort(np.asarray(found.spectrum.values, np.float64))[::-1] * (1 - found.trace_deficit)


@pytest.mark.parametrize("name", KERNELS)
def test_all_rows_as_landmarks_give_the_exact_spectrum(name, key, x64):
    """1e-8 in float64: what the relative cut leaves out is below n^2 eps of the trace, 1e-12."""
    kernel, gram = KERNELS[name]
    x = _rows(100)
    found = nystrom.nystrom_spectrum(x, kernel, num_landmarks=100, key=key)
    np.testing.assert_allclose(_descending(found), oracle.gram_spectrum(gram(x)), rtol=0, atol=1e-8)
    assert found.trace_deficit == pytest.approx(0, abs=1e-8)
    assert found.num_samples == found.num_landmarks == 100


def test_explicit_features_need_no_more_landmarks_than_dimensions(key, x64):
    """The cosine kernel has rank d: any d rows in general position span it."""
    x = _rows(100)
    found = nystrom.nystrom_spectrum(x, kernels.Cosine(), num_landmarks=20, key=key)
    np.testing.assert_allclose(_descending(found)[:4], oracle.gram_spectrum(oracle.cosine_gram(x))[:4], atol=1e-10)
    assert found.num_features == 4  # of 20 landmarks, those that span nothing new are cut off


def test_single_precision_is_near_double(key):
    """float32 eigenvalues within 1e-5: the cut at (8 + m/32) eps of m times the largest, over n, is 8e-6 in all."""
    x = _rows(100)
    found = nystrom.nystrom_spectrum(x.astype(np.float32), GAUSSIAN, num_landmarks=100, key=key)
    assert found.spectrum.values.dtype == np.float32
    np.testing.assert_allclose(_descending(found), _exact(), rtol=0, atol=1e-5)


@pytest.mark.parametrize("num_landmarks", [5, 20, 60])
def test_no_eigenvalue_is_too_large_and_the_deficit_is_what_they_lack(num_landmarks):
    """K - K^ is positive semi-definite, so eigenvalues are low one by one; their sum is known. Rounding: 1e-10."""
    found = _found(num_landmarks)
    missing = _exact() - np.append(_descending(found), np.zeros(100 - num_landmarks))
    assert np.all(missing >= -1e-10)
    assert found.trace_deficit == pytest.approx(float(missing.sum()), abs=1e-9)
    assert 0 < found.trace_deficit < 1
    assert float(found.spectrum.values.sum()) == pytest.approx(1)


@pytest.mark.parametrize("order", ORDERS)
def test_score_bounds_hold(order):
    score = oracle.hill_number(_exact(), order)
    widths = []
    for num_landmarks in (5, 20, 60, 100):
        low, high = _found(num_landmarks).score_bounds(order)
        assert 1 <= low <= score * (1 + 1e-9)
        assert score <= high * (1 + 1e-9)
        assert high <= 100
        widths.append(high - low)
    assert order < 1 or widths[-1] < 1e-4 * score
    assert widths == sorted(widths, reverse=True)


def test_spread_spectrum_keeps_what_is_known():
    """n entries that sum to 1, the features' own unscaled; from order 2 on closer than scaling, at every m here."""
    for num_landmarks in (5, 20, 60):
        found = _found(num_landmarks)
        spread = found.spread_spectrum()
        assert spread.size == 100
        assert spread.sum() == pytest.approx(1, abs=1e-12)
        np.testing.assert_allclose(np.sort(spread)[-3:], _descending(found)[2::-1], rtol=1e-12)
        for order in (2.0, math.inf):
            score = oracle.hill_number(_exact(), order)
            scaled = oracle.hill_number(np.asarray(found.spectrum.values, np.float64), order)
            assert scaled < score
            assert abs(oracle.hill_number(spread, order) - score) < abs(scaled - score)
    np.testing.assert_allclose(np.sort(_found(100).spread_spectrum())[::-1], _exact(), atol=1e-8)


def test_agrees_with_scikit_learn(x64):
    """The same landmarks, the same normalisation K_mm^(-1/2): inner products of features agree to 1e-9."""
    from sklearn.kernel_approximation import Nystroem

    x = _rows(100)
    peer = Nystroem(kernel="rbf", gamma=1 / (2 * 1.5**2), n_components=20, random_state=0)
    theirs = peer.fit_transform(x)
    mapped = nystrom.nystrom_map(GAUSSIAN, x[peer.component_indices_])
    ours = np.asarray(nystrom.nystrom_features(mapped, jnp.asarray(x) - mapped.centre[None, :]))
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-9)
    state = nystrom.update(nystrom.init(mapped), x)
    expected = np.linalg.eigvalsh(theirs.T @ theirs / len(x))[::-1]
    np.testing.assert_allclose(_descending(nystrom.finalize(state)), expected, atol=1e-10)


def test_any_batches_give_the_same_number(key, x64):
    x = _rows(100)
    for kernel in (GAUSSIAN, kernels.Cosine(), kernels.Linear()):
        whole = nystrom.nystrom_spectrum(x, kernel, num_landmarks=20, key=key)
        parts = nystrom.nystrom_spectrum(x, kernel, num_landmarks=20, key=key, batch_size=64)
        mapped = nystrom.nystrom_map(kernel, nystrom.sample_landmarks(key, x, 20))
        first = nystrom.update(nystrom.init(mapped), x[:60])
        second = nystrom.update(nystrom.update(nystrom.init(mapped), x[60:]), x[:0])
        merged = nystrom.finalize(nystrom.merge(second, first))
        for other in (parts, merged):
            np.testing.assert_allclose(other.spectrum.values, whole.spectrum.values, atol=1e-12)
            assert other.trace_deficit == pytest.approx(whole.trace_deficit, abs=1e-12)
            assert other.num_samples == 100


def test_states_of_other_landmarks_do_not_merge():
    x = _rows(40)
    one, other, third = (
        nystrom.init(nystrom.nystrom_map(kernel, rows))
        for kernel, rows in (
            (kernels.Gaussian(1.0), x[:5]),
            (kernels.Gaussian(1.0), x[5:10]),
            (kernels.Gaussian(2.0), x[:5]),
        )
    )
    nystrom.merge(one, one)
    for foreign in (other, third):
        with pytest.raises(ValueError, match="must share one map; theirs differ in landmarks or kernel"):
            nystrom.merge(one, foreign)


def test_far_from_the_origin(key):
    """float64 rows at 1e6 are centred before the cast: the same spectrum to the rounding of float32."""
    x = _rows(100)
    near = nystrom.nystrom_spectrum(x, GAUSSIAN, num_landmarks=100, key=key)
    far = nystrom.nystrom_spectrum(x + 1e6, GAUSSIAN, num_landmarks=100, key=key)
    np.testing.assert_allclose(far.spectrum.values, near.spectrum.values, atol=1e-5)


def test_identical_points_score_one(key):
    found = nystrom.nystrom_spectrum(np.full((1000, 3), 7.0), kernels.Gaussian(1.0), num_landmarks=10, key=key)
    assert found.num_features == 1  # copies of a landmark are cut off
    for order in ORDERS:
        assert float(fkeax.vendi_from_spectrum(found.spectrum.values, order)) == pytest.approx(1, abs=1e-6)
        assert oracle.hill_number(found.spread_spectrum(), order, cutoff=0) == pytest.approx(1, abs=1e-6)


def test_landmarks_are_distinct_rows_that_the_key_decides():
    x = np.arange(50.0)[:, None]
    drawn = nystrom.sample_landmarks(jax.random.key(0), x, 20)
    assert len(np.unique(drawn)) == 20
    np.testing.assert_array_equal(drawn, nystrom.sample_landmarks(jax.random.key(0), x, 20))
    assert not np.array_equal(drawn, nystrom.sample_landmarks(jax.random.key(1), x, 20))


def test_landmarks_are_uniform():
    """How often each of 12 rows is among 3, over 400 keys: chi-square over 11 degrees, false-alarm rate 1e-4.

    Inclusions without replacement vary by (1 - 3/12) of the multinomial, which the statistic is divided by, and the
    factor 11/12 of their covariance is inside the chi-square's degrees of freedom.
    """
    from scipy import stats

    x = np.arange(12)[:, None]
    counts = sum(np.bincount(nystrom.sample_landmarks(jax.random.key(k), x, 3)[:, 0], minlength=12) for k in range(400))
    statistic = np.sum((counts - 100) ** 2) / 100 / (1 - 3 / 12) * 11 / 12
    assert statistic < stats.chi2.isf(1e-4, 11)


def test_diagnostics_are_plain_numbers():
    found = _found(20)
    assert found.diagnostics() == {
        "trace_deficit": found.trace_deficit,
        "num_landmarks": 20,
        "num_features": found.num_features,
    }
    assert 0 < found.num_features <= 20


@pytest.mark.slow
@pytest.mark.parametrize(
    ("num_landmarks", "scaled", "spread"), [(100, (2.67, 9.9), (7.18, 151)), (800, (5.16, 39), (6.99, 95))]
)
def test_numbers_of_the_docstring(num_landmarks, scaled, spread):
    """N(0, I_64), s = 8, n = 2000: RKE and VENDI-1 by both choices, against exact ones. 2 %: the draw of landmarks."""
    x = np.random.default_rng(0).standard_normal((2000, 64))
    found = nystrom.nystrom_spectrum(x, kernels.Gaussian(8.0), num_landmarks=num_landmarks, key=jax.random.key(5))
    for order, low, high in zip((2, 1), scaled, spread, strict=True):
        assert float(fkeax.vendi_from_spectrum(found.spectrum.values, order)) == pytest.approx(low, rel=0.02)
        assert oracle.hill_number(found.spread_spectrum(), order, cutoff=0) == pytest.approx(high, rel=0.02)
    exact = oracle.gram_spectrum(oracle.gaussian_gram(x, 8.0))
    for order, value in ((2, 6.98), (1, 87.5)):
        score = oracle.hill_number(exact, order)
        assert score == pytest.approx(value, rel=0.001)
        lowest, highest = found.score_bounds(order)
        assert lowest <= score <= highest


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, k: nystrom.nystrom_spectrum(x, k, num_landmarks=5), "key is needed for the landmarks"),
        (
            lambda x, k: nystrom.nystrom_spectrum(x, k, num_landmarks=21, key=jax.random.key(0)),
            "num_landmarks must be at most the number of rows, 20; got 21",
        ),
        (
            lambda x, k: nystrom.nystrom_spectrum(x, k, num_landmarks=0, key=jax.random.key(0)),
            "num_landmarks must be at least 1",
        ),
        (
            lambda x, k: nystrom.nystrom_spectrum([x, x], k, num_landmarks=5, key=jax.random.key(0)),
            "x is a stream of batches; landmarks are drawn from all samples at once",
        ),
        (
            lambda x, k: nystrom.nystrom_spectrum(
                np.append(x, [[np.nan] * 4], 0), k, num_landmarks=5, key=jax.random.key(0)
            ),
            "x must be finite; NaN or infinity in row 20",
        ),
        (lambda x, k: nystrom.update(nystrom.init(nystrom.nystrom_map(k, x)), x[:, :3]), "batch must have 4 columns"),
        (lambda x, k: nystrom.finalize(nystrom.init(nystrom.nystrom_map(k, x))), "the state must have seen rows"),
        (lambda x, k: nystrom.nystrom_map(kernels.Linear(), np.zeros((3, 2))), "kernel must be positive semi-definite"),
    ],
)
def test_bad_input_is_one_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call(_rows(20), kernels.Gaussian(1.0))
