"""Bandwidth rules as words."""

from __future__ import annotations

import numpy as np
import pytest

from fkeax import kernels

X = np.random.default_rng(0).standard_normal((20, 3))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (7, kernels.GivenRule(7.0)),
        ("7.5", kernels.GivenRule(7.5)),
        (" median ", kernels.MedianRule()),
        ("rke=10", kernels.RkeRule(10.0)),
        ("mean-k2 = 5e-2", kernels.MeanSquareRule(0.05)),
    ],
)
def test_words_and_back(text, rule):
    assert kernels.parse_bandwidth(text) == rule
    assert kernels.parse_bandwidth(str(rule)) == rule


def test_rules_do_what_their_functions_do():
    kernel = kernels.LaplaceL1(1.0)
    assert kernels.parse_bandwidth("3")(X, kernel=kernel) == kernels.given_bandwidth(3.0)
    assert kernels.parse_bandwidth("median")(X, kernel=kernel) == kernels.median_bandwidth(X, kernel=kernel)
    assert kernels.parse_bandwidth("rke=4")(X, kernel=kernel) == kernels.bandwidth_for_rke(X, 4.0, kernel=kernel)
    expected = kernels.bandwidth_for_mean_square(X, 0.3, kernel=kernel)
    assert kernels.parse_bandwidth("mean-k2=0.3")(X, kernel=kernel) == expected


@pytest.mark.parametrize("text", ["", "mean", "median=3", "rke", "rke=", "rke=ten", "k2=0.1", "=3"])
def test_other_words_are_refused(text):
    with pytest.raises(ValueError, match="bandwidth must be a positive number, 'median', 'rke=NUMBER' or 'mean-k2="):
        kernels.parse_bandwidth(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rke=1", "needs a number above 1; got 'rke=1'"),
        ("rke=nan", "needs a number above 1"),
        ("mean-k2=1", "needs a number between 0 and 1"),
        ("-3", "bandwidth must be a positive number; got -3"),
        ("nan", "bandwidth must be finite"),
        (0, "bandwidth must be a positive number; got 0"),
    ],
)
def test_numbers_out_of_range(text, words):
    with pytest.raises(ValueError, match=words):
        kernels.parse_bandwidth(text)


def test_no_number_and_no_text():
    with pytest.raises(TypeError, match="bandwidth must be a number; got None"):
        kernels.parse_bandwidth(None)
