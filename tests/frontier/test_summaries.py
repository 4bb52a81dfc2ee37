"""Area, integral and midpoint: published numbers, identities, the properties of the paper, other packages."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import special

from fkeax import frontier
from fkeax.frontier import KL, ChiSquared, SquaredHellinger
from tests.frontier import oracle
from tests.frontier.golden import MAUVE_TEXT

GRID = np.linspace(1e-6, 1 - 1e-6, 25)
# Eight bins in most tests, empty ones included: few shapes, few compilations.
POINT, OTHER = np.eye(8)[:2]
HALVES = (POINT + OTHER) / 2


def mauve(p: np.ndarray, q: np.ndarray, **settings) -> float:
    return float(frontier.mauve_from_histograms(p, q, **settings))


def test_published_areas(x64: None) -> None:
    """Disjoint supports and a point against two halves, c = 5; the trapezoid on the grid of mauve-text, and exact."""
    assert mauve(POINT, OTHER) == pytest.approx(0.0040720963, abs=5e-11)
    assert mauve(POINT, OTHER, like="exact") == pytest.approx(5 * special.beta(6, 5), rel=1e-12)
    for p, q in ((POINT, HALVES), (HALVES, POINT)):
        assert mauve(p, q) == pytest.approx(0.27811372536724, abs=5e-15)
        assert mauve(p, q, like="exact") == pytest.approx(0.27747651704, abs=5e-12)


@pytest.mark.parametrize("case", range(len(MAUVE_TEXT)))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_agreement_with_mauve_text(x64: None, case: int, dtype: str) -> None:
    """Given its counts, to 1e-12 in float64 and 1e-5 in float32; its own sums of k terms round by k 1e-16."""
    golden = MAUVE_TEXT[case]
    empty = [0.0] * (40 - len(golden["counts_p"]))
    counts_p, counts_q = np.array(golden["counts_p"] + empty), np.array(golden["counts_q"] + empty)
    p, q = (counts_p / counts_p.sum()).astype(dtype), (counts_q / counts_q.sum()).astype(dtype)
    tolerance = 1e-12 if dtype == "float64" else 1e-5
    assert mauve(p, q) == pytest.approx(golden["mauve"], rel=tolerance)
    assert float(frontier.fi_from_histograms(p, q)) == pytest.approx(golden["frontier_integral"], rel=tolerance)


def test_gaussian_pair(x64: None) -> None:
    """N(0, I_4) against a unit shift along one axis is N(0, 1) against N(1, 1); 6001 cells of width 1/240."""
    x = np.linspace(-12, 13, 6001)
    p, q = np.exp(-(x**2) / 2), np.exp(-((x - 1) ** 2) / 2)
    p, q = p / p.sum(), q / q.sum()
    assert mauve(p, q, like="exact") == pytest.approx(0.631587, abs=5e-7)
    assert mauve(p, q) == pytest.approx(0.631403, abs=5e-7)
    assert float(frontier.fi_from_histograms(p, q)) == pytest.approx(0.151418, abs=5e-7)
    assert float(frontier.mid_from_histograms(p, q)) == pytest.approx(0.111421, abs=5e-7)


@pytest.mark.parametrize("name", ["kl", "chi2"])
def test_exact_area_against_adaptive_quadrature(x64: None, name: str) -> None:
    rng = np.random.default_rng(1)
    p, q = rng.dirichlet(np.full(8, 0.5), size=2)
    p[2] = q[4] = 0
    p, q = p / p.sum(), q / q.sum()
    generator = frontier.named_generator(name)
    for scale in (0.5, 5.0):
        expected = oracle.exact_area(name, p, q, scale)
        assert mauve(p, q, like="exact", generator=generator, scale=scale) == pytest.approx(expected, abs=1e-9)
        assert mauve(p, q, generator=generator, scale=scale) == pytest.approx(
            oracle.trapezoid_area(name, p, q, scale, GRID), rel=1e-12
        )


def test_a_little_missing_mass(x64: None) -> None:
    """x ~ l^{c a} at 0 with a = 1e-6: the rectangle x(0+) is 0, but x gets there only at l = e^-200000."""
    small = 1e-6
    p, q = (1 - small) * POINT + small * OTHER, POINT
    assert 1 - 2e-4 < mauve(p, q, like="exact") < 1
    fine = frontier.mixture_weights(np.concatenate([np.geomspace(1e-12, 0.4, 3000), np.linspace(0.41, 0.99999, 3000)]))
    trapezoid = float(frontier.area(frontier.frontier_from_histograms(p, q, mixtures=fine)))
    assert mauve(p, q, like="exact") == pytest.approx(trapezoid, abs=1e-9)


def test_order_of_models_depends_on_the_scale(x64: None) -> None:
    """The text says that c does not change it."""
    p = np.array([0.289, 0.470, 0.087, 0.154, 0, 0, 0, 0])
    first, second = np.array([0.412, 0.062, 0.477, 0.049, 0, 0, 0, 0]), np.array([0, 0.522, 0, 0.478, 0, 0, 0, 0])
    for like in ("mauve-text", "exact"):
        assert mauve(p, first, scale=1.0, like=like) > mauve(p, second, scale=1.0, like=like) + 0.004
        assert mauve(p, first, scale=5.0, like=like) < mauve(p, second, scale=5.0, like=like) - 0.003


PAIRS = np.random.default_rng(2).dirichlet(np.full(8, 0.5), size=(10, 2))


def test_property_6(x64: None) -> None:
    """0 <= MAUVE(P,Q) = MAUVE(Q,P) <= 1, MAUVE(P,P) = 1 exactly, below 1 else."""
    for like in ("mauve-text", "paper", "exact"):
        for p, q in PAIRS[:4]:
            value = mauve(p, q, like=like)
            assert 0 <= value < 1
            assert mauve(q, p, like=like) == pytest.approx(value, rel=1e-9)
            assert mauve(p, p, like=like) == 1.0


@pytest.mark.parametrize("name", ["kl", "chi2", "squared-hellinger"])
def test_property_7(x64: None, name: str) -> None:
    """FI is symmetric, between 0 and ``4 int l f*(l) dl + 2 f(0)/3``, reached by disjoint supports, 0 iff P = Q."""
    generator = frontier.named_generator(name)
    bound = {"kl": 1.0, "chi2": 2.0, "squared-hellinger": 4 * (1 / 2 - 4 / 5 * 1 + 1 / 3) + 2 / 3}[name]

    def fi(p: np.ndarray, q: np.ndarray) -> float:
        return float(frontier.fi_from_histograms(p, q, generator=generator))

    disjoint = (POINT, OTHER)
    assert fi(*disjoint) == pytest.approx(bound, rel=1e-9)
    for p, q in PAIRS[:3]:
        assert 0 < fi(p, q) < bound
        assert fi(q, p) == pytest.approx(fi(p, q), rel=1e-12)
        assert fi(p, q) == pytest.approx(oracle.integral(name, p, q), rel=1e-9)
        assert fi(p, p) == (0 if name != "squared-hellinger" else pytest.approx(0, abs=1e-30))


@pytest.mark.parametrize("name", ["kl", "chi2", "squared-hellinger"])
def test_property_8(x64: None, name: str) -> None:
    """The midpoint is symmetric, between 0 and ``(f(0) + f(2)) / 2``, reached by disjoint supports, 0 iff P = Q."""
    generator = frontier.named_generator(name)
    bound = (oracle.TEXTBOOK[name](0.0) + oracle.TEXTBOOK[name](2.0)) / 2

    def mid(p: np.ndarray, q: np.ndarray) -> float:
        return float(frontier.mid_from_histograms(p, q, generator=generator))

    disjoint = (POINT, OTHER)
    assert mid(*disjoint) == pytest.approx(bound, rel=1e-12)
    for p, q in PAIRS[:3]:
        assert 0 < mid(p, q) < bound
        assert mid(q, p) == pytest.approx(mid(p, q), rel=1e-12)
        assert mid(p, q) == pytest.approx(sum(oracle.point(name, p, q, 0.5)) / 2, rel=1e-12)
        assert mid(p, p) == 0


def test_chi_squared_integral_is_twice_that_of_kl(x64: None) -> None:
    for p, q in PAIRS:
        kl = float(frontier.fi_from_histograms(p, q))
        assert float(frontier.fi_from_histograms(p, q, generator=ChiSquared())) == pytest.approx(2 * kl, rel=1e-15)
        assert oracle.integral("chi2", p, q) == pytest.approx(2 * kl, rel=1e-9)


def test_single_precision_integral_of_close_laws() -> None:
    """0.1 % imbalance, where the textbook form in float32 is off by factors and may be negative."""
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.full(500, 5.0))
    for imbalance in (1e-1, 1e-2, 1e-3, 1e-4):
        q = p * (1 + imbalance * rng.choice([-1, 1], 500))
        p32, q32 = p.astype(np.float32), (q / q.sum()).astype(np.float32)
        expected = oracle.frontier_integral_kl(p32, q32)
        assert float(frontier.fi_from_histograms(p32, q32)) == pytest.approx(expected, rel=1e-6)
    a, b = p32, q32
    with np.errstate(all="ignore"):
        naive = float(np.sum(np.where(a == b, 0, (a + b) / 2 - a * b * np.log(a / b) / (a - b))))
    assert abs(naive / expected - 1) > 10  # the form that this avoids


def test_ratios_give_the_summaries_of_the_histograms(x64: None) -> None:
    """Samples in the exact proportions of two laws, with their exact ratios."""
    p, q = np.array([0.1, 0.4, 0.3, 0.2]), np.array([0.3, 0.2, 0.1, 0.4])
    at_p, at_q = np.repeat(p / q, [1, 4, 3, 2]), np.repeat(p / q, [3, 2, 1, 4])
    p, q = np.append(p, np.zeros(4)), np.append(q, np.zeros(4))
    for from_ratios, from_histograms, settings in (
        (frontier.fi_from_ratios, frontier.fi_from_histograms, {}),
        (frontier.mid_from_ratios, frontier.mid_from_histograms, {}),
        (frontier.mauve_from_ratios, frontier.mauve_from_histograms, {}),
        (frontier.mauve_from_ratios, frontier.mauve_from_histograms, {"like": "exact"}),
        (frontier.fi_from_ratios, frontier.fi_from_histograms, {"generator": ChiSquared()}),
    ):
        expected = float(from_histograms(p, q, **settings))
        assert float(from_ratios(at_p, at_q, **settings)) == pytest.approx(expected, rel=1e-9)


def test_tiny_masses_in_single_precision() -> None:
    """Masses down to the smallest normal number do not turn mixtures into 0, nor derivatives into NaN."""
    x = np.linspace(-12, 13, 401)
    p, q = np.exp(-(x**2) / 2), np.exp(-((x - 1) ** 2) / 2)
    p, q = p / p.sum(), q / q.sum()
    assert mauve(p.astype(np.float32), p.astype(np.float32), like="exact") == 1.0
    for like in ("mauve-text", "exact"):
        expected = {"mauve-text": 0.631403, "exact": 0.631587}[like]
        assert mauve(p.astype(np.float32), q.astype(np.float32), like=like) == pytest.approx(expected, rel=1e-5)


def test_the_scale_is_traced_and_the_area_differentiable() -> None:
    traces = []

    @jax.jit
    def area(scale: jax.Array, p: jax.Array) -> jax.Array:
        traces.append(None)
        return frontier.mauve_from_histograms(p, jnp.asarray(PAIRS[0][1], jnp.float32), scale=scale)

    p = jnp.asarray(PAIRS[0][0], jnp.float32)
    values = [float(area(jnp.float32(c), p)) for c in (1.0, 2.0, 5.0)]
    assert len(traces) == 1
    assert values == sorted(values, reverse=True)
    assert np.isfinite(np.asarray(jax.jit(jax.grad(area, argnums=1))(jnp.float32(5.0), p))).all()


def test_summaries_as_one_statistic() -> None:
    statistic = frontier.Summaries(KL(), 5.0, frontier.compatible_mixtures())
    p, q = PAIRS[0].astype(np.float32)
    expected = [frontier.fi_from_histograms(p, q), frontier.mid_from_histograms(p, q), mauve(p, q)]
    found = jax.jit(lambda s, a, b: s(a, b))(statistic, jnp.asarray(p), jnp.asarray(q))
    np.testing.assert_allclose(np.asarray(found), [float(value) for value in expected], rtol=1e-6)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="like must be one of mauve-text, paper, exact; got 'text'"):
        mauve(POINT, HALVES, like="text")
    for scale in (0.0, -1.0, math.inf):
        with pytest.raises(ValueError, match="scale must be"):
            mauve(POINT, HALVES, scale=scale)
    with pytest.raises(ValueError, match=r"f\*\(0\) = infinity.*squared-hellinger"):
        mauve(POINT, HALVES, generator=SquaredHellinger())
    with pytest.raises(ValueError, match=r"finite f\(0\) for the frontier integral.*reverse-kl"):
        frontier.fi_from_histograms(POINT, HALVES, generator=frontier.ReverseKL())
    with pytest.raises(ValueError, match=r"finite f\(0\) for the midpoint"):
        frontier.mid_from_ratios(HALVES, HALVES, generator=frontier.ReverseKL())
