"""Laws of plain scores on any data: bounds, order, invariances. Values are drawn by hypothesis, shapes from short
lists.
"""

from __future__ import annotations

import functools
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fkeax
from fkeax import features, kernels
from fkeax.diversity import streaming
from fkeax.numerics import linalg
from tests.helpers import tolerances

ORDERS = (0.0, 0.5, 1.0 - 1e-6, 1.0, 1.0 + 1e-6, 1.5, 2.0, 7.0, 1e3, math.inf)
NUM_FREQUENCIES = 6
LAWS = settings(deadline=None, derandomize=True, max_examples=25, database=None)

shapes = st.sampled_from([(2, 1), (5, 3), (24, 2)])
seeds = st.integers(0, 2**32 - 1)
# log10 of the spread of the data in bandwidths: from one blob to all points far apart
spreads = st.floats(-2.0, 2.0)
shares_of_copies = st.sampled_from([0.0, 0.5])


def _grid_data(shape: tuple[int, int], seed: int, spread: float, copies: float) -> np.ndarray:
    """Points on a grid of step 2^-8, some of them repeated: float32 holds them, and shifts by 1e4, exactly."""
    rng = np.random.default_rng(seed)
    x = np.clip(10.0**spread * rng.standard_normal(shape), -500, 500)
    x[rng.random(len(x)) < copies] = x[0]
    return np.round(x * 256) / 256


@functools.cache
def _frequencies(dimension: int) -> np.ndarray:
    return np.random.default_rng(dimension).standard_normal((NUM_FREQUENCIES, dimension))


def _covariance(
    x: np.ndarray, *, frequencies: np.ndarray | None = None, centre: np.ndarray | None = None
) -> np.ndarray:
    """FKEA's covariance at fixed frequencies (bandwidth 1), in float32, centred at the mean unless told otherwise."""
    frequencies = _frequencies(x.shape[1]) if frequencies is None else frequencies
    centre = x.mean(axis=0) if centre is None else centre
    fourier_map = features.FourierMap(jnp.asarray(frequencies, jnp.float32), jnp.asarray(centre, jnp.float32))
    return np.asarray(streaming.finalize(streaming.update(streaming.init(fourier_map), x)))


def _fkea_scores(covariance: np.ndarray) -> list[float]:
    spectrum = linalg.normalized_spectrum(jnp.asarray(linalg.eigenvalues(covariance))).values
    return [float(fkeax.vendi_from_spectrum(spectrum, order)) for order in ORDERS]


def _exact_scores(x: np.ndarray) -> list[float]:
    results = fkeax.score(x.astype(np.float32), metrics=("vendi",), orders=ORDERS, bandwidth=1.0, method="exact")
    return [float(results[name]) for name in results]


def _check_laws(scores: list[float], cap: int) -> None:
    """Rounding: a score of a float32 spectrum carries |log p| u <= 16 u in its entropy, 8 ulp of slack in the
    exponential.
    """
    slack = 1 + 32 * tolerances.roundoff("float32") * 4
    by_order = dict(zip(ORDERS, scores, strict=True))
    assert all(1 / slack <= score <= cap * slack for score in scores)
    for larger, smaller in itertools.pairwise(scores):
        assert smaller <= larger * slack
    assert by_order[math.inf] <= by_order[2.0] * slack
    assert by_order[2.0] <= by_order[math.inf] ** 2 * slack
    # V_a^{(a-1)/a} is the a-norm's inverse: V_1000 lies between V_inf and V_inf^{1000/999}
    assert by_order[1e3] <= by_order[math.inf] ** (1e3 / 999) * slack**2


@given(shapes, seeds, spreads, shares_of_copies)
@LAWS
def test_bounds_and_order_of_exact_scores(shape, seed, spread, copies):
    _check_laws(_exact_scores(_grid_data(shape, seed, spread, copies)), cap=shape[0])


@given(shapes, seeds, spreads, shares_of_copies)
@LAWS
def test_bounds_and_order_of_fkea_scores(shape, seed, spread, copies):
    scores = _fkea_scores(_covariance(_grid_data(shape, seed, spread, copies)))
    _check_laws(scores, cap=min(shape[0], 2 * NUM_FREQUENCIES))


@given(st.lists(st.floats(0.0, 1.0, width=32), min_size=6, max_size=6).filter(lambda v: sum(v) > 0.1))
@LAWS
def test_bounds_and_order_of_spectra(values):
    spectrum = np.array(values) / sum(values)
    _check_laws(
        [float(fkeax.vendi_from_spectrum(jnp.asarray(spectrum, jnp.float32), order)) for order in ORDERS], cap=6
    )


def _same_scores(first: np.ndarray, second: np.ndarray, rounding: float) -> None:
    """Two covariances with spectra equal up to `rounding` in 2-norm; orders below 1 amplify small eigenvalues and are
    left out.
    """
    spectrum = np.clip(np.linalg.eigvalsh(first.astype(np.float64)), 0.0, None)
    error = rounding + 2 * tolerances.eigensolver_error(len(first), 1.0, "float32")
    cutoff = linalg.relative_cutoff(len(first), jnp.float32) * float(spectrum.max())
    dropped = tolerances.dropped_mass(spectrum, cutoff, error)
    for order, one, other in zip(ORDERS, _fkea_scores(first), _fkea_scores(second), strict=True):
        if order >= 1.5 or order == 1.0:
            allowed = tolerances.score_error(spectrum / spectrum.sum(), order, error, dropped)
            assert one == pytest.approx(other, rel=allowed), f"order {order}"


def _rounding(x: np.ndarray, frequencies: np.ndarray | None = None) -> float:
    frequencies = _frequencies(x.shape[1]) if frequencies is None else frequencies
    return 2 * tolerances.covariance_error(frequencies, x - x.mean(axis=0), "float32")


@given(shapes, seeds, st.floats(-1.0, 0.5))
@LAWS
def test_translation_by_ten_thousand(shape, seed, spread):
    """Exact on a 2^-8 grid; in one block of float32 and of float64 the scores move by rounding only."""
    x = _grid_data(shape, seed, spread, 0.0)
    for dtype in (np.float32, np.float64):
        shifted = (x + 1e4).astype(dtype)
        np.testing.assert_array_equal(shifted.astype(np.float64) - 1e4, x)
        _same_scores(_covariance(x), _covariance(shifted), _rounding(x))


@pytest.mark.parametrize("method", ["exact", "fkea"])
@pytest.mark.parametrize("dtype", [np.float32, pytest.param(np.float64, marks=pytest.mark.slow)])
def test_translation_of_public_scores(method, dtype):
    """One key, hence the same frequencies: data at 1e4 give the scores of the data at 0, on both routes."""
    x = _grid_data((60, 4), 0, 0.0, 0.0)
    keyed = {"key": jax.random.key(0), "num_frequencies": 32} if method == "fkea" else {}
    near, far = (fkeax.score(rows.astype(dtype), bandwidth=2.0, method=method, **keyed) for rows in (x, x + 1e4))
    for name, result in near.items():
        if result.value is not None:
            # angles or squared distances of size 10 carry 60 u; the entropy of 60 eigenvalues multiplies by log 60
            assert float(far[name]) == pytest.approx(float(result), rel=1e-4), name


@given(shapes, seeds, st.floats(-1.0, 0.5), st.sampled_from([0.25, 3.0, 1e3]))
@LAWS
def test_data_and_bandwidth_scale_together(shape, seed, spread, factor):
    """(cX, c s) = (X, s): at fixed standard normals the frequencies are divided by c."""
    x = _grid_data(shape, seed, spread, 0.0)
    scaled = _covariance(factor * x, frequencies=_frequencies(shape[1]) / factor)
    _same_scores(_covariance(x), scaled, _rounding(x))


@pytest.mark.parametrize("factor", [3.0, pytest.param(1e3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", ["exact", "fkea"])
def test_public_scores_scale(x64, method, factor):
    x = _grid_data((60, 4), 1, 0.0, 0.0)
    keyed = {"key": jax.random.key(0), "num_frequencies": 32} if method == "fkea" else {}
    plain = fkeax.score(x, bandwidth=2.0, method=method, **keyed)
    scaled = fkeax.score(factor * x, bandwidth=factor * 2.0, method=method, **keyed)
    for name, result in plain.items():
        assert float(scaled[name]) == pytest.approx(float(result), rel=1e-8), name


@given(shapes, seeds, st.floats(-1.0, 0.5), st.sampled_from([2, 3]))
@LAWS
def test_duplication_changes_no_plain_score(shape, seed, spread, times):
    x = _grid_data(shape, seed, spread, 0.0)
    centre = x.mean(axis=0)
    repeated = _covariance(np.concatenate([x] * times), centre=centre)
    _same_scores(_covariance(x, centre=centre), repeated, _rounding(x))


@given(shapes, seeds, st.floats(-1.0, 0.5), st.integers(1, 23))
@LAWS
def test_covariance_of_a_union_is_the_weighted_mean(shape, seed, spread, cut):
    x = _grid_data(shape, seed, spread, 0.0)
    cut = min(cut, len(x) - 1)
    centre = x.mean(axis=0)
    parts = [_covariance(part, centre=centre) for part in (x[:cut], x[cut:])]
    mean = (cut * parts[0].astype(np.float64) + (len(x) - cut) * parts[1]) / len(x)
    error = np.linalg.norm(_covariance(x, centre=centre) - mean)
    assert error <= 2 * tolerances.growth(len(x) + 2, "float32")


@given(shapes, seeds, st.floats(-1.0, 0.5))
@LAWS
def test_order_of_rows_does_not_matter(shape, seed, spread):
    x = _grid_data(shape, seed, spread, 0.0)
    centre = x.mean(axis=0)
    _same_scores(_covariance(x, centre=centre), _covariance(x[::-1].copy(), centre=centre), _rounding(x))


@pytest.mark.parametrize("num_frequencies", [3, 50])
def test_order_two_is_rke_on_the_feature_route(num_frequencies):
    x = _grid_data((40, 3), 2, 0.0, 0.0).astype(np.float32)
    results = fkeax.fkea(x, bandwidth=1.5, num_frequencies=num_frequencies, key=jax.random.key(1))
    # one Frobenius norm against a sum of squared eigenvalues of a float32 matrix
    allowed = 2 * tolerances.growth((2 * num_frequencies) ** 2, "float32")
    assert float(results["vendi-2"]) == pytest.approx(float(results["rke"]), rel=allowed)


def test_gaussian_kernel_needs_no_map_to_be_shift_invariant(x64):
    x = _grid_data((10, 2), 3, 0.0, 0.0)
    kernel = kernels.Gaussian(1.0)
    near = kernel(jnp.asarray(x[0]), jnp.asarray(x[1]))
    far = kernel(jnp.asarray(x[0] + 1e4), jnp.asarray(x[1] + 1e4))
    assert float(near) == float(far)
