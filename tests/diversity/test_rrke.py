"""RRKE against float64 oracles: nuclear norms of kernel matrices, and of products of features under one map."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax.diversity import rrke, rrke_of_states, streaming
from fkeax.diversity.two_sets import SetOptions, shared_map, two_sets
from fkeax.features import sample_fourier_map
from fkeax.kernels import Gaussian
from tests.helpers import oracle

RNG = np.random.default_rng(0)
REFERENCE, GENERATED = RNG.standard_normal((24, 3)), RNG.standard_normal((17, 3)) + 0.7
OPTIONS: SetOptions = {"bandwidth": 1.5, "num_frequencies": 20, "key": jax.random.key(1)}


def _of_matrix(cross: np.ndarray) -> float:
    return -2 * math.log(float(np.linalg.svd(cross, compute_uv=False).sum()) / math.sqrt(cross.size))


def _features(fourier_map, x: np.ndarray) -> np.ndarray:
    return oracle.features(np.asarray(fourier_map.frequencies), np.asarray(fourier_map.centre), x)


def test_exact_is_the_nuclear_norm_of_the_kernel_matrix():
    """float32 in the working dtype, but float64 inside: rounding of a 24 x 17 matrix only."""
    found = rrke(REFERENCE, GENERATED, bandwidth=1.5)
    assert found.settings["estimator"] == "exact"
    assert (found.settings["n_ref"], found.settings["n_gen"]) == (24, 17)
    assert float(found) == pytest.approx(_of_matrix(oracle.gaussian_gram(REFERENCE, 1.5, GENERATED)), abs=1e-10)
    assert float(rrke(GENERATED, REFERENCE, bandwidth=1.5)) == pytest.approx(float(found), abs=1e-12)


def test_features_are_the_nuclear_norm_of_their_products(x64):
    """The rank of either covariance is below 2r; roots of eigenvalues at rounding, 40 of about 1e-8, are cut."""
    found = rrke(REFERENCE, GENERATED, method="features", **OPTIONS)
    fourier_map = shared_map(two_sets(REFERENCE, GENERATED, OPTIONS, method="features"))
    first, second = _features(fourier_map, REFERENCE), _features(fourier_map, GENERATED)
    assert float(found) == pytest.approx(_of_matrix(first @ second.T), abs=40e-8)


def test_features_are_as_near_to_the_exact_value_as_their_kernel_matrix(x64):
    """| ||A||_* - ||B||_* | <= ||A - B||_* <= sqrt(rank) ||A - B||_F, on the scale of the fidelity."""
    fourier_map = shared_map(two_sets(REFERENCE, GENERATED, OPTIONS, method="features"))
    approximate = _features(fourier_map, REFERENCE) @ _features(fourier_map, GENERATED).T
    exact = oracle.gaussian_gram(REFERENCE, 1.5, GENERATED)
    allowed = math.sqrt(17) * float(np.linalg.norm(approximate - exact)) / math.sqrt(24 * 17)
    fidelities = [
        rrke(REFERENCE, GENERATED, method=method, **OPTIONS).diagnostics["fidelity"] for method in ("exact", "features")
    ]
    assert abs(fidelities[0] - fidelities[1]) < allowed < 1


@pytest.mark.slow
def test_states_under_one_map_give_the_same_number():
    fourier_map = shared_map(two_sets(REFERENCE, GENERATED, OPTIONS, method="features"))
    states = [streaming.update(streaming.init(fourier_map), x) for x in (REFERENCE, GENERATED)]
    found = rrke_of_states(*states, bandwidth=1.5)
    # One sum or the other: rounding of float32, under square roots.
    expected = float(rrke(REFERENCE, GENERATED, method="features", **OPTIONS))
    assert float(found) == pytest.approx(expected, abs=5e-3)
    other = sample_fourier_map(jax.random.key(2), Gaussian(1.5), 20, jnp.zeros(3))
    with pytest.raises(ValueError, match="must share one feature map"):
        rrke_of_states(states[0], streaming.update(streaming.init(other), GENERATED), bandwidth=1.5)
    with pytest.raises(ValueError, match="reference must have seen at least one sample"):
        rrke_of_states(streaming.init(fourier_map), states[1], bandwidth=1.5)


@pytest.mark.parametrize("method", ["exact", "features"])
def test_a_set_is_at_distance_zero_from_itself_in_any_order(method: str):
    found = rrke(REFERENCE, REFERENCE[::-1], method=method, **OPTIONS)
    assert abs(float(found)) < (1e-10 if method == "exact" else 1e-4)


def test_far_groups_have_a_closed_form_and_none_shared_has_no_value():
    """Shares p and q of far groups: -2 log sum sqrt(p q)."""
    groups = 100 * np.eye(4)
    p, q = np.asarray([4, 3, 2, 1]), np.asarray([1, 5, 0, 4])
    found = rrke(np.repeat(groups, p, axis=0), np.repeat(groups, q, axis=0), bandwidth=1.0)
    assert float(found) == pytest.approx(-2 * math.log(np.sqrt(p * q).sum() / 10), abs=1e-12)
    apart = rrke(groups[:2], groups[2:], bandwidth=1.0)
    assert apart.value is None
    assert "infinite" in str(apart.diagnostics["reason"])


@pytest.mark.slow
def test_shifts_change_nothing():
    moved = float(rrke(REFERENCE + 1e4, GENERATED + 1e4, bandwidth=1.5))
    assert moved == pytest.approx(float(rrke(REFERENCE, GENERATED, bandwidth=1.5)), abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"generated": np.ones((3, 2))}, "must have the same number of columns; got 3 and 2"),
        ({"generated": np.full((3, 3), np.nan)}, "generated must be finite"),
        ({"reference": iter([REFERENCE])}, "reference is a stream of batches"),
        ({"kernel": "linear", "bandwidth": None}, "kernel must have k"),
        ({"method": "nystrom"}, "method must be one of auto, exact, features"),
        ({"bandwidth": None}, "bandwidth is needed"),
        ({"method": "features", "key": None}, "key is needed for random Fourier features"),
    ],
)
def test_bad_arguments(arguments, sentence: str):
    both = {"reference": REFERENCE, "generated": GENERATED, "bandwidth": 1.0, **arguments}
    with pytest.raises(ValueError, match=sentence):
        rrke(both.pop("reference"), both.pop("generated"), **both)
