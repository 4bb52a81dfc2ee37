"""Smoothing: hand counts, the oracle, normalisation, traces, refusals."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax import quantize
from fkeax.quantize import SMOOTHINGS
from tests.frontier import oracle

COUNTS = np.random.default_rng(0).multinomial(60, oracle.zipf(40, 1.0))


@pytest.mark.parametrize("method", SMOOTHINGS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_against_the_oracle(x64: None, method: str, dtype: str) -> None:
    found = quantize.smooth(COUNTS.astype(dtype), method)
    assert found.dtype == np.dtype(dtype)
    tolerance = 1e-6 if dtype == "float32" else 1e-14
    np.testing.assert_allclose(np.asarray(found), oracle.smoothed(COUNTS, method), rtol=tolerance)
    assert float(found.sum()) == pytest.approx(1, abs=tolerance)
    assert (np.asarray(found) > 0).all() or method == "empirical"


def test_by_hand(x64: None) -> None:
    """n = 0 0 0 1 1 2 5: phi_0 = 3, phi_1 = 2, phi_2 = 1, phi_3 = 0, phi_5 = 1, phi_6 = 0."""
    counts = np.array([0, 0, 0, 1, 1, 2, 5])
    # 0 <= phi_1: (2+1)(1)/3 = 1; 1 <= phi_2: (1+1)(2)/2 = 2; 2 > phi_3: 2; 5 > phi_6: 5. Sum 14.
    np.testing.assert_allclose(np.asarray(quantize.good_turing(counts)), np.array([1, 1, 1, 2, 2, 2, 5]) / 14)
    pseudo = np.array([0.5, 0.5, 0.5, 2, 2, 2.75, 5.75])
    np.testing.assert_allclose(np.asarray(quantize.braess_sauer(counts)), pseudo / 14)  # 9 + 1.5 + 2 + 1.5
    np.testing.assert_allclose(np.asarray(quantize.krichevsky_trofimov(counts)), (counts + 0.5) / (9 + 7 / 2))
    np.testing.assert_allclose(np.asarray(quantize.laplace(counts)), (counts + 1) / (9 + 7))


def test_constants_for_each_bin(x64: None) -> None:
    constant = np.array([0.0, 1.0, 3.0])
    found = quantize.add_constant(np.array([4, 1, 0]), constant)
    np.testing.assert_allclose(np.asarray(found), np.array([4, 2, 3]) / 9)
    same = quantize.add_constant(np.array([4, 1, 0]), np.full(3, 0.5))
    np.testing.assert_array_equal(np.asarray(same), np.asarray(quantize.krichevsky_trofimov(np.array([4, 1, 0]))))


@pytest.mark.parametrize("method", SMOOTHINGS)
def test_many_histograms_and_constants_in_one_trace(method: str) -> None:
    traces = []

    @jax.jit
    def smooth(counts: jax.Array) -> jax.Array:
        traces.append(None)
        return jax.vmap(lambda row: quantize.smooth(row, method))(counts)

    rows = np.random.default_rng(1).multinomial(30, np.full(8, 1 / 8), size=3).astype(np.int32)
    together = np.asarray(smooth(jnp.asarray(rows)))
    smooth(jnp.asarray(rows[::-1].copy()))
    assert len(traces) == 1
    for row, found in zip(rows, together, strict=True):
        np.testing.assert_allclose(found, oracle.smoothed(row, method), rtol=1e-6)


def test_weights_for_counts(x64: None) -> None:
    np.testing.assert_allclose(np.asarray(quantize.empirical(np.array([0.5, 1.5]))), [0.25, 0.75])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: quantize.empirical(np.zeros(3)), "counts must not be all 0"),
        (lambda: quantize.empirical(np.array([-1.0, 2.0])), "finite and not negative"),
        (lambda: quantize.laplace(np.array([np.nan, 2.0])), "finite and not negative"),
        (lambda: quantize.good_turing(np.array([0.5, 1.5])), "whole numbers for Good-Turing"),
        (lambda: quantize.add_constant(np.ones(3), np.ones(2)), r"each of 3 bins; got shape \(2,\)"),
        (lambda: quantize.add_constant(np.ones(3), -1.0), "constant must be finite and not negative"),
        (lambda: quantize.empirical(np.ones((2, 2))), r"one vector with a count for each bin; got shape \(2, 2\)"),
        (lambda: quantize.smooth(np.ones(2), "good"), "smoothing must be one of empirical, .*; got 'good'"),
    ],
)
def test_refusals(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
