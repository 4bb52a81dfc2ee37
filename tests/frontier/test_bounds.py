"""Error bounds: closed forms, that they bound simulated errors, and the choices that follow from them."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax import frontier
from fkeax.frontier import KL, ChiSquared, IntegralKL, Interpolated, JensenShannon, LeCam
from tests.frontier import oracle

UNIFORM = np.full(50, 0.02)
TAILED = oracle.zipf(50, 2.0)


def test_terms() -> None:
    """alpha of the uniform law is sqrt(k/n); beta by enumeration; gamma of a point is b k/(n + b k) 2 (1 - 1/k)."""
    assert frontier.alpha_term(UNIFORM, 200) == pytest.approx(math.sqrt(50 / 200))
    assert frontier.alpha_term(TAILED, 200) < frontier.alpha_term(UNIFORM, 200) / 1.5
    missed = 0.0
    law = [0.1, 0.2, 0.7]
    for outcome in np.ndindex(3, 3, 3):
        chance = math.prod(law[i] for i in outcome)
        missed += chance * sum(law[i] * max(1.0, -math.log(law[i])) for i in range(3) if i not in outcome)
    assert frontier.beta_term(np.array(law), 3) == pytest.approx(missed, rel=1e-12)
    assert frontier.beta_term(np.array([1.0, 0.0]), 3) == 0
    assert frontier.gamma_term(np.eye(4)[0], 10, 0.5) == pytest.approx(2 / 12 * 2 * (3 / 4))
    assert frontier.gamma_term(UNIFORM, 10, 0.5) == pytest.approx(0, abs=1e-15)


def _errors(name: str, p: np.ndarray, q: np.ndarray, num_samples: int, constant: float) -> float:
    """Mean absolute error of the plug-in over 200 draws, in NumPy; its standard error is below 5 % of it."""
    rng = np.random.default_rng(0)
    truth = oracle.divergence(name, p, q)
    total = 0.0
    for _ in range(200):
        a, b = (rng.multinomial(num_samples, law) + constant for law in (p, q))
        total += abs(oracle.divergence(name, a / a.sum(), b / b.sum()) - truth)
    return total / 200


@pytest.mark.parametrize("generator", [IntegralKL(), JensenShannon(), LeCam()])
@pytest.mark.parametrize("num_samples", [20, 400])
def test_bounds_hold_for_simulated_errors(generator: frontier.Generator, num_samples: int) -> None:
    """Theorems 10 and 12, law by law and for the size: sample errors lie far below, and the order is as proved."""
    for p, q in ((UNIFORM, TAILED), (TAILED, UNIFORM)):
        plain = _errors(generator.name, p, q, num_samples, 0.0)
        first = frontier.statistical_bound(generator, p, q, num_samples)
        assert plain < first < frontier.statistical_bound_for_size(generator, 50, num_samples) * 2
        smooth = _errors(generator.name, p, q, num_samples, 0.5)
        assert smooth < frontier.smoothed_bound(generator, p, q, num_samples, constant=0.5)
        assert smooth < frontier.smoothed_bound_for_size(generator, 50, num_samples, constant=0.5)


def test_bounds_by_hand() -> None:
    """Eq. (10), (11), (15), (16) for the frontier integral: C0 = 1/2, C1 = 1, C2 = 1/2, all symmetric."""
    n, k, b = 1000, 50, 0.5
    alpha_p, alpha_q = (frontier.alpha_term(law, n) for law in (UNIFORM, TAILED))
    beta_p, beta_q = (frontier.beta_term(law, n) for law in (UNIFORM, TAILED))
    expected = (math.log(n) + 0.5) * (alpha_p + alpha_q) + 1.5 * (beta_p + beta_q)
    assert frontier.statistical_bound(IntegralKL(), UNIFORM, TAILED, n) == pytest.approx(expected)
    size = (2 * math.log(n) + 1) * (math.sqrt(k / n) + k / n)
    assert frontier.statistical_bound_for_size(IntegralKL(), k, n) == pytest.approx(size)
    gammas = [frontier.gamma_term(law, n, b) for law in (UNIFORM, TAILED)]
    share = n / (n + k * b)
    # The second line takes gamma of Q: with that of P (0 here) the bound would miss the pull on the tailed law.
    smoothed = (share * (alpha_p + alpha_q) + sum(gammas)) * (math.log(n / b + k) + 0.5)
    assert frontier.smoothed_bound(IntegralKL(), UNIFORM, TAILED, n, constant=b) == pytest.approx(smoothed)
    assert gammas[1] > 0.01 > gammas[0]
    for_size = (2 * math.log(n / b + k) + 1) * (math.sqrt(k * n) + 2 * b * (k - 1)) / (n + k * b)
    assert frontier.smoothed_bound_for_size(IntegralKL(), k, n, constant=b) == pytest.approx(for_size)
    total = frontier.total_bound(IntegralKL(), UNIFORM, TAILED, n)
    assert total == pytest.approx(expected + 2 / k)  # 2/k for k bins
    mixture = Interpolated(KL(), 0.25)
    c = mixture.constants()
    expected = (c.c1 * math.log(n) + max(c.c0_conjugate, c.c2)) * alpha_p
    expected += (c.c1_conjugate * math.log(n) + max(c.c0, c.c2_conjugate)) * alpha_q
    expected += (c.c1 + max(c.c0_conjugate, c.c2)) * beta_p + (c.c1_conjugate + max(c.c0, c.c2_conjugate)) * beta_q
    assert frontier.statistical_bound(mixture, UNIFORM, TAILED, n) == pytest.approx(expected)


@pytest.mark.parametrize("generator", [KL(), ChiSquared()])
def test_frontier_bound_holds_uniformly(generator: frontier.Generator) -> None:
    """Proposition 11: the mean of the largest error of both coordinates over the inner part of the frontier."""
    rng = np.random.default_rng(1)
    grid = frontier.mixture_weights(np.linspace(0.1, 0.9, 33))
    curve = jax.jit(lambda p, q: frontier.frontier_curve(frontier.PairedMasses(p, q, p, q), generator, grid))

    def points(p: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = curve(jnp.asarray(p, jnp.float32), jnp.asarray(q, jnp.float32))
        return np.asarray(found.divergence_p), np.asarray(found.divergence_q)

    truth = points(UNIFORM, TAILED)
    largest = []
    for _ in range(50):
        found = points(rng.multinomial(300, UNIFORM) / 300, rng.multinomial(300, TAILED) / 300)
        largest.append(float(np.max(np.abs(found[0] - truth[0]) + np.abs(found[1] - truth[1]))))
    bound = frontier.frontier_bound(generator, UNIFORM, TAILED, 300, smallest_mixture=0.1)
    assert np.mean(largest) < bound
    # Constants fall in the weight, so that those at the smallest weight serve all.
    weights = np.linspace(0.1, 0.9, 17)
    table = np.array([list(vars(generator.mixture_constants(w)).values()) for w in weights])
    assert (np.diff(table, axis=0) <= 0).all()


@pytest.mark.parametrize("generator", [IntegralKL(), JensenShannon(), Interpolated(KL(), 0.3)])
@pytest.mark.parametrize("num_buckets", [2, 5, 8, 32])
def test_oracle_quantization_keeps_the_divergence(generator: frontier.Generator, num_buckets: int) -> None:
    """Proposition 13: two Gaussian laws on 2,001 atoms, empty atoms on either side included."""
    x = np.linspace(-6, 7, 2001)
    p, q = np.exp(-(x**2) / 2), np.exp(-((x - 1) ** 2) / 2)
    p[-50:] = q[:50] = 0
    p, q = p / p.sum(), q / q.sum()
    labels = frontier.oracle_partition(p, q, generator, num_buckets)
    assert labels.dtype == np.int32
    assert 0 <= labels.min() <= labels.max() < num_buckets
    binned = [np.bincount(labels, law, num_buckets) for law in (p, q)]
    full, kept = (
        float(generator.divergence(jnp.asarray(a, jnp.float32), jnp.asarray(b, jnp.float32)))
        for a, b in ((p, q), binned)
    )
    # Float32 sums of 2,001 terms: 1e-6 at most.
    assert -1e-6 <= full - kept <= frontier.quantization_bound(generator, num_buckets) + 1e-6


def test_recommended_number_of_bins() -> None:
    """The minimum of the bound, by search; of order n^{1/3} but for the logarithm, far below the n/10 of practice."""
    for n in (100, 5000, 10**6):
        sizes = np.arange(2, min(n, 400) + 1)
        values = [frontier.statistical_bound_for_size(IntegralKL(), int(k), n) + 2 / k for k in sizes]
        best = int(sizes[np.argmin(values)])
        assert abs(frontier.recommended_num_buckets(n, IntegralKL()) - best) <= 1
    numbers = [10**e for e in (6, 9, 12, 15)]
    adjusted = [
        frontier.recommended_num_buckets(n, IntegralKL()) * (2 * math.log(n) + 1) ** (2 / 3) / n ** (1 / 3)
        for n in numbers
    ]
    np.testing.assert_allclose(adjusted, 4 ** (2 / 3), rtol=0.02)  # rounding at k = 27


def test_neighbors() -> None:
    """Theorem 17: both parts are equal at the balanced k, where they are n^{-g/(d+g)}."""
    for n, d, g in ((10**6, 2, 1.0), (10**8, 3, 1.0), (10**6, 1, 0.5)):
        k = frontier.balanced_num_neighbors(n, d, smoothness=g)
        assert k == round(n ** (g / (d + g)))
        assert frontier.neighbor_rate(k, n, d, smoothness=g) == pytest.approx(2 * n ** (-g / (d + g)), rel=0.01)
        assert (k / n) ** (g / d) == pytest.approx(1 / k, rel=0.01)
    assert frontier.balanced_num_neighbors(5000, 50) == 1


def test_refusals() -> None:
    for generator in (KL(), frontier.SquaredHellinger(), frontier.TotalVariation()):
        with pytest.raises(ValueError, match=f"Assumption 9.*{generator.name} does not"):
            frontier.statistical_bound(generator, UNIFORM, TAILED, 100)
    with pytest.raises(ValueError, match=r"finite f\(0\) and f\*\(0\); those of kl are not"):
        frontier.quantization_bound(KL(), 10)
    with pytest.raises(ValueError, match="num_samples must be at least 3; got 2"):
        frontier.statistical_bound(IntegralKL(), UNIFORM, TAILED, 2)
    with pytest.raises(ValueError, match="p must be one histogram"):
        frontier.alpha_term(np.ones(3), 10)
    with pytest.raises(ValueError, match=r"smallest_mixture must be at most 1/2; got 0.7"):
        frontier.frontier_bound(KL(), UNIFORM, TAILED, 100, smallest_mixture=0.7)
    with pytest.raises(ValueError, match="Hoelder exponent"):
        frontier.balanced_num_neighbors(100, 2, smoothness=2.0)
    with pytest.raises(ValueError, match="same atoms; got 50 and 2"):
        frontier.oracle_partition(UNIFORM, np.array([0.5, 0.5]), IntegralKL(), 4)
