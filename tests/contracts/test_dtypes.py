"""Single and double precision are kept, all else becomes single, and nothing is cast before it is centred."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fkeax

RNG = np.random.default_rng(1)
X = RNG.normal(size=(80, 6))
ROUTES = {
    "exact": {"bandwidth": 2.0},
    "fkea": {"bandwidth": 2.0, "num_frequencies": 16},
    "dual": {"kernel": "cosine"},
}


def score(x: Any, method: str) -> dict[str, fkeax.Result]:
    key = jax.random.key(3) if method == "fkea" else None
    return fkeax.score(x, method=method, key=key, **ROUTES[method])


def values(results: dict[str, fkeax.Result]) -> np.ndarray:
    return np.array([np.nan if result.value is None else result.value for result in results.values()])


def dtypes(results: dict[str, fkeax.Result]) -> set[Any]:
    return {result.settings["dtype"] for result in results.values()}


@pytest.mark.parametrize("method", ROUTES)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int8", "uint8", "int32", "int64"])
def test_computed_in_single_precision(dtype: str, method: str) -> None:
    x = np.asarray(4 * X, jnp.dtype(dtype))
    assert dtypes(score(x, method)) == {"float32"}


@pytest.mark.parametrize("method", ROUTES)
def test_double_needs_x64(method: str) -> None:
    assert dtypes(score(X, method)) == {"float32"}


@pytest.mark.parametrize("method", ROUTES)
@pytest.mark.usefixtures("x64")
def test_single_and_double_are_preserved_under_x64(method: str) -> None:
    double, single, half = (score(X.astype(dtype), method) for dtype in ("float64", "float32", "float16"))
    assert dtypes(double) == {"float64"}
    assert dtypes(single) == {"float32"}
    assert dtypes(half) == {"float32"}


@pytest.mark.parametrize("method", ROUTES)
def test_device_arrays_and_host_arrays_agree(method: str) -> None:
    host = X.astype(np.float32)
    device = score(jnp.asarray(host), method)
    assert dtypes(device) == {"float32"}
    np.testing.assert_allclose(values(device), values(score(host, method)), rtol=1e-5)


def test_spectra_keep_their_dtype() -> None:
    spectrum = np.array([0.5, 0.3, 0.2])
    assert jnp.asarray(fkeax.vendi_from_spectrum(jnp.asarray(spectrum, jnp.float32), 1.5)).dtype == jnp.float32
    with jax.enable_x64(True):
        assert jnp.asarray(fkeax.vendi_from_spectrum(jnp.asarray(spectrum, jnp.float64), 1.5)).dtype == jnp.float64


# Unit spread at 1e6: single precision has a spacing of 1/16 there, so that a cast before centring moves every score.
@pytest.mark.parametrize("method", ["exact", "fkea"])
@pytest.mark.parametrize("offset", [1e4, 1e6, -1e6])
def test_double_files_are_centred_before_any_cast(offset: float, method: str) -> None:
    # float32 rounding: measured well below 1e-5; casting first is off by more than 1e-3.
    np.testing.assert_allclose(values(score(X + offset, method)), values(score(X, method)), rtol=2e-5)


def test_integers_are_centred_before_any_cast() -> None:
    small = RNG.integers(0, 8, size=(80, 6))
    shifted = small + 2**30  # float32 has a spacing of 64 there
    np.testing.assert_allclose(values(score(shifted, "exact")), values(score(small, "exact")), rtol=2e-5)
    np.testing.assert_allclose(values(score(shifted, "fkea")), values(score(small, "fkea")), rtol=2e-5)


def test_batches_of_double_are_centred_before_any_cast() -> None:
    def stream(offset: float) -> np.ndarray:
        batches = (X[start : start + 32] + offset for start in range(0, 80, 32))
        return values(fkeax.fkea(batches, bandwidth=2.0, num_frequencies=16, batch_size=32, key=jax.random.key(3)))

    np.testing.assert_allclose(stream(1e6), stream(0.0), rtol=2e-5)


def test_modes_are_centred_before_any_cast() -> None:
    def eigenvalues(offset: float) -> np.ndarray:
        found = fkeax.modes(
            X + offset,
            num_modes=3,
            num_samples=5,
            bandwidth=2.0,
            method="fkea",
            num_frequencies=16,
            key=jax.random.key(3),
        )
        return np.asarray(found.eigenvalues)

    np.testing.assert_allclose(eigenvalues(1e6), eigenvalues(0.0), rtol=2e-5)
