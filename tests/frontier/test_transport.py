"""Transport frontiers: a known distance, the straight line of the Euclidean cost, the sentence without the extra."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from fkeax.frontier import frontier, transport_frontier


@pytest.fixture
def ott():
    return pytest.importorskip("ott")


def test_without_the_extra_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ott", None)
    with pytest.raises(ImportError, match=r"method='transport' needs ott-jax.*pip install 'fkeax\[transport\]'"):
        transport_frontier(np.eye(3), np.eye(3) + 1)


@pytest.mark.slow
def test_a_shifted_copy_is_as_far_as_the_shift(ott):
    """W2^2 of a translate is the squared length of the shift. The bias of a Sinkhorn divergence at epsilon = 0.01 of
    the mean cost is under epsilon.
    """
    x = np.random.default_rng(0).standard_normal((40, 2))
    found = transport_frontier(x, x + np.array([3.0, 0.0]), regularization=0.01)
    unit = found.diagnostics["cost_unit"]
    assert isinstance(unit, float)
    cost = np.asarray(found.curve.divergence_p)[0]
    assert cost * unit**2 == pytest.approx(9.0, abs=0.02 * unit**2)
    assert found.diagnostics["num_unconverged"] == 0
    assert found.curve.divergence_q[-1] == cost
    assert found.curve.divergence_q[0] == found.curve.divergence_p[-1] == 0.0


def test_the_euclidean_cost_is_linear_in_the_mixture(ott):
    """W1(P, l P + (1 - l) Q) = (1 - l) W1(P, Q) by duality; the regularization bends it by its own size at most."""
    random = np.random.default_rng(1)
    p, q = random.standard_normal((40, 2)), random.standard_normal((40, 2)) + np.array([3.0, 0.0])
    found = transport_frontier(p, q, cost="euclidean", regularization=0.02)
    of_p, to_p = np.asarray(found.curve.mixtures.of_p), np.asarray(found.curve.divergence_p)
    np.testing.assert_allclose(to_p, (1 - of_p) * to_p[0], atol=0.04)


def test_the_public_route_and_equal_samples(ott):
    x = np.random.default_rng(2).standard_normal((40, 2))
    results = frontier(x, x, method="transport")
    assert list(results) == ["mauve", "fi", "mid"]
    assert float(results["mauve"]) == pytest.approx(1.0, abs=1e-4)
    assert results["fi"].settings["generator"] == "none"


def test_bad_arguments_are_named(ott):
    with pytest.raises(ValueError, match="cost must be one of squared, euclidean; got 'taxi'"):
        transport_frontier(np.eye(3), np.eye(3), cost="taxi")
    with pytest.raises(ValueError, match="must not all be one point"):
        transport_frontier(np.ones((3, 2)), np.ones((4, 2)))
