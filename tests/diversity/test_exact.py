"""The exact and the dual route against the float64 oracle, and the routes against each other."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
import pytest

import fkeax
from tests.helpers import oracle, tolerances

ORDERS = (0.5, 1.0 - 1e-6, 1.0, 1.0 + 1e-6, 1.5, 2.0, 3.0, math.inf)
SHAPES = [(1, 3), (50, 4), (120, 40)]


def _name(order: float) -> str:
    return f"vendi-{order:.12g}"


def _data(n: int, d: int, dtype: str, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d)).astype(dtype)


def _gram(x: np.ndarray, kernel: str, bandwidth: float | None) -> np.ndarray:
    if kernel == "gaussian":
        assert bandwidth is not None
        return oracle.gaussian_gram(x, bandwidth)
    return oracle.cosine_gram(x) if kernel == "cosine" else oracle.linear_gram(x)


def _vendi(x, order: float, **settings) -> float:
    return float(fkeax.vendi(x, order=order, **settings))


@pytest.mark.parametrize(("n", "d"), SHAPES)
@pytest.mark.parametrize("kernel", ["gaussian", "cosine", "linear"])
def test_float64_to_a_millionth(x64, n, d, kernel):
    """The contract, 1e-6 relative; orders >= 1 are held to their perturbation bound as well, which is far below."""
    x = _data(n, d, "float64")
    bandwidth = math.sqrt(d) if kernel == "gaussian" else None
    gram = _gram(x, kernel, bandwidth)
    spectrum = oracle.gram_spectrum(gram)
    results = fkeax.score(x, orders=ORDERS, kernel=kernel, bandwidth=bandwidth, method="exact")
    for order in ORDERS:
        expected = oracle.vendi_from_gram(gram, order)
        found = float(results[_name(order)])
        assert found == pytest.approx(expected, rel=tolerances.CONTRACT_RELATIVE), f"order {order}"
    normalised = gram / np.trace(gram) * n
    assert float(fkeax.rke(x, kernel=kernel, bandwidth=bandwidth, method="exact")) == pytest.approx(
        1.0 / oracle.second_moment(normalised), rel=1e-12
    )
    assert len(spectrum) == n


def _float32_bound(x: np.ndarray, kernel: str, bandwidth: float | None, order: float, cutoff: float) -> float:
    gram = _gram(x, kernel, bandwidth)
    if kernel == "gaussian":
        assert bandwidth is not None
        entries = tolerances.gaussian_gram_error(x.astype(np.float64), gram, bandwidth, "float32")
    else:
        entries = tolerances.cosine_gram_error(*x.shape, "float32")
    spectrum = oracle.gram_spectrum(gram)
    error = tolerances.gram_spectrum_error(gram, entries, "float32")
    return tolerances.score_error(spectrum, order, error, tolerances.dropped_mass(spectrum, cutoff, error))


@pytest.mark.parametrize(("n", "d"), SHAPES)
@pytest.mark.parametrize("kernel", ["gaussian", "cosine"])
def test_float32_to_its_derived_bound(n, d, kernel):
    x = _data(n, d, "float32")
    bandwidth = math.sqrt(d) if kernel == "gaussian" else None
    gram = _gram(x, kernel, bandwidth)
    for order in (1.0, 1.5, 2.0, 3.0, math.inf):
        result = fkeax.vendi(x, order=order, kernel=kernel, bandwidth=bandwidth, method="exact")
        assert result.settings["dtype"] == "float32"
        allowed = _float32_bound(x, kernel, bandwidth, order, cutoff=float(result.diagnostics["cutoff"] or 0.0))
        assert allowed < 0.02  # a bound that says something
        assert float(result) == pytest.approx(oracle.vendi_from_gram(gram, order), rel=allowed), f"order {order}"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kernel", ["cosine", "linear"])
def test_dual_and_exact_agree(x64, dtype, kernel):
    """d < n and d > n; both routes see the same non-zero eigenvalues."""
    for n, d in ((80, 6), (6, 80)):
        x = _data(n, d, dtype, seed=3)
        for order in (0.0, 1.0, 1.5, 2.0, math.inf):
            expected = oracle.vendi_from_gram(_gram(x, kernel, None), order)
            # well-conditioned data: eigenvalues far from the cut, relative errors of a few hundred u
            allowed = 2000 * tolerances.roundoff(dtype)
            for method in ("exact", "dual"):
                found = _vendi(x, order, kernel=kernel, method=method)
                assert found == pytest.approx(expected, rel=allowed), f"{method}, order {order}"


@pytest.mark.parametrize("kernel", ["gaussian", "cosine", "linear"])
def test_gram_route_agrees(x64, kernel):
    x = _data(40, 3, "float64", seed=4)
    bandwidth = 1.5 if kernel == "gaussian" else None
    gram = _gram(x, kernel, bandwidth)
    for order in (1.0, 1.5, 2.0, math.inf):
        found = _vendi(x, order, kernel=kernel, bandwidth=bandwidth, method="exact")
        assert found == pytest.approx(fkeax.vendi_from_gram(gram, order=order), rel=1e-8)
    plain = float(fkeax.rke(x, kernel=kernel, bandwidth=bandwidth, method="exact"))
    assert plain == pytest.approx(fkeax.rke_from_gram(gram), rel=1e-12)


@pytest.mark.parametrize(
    ("kernel", "method"), [("gaussian", "exact"), ("cosine", "exact"), ("cosine", "dual"), ("linear", "dual")]
)
def test_integer_weights_are_repeated_rows(x64, kernel, method):
    x = _data(30, 3, "float64", seed=5)
    counts = np.random.default_rng(6).integers(1, 5, 30)
    settings = {"kernel": kernel, "bandwidth": 1.5 if kernel == "gaussian" else None, "method": method}
    for order in (1.0, 1.5, 2.0, math.inf):
        weighted = _vendi(x, order, weights=counts, **settings)
        assert weighted == pytest.approx(_vendi(np.repeat(x, counts, axis=0), order, **settings), rel=1e-9)
        assert weighted == pytest.approx(_vendi(x, order, weights=0.25 * counts, **settings), rel=1e-12)
    weighted = float(fkeax.rke(x, weights=counts, **settings))
    assert weighted == pytest.approx(float(fkeax.rke(np.repeat(x, counts, axis=0), **settings)), rel=1e-12)


def test_weight_zero_drops_a_row(x64):
    x = _data(20, 3, "float64", seed=7)
    weights = np.ones(20)
    weights[[0, 5]] = 0.0
    kept = np.delete(x, [0, 5], axis=0)
    for order in (1.0, 2.0, math.inf):
        found = _vendi(x, order, bandwidth=1.0, weights=weights, method="exact")
        assert found == pytest.approx(_vendi(kept, order, bandwidth=1.0, method="exact"), rel=1e-9)


def test_one_call_and_many_calls_agree(x64):
    x = _data(40, 3, "float64", seed=8)
    orders = (1.0, 1.5, 2.0, math.inf)
    together = fkeax.score(x, orders=orders, bandwidth=1.2, method="exact")
    for order in orders:
        assert float(together[_name(order)]) == pytest.approx(
            _vendi(x, order, bandwidth=1.2, method="exact"), rel=1e-13
        )
    assert float(together["rke"]) == pytest.approx(float(fkeax.rke(x, bandwidth=1.2, method="exact")), rel=1e-13)
    assert float(together["rke"]) == pytest.approx(float(together["vendi-2"]), rel=1e-12)
    assert "rke-debiased" not in together


def test_containers_agree_on_the_exact_route(x64, tmp_path):
    x = _data(50, 3, "float64", seed=9)
    expected = _vendi(x, 1.0, bandwidth=1.2, method="exact")
    np.save(tmp_path / "x.npy", x)
    forms = [jnp.asarray(x), x.tolist(), np.load(tmp_path / "x.npy", mmap_mode="r"), np.asfortranarray(x), x[::-1]]
    for form in forms:
        assert _vendi(form, 1.0, bandwidth=1.2, method="exact") == pytest.approx(expected, rel=1e-12)


def test_the_blocked_rke_agrees_with_the_dense_one(x64):
    """RKE needs no matrix: more rows than fit a block must give the oracle's second moment too."""
    x = _data(2500, 2, "float64", seed=10)
    squared = np.sum(x**2, axis=1)
    gram = np.exp(-np.maximum(squared[:, None] + squared[None, :] - 2 * x @ x.T, 0) / (2 * 0.5**2))
    assert float(fkeax.rke(x, bandwidth=0.5, method="exact", batch_size=512)) == pytest.approx(
        1.0 / oracle.second_moment(gram), rel=1e-9
    )
