"""The synthetic laws of Figure 6 of the MAUVE paper: the frontier integral of smoothed histograms."""

from __future__ import annotations

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


def _draws(key: jax.Array, laws: tuple[jax.Array, jax.Array], num_samples: int) -> list[jax.Array]:
    bins = laws[0].shape[0]
    keys = jax.random.split(key)
    labels = [jax.random.choice(k, bins, (num_samples,), p=law) for k, law in zip(keys, laws, strict=True)]
    return [quantize.counts_from_labels(side, bins) for side in labels]


@pytest.mark.slow
def test_independent_draws() -> None:
    """Mean absolute errors over 100 repeats of this package's draws and of NumPy's, in units of their standard error.

    Every estimator has draws of its own, so that the 45 points (9 settings, 5 estimators) are independent and the rule
    "none beyond 4, at most a tenth beyond 2" fails by chance at 6 % (binomial, 4.6 % each beyond 2); of estimators on
    common draws it would fail at a third, whenever one setting of nine is unlucky.
    """
    z_scores = {}
    for number, (point, (first, second, num_buckets, num_samples)) in enumerate(POINTS.items()):
        rng = np.random.default_rng(number)
        errors: dict[str, np.ndarray] = {method: np.zeros((2, 100)) for method in SMOOTHINGS}

        @jax.jit
        def estimates(key: jax.Array, p: jax.Array, q: jax.Array, size: int = num_samples) -> jax.Array:
            keys = jax.random.split(key, len(SMOOTHINGS))
            counts = [_draws(k, (p, q), size) for k in keys]
            smoothed = [[quantize.smooth(c, m) for c in pair] for m, pair in zip(SMOOTHINGS, counts, strict=True)]
            return jnp.stack([frontier.fi_from_histograms(*pair) for pair in smoothed])

        for repeat in range(100):
            p, q = _law(first, num_buckets, rng), _law(second, num_buckets, rng)
            found = estimates(jax.random.key(1000 * number + repeat), _single(p), _single(q))
            for method, value in zip(SMOOTHINGS, np.asarray(found), strict=True):
                errors[method][0, repeat] = abs(float(value) - _fi(p, q))
            for method in SMOOTHINGS:
                p, q = _law(first, num_buckets, rng), _law(second, num_buckets, rng)
                counts = [rng.multinomial(num_samples, law) for law in (p, q)]
                value = _fi(*(oracle.smoothed(side, method) for side in counts))
                errors[method][1, repeat] = abs(value - _fi(p, q))
        for method, (ours, theirs) in errors.items():
            spread = np.sqrt((np.var(ours, ddof=1) + np.var(theirs, ddof=1)) / 100)
            z_scores[point, method] = float((ours.mean() - theirs.mean()) / spread)
    values = np.abs(list(z_scores.values()))
    assert values.max() < 4, z_scores
    assert (values > 2).mean() <= 0.1, z_scores


def _single(law: np.ndarray) -> jax.Array:
    return jnp.asarray(law, jnp.float32)
