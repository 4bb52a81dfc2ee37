"""Truncated VENDI: its definition, its limits, its gradient, and that it converges where VENDI still grows."""

from __future__ import annotations

import functools
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax.diversity import entropy, truncation
from fkeax.numerics import linalg
from tests.helpers import closed_forms as forms
from tests.helpers import oracle, tolerances

ORDERS = (0.5, 1.0, 1.5, 2.0, math.inf)


def _spread(spectrum: np.ndarray, num_kept: int) -> np.ndarray:
    """The definition in words: the t largest, and (1 - their sum)/t on top of each."""
    kept = np.sort(spectrum)[::-1][:num_kept]
    return kept + (1 - kept.sum()) / num_kept


def _spectrum(size: int, seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).exponential(size=size) ** 2
    return values / values.sum()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("num_kept", [1, 2, 7, 29])
def test_is_vendi_of_the_spread_spectrum(num_kept, order, x64):
    spectrum = _spectrum(30)
    expected = oracle.hill_number(_spread(spectrum, num_kept), order)
    assert float(truncation.truncated_vendi(spectrum, num_kept, order)) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_all_eigenvalues_kept_is_plain_vendi_to_the_bit(dtype, x64):
    spectrum = np.random.default_rng(1).permutation(np.append(_spectrum(28), [0.0, 0.0])).astype(dtype)
    for order, num_kept in itertools.product((0.0, *ORDERS), (30, 31, 10**12)):
        plain = entropy.vendi_from_spectrum(spectrum, order)
        assert float(truncation.truncated_vendi(spectrum, num_kept, order)) == float(plain)
    counted = float(truncation.truncated_vendi(spectrum, 29, 0.0))
    assert counted == pytest.approx(28, rel=1e-6)  # a zero among the kept stays one: there was nothing to spread


def test_takes_what_normalized_spectrum_returns(x64):
    eigenvalues = jnp.asarray([-1e-18, 1e-17, 1.0, 2.0, 5.0])
    found = linalg.normalized_spectrum(eigenvalues)
    expected = oracle.hill_number(_spread(np.array([1.0, 2.0, 5.0]) / 8, 2), 1)
    assert float(truncation.truncated_vendi(found, 2)) == pytest.approx(expected, rel=1e-12)
    assert float(truncation.truncated_vendi(found, 3)) == float(entropy.vendi_from_spectrum(found.values))


def test_one_kept_eigenvalue_scores_one_and_a_flat_spectrum_scores_t():
    assert float(truncation.truncated_vendi(_spectrum(9), 1)) == pytest.approx(1, abs=1e-6)
    for order in ORDERS:
        assert float(truncation.truncated_vendi(np.full(12, 1 / 12), 5, order)) == pytest.approx(5, rel=1e-5)


def test_never_above_t_and_non_increasing_in_the_order(x64):
    spectrum = _spectrum(40)
    for num_kept in (2, 10, 39):
        scores = [float(truncation.truncated_vendi(spectrum, num_kept, order)) for order in ORDERS]
        assert all(1 <= score <= num_kept * (1 + 1e-12) for score in scores)
        assert all(low <= high * (1 + 1e-12) for high, low in itertools.pairwise(scores))


def test_traced_num_kept_and_vmap_compile_once():
    spectra = jnp.asarray(np.stack([_spectrum(16, seed) for seed in range(3)]), jnp.float32)
    traces = []

    @jax.jit
    def table(spectra, counts):
        traces.append(None)
        row = jax.vmap(truncation.truncated_vendi, in_axes=(None, 0))
        return jax.vmap(row, in_axes=(0, None))(spectra, counts)

    for counts in ([1, 4, 16], [2, 3, 5]):
        found = table(spectra, jnp.asarray(counts))
        expected = [[oracle.hill_number(_spread(np.asarray(s, float), t), 1.0) for t in counts] for s in spectra]
        np.testing.assert_allclose(found, expected, rtol=2e-6)
    assert len(traces) == 1


@pytest.mark.parametrize("order", [0.5, 1.0, 2.0, math.inf])
def test_gradient_is_finite_and_right(order, x64):
    """Finite at zeros and ties; where the spectrum is in general position, equal to central differences at 1e-5."""
    awkward = jnp.asarray([0.0, 0.0, 0.1, 0.1, 0.3, 0.5])
    for num_kept in (1, 3, 4, 5, 6):
        assert np.isfinite(jax.grad(truncation.truncated_vendi)(awkward, jnp.asarray(num_kept), order)).all()
    spectrum, step = jnp.asarray(_spectrum(8)), 1e-4
    gradient = jax.grad(truncation.truncated_vendi)(spectrum, jnp.asarray(4), order)
    direction = np.random.default_rng(2).standard_normal(8)
    trace_free = jnp.asarray((direction - direction.mean()) * np.asarray(spectrum).min())
    value = jax.jit(functools.partial(truncation.truncated_vendi, num_kept=jnp.asarray(4), order=order))
    difference = (value(spectrum + step * trace_free) - value(spectrum - step * trace_free)) / (2 * step)
    assert float(gradient @ trace_free) == pytest.approx(float(difference), rel=1e-5)


def _normal_spectrum(dimension: int, bandwidth: float, size: int) -> np.ndarray:
    """The largest eigenvalues of N(0, I_d): (1-B)^d B^k, C(k+d-1, d-1) times each."""
    ratio, values, k = forms.gaussian_ratio(1.0, bandwidth), [], 0
    while len(values) < size:
        values += [(1 - ratio) ** dimension * ratio**k] * math.comb(k + dimension - 1, dimension - 1)
        k += 1
    return np.array(values[:size])


def test_closed_form_of_the_normal_law():
    """The enumeration above sums to 1 and gives the closed-form VENDI, before anything is tested against it."""
    whole = _normal_spectrum(2, 1.0, 20_000)
    assert whole.sum() == pytest.approx(1, abs=1e-12)
    assert oracle.hill_number(whole, 1.0, cutoff=0) == pytest.approx(forms.gaussian_vendi([1, 1], 1.0, 1.0), rel=1e-10)


BANDWIDTH, NUM_KEPT = 1.5, 30  # of N(0, I_8); the 30 largest eigenvalues hold 43 % of the mass


@functools.cache
def _sampled_spectrum(num_samples: int, seed: int = 0) -> np.ndarray:
    x = np.random.default_rng(seed + num_samples).standard_normal((num_samples, 8))
    return np.abs(oracle.gram_spectrum(oracle.gaussian_gram(x, BANDWIDTH)))


def _population_kept() -> np.ndarray:
    return _spread(_normal_spectrum(8, BANDWIDTH, NUM_KEPT), NUM_KEPT)


def test_kept_eigenvalues_are_off_by_one_over_root_n():
    """2-norm of the error after spreading, N(0, I_8), t = 30: at most (1 + sqrt(log 1e4))/sqrt(n) at rate 1e-4.

    Spreading subtracts the mean of the errors, a projection, so the error is at most ||K/n - C||. That norm has mean
    square (1 - E k^2)/n and, moved by sqrt(2)/n a sample, concentrates with exp(-n t^2) (McDiarmid).
    """
    for num_samples in (200, 400, 800):
        error = np.linalg.norm(_spread(_sampled_spectrum(num_samples), NUM_KEPT) - _population_kept())
        assert error <= (1 + math.sqrt(math.log(1e4))) / math.sqrt(num_samples)


def test_truncated_converges_where_plain_still_grows():
    """N(0, I_8), s = 1.5, order 1, means of 3 data sets: truncated within 2 % of its population value, 27.1.

    One data set of 800 varies by 0.7 % (40 seeds), so 2 % is five errors of the mean of three. Plain VENDI, 403 in the
    population, must grow by more than a half from n = 200 to 800 and still be below two thirds of that.
    """
    population = forms.gaussian_vendi([1.0] * 8, BANDWIDTH, 1.0)
    plain, kept = {}, {}
    for n in (200, 800):
        spectra = [_sampled_spectrum(n, seed) for seed in range(3)]
        plain[n] = np.mean([float(entropy.vendi_from_spectrum(spectrum)) for spectrum in spectra])
        kept[n] = np.mean([float(truncation.truncated_vendi(spectrum, NUM_KEPT)) for spectrum in spectra])
    assert kept[800] == pytest.approx(oracle.hill_number(_population_kept(), 1.0), rel=0.02)
    assert kept[200] == pytest.approx(kept[800], rel=0.05)
    assert 1.5 * plain[200] < plain[800] < 2 / 3 * population


def test_order_two_is_within_its_perturbation_bound():
    """Order 2 at n = 800: the bound of the 2-norm above, turned into one of the score."""
    expected = _population_kept()
    error = (1 + math.sqrt(math.log(1e4))) / math.sqrt(800)
    relative = tolerances.score_error(expected, 2.0, error)
    score = float(truncation.truncated_vendi(_sampled_spectrum(800), NUM_KEPT, 2.0))
    assert score == pytest.approx(oracle.hill_number(expected, 2.0), rel=relative)


@pytest.mark.parametrize(
    ("spectrum", "num_kept", "message"),
    [
        ([0.5, 0.5], 0, "num_kept must be at least 1; got 0"),
        ([0.6, 0.5, -0.1], 2, "spectrum must hold numbers that are not negative"),
        ([0.6, 0.3], 1, "sum to 1"),
        ([[0.5, 0.5]], 1, "spectrum must be one vector"),
    ],
)
def test_bad_input_is_one_sentence(spectrum, num_kept, message):
    with pytest.raises(ValueError, match=message):
        truncation.truncated_vendi(np.array(spectrum), num_kept)
