"""Frontier curves: order of coordinates, oracle, ratios, many pairs at once, refusals."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax import frontier
from fkeax.frontier import KL, ChiSquared
from tests.frontier import oracle

RNG = np.random.default_rng(0)
P = RNG.dirichlet(np.full(8, 0.7))
Q = RNG.dirichlet(np.full(8, 0.7))
P[3] = Q[5] = Q[6] = 0.0
P, Q = P / P.sum(), Q / Q.sum()
GRID = np.linspace(1e-6, 1 - 1e-6, 25)


@pytest.mark.parametrize("name", ["kl", "chi2"])
def test_points_against_the_oracle(x64: None, name: str) -> None:
    curve = frontier.frontier_from_histograms(P, Q, frontier.named_generator(name))
    expected = np.array([oracle.point(name, P, Q, weight) for weight in GRID])
    # The oracle's own terms of size p cancel to 1e-16 where D is as small as 1e-12.
    np.testing.assert_allclose(np.asarray(curve.divergence_p), expected[:, 0], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(np.asarray(curve.divergence_q), expected[:, 1], rtol=1e-12, atol=1e-15)


def test_order_of_coordinates(x64: None) -> None:
    """First D(P||R), which falls as the weight of P grows. Q misses half of P: a large first coordinate (type II)."""
    p, q = np.array([0.5, 0.5, 0, 0, 0, 0, 0, 0]), np.array([1.0, 0, 0, 0, 0, 0, 0, 0])
    curve = frontier.frontier_from_histograms(p, q)
    assert (np.diff(np.asarray(curve.divergence_p)) < 0).all()
    assert (np.diff(np.asarray(curve.divergence_q)) > 0).all()
    np.testing.assert_allclose(np.asarray(curve.mixtures.of_p), GRID, rtol=1e-15)
    assert float(curve.divergence_p[0]) > 6  # half of log(1e6)
    assert float(curve.divergence_q[-1]) == pytest.approx(np.log(2), abs=1e-5)
    swapped = frontier.frontier_from_histograms(q, p)
    np.testing.assert_allclose(np.asarray(swapped.divergence_p), np.asarray(curve.divergence_q)[::-1], rtol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_equal_laws_have_no_divergence(x64: None, dtype: str) -> None:
    p = RNG.dirichlet(np.full(500, 0.3)).astype(dtype)
    curve = frontier.frontier_from_histograms(p, p)
    assert curve.divergence_p.dtype == np.dtype(dtype)
    # The mixture rounds by u of each mass, which costs u^2.
    limit = (2.0**-23 if dtype == "float32" else 2.0**-52) ** 2
    assert float(jnp.max(curve.divergence_p)) <= limit
    assert float(jnp.max(curve.divergence_q)) <= limit
    assert float(frontier.area(curve)) == 1.0


def test_single_precision_agrees_at_the_ends_of_the_grid() -> None:
    """In float32 1 - l is off by 1 % at l = 1 - 1e-6 unless both weights are kept."""
    curve = frontier.frontier_from_histograms(P.astype(np.float32), Q.astype(np.float32))
    expected = np.array([oracle.point("kl", P, Q, weight) for weight in GRID])
    np.testing.assert_allclose(np.asarray(curve.divergence_p), expected[:, 0], rtol=2e-6, atol=1e-7)
    np.testing.assert_allclose(np.asarray(curve.divergence_q), expected[:, 1], rtol=2e-6, atol=1e-7)


def test_exact_ratios_give_the_frontier_of_the_histograms(x64: None) -> None:
    """Samples in the exact proportions of two laws, with their exact ratios: no Monte Carlo error is left.

    The first coordinate sees no atom without mass of Q: D(P||R) misses ``p log(1/l)`` there, by construction of (25).
    """
    p, q = np.array([0.1, 0.4, 0.3, 0.2]), np.array([0.3, 0.2, 0.1, 0.4])  # 10 samples a side
    at_p, at_q = np.repeat(p / q, [1, 4, 3, 2]), np.repeat(p / q, [3, 2, 1, 4])
    for generator in (KL(), ChiSquared()):
        found = frontier.frontier_from_ratios(at_p, at_q, generator)
        expected = frontier.frontier_from_histograms(p, q, generator)
        np.testing.assert_allclose(np.asarray(found.divergence_p), np.asarray(expected.divergence_p), rtol=1e-9)
        np.testing.assert_allclose(np.asarray(found.divergence_q), np.asarray(expected.divergence_q), rtol=1e-9)


def test_infinite_ratios_at_samples_of_p(x64: None) -> None:
    """A sample of P where Q has no mass: 1/t = 0 is fine."""
    curve = frontier.frontier_from_ratios(np.array([np.inf, 2.0]), np.array([0.0, 0.5]), mixtures=half())
    assert np.isfinite(np.asarray(curve.divergence_p)).all()
    assert np.isfinite(np.asarray(curve.divergence_q)).all()


def half() -> frontier.Mixtures:
    return frontier.mixture_weights([0.5])


def test_many_pairs_in_one_compile() -> None:
    traces = []

    @jax.jit
    def areas(p: jax.Array, q: jax.Array, scale: jax.Array) -> jax.Array:
        traces.append(None)
        one = jax.vmap(lambda a, b: frontier.frontier_from_histograms(a, b))
        return frontier.area(one(p, q), scale)

    pairs = RNG.dirichlet(np.full(8, 1.0), size=(2, 6)).astype(np.float32)
    together = areas(jnp.asarray(pairs[0]), jnp.asarray(pairs[1]), jnp.float32(5.0))
    areas(jnp.asarray(pairs[1]), jnp.asarray(pairs[0]), jnp.float32(2.0))
    assert len(traces) == 1
    alone = [float(frontier.mauve_from_histograms(a, b)) for a, b in zip(*pairs, strict=True)]
    np.testing.assert_allclose(np.asarray(together), alone, rtol=1e-6)


def test_mixtures() -> None:
    paper = frontier.uniform_mixtures()
    assert paper.of_p.shape == (99,)
    np.testing.assert_allclose(np.asarray(paper.of_p), np.arange(1, 100) / 100, rtol=1e-6)
    compatible = frontier.compatible_mixtures()
    assert float(compatible.of_q[-1]) == pytest.approx(1e-6, rel=1e-6)  # 1 - float32(1 - 1e-6) would be 1.013e-6
    for bad in ([0.5, 0.5], [0.0, 0.5], [0.5, 1.0], [0.7, 0.2]):
        with pytest.raises(ValueError, match="strictly increasing numbers strictly between 0 and 1"):
            frontier.mixture_weights(bad)
    with pytest.raises(ValueError, match=r"one vector of weights of P; got shape \(\)"):
        frontier.mixture_weights(np.array(0.5))


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [
        ([0.5, 0.5], [1.0], "same bins; got 2 and 1"),
        ([2, 2], [0.5, 0.5], r"p must hold probabilities .*the sum 4"),
        ([0.5, 0.5], [1.5, -0.5], "q must hold probabilities .*smallest is -0.5"),
        ([np.nan, 1.0], [0.5, 0.5], "p must hold probabilities"),
        ([[0.5, 0.5]], [0.5, 0.5], r"p must be one vector of numbers; got shape \(1, 2\)"),
        ([], [], "one vector"),
    ],
)
def test_bad_histograms(p: list[float], q: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        frontier.frontier_from_histograms(np.array(p), np.array(q))


def test_bad_ratios_and_generators() -> None:
    one = np.ones(2)
    with pytest.raises(ValueError, match="ratios_at_p_samples must be above 0"):
        frontier.frontier_from_ratios(np.array([0.0, 1.0]), one)
    with pytest.raises(ValueError, match="ratios_at_q_samples must be finite"):
        frontier.frontier_from_ratios(one, np.array([np.inf, 1.0]))
    with pytest.raises(ValueError, match="Definition 4"):
        frontier.frontier_from_histograms(one / 2, one / 2, frontier.JensenShannon())
    with pytest.raises(TypeError, match="p must hold real numbers; got dtype complex"):
        frontier.frontier_from_histograms(one.astype(np.complex64), one)
