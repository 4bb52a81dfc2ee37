"""Finite input far from 1: right, refused in one sentence, or marked as unreliable; never silently wrong."""

import jax
import numpy as np
import pytest

import fkeax

X = np.random.default_rng(0).standard_normal((200, 5))
KEY = jax.random.key(0)


def _exact(x, **settings):
    return {name: float(result) for name, result in fkeax.score(x, orders=(0, 1), **settings).items()}


def test_one_row_far_away_changes_nothing_but_itself():
    """The far row is a mode of its own at any distance; in float64 nothing else may move."""
    scores = []
    for far in (1e4, 3e7, 1e30):
        x = X.copy()
        x[0] = far
        scores.append(_exact(x, bandwidth=3.0, method="exact"))
    assert scores[0]["vendi-0"] == pytest.approx(200, rel=1e-12)
    for other in scores[1:]:
        assert other == pytest.approx(scores[0], rel=1e-9)
    x = X.copy()
    x[0] = 3e7
    shares = fkeax.modes(x, bandwidth=3.0, num_modes=200, method="exact").shares
    assert shares.sum() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("scale", [1e-14, 1e14])
def test_scores_depend_on_x_over_bandwidth_alone(scale):
    for method, extra in (("exact", {}), ("fkea", {"num_frequencies": 100, "key": KEY})):
        here = fkeax.score(X, bandwidth=3.0, method=method, orders=(1,), **extra)
        there = fkeax.score(X * scale, bandwidth=3.0 * scale, method=method, orders=(1,), **extra)
        for name, result in here.items():
            # float32 rounds scaled data anew: by 2^-24 each, and a score is a smooth function of them
            assert float(there[name]) == pytest.approx(float(result), rel=1e-5), name


@pytest.mark.parametrize("scale", [1e-10, 1e9])
def test_linear_scores_do_not_depend_on_the_scale(scale):
    here, there = (fkeax.score(x, kernel="linear", orders=(1,)) for x in (X, X * scale))
    for name, result in here.items():
        assert float(there[name]) == pytest.approx(float(result), rel=1e-5), name


@pytest.mark.parametrize("weight", [1e-300, 1e-19, 1e300])
def test_equal_weights_of_any_size_are_no_weights(weight):
    for method, extra in (("exact", {}), ("fkea", {"num_frequencies": 100, "key": KEY})):
        plain = fkeax.rke(X, bandwidth=3.0, method=method, **extra)
        weighted = fkeax.rke(X, bandwidth=3.0, method=method, weights=np.full(200, weight), **extra)
        assert float(weighted) == pytest.approx(float(plain), rel=1e-6)


def test_angles_beyond_the_resolution_are_said_to_be_meaningless():
    found = fkeax.fkea(X, bandwidth=1e-8, num_frequencies=100, key=KEY)
    assert all(
        any("cannot resolve" in warning for warning in result.diagnostics["warnings"]) for result in found.values()
    )
    fine = fkeax.fkea(X, bandwidth=3.0, orders=(2,), num_frequencies=1000, key=KEY)
    assert fine["rke-debiased"].diagnostics["warnings"] == []


@pytest.mark.parametrize(
    ("x", "settings", "words"),
    [
        (X * 1e300, {"bandwidth": 1.0}, "too large"),
        (X * 1e300, {"bandwidth": 1.0, "method": "fkea", "key": KEY}, "too large"),
        (X * 0, {"kernel": "linear"}, "overflow or vanish"),
        (X * 0, {"kernel": "linear", "method": "exact"}, "is 0"),
        (X * 0, {"kernel": "cosine"}, "length 0"),
        (X * 1e25, {"kernel": "linear"}, "overflow or vanish"),
        (X, {"bandwidth": 1e-300}, "bandwidth must lie between"),
        (X, {"bandwidth": 10**400}, "bandwidth must be finite"),
        ("x.npy", {"bandwidth": 1.0}, "numpy.load"),
    ],
)
def test_what_cannot_be_computed_is_refused_in_one_sentence(x, settings, words):
    with pytest.raises((ValueError, TypeError), match=words):
        fkeax.score(x, **settings)


def test_gram_matrices_of_any_scale():
    for scale in (1e-60, 1.0, 1e300):
        assert fkeax.rke_from_gram(np.eye(3) * scale) == pytest.approx(3, rel=1e-12)
        assert fkeax.vendi_from_gram(np.eye(3) * scale, order=1) == pytest.approx(3, rel=1e-12)


@pytest.mark.parametrize("spectrum", [[1.0, 2.0], [-0.5, 1.5], [0.0, 0.0], [float("nan"), 1.0]])
def test_a_spectrum_that_is_none_is_refused(spectrum):
    with pytest.raises(ValueError, match="spectrum must hold"):
        fkeax.vendi_from_spectrum(np.asarray(spectrum))
