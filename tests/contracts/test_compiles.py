"""A sweep over numbers compiles once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fkeax

# Sizes that no other test uses, so that nothing is compiled already.
X = np.random.default_rng(1).normal(size=(67, 5)).astype(np.float32)
MANY = np.random.default_rng(2).normal(size=(1500, 5)).astype(np.float32)


@pytest.fixture
def compiled() -> Iterator[list[float]]:
    """The durations of the compilations since the test began (or since the list was cleared)."""
    durations: list[float] = []

    def listen(event: str, duration: float, **_: Any) -> None:
        if event.endswith("backend_compile_duration"):
            durations.append(duration)

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield durations
    jax.monitoring.unregister_event_duration_listener(listen)


def test_the_counter_counts(compiled: list[float]) -> None:
    double = jax.jit(lambda x: x * 2)
    double(jnp.ones(3))
    assert compiled
    compiled.clear()
    double(jnp.zeros(3))
    assert not compiled


def score(method: str, **options: Any) -> Any:
    key = jax.random.key(0) if method == "fkea" else None
    return fkeax.score(X, method=method, num_frequencies=9, key=key, **options)


def stream(batches: Any) -> Any:
    return fkeax.fkea(batches, bandwidth=2.0, num_frequencies=9, batch_size=128, key=jax.random.key(0))


# What is swept, and its values: the first may compile, the others may not. Kinds of number are mixed on purpose.
BANDWIDTHS = [2.0, 3.5, 4, np.float64(6.0)]
ORDERS = [1.3, 1.0, 2.7, 2, 0.5, np.float64(1.7), math.inf, 0]
SWEEPS: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "bandwidth, exact": (lambda s: score("exact", bandwidth=s), BANDWIDTHS),
    "bandwidth, fkea": (lambda s: score("fkea", bandwidth=s), BANDWIDTHS),
    "bandwidth, modes": (
        lambda s: fkeax.modes(
            X, num_modes=2, num_samples=3, bandwidth=s, method="fkea", num_frequencies=9, key=jax.random.key(0)
        ),
        BANDWIDTHS,
    ),
    "order, exact": (lambda a: score("exact", bandwidth=2.0, orders=(a,)), ORDERS),
    "order, fkea": (lambda a: score("fkea", bandwidth=2.0, orders=(a,)), ORDERS),
    "order, dual": (lambda a: score("dual", kernel="linear", orders=(a,)), ORDERS),
    "order of a spectrum": (lambda a: fkeax.vendi_from_spectrum(np.float32([0.5, 0.3, 0.2]), a), ORDERS),
    "seed": (
        lambda seed: fkeax.fkea(X, bandwidth=2.0, num_frequencies=9, key=jax.random.key(seed)),
        [0, 1],
    ),
    # From 1,000 samples on, of which pairs are taken for the standard errors, sizes change no shape.
    "number of samples, array": (lambda n: stream(MANY[:n]), [1500, 1200, 1101]),
    "number of samples, batches": (lambda n: stream(iter([MANY[:n]])), [1500, 1200, 1101]),
    "sizes of batches": (lambda size: stream(MANY[i : i + size] for i in range(0, 1500, size)), [128, 100, 1500]),
}


@pytest.mark.parametrize("name", SWEEPS)
def test_later_values_compile_nothing(name: str, compiled: list[float]) -> None:
    call, (first, *others) = SWEEPS[name]
    call(first)
    for value in others:
        compiled.clear()
        call(value)
        assert not compiled, f"{value!r} compiled {len(compiled)} programs anew"


def test_dataclasses_are_registered_so_that_classes_stay_apart() -> None:
    """JAX's own `register_dataclass` lets `jit` take the program of another class; see `fkeax.numerics.pytrees`."""
    root = Path(fkeax.__file__).parent
    using = [path.name for path in root.rglob("*.py") if "@jax.tree_util.register_dataclass" in path.read_text("utf-8")]
    assert using == []


@pytest.mark.parametrize("over", ["bandwidth", "num_frequencies"])
def test_a_curve_compiles_its_features_once(compiled: list[float], over: str) -> None:
    """Along the bandwidth a second curve, and a longer one, compile nothing; along r, points share one pass."""
    options = {"orders": (1.0,), "num_frequencies": 9, "method": "fkea", "key": jax.random.key(0)}
    if over == "num_frequencies":
        del options["num_frequencies"]
        options["bandwidth"] = 2.0
    fkeax.curve(X, over=over, values=(9,), **options)
    compiled.clear()
    fkeax.curve(X, over=over, values=(9, 9, 9) if over == "num_frequencies" else (1.0, 2.0, 3.0), **options)
    assert compiled == []
