"""No random key is used twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np
import pytest

import fkeax

X = np.random.default_rng(1).normal(size=(60, 4)).astype(np.float32)
MANY = np.random.default_rng(2).normal(size=(2500, 2)).astype(np.float32)  # more rows than the median is exact for


@pytest.fixture(autouse=True)
def reuse_is_an_error() -> Iterator[None]:
    with jax.debug_key_reuse(True):
        yield


def test_the_check_is_on(key: jax.Array) -> None:
    jax.random.normal(key)
    with pytest.raises(jax.errors.KeyReuseError):
        jax.random.normal(key)


CALLS: dict[str, Callable[[jax.Array], Any]] = {
    "score": lambda key: fkeax.score(X, bandwidth=2.0, method="fkea", num_frequencies=8, key=key),
    "draws": lambda key: fkeax.score(X, bandwidth=2.0, method="fkea", num_frequencies=8, num_draws=3, key=key),
    "median": lambda key: fkeax.score(MANY, bandwidth="median", method="fkea", num_frequencies=8, key=key),
    "vendi": lambda key: fkeax.vendi(X, order=1.5, bandwidth=2.0, method="fkea", num_frequencies=8, key=key),
    "rke": lambda key: fkeax.rke(X, bandwidth=2.0, method="fkea", num_frequencies=8, key=key),
    "fkea": lambda key: fkeax.fkea(X, bandwidth=2.0, num_frequencies=8, key=key),
    "modes": lambda key: fkeax.modes(
        X, num_modes=2, num_samples=3, bandwidth=2.0, method="fkea", num_frequencies=8, key=key
    ).evaluate(X[:5]),
    "batches": lambda key: fkeax.score(
        iter([X[:30], X[30:]]), bandwidth=2.0, method="fkea", num_frequencies=8, batch_size=16, key=key
    ),
}

FEW: dict[str, Any] = {"method": "features", "num_frequencies": 8}
MORE_CALLS: dict[str, Callable[[jax.Array], Any]] = {
    "ken": lambda key: fkeax.ken(X, X + 1, bandwidth=2.0, num_modes=2, num_samples=3, key=key),
    "finc": lambda key: fkeax.finc(X, X + 1, bandwidth=2.0, num_modes=2, num_samples=3, num_frequencies=8, key=key),
    "rrke": lambda key: fkeax.rrke(X, X + 1, bandwidth=2.0, key=key, **FEW),
    "spec": lambda key: fkeax.spec(X, X[:, :3], bandwidths=(2.0, 2.0), num_directions=2, num_items=3, key=key, **FEW),
    "conditional": lambda key: fkeax.conditional_vendi(X, X[:, :2], bandwidths=(2.0, 2.0), key=key, **FEW),
    "scendi": lambda key: fkeax.scendi(X, X[:, :2], bandwidths=(2.0, 2.0), num_frequencies=8, key=key),
    "classes": lambda key: fkeax.per_class(
        X, np.arange(60) % 2, bandwidth=2.0, method="fkea", num_frequencies=8, key=key
    ),
    "audit": lambda key: fkeax.audit(X, num_samples=20, num_draws=2, num_permutations=19, key=key),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MORE_CALLS)
def test_no_key_is_reused_beyond_the_scores(name: str, key: jax.Array) -> None:
    MORE_CALLS[name](key)


@pytest.mark.parametrize("name", CALLS)
def test_no_key_is_reused(name: str, key: jax.Array) -> None:
    CALLS[name](key)
