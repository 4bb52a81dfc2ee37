"""FKEA's error over random frequencies: its exact law, the debiased value, and the errors that results report.

Every statistical test fixes its keys and states how often a right implementation would fail at other keys.
"""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fkeax
from fkeax import features, kernels
from fkeax.diversity import streaming
from tests.helpers import oracle, statistics

NUM_DRAWS = 30
SETTINGS = {
    "clusters": (
        lambda rng: np.repeat(4.0 * rng.standard_normal((5, 6)), 20, axis=0) + 0.3 * rng.standard_normal((100, 6)),
        1.5,
        24,
    ),
    "gaussian": (lambda rng: rng.standard_normal((100, 8)), 3.0, 40),
    "far": (lambda rng: 10.0 * rng.standard_normal((60, 16)), 1.0, 16),
}
TWO_FAST = ["clusters", "far", pytest.param("gaussian", marks=pytest.mark.slow)]
ONE_FAST = ["clusters", *(pytest.param(name, marks=pytest.mark.slow) for name in ("far", "gaussian"))]


@functools.cache
def _setting(name: str) -> tuple[np.ndarray, np.ndarray, float, int]:
    make, bandwidth, r = SETTINGS[name]
    x = make(np.random.default_rng(1)).astype(np.float32)
    return x, oracle.gaussian_gram(x, bandwidth), bandwidth, r


@functools.partial(jax.jit, static_argnames="num_frequencies")
def _draws(keys: jax.Array, rows: jax.Array, bandwidth: float, *, num_frequencies: int) -> jax.Array:
    def draw(key: jax.Array) -> jax.Array:
        fourier_map = features.sample_fourier_map(
            key, kernels.Gaussian(bandwidth), num_frequencies, jnp.mean(rows, axis=0)
        )
        return streaming.finalize(streaming.scan_rows(streaming.init(fourier_map), rows, batch_size=len(rows)))

    return jax.vmap(draw)(keys)


def _covariances(x: np.ndarray, bandwidth: float, r: int, num_draws: int, seed: int) -> np.ndarray:
    """Covariances of `num_draws` independent maps, (draws, 2r, 2r), by the package's own pieces."""
    keys = jax.random.split(jax.random.key(seed), num_draws)
    return np.asarray(_draws(keys, jnp.asarray(x, jnp.float32), bandwidth, num_frequencies=r), np.float64)


@pytest.mark.parametrize("name", TWO_FAST)
def test_mean_squared_norm_is_the_formula(name):
    """E||C||_F^2 = mean k^2 + mean (1 - k^2)^2/(2r): |z| < 4 over 30 draws, false-alarm rate 4e-4 (t, 29 degrees)."""
    x, gram, bandwidth, r = _setting(name)
    squares = np.sum(_covariances(x, bandwidth, r, NUM_DRAWS, 10) ** 2, axis=(1, 2))
    assert abs(statistics.z_score(squares, oracle.expected_squared_norm(gram, r))) < 4
    if name == "far":  # where the excess dwarfs the spread, the test can tell the formula from mean k^2 alone
        assert statistics.z_score(squares, oracle.second_moment(gram)) > 10


@pytest.mark.parametrize("name", TWO_FAST)
def test_debiased_second_moment_is_unbiased(name):
    """|z| < 4 over 30 draws, false-alarm rate 4e-4."""
    x, gram, bandwidth, r = _setting(name)
    draws = [oracle.debiased_second_moment(c) for c in _covariances(x, bandwidth, r, NUM_DRAWS, 11)]
    assert abs(statistics.z_score(draws, oracle.second_moment(gram))) < 4


@pytest.mark.parametrize("name", ONE_FAST)
def test_public_scores_follow_the_same_laws(name):
    """The scores a user sees, at 30 keys: 1/RKE plain and debiased. |z| < 4 each, false-alarm rate 4e-4 each."""
    x, gram, bandwidth, r = _setting(name)
    plain, debiased = [], []
    for seed in range(NUM_DRAWS):
        results = fkeax.score(
            x, metrics=("rke",), bandwidth=bandwidth, method="fkea", num_frequencies=r, key=jax.random.key(seed)
        )
        plain.append(1.0 / float(results["rke"]))
        debiased.append(float(results["rke-debiased"].diagnostics["second_moment"]))
        if results["rke-debiased"].value is not None:
            assert float(results["rke-debiased"]) == pytest.approx(1.0 / debiased[-1], rel=1e-5)
    assert abs(statistics.z_score(plain, oracle.expected_squared_norm(gram, r))) < 4
    assert abs(statistics.z_score(debiased, oracle.second_moment(gram))) < 4


def test_several_draws_average_the_second_moment_then_invert():
    """30 draws in one call: one over the mean of unbiased m2, its error from the spread. |z| < 5, rate 3e-5 (t, 29
    degrees).
    """
    x, gram, bandwidth, r = _setting("gaussian")
    result = fkeax.score(
        x,
        metrics=("rke",),
        bandwidth=bandwidth,
        method="fkea",
        num_frequencies=r,
        num_draws=NUM_DRAWS,
        key=jax.random.key(5),
    )["rke-debiased"]
    moment, error = (float(result.diagnostics[name]) for name in ("second_moment", "second_moment_stderr"))
    assert abs(moment - oracle.second_moment(gram)) < 5 * error
    assert float(result) == pytest.approx(1.0 / moment, rel=1e-5)
    assert result.stderr == pytest.approx(error / moment**2, rel=1e-3)


def test_normal_law_in_32_dimensions():
    """N(0, I_32), s = 4, n = 400, r = 16. Published for one sample: plain 16.6, debiased 32.35, exact 32.35.

    Over 200 draws of frequencies on one sample: |z| < 4 (rate 9e-5). The published sample is another one, so its
    exact value must lie within 4 standard deviations of 20 fresh samples' (rate 8e-4), and its plain value follows by
    the formula.
    """
    moments, expected = [], []
    for seed in range(20):
        gram = oracle.gaussian_gram(np.random.default_rng(seed).standard_normal((400, 32)), 4.0)
        moments.append(oracle.second_moment(gram))
        expected.append(oracle.expected_squared_norm(gram, 16))
    assert abs(1 / 32.35 - np.mean(moments)) < 4 * np.std(moments, ddof=1) * math.sqrt(1 + 1 / 20)
    assert abs(1 / 16.6 - np.mean(expected)) < 4 * np.std(expected, ddof=1) * math.sqrt(1 + 1 / 20) + 0.05 / 16.6**2
    x = np.random.default_rng(0).standard_normal((400, 32)).astype(np.float32)
    covariances = _covariances(x, 4.0, 16, 200, 12)
    assert abs(statistics.z_score(np.sum(covariances**2, axis=(1, 2)), expected[0])) < 4
    debiased = [oracle.debiased_second_moment(c) for c in covariances]
    assert abs(statistics.z_score(debiased, moments[0])) < 4
    assert np.mean(1 / np.array(debiased)) > 1 / np.mean(debiased)  # Jensen: why m2 is averaged before it is inverted


@pytest.mark.parametrize("name", TWO_FAST)
def test_spectrum_error_bound(name):
    """Mean ||lambda~ - lambda||_2^2 <= mean (1 - k^2)^2/(2r) <= 1/(2r): one-sided, 4 standard errors (rate 2e-4)."""
    x, gram, bandwidth, r = _setting(name)
    exact = oracle.gram_spectrum(gram)
    squares = [
        oracle.spectrum_distance(oracle.covariance_spectrum(c), exact) ** 2
        for c in _covariances(x, bandwidth, r, NUM_DRAWS, 13)
    ]
    bound = oracle.expected_spectrum_error(gram, r)
    assert statistics.z_score(squares, bound**2) < 4
    assert bound <= 1 / math.sqrt(2 * r)


@pytest.mark.parametrize("name", ONE_FAST)
def test_reported_spectrum_error_is_no_smaller_than_the_truth(name):
    """The diagnostic estimates, or bounds from above, the root mean square bound on ||lambda~ - lambda||_2."""
    x, gram, bandwidth, r = _setting(name)
    result = fkeax.fkea(x, bandwidth=bandwidth, num_frequencies=r, key=jax.random.key(0))["vendi-1"]
    reported = float(result.diagnostics["expected_spectrum_error"])
    assert reported <= 1 / math.sqrt(2 * r) * (1 + 1e-6)
    assert reported >= 0.9 * oracle.expected_spectrum_error(gram, r)


def test_stderr_of_the_debiased_rke_is_calibrated():
    """The frequency jackknife against the spread over 100 draws: ratio inside its F interval of level 1e-4.

    r = 96 frequencies; the jackknife's own upward bias is O(1/r), 1 % here, inside the interval's 25 %.
    """
    x, _, bandwidth, _ = _setting("clusters")
    values, errors = [], []
    for seed in range(100):
        result = fkeax.score(
            x, metrics=("rke",), bandwidth=bandwidth, method="fkea", num_frequencies=96, key=jax.random.key(1000 + seed)
        )["rke-debiased"]
        values.append(float(result))
        errors.append(float(result.stderr))
    low, high = statistics.spread_ratio_bounds(100, 95, 1e-4)
    assert low < statistics.spread_ratio(values, errors) < high


def test_too_few_frequencies_for_a_debiased_score_say_so():
    """N(0, I_256), s = 4, n = 400, r = 64: the population second moment comes out <= 0 in about 48 % of draws.

    40 draws: within 4 standard deviations of the binomial, false-alarm rate 6e-5.
    """
    x = np.random.default_rng(3).standard_normal((400, 256)).astype(np.float32)
    refused = 0
    for seed in range(40):
        result = fkeax.score(
            x, metrics=("rke",), bandwidth=4.0, method="fkea", num_frequencies=64, key=jax.random.key(seed)
        )["rke-population"]
        assert math.isfinite(float(result.diagnostics["second_moment"]))
        assert (result.value is None) == (float(result.diagnostics["second_moment"]) <= 0)
        if result.value is None:
            refused += 1
            assert result.stderr is None
            assert result.diagnostics["reason"]
            with pytest.raises(ValueError, match="second moment"):
                float(result)
    assert abs(refused - 0.48 * 40) < 4 * math.sqrt(40 * 0.48 * 0.52)


def test_one_frequency_has_no_debiased_score():
    x, _, bandwidth, _ = _setting("gaussian")
    results = fkeax.score(x, bandwidth=bandwidth, method="fkea", num_frequencies=1, key=jax.random.key(0))
    debiased = results["rke-debiased"]
    assert debiased.value is None
    assert debiased.diagnostics["reason"]
    assert 1 - 1e-6 <= float(results["vendi-1"]) <= 2 + 1e-6
