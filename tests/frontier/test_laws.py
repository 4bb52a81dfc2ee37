"""The synthetic laws of Figure 6 of the MAUVE paper: the frontier integral of smoothed histograms."""

from __future__ import annotations

import itertools
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax import frontier, quantize
from fkeax.quantize import SMOOTHINGS
from tests.frontier import oracle

# Law of P, law of Q, k, n: a few points of each panel, and the step law of Orlitsky and Suresh.
POINTS: dict[str, tuple[str, str, int, int]] = {
    "a-10000": ("zipf-0", "dirichlet-0.5", 1000, 10_000),
    "a-35112": ("zipf-0", "dirichlet-0.5", 1000, 35_112),
    "b-10": ("zipf-0", "dirichlet-0.5", 10, 20_000),
    "b-10000": ("zipf-0", "dirichlet-0.5", 10_000, 20_000),
    "c-0.5": ("dirichlet-1", "zipf-0.5", 1000, 10_000),
    "c-2": ("dirichlet-1", "zipf-2", 1000, 10_000),
    "d-0.5": ("zipf-2", "zipf-0.5", 1000, 10_000),
    "d-2": ("zipf-2", "zipf-2", 1000, 10_000),
    "step": ("step", "zipf-1", 1000, 10_000),
}

REPEATS = 100


def figure_settings() -> dict[str, tuple[str, str, int, int]]:
    """Return all 48 settings of the figure's four panels."""
    settings = {f"a-{n}": ("zipf-0", "dirichlet-0.5", 1000, n) for n in np.logspace(4, 5, 12).astype(int).tolist()}
    settings |= {f"b-{k}": ("zipf-0", "dirichlet-0.5", k, 20_000) for k in np.logspace(1, 4, 12).astype(int).tolist()}
    exponents = np.linspace(0.5, 2, 12).tolist()
    settings |= {f"c-{r:.3g}": ("dirichlet-1", f"zipf-{r}", 1000, 10_000) for r in exponents}
    return settings | {f"d-{r:.3g}": ("zipf-2", f"zipf-{r}", 1000, 10_000) for r in exponents}


def _law(name: str, num_buckets: int, rng: np.random.Generator) -> np.ndarray:
    kind, _, parameter = name.partition("-")
    if kind == "zipf":
        return oracle.zipf(num_buckets, float(parameter))
    return rng.dirichlet(np.full(num_buckets, float(parameter))) if kind == "dirichlet" else oracle.step(num_buckets)


@pytest.mark.parametrize("point", ["a-10000", "c-2", "d-0.5", "step"])
def test_given_the_same_counts(point: str) -> None:
    """Single precision against the loops in double, to 1e-6 of the frontier integral."""
    first, second, num_buckets, num_samples = POINTS[point]
    rng = np.random.default_rng(0)
    counts = [rng.multinomial(num_samples, _law(name, num_buckets, rng)) for name in (first, second)]
    for method in SMOOTHINGS:
        expected = oracle.frontier_integral_kl(*(oracle.smoothed(side, method) for side in counts))
        smoothed = [quantize.smooth(side, method) for side in counts]
        assert smoothed[0].dtype == jnp.float32
        assert float(frontier.fi_from_histograms(*smoothed)) == pytest.approx(expected, rel=1e-6), method


def _fi(p: np.ndarray, q: np.ndarray) -> float:
    """FI by the textbook form in float64, good to 1e-12 for laws as far apart as these."""
    both = (p > 0) & (q > 0) & (np.abs(p - q) > 1e-5 * (p + q))
    a, b = p[both], q[both]
    one = (p > 0) ^ (q > 0)
    return float(np.sum((a + b) / 2 - a * b * np.log(a / b) / (a - b)) + np.sum((p + q)[one]) / 2)


@pytest.mark.slow
def test_all_points_with_independent_draws() -> None:
    """Mean absolute errors over 100 repeats of the package and of the oracle, each with draws of its own.

    The 240 points are four panels of twelve settings under five estimators, each point with independent draws. The rule
    "none beyond 4 standard errors, at most a tenth beyond 2" fails by chance at 2 % (each point is beyond 4 with
    probability 6e-5 and beyond 2 with 4.6 %, and 25 of 240 beyond 2 is 4.2 standard deviations away).
    """
    z_scores = {}
    for number, (setting, (first, second, num_buckets, num_samples)) in enumerate(figure_settings().items()):
        for position, method in enumerate(SMOOTHINGS):
            rng = np.random.default_rng([number, position])
            laws, counts = (np.empty((2, 2, REPEATS, num_buckets)) for _ in range(2))  # whose, side, repeat, bucket
            for whose, repeat in itertools.product(range(2), range(REPEATS)):
                for side, law in enumerate((first, second)):  # P, then Q, redrawn each repeat
                    laws[whose, side, repeat] = _law(law, num_buckets, rng)
                    counts[whose, side, repeat] = rng.multinomial(num_samples, laws[whose, side, repeat])
            truth = [[_fi(p, q) for p, q in zip(*laws[whose], strict=True)] for whose in range(2)]
            ours = np.asarray(_estimates(jnp.asarray(counts[0], jnp.float32), method))
            theirs = [_fi(*(oracle.smoothed(side, method) for side in pair)) for pair in zip(*counts[1], strict=True)]
            errors = np.abs(np.asarray([ours, theirs]) - truth)
            spread = np.sqrt(np.var(errors, axis=1, ddof=1).sum() / REPEATS)
            z_scores[setting, method] = float((errors[0].mean() - errors[1].mean()) / spread)
    values = np.abs(list(z_scores.values()))
    assert values.size == 240
    assert values.max() < 4, z_scores
    assert (values > 2).mean() <= 0.1, z_scores


@partial(jax.jit, static_argnames="method")
def _estimates(counts: jax.Array, method: str) -> jax.Array:
    def one(p: jax.Array, q: jax.Array) -> jax.Array:
        return frontier.fi_from_histograms(quantize.smooth(p, method), quantize.smooth(q, method))

    return jax.vmap(one)(*counts)
