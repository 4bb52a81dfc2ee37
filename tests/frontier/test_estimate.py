"""The public estimators: names, settings, the truth of a Gaussian pair, symmetry, and bad input."""

from __future__ import annotations

import functools

import jax
import numpy as np
import pytest

from fkeax.frontier import METHODS, estimate_frontier, frontier, mauve
from fkeax.results import NotComparableError, Result, check_comparable, dumps, loads
from tests.helpers import gaussian_pair

PLAIN = ["mauve", "fi", "mid"]
SETTINGS = {"quantized": {"unit_rows": False, "explained_variance": None, "num_seeds": 2, "num_restarts": 2}}
WITHOUT_EXTRA = [method for method in METHODS if method != "transport"]


@functools.cache
def _pair(n: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    return gaussian_pair.draw(np.random.default_rng(0), n, n)


@functools.cache
def _results(method: str) -> dict[str, Result]:
    return frontier(*_pair(), method=method, key=jax.random.key(0), **SETTINGS.get(method, {}))


# Bias of FI at n = 1000 in 4 dimensions, as a share: what the tests of each estimator derive (law of the labels for
# neighbours and densities, Fisher information for the classifier), the error of the fitted means for Gaussians
# (FI goes with the squared distance of the means, whose relative error is 2 sqrt(2/n) = 9 %), and for 100 buckets the
# information they lose, under 1 / (k^(2/4)) = 10 %.
BIAS = {"nearest": 0.25, "kde": 0.25, "classifier": 0.25, "gaussian": 0.2, "quantized": 0.1}


@pytest.mark.parametrize("method", WITHOUT_EXTRA)
def test_the_truth_within_bias_and_four_standard_errors(method):
    name = "fi-debiased" if method == "quantized" else "fi"
    result = _results(method)[name]
    assert result.stderr is not None
    assert abs(float(result) - gaussian_pair.FI) < BIAS[method] * gaussian_pair.FI + 4 * result.stderr


@pytest.mark.parametrize("method", WITHOUT_EXTRA)
def test_results_say_what_they_are(method):
    results = _results(method)
    suffixes = ["", "-smoothed", "-debiased"] if method == "quantized" else [""]
    assert list(results) == [name + suffix for suffix in suffixes for name in PLAIN]
    for name, result in results.items():
        assert result.name == name
        assert result.settings["estimator"] == method
        assert (result.settings["n_ref"], result.settings["n_gen"], result.settings["dimension"]) == (1000, 1000, 4)
        assert result.settings["generator"] == "kl"
        assert "warnings" in result.diagnostics
        assert Result.from_dict(loads(dumps(result.to_dict()))) == result


def test_mauve_is_the_headline_of_the_frontier():
    p, q = _pair(200)
    key = jax.random.key(1)
    single, whole = mauve(p, q, num_seeds=2, key=key), frontier(p, q, num_seeds=2, key=key)
    assert single == whole["mauve"]
    assert float(whole["mauve"]) < float(whole["mauve-smoothed"])
    assert len(single.diagnostics["by_seed"]) == 2
    assert single.stderr is not None


def test_samples_trade_places():
    p, q = _pair(200)
    key = jax.random.key(2)
    assert float(mauve(p, q, num_seeds=2, key=key)) == pytest.approx(float(mauve(q, p, num_seeds=2, key=key)), rel=1e-5)


def test_the_same_rows_score_one():
    p, _ = _pair(200)
    results = frontier(p, p[::-1], num_seeds=2, key=jax.random.key(3))
    assert [float(results[name]) for name in PLAIN] == [1.0, 0.0, 0.0]


def test_like_paper_smooths_the_headline():
    p, q = _pair(200)
    key = jax.random.key(4)
    paper, text = (frontier(p, q, like=like, num_seeds=2, key=key) for like in ("paper", "mauve-text"))
    assert list(paper) == [*PLAIN, *(f"{name}-debiased" for name in PLAIN)]
    assert float(paper["fi"]) == pytest.approx(float(text["fi-smoothed"]), rel=1e-6)
    assert paper["mauve"].settings["smoothing"] == "krichevsky-trofimov"
    with pytest.raises(NotComparableError, match="like is 'paper' and 'mauve-text'"):
        check_comparable(paper["mauve"], text["mauve"])


def test_the_curve_comes_with_it():
    p, q = _pair(200)
    found = estimate_frontier(p, q, num_seeds=2, num_restarts=1, key=jax.random.key(5))
    assert (np.diff(found.curve.divergence_p) < 0).all()
    assert (np.diff(found.curve.divergence_q) > 0).all()
    assert found.costs is not None
    assert estimate_frontier(p, q, method="nearest").costs is None


def test_other_generators_and_the_exact_area():
    p, q = _pair(200)
    chi2 = frontier(p, q, method="nearest", generator="chi2", like="exact")
    kl = frontier(p, q, method="nearest", like="exact")
    assert float(chi2["fi"]) == pytest.approx(2 * float(kl["fi"]), rel=1e-4)  # an identity
    assert chi2["fi"].settings["generator"] == "chi2"


def test_principal_components_before_neighbours():
    """60 columns that are 3 in disguise: by default 49 components, as given 3; both see the 3."""
    p, q = (side[:200, :3] for side in _pair())
    frame = np.linalg.qr(np.random.default_rng(1).standard_normal((60, 3)))[0]
    plain = frontier(p, q, method="nearest")["fi"]
    hidden = frontier(p @ frame.T, q @ frame.T, method="nearest")["fi"]
    assert hidden.settings["num_components"] == 49
    assert float(hidden) == pytest.approx(float(plain), rel=0.02)  # a tie or two of float32 distances
    given = frontier(p @ frame.T, q @ frame.T, method="nearest", num_components=3)["fi"]
    assert float(given) == pytest.approx(float(plain), rel=0.02)


def test_few_rows_have_no_debiased_value_and_say_why():
    p, q = _pair(200)
    result = frontier(p[:30], q[:30], num_seeds=1, num_restarts=1, key=jax.random.key(6))["fi-debiased"]
    assert result.value is None
    assert "at least 40 rows" in str(result.diagnostics["reason"])


@pytest.mark.parametrize(
    ("settings", "kind", "sentence"),
    [
        ({"method": "best"}, ValueError, "method must be one of quantized, nearest"),
        ({"like": "best"}, ValueError, "like must be one of mauve-text, paper, exact"),
        ({"generator": "js"}, ValueError, "generator"),
        ({"scale": 0.0}, ValueError, "scale must be a positive number"),
        ({}, ValueError, r"key is needed for method='quantized': pass key=jax.random.key\(0\)."),
        ({"method": "kde", "num_seeds": 3}, TypeError, "num_seeds is no option of method='kde', which takes num_comp"),
        ({"method": "nearest", "num_components": 9}, ValueError, r"num_components must be at most min\(n, d\) = 4"),
    ],
)
def test_bad_arguments_are_named(settings, kind, sentence):
    with pytest.raises(kind, match=sentence):
        frontier(*_pair(200), **settings)


def test_bad_samples_are_named():
    p, q = _pair(200)
    with pytest.raises(ValueError, match=r"reference and generated must have one dimension; got 4 and 3."):
        frontier(p, q[:, :3], method="nearest")
    with pytest.raises(ValueError, match=r"generated must have at least 2 samples; got 1."):
        frontier(p, q[:1], method="nearest")
    with pytest.raises(ValueError, match=r"generated must be finite; NaN or infinity in row 0"):
        frontier(p, np.full_like(q, np.nan), method="nearest")
