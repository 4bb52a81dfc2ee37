"""Scores by class: each is the score of its rows, the mean counts classes alike."""

from __future__ import annotations

import numpy as np
import pytest

import fkeax
from fkeax.diversity import per_class

RNG = np.random.default_rng(11)
X = RNG.standard_normal((48, 3)).astype(np.float32)
LABELS = np.repeat(["dog", "cat", "eel"], 16)[RNG.permutation(48)]


def test_classes_have_the_scores_of_their_rows_and_the_mean_weighs_them_alike():
    found = per_class(X, LABELS, orders=(1.0,), bandwidth=1.0)
    assert list(found.classes) == ["cat", "dog", "eel"]
    for label, scores in found.classes.items():
        expected = fkeax.score(X[label == LABELS], orders=(1.0,), bandwidth=1.0)
        assert {name: result.value for name, result in scores.items()} == {
            name: result.value for name, result in expected.items()
        }
        assert scores["rke"].settings["class"] == label
    mean = found.mean["vendi-1-class-mean"]
    assert mean.diagnostics["computed_in"] == "float64"  # the exact route's, whatever the data's
    assert float(mean) == pytest.approx(np.mean([float(s["vendi-1"]) for s in found.classes.values()]))
    assert (mean.settings["num_classes"], mean.settings["num_samples"]) == (3, 48)
    errors = [s["rke-population"].stderr for s in found.classes.values()]
    assert found.mean["rke-population-class-mean"].stderr == pytest.approx(np.linalg.norm(errors) / 3)
    names = [result.name for result in found.results()]
    assert names[:2] == ["vendi-1[cat]", "rke[cat]"]
    assert names[-3:] == ["vendi-1-class-mean", "rke-class-mean", "rke-population-class-mean"]


@pytest.mark.slow
def test_a_rule_looks_at_all_rows_and_frequencies_differ_by_class(key):
    found = per_class(X, LABELS, metrics=("rke",), bandwidth="median", method="fkea", num_frequencies=16, key=key)
    bandwidths = {scores["rke"].settings["bandwidth"] for scores in found.classes.values()}
    assert bandwidths == {fkeax.rke(X, bandwidth="median").settings["bandwidth"]}
    assert len({tuple(scores["rke"].settings["seed"]) for scores in found.classes.values()}) == 3


def test_a_kernel_may_bring_its_bandwidth():
    named = per_class(X, LABELS, metrics=("rke",), bandwidth=1.0)
    built = per_class(X, LABELS, metrics=("rke",), kernel=fkeax.Gaussian(1.0))
    assert float(built.mean["rke-class-mean"]) == float(named.mean["rke-class-mean"])


@pytest.mark.parametrize(
    ("labels", "options", "sentence"),
    [
        (np.arange(48), {}, "at least 2 rows; class '0', '1', '2', '3', '4' and 43 more has fewer"),
        (LABELS[:-1], {}, "labels must be 48 whole numbers or words"),
        (np.ones(48), {}, "labels must be 48 whole numbers or words"),
        (LABELS, {"weights": np.ones(48)}, "weights have no meaning for scores of classes"),
    ],
)
def test_bad_labels(labels, options, sentence: str):
    with pytest.raises(ValueError, match=sentence):
        per_class(X, labels, bandwidth=1.0, **options)
