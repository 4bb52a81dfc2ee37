"""Generators: values against the textbook forms, limits, mixtures, constants, refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax import frontier
from fkeax.frontier import KL, ChiSquared, Conjugate, Interpolated, JensenShannon, LeCam, SkewJensenShannon
from fkeax.frontier.summary_generators import GENERATORS, FrontierIntegral, Midpoint, check_frontier_generator
from tests.frontier import oracle

RATIOS = np.concatenate([np.geomspace(1e-6, 1e6, 41), [0.9, 0.999, 1.001, 1.1]])
HIST_P = np.array([0.2, 0.0, 0.3, 0.1, 0.4])
HIST_Q = np.array([0.1, 0.25, 0.0, 0.15, 0.5])
WEIGHTS = (0.05, 0.3, 0.5, 0.9)


@pytest.mark.parametrize("name", GENERATORS)
def test_textbook_values(x64: None, name: str) -> None:
    generator = GENERATORS[name]()
    expected = np.array([oracle.TEXTBOOK[name](t) for t in RATIOS])
    conjugate = np.array([t * oracle.TEXTBOOK[name](1 / t) for t in RATIOS])
    # The textbook forms themselves cancel near t = 1: up to 1e-15 of max(1, t).
    np.testing.assert_allclose(np.asarray(generator(jnp.asarray(RATIOS))), expected, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(np.asarray(generator.conjugate(jnp.asarray(RATIOS))), conjugate, rtol=1e-11, atol=1e-14)
    assert float(generator(jnp.asarray(1.0))) == 0


@pytest.mark.parametrize("name", GENERATORS)
def test_limits(x64: None, name: str) -> None:
    generator = GENERATORS[name]()
    at_zero = oracle.TEXTBOOK[name](0.0)
    zero = jnp.zeros(())
    assert float(generator(zero)) == pytest.approx(at_zero, rel=1e-15)
    assert float(generator.conjugate(zero)) == pytest.approx(oracle.SLOPE_AT_INFINITY[name], rel=1e-15)
    assert generator.finite_at_zero == math.isfinite(at_zero)
    assert generator.finite_conjugate_at_zero == math.isfinite(oracle.SLOPE_AT_INFINITY[name])
    constants = generator.constants()
    assert (constants.c0, constants.c0_conjugate) == pytest.approx((at_zero, oracle.SLOPE_AT_INFINITY[name]))


@pytest.mark.parametrize("name", GENERATORS)
def test_divergences_with_empty_bins(x64: None, name: str) -> None:
    generator = GENERATORS[name]()
    p, q = jnp.asarray(HIST_P), jnp.asarray(HIST_Q)
    assert float(generator.divergence(p, q)) == pytest.approx(oracle.divergence(name, HIST_P, HIST_Q), rel=1e-13)
    assert float(Conjugate(generator).divergence(p, q)) == pytest.approx(
        oracle.divergence(name, HIST_Q, HIST_P), rel=1e-13
    )


@pytest.mark.parametrize("name", ["kl", "chi2", "squared-hellinger"])
def test_coordinates_are_divergences(x64: None, name: str) -> None:
    """Property 5, and that the second coordinate as a divergence of P from Q has the generator (f_{1-l})*."""
    generator = GENERATORS[name]()
    p, q = jnp.asarray(HIST_P), jnp.asarray(HIST_Q)
    for weight in WEIGHTS:
        first, second = oracle.point(name, HIST_P, HIST_Q, weight)
        assert float(Interpolated(generator, weight).divergence(p, q)) == pytest.approx(first, rel=1e-13)
        assert float(Interpolated(generator, 1 - weight).divergence(q, p)) == pytest.approx(second, rel=1e-13)
        assert float(Conjugate(Interpolated(generator, 1 - weight)).divergence(p, q)) == pytest.approx(
            second, rel=1e-13
        )


def test_closed_forms_of_mixtures(x64: None) -> None:
    t = jnp.asarray(RATIOS)
    for weight in WEIGHTS:
        rest = 1 - weight
        s = weight * RATIOS + rest
        kl = RATIOS * np.log(RATIOS / s) - rest * (RATIOS - 1)
        np.testing.assert_allclose(np.asarray(Interpolated(KL(), weight)(t)), kl, rtol=1e-9, atol=1e-13)
        chi2 = rest**2 * (RATIOS - 1) ** 2 / s  # the factor (1 - l)^2 is missing from Example 2(d)
        np.testing.assert_allclose(np.asarray(Interpolated(ChiSquared(), weight)(t)), chi2, rtol=1e-9, atol=1e-13)
        skew = weight * RATIOS * np.log(RATIOS / s) - rest * np.log(s)
        np.testing.assert_allclose(np.asarray(SkewJensenShannon(weight)(t)), skew, rtol=1e-9, atol=1e-13)


def test_summaries_are_divergences(x64: None) -> None:
    """FI of chi-squared is twice that of KL; midpoints are Jensen-Shannon and Le Cam; quadrature agrees."""
    t = jnp.asarray(RATIOS)
    integral = np.asarray(frontier.IntegralKL()(t))
    for closed, generic in (
        (integral, FrontierIntegral(KL())),
        (2 * integral, FrontierIntegral(ChiSquared())),
        (np.asarray(JensenShannon()(t)), Midpoint(KL())),
        (np.asarray(LeCam()(t)), Midpoint(ChiSquared())),
    ):
        np.testing.assert_allclose(np.asarray(generic(t)), closed, rtol=1e-10, atol=1e-15)
    np.testing.assert_array_equal(np.asarray(frontier.IntegralChiSquared()(t)), 2 * integral)
    # f_{1/2} alone generates the midpoint only where it is symmetric.
    assert not np.allclose(np.asarray(Interpolated(KL(), 0.5)(t)), np.asarray(JensenShannon()(t)), rtol=0.01)
    np.testing.assert_allclose(np.asarray(Interpolated(ChiSquared(), 0.5)(t)), np.asarray(LeCam()(t)), rtol=1e-12)
    small = 1e-6
    printed = (small**2 + small + 1) / (small - 1) * math.log(small) - 1.5 * (small + 1)  # Section 3.3
    assert printed > 10  # above the bound 1 of a frontier integral of chi-squared


# f, f' and f'' of every family, from which those of mixtures and conjugates follow by the chain rule.
Derivatives = tuple[Callable[[Any], Any], Callable[[Any], Any], Callable[[Any], Any]]

KL_DERIVATIVES: Derivatives = (lambda t: t * np.log(t) - t + 1, np.log, lambda t: 1 / t)
REVERSE_DERIVATIVES: Derivatives = (lambda t: t - 1 - np.log(t), lambda t: 1 - 1 / t, lambda t: 1 / t**2)
CHI2_DERIVATIVES: Derivatives = (lambda t: (t - 1) ** 2, lambda t: 2 * (t - 1), lambda t: 2 + 0 * t)
NEYMAN_DERIVATIVES: Derivatives = (lambda t: (t - 1) ** 2 / t, lambda t: 1 - 1 / t**2, lambda t: 2 / t**3)
HELLINGER_DERIVATIVES: Derivatives = (lambda t: (t**0.5 - 1) ** 2, lambda t: 1 - t**-0.5, lambda t: t**-1.5 / 2)
INTEGRAL_DERIVATIVES: Derivatives = (
    lambda t: (t + 1) / 2 - t * np.log(t) / (t - 1),
    lambda t: 0.5 - 1 / (t - 1) + np.log(t) / (t - 1) ** 2,
    lambda t: ((t - 1 / t) - 2 * np.log(t)) / (t - 1) ** 3,
)


def mixed(family: Derivatives, weight: float) -> Derivatives:
    """s f(t / s), s = l t + 1 - l."""
    f, slope, curvature = family
    rest = 1 - weight

    def s(t: Any) -> Any:
        return weight * t + rest

    return (
        lambda t: s(t) * f(t / s(t)),
        lambda t: weight * f(t / s(t)) + rest / s(t) * slope(t / s(t)),
        lambda t: rest**2 / s(t) ** 3 * curvature(t / s(t)),
    )


def mixed_conjugate(family: Derivatives, weight: float) -> Derivatives:
    """r f(1 / r), r = l + (1 - l) t."""
    f, slope, curvature = family
    rest = 1 - weight

    def r(t: Any) -> Any:
        return weight + rest * t

    return (
        lambda t: r(t) * f(1 / r(t)),
        lambda t: rest * (f(1 / r(t)) - slope(1 / r(t)) / r(t)),
        lambda t: rest**2 / r(t) ** 3 * curvature(1 / r(t)),
    )


def skewed(family: Derivatives, weight: float) -> Derivatives:
    first, second = mixed(family, weight), mixed_conjugate(family, 1 - weight)
    rest = 1 - weight
    return tuple(lambda t, i=i: weight * first[i](t) + rest * second[i](t) for i in range(3))  # type: ignore[return-value]


def doubled(family: Derivatives) -> Derivatives:
    return tuple(lambda t, i=i: 2 * family[i](t) for i in range(3))  # type: ignore[return-value]


def mixture_case(generator: frontier.Generator, family: Derivatives, weight: float) -> Any:
    return Interpolated(generator, weight), mixed(family, weight), mixed_conjugate(family, weight)


# The generator, the derivatives of f and those of f*.
CONSTANTS: dict[str, tuple[frontier.Generator, Derivatives, Derivatives]] = {
    "kl": (KL(), KL_DERIVATIVES, REVERSE_DERIVATIVES),
    "reverse-kl": (frontier.ReverseKL(), REVERSE_DERIVATIVES, KL_DERIVATIVES),
    "chi2": (ChiSquared(), CHI2_DERIVATIVES, NEYMAN_DERIVATIVES),
    "squared-hellinger": (frontier.SquaredHellinger(), HELLINGER_DERIVATIVES, HELLINGER_DERIVATIVES),
    "fi-kl": (frontier.IntegralKL(), INTEGRAL_DERIVATIVES, INTEGRAL_DERIVATIVES),
    "fi-chi2": (frontier.IntegralChiSquared(), doubled(INTEGRAL_DERIVATIVES), doubled(INTEGRAL_DERIVATIVES)),
    "js": (JensenShannon(), skewed(KL_DERIVATIVES, 0.5), skewed(KL_DERIVATIVES, 0.5)),
    "le-cam": (LeCam(), skewed(CHI2_DERIVATIVES, 0.5), skewed(CHI2_DERIVATIVES, 0.5)),
    "conjugate": (
        Conjugate(Interpolated(KL(), 0.3)),
        mixed_conjugate(KL_DERIVATIVES, 0.3),
        mixed(KL_DERIVATIVES, 0.3),
    ),
    **{f"interpolated-kl-{w}": mixture_case(KL(), KL_DERIVATIVES, w) for w in WEIGHTS},
    **{f"interpolated-chi2-{w}": mixture_case(ChiSquared(), CHI2_DERIVATIVES, w) for w in WEIGHTS},
    **{
        f"skew-js-{w}": (SkewJensenShannon(w), skewed(KL_DERIVATIVES, w), skewed(KL_DERIVATIVES, 1 - w))
        for w in WEIGHTS
    },
}
TIGHT_C1 = ("kl", "js", "fi-kl", "fi-chi2", "skew-js", "interpolated-kl")
TIGHT_C2 = (*TIGHT_C1, "le-cam", "interpolated-chi2")


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_are_suprema(name: str) -> None:
    """Each constant bounds its ratio on a grid; the ones called tight are reached.

    C1 is reached as t -> 0, where ``|f'| = C1 (log(1/t) - O(1))``, the O(1) at most 4 for these weights: at t = 1e-100
    within 4/230. C2 is reached inside the grid, or at its end 1e-12 as t -> 0.
    """
    generator, family, conjugate = CONSTANTS[name]
    c = generator.constants()
    small = np.concatenate([np.geomspace(1e-100, 1e-3, 200), np.linspace(1e-3, 1 - 1e-3, 2000)])
    wide = np.geomspace(1e-12, 1e12, 100_000)
    wide = wide[np.abs(wide - 1) > 1e-3]
    for (_, slope, curvature), c1, c2, is_tight in (
        (family, c.c1, c.c2, True),
        (conjugate, c.c1_conjugate, c.c2_conjugate, not name.startswith(("interpolated", "conjugate"))),
    ):
        ratio = float(np.max(np.abs(slope(small)) / np.maximum(1, -np.log(small))))
        assert ratio <= c1 * (1 + 1e-9)
        if math.isfinite(c1) and name.startswith(TIGHT_C1) and is_tight:
            assert ratio >= c1 * (1 - 4 / 230)
        largest = float(np.max(wide / 2 * curvature(wide)))
        assert largest <= c2 * (1 + 1e-6)
        if math.isfinite(c2) and name.startswith(TIGHT_C2):
            assert largest >= c2 * (1 - 1e-6)
        if math.isinf(c2):
            assert largest > 1e4


def test_loose_constants_against_their_derivatives() -> None:
    """The suprema of the derivatives themselves: 1 + (1-l) and (1-l)^2 (1+l)/l^2 for chi-squared, C1* for KL."""
    for weight in WEIGHTS:
        rest = 1 - weight
        assert abs(mixed(CHI2_DERIVATIVES, weight)[1](0.0)) == pytest.approx(1 + rest)
        slope = mixed_conjugate(CHI2_DERIVATIVES, weight)[1](0.0)
        assert abs(slope) == pytest.approx(rest**2 * (1 + weight) / weight**2)
        assert abs(mixed_conjugate(KL_DERIVATIVES, weight)[1](0.0)) == pytest.approx(rest**2 / weight)
        unscaled = Interpolated(ChiSquared(), weight).constants().scaled(1 / rest**2)  # Table 1, without (1 - l)^2
        assert (unscaled.c0_conjugate, unscaled.c1_conjugate) == pytest.approx((1 / weight, 2 / weight**2))
        assert (unscaled.c2, unscaled.c2_conjugate) == pytest.approx(
            (4 / (27 * weight * rest**2), 4 / (27 * weight**2 * rest))
        )
    total_variation = frontier.TotalVariation().constants()
    assert math.isinf(total_variation.c2)  # the kink


@pytest.mark.parametrize("name", ["kl", "js", "fi-kl", "squared-hellinger", "le-cam"])
def test_close_masses_in_float32(name: str) -> None:
    """Relative error 1e-6 at imbalances down to 1e-5, where the textbook forms have no digit left.

    The masses are exact in float32; the reference is a series or a form without cancellation in 80-bit arithmetic.
    """
    q = np.float32(0.375)
    imbalance = np.array([-0.4, -1e-2, -1e-3, 1e-5, 1e-4, 1e-3, 0.1, 0.9], np.float32)
    p = (q * (1 + imbalance)).astype(np.float32)
    a, b = p.astype(np.longdouble), np.longdouble(q)
    u = (a - b) / (a + b)
    series = {k: sum(u ** (2 * j) / (2 * j + k) for j in range(400)) for k in (1, 3)}  # atanh(u)/u and its remainder
    expected = {
        "kl": (a + b) * u**2 * (1 + u * (1 + u) * series[3]),
        # (1 + u) log(1 + u) + (1 - u) log(1 - u) = sum of u^(2j) / (j (2j - 1))
        "js": (a + b) / 4 * sum(u ** (2 * j) / (j * (2 * j - 1)) for j in range(1, 400)),
        "fi-kl": (a + b) / 2 * u**2 * (1 - (1 - u**2) * series[3]),
        "squared-hellinger": (a - b) ** 2 / (np.sqrt(a) + np.sqrt(b)) ** 2,
        "le-cam": (a - b) ** 2 / (2 * (a + b)),
    }[name]
    found = np.asarray(GENERATORS[name]().perspective(jnp.asarray(p), jnp.full_like(p, q)))
    # Jensen-Shannon's half-way law rounds by 6e-8, which moves the sum of its terms by (6e-8 / u)^2, u >= 5e-6.
    tolerance = 3e-4 if name == "js" else 1e-6
    np.testing.assert_allclose(found.astype(np.float64), expected.astype(np.float64), rtol=tolerance)


def test_gradients_are_finite_where_bins_are_empty() -> None:
    p = jnp.asarray([0.5, 0.0, 0.5])
    q = jnp.asarray([0.25, 0.0, 0.75])
    kinds = (KL(), ChiSquared(), frontier.SquaredHellinger(), frontier.IntegralKL(), JensenShannon())
    gradients = jax.jit(lambda x: [jax.grad(kind.divergence)(x, q) for kind in kinds])(p)
    assert all(np.isfinite(np.asarray(gradient)).all() for gradient in gradients)
    kl = gradients[0]
    np.testing.assert_allclose(np.asarray(kl)[[0, 2]], np.log([2.0, 2 / 3]), rtol=1e-6)


def test_a_mixture_weight_is_traced() -> None:
    traces = []

    @jax.jit
    def divergence(generator: frontier.Generator) -> jax.Array:
        traces.append(generator)
        return generator.divergence(jnp.asarray([0.5, 0.5]), jnp.asarray([0.25, 0.75]))

    values = [float(divergence(Interpolated(KL(), jnp.asarray(weight)))) for weight in WEIGHTS]
    assert len(traces) == 1
    assert values == sorted(values, reverse=True)


def test_structures_tell_generators_apart() -> None:
    """Or a compiled program of one could serve another."""
    generators = [kind() for kind in GENERATORS.values()]
    generators += [wrap(KL()) for wrap in (Conjugate, FrontierIntegral, Midpoint)]
    structures = [jax.tree.structure(generator) for generator in generators]
    assert all(a != b for i, a in enumerate(structures) for b in structures[:i])


@pytest.mark.parametrize("name", [name for name in GENERATORS if name not in ("kl", "chi2")])
def test_definition_4_refuses(name: str) -> None:
    reason = "finite f" if name == "reverse-kl" else "f\\*\\(0\\) = infinity"
    with pytest.raises(ValueError, match=reason):
        check_frontier_generator(GENERATORS[name]())


def test_other_refusals() -> None:
    with pytest.raises(ValueError, match=r"Definition 4.*interpolated"):
        check_frontier_generator(Interpolated(KL(), 0.5))
    with pytest.raises(ValueError, match="generator must be one of kl, "):
        frontier.named_generator("k1")
    with pytest.raises(NotImplementedError, match="mixtures of the generator squared-hellinger"):
        Interpolated(frontier.SquaredHellinger(), 0.5).constants()
    with pytest.raises(ValueError, match=r"mixture must lie strictly between 0 and 1; got 1.5"):
        SkewJensenShannon(1.5).constants()
    assert frontier.named_generator("js") == JensenShannon()
