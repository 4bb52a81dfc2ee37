"""Data without diversity: identical points count as one at every order, on every route."""

from __future__ import annotations

import math

import jax
import numpy as np
import pytest

import fkeax
from tests.helpers import tolerances

ORDERS = (0.0, 0.5, 1.0 - 1e-6, 1.0, 1.0 + 1e-6, 1.5, 2.0, 10.0, math.inf)
ROUTES = {
    "exact": {"kernel": "gaussian", "bandwidth": 1.0, "method": "exact"},
    "exact cosine": {"kernel": "cosine", "method": "exact"},
    "dual cosine": {"kernel": "cosine", "method": "dual"},
    "dual linear": {"kernel": "linear", "method": "dual"},
    "fkea": {"kernel": "gaussian", "bandwidth": 1.0, "method": "fkea", "num_frequencies": 200},
    "exact laplace-l2": {"kernel": "laplace-l2", "bandwidth": 1.0, "method": "exact"},
    "exact laplace-l1": {"kernel": "laplace-l1", "bandwidth": 1.0, "method": "exact"},
    "dual polynomial": {"kernel": "polynomial:degree=2,scale=0.5", "method": "dual"},
    "nystrom": {"kernel": "matern32", "bandwidth": 1.0, "method": "nystrom", "num_landmarks": 50},
}
KEYED = ("fkea", "nystrom")


# Rows of zeros have no cosine, and no linear kernel mass to normalise.
CASES = [
    *((route, "anywhere") for route in ROUTES),
    *(pytest.param(route, "far", marks=pytest.mark.slow) for route in ROUTES),
    *(pytest.param(route, "origin", marks=pytest.mark.slow) for route in ("exact", "fkea")),
]


@pytest.mark.parametrize(("route", "point"), CASES)
def test_a_thousand_identical_points_count_as_one(route, point):
    row = {
        "origin": np.zeros(30),
        "anywhere": np.random.default_rng(0).standard_normal(30),
        "far": np.full(30, 12345.678),
    }
    x = np.tile(row[point], (1000, 1)).astype(np.float32)
    keyed = {"key": jax.random.key(0)} if route in KEYED else {}
    results = fkeax.score(x, orders=ORDERS, **ROUTES[route], **keyed)
    plain = {name: result for name, result in results.items() if name != "rke-population" and result.value is not None}
    assert len(plain) >= len(ORDERS) + 1
    for name, result in plain.items():
        # order 0 counts, exactly; the others see a spectrum of 1 and zeros, and a trace rounded to 1e-5
        assert float(result) == pytest.approx(1.0, abs=0.0 if name == "vendi-0" else 1e-5), name


@pytest.mark.parametrize("route", ["exact", "fkea"])
def test_a_single_point_counts_as_one(route):
    keyed = {"key": jax.random.key(0)} if route == "fkea" else {}
    results = fkeax.score(np.ones((1, 4), np.float32), orders=ORDERS, **ROUTES[route], **keyed)
    for order in ORDERS:
        assert float(results[f"vendi-{order:.12g}"]) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("num_groups", [pytest.param(2, marks=pytest.mark.slow), 7])
def test_order_zero_counts_groups_not_rounding(num_groups):
    """Groups of identical points far apart: as many species as groups, not as points."""
    x = np.repeat(30.0 * np.eye(num_groups, 8), 40, axis=0).astype(np.float32)
    for method, extra in (("exact", {}), ("fkea", {"num_frequencies": 100, "key": jax.random.key(2)})):
        result = fkeax.vendi(x, order=0.0, bandwidth=1.0, method=method, **extra)
        # the exponential of a logarithm in float32: two roundings of log m, one ulp of each function
        assert float(result) == pytest.approx(
            num_groups, rel=(2 + math.log(num_groups)) * 2 * tolerances.roundoff("float32")
        )
