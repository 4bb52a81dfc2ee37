"""Generators of the summaries: the frontier integral and the midpoint are f-divergences themselves.

MAUVE paper, Properties 7 and 8. Closed forms for KL and chi-squared, quadrature over the mixture weight otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

from fkeax.frontier import perspectives
from fkeax.frontier.constants import SmoothnessConstants
from fkeax.frontier.generators import (
    KL,
    ChiSquared,
    Generator,
    JensenShannon,
    LeCam,
    ReverseKL,
    SquaredHellinger,
    TotalVariation,
)
from fkeax.numerics import checks, pytrees
from fkeax.numerics.quadrature import tanh_sinh

Mass = Float[Array, "*shape"]


@pytrees.register
@dataclass(frozen=True)
class IntegralKL(Generator):
    """The frontier integral of KL: ``f(t) = (t + 1)/2 - t log t / (t - 1)``, at most 1.

    ``f(0) = 1/2`` and the slope at infinity is 1/2.
    """

    name: ClassVar[str] = "fi-kl"

    def perspective(self, p: Mass, q: Mass) -> Mass:
        """Return ``(p + q)/2 - p q log(p / q) / (p - q)``."""
        return perspectives.integral_kl(p, q)

    def constants(self) -> SmoothnessConstants:
        """Return the constants, all tight: C1 = 1, where Table 1 of the paper has 4."""
        return SmoothnessConstants(0.5, 0.5, 1.0, 1.0, 0.5, 0.5)


@pytrees.register
@dataclass(frozen=True)
class IntegralChiSquared(Generator):
    """The frontier integral of chi-squared: twice that of KL, identically; at most 2.

    The generator printed in Section 3.3 of the paper diverges at 0 and is not used.
    """

    name: ClassVar[str] = "fi-chi2"

    def perspective(self, p: Mass, q: Mass) -> Mass:
        """Return ``(p + q) - 2 p q log(p / q) / (p - q)``."""
        return 2 * perspectives.integral_kl(p, q)

    def constants(self) -> SmoothnessConstants:
        """Return the constants, all tight."""
        return IntegralKL().constants().scaled(2)


@pytrees.register
@dataclass(frozen=True)
class FrontierIntegral(Generator):
    """The frontier integral of any generator f with finite ``f(0)``, by tanh-sinh quadrature over l.

    ``2 integral of l D_f(P||R_l) + (1 - l) D_f(Q||R_l)``, ``R_l = l P + (1 - l) Q``; symmetric in P and Q.

    Attributes:
        generator: The generator f.
    """

    generator: Generator

    name: ClassVar[str] = "frontier-integral"

    def perspective(self, p: Mass, q: Mass) -> Mass:
        """Return the integral of the two weighted terms, one mixture weight after the other."""
        rule = tanh_sinh()
        table = jnp.asarray(np.stack([rule.nodes, rule.complements, rule.weights], axis=1), p.dtype)

        def add(total: Mass, row: Float[Array, "3"]) -> tuple[Mass, None]:
            weight, rest, step = row
            first = self.generator.mixed(p, q, weight, rest)
            second = self.generator.mixed(q, p, rest, weight)
            return total + 2 * step * (weight * first + rest * second), None

        return lax.scan(add, jnp.zeros_like(p), table)[0]


@pytrees.register
@dataclass(frozen=True)
class Midpoint(Generator):
    """The midpoint of any generator f with finite ``f(0)``: ``(D_f(P||R) + D_f(Q||R)) / 2``, R half way.

    Its generator is ``(f_{1/2} + (f_{1/2})*) / 2``. The text of the paper (Property 8) has ``f_{1/2}`` alone, which is
    right only where that is symmetric (chi-squared, not KL).

    Attributes:
        generator: The generator f.
    """

    generator: Generator

    name: ClassVar[str] = "midpoint"

    def perspective(self, p: Mass, q: Mass) -> Mass:
        """Return half of the two terms."""
        return (self.generator.mixed(p, q, 0.5, 0.5) + self.generator.mixed(q, p, 0.5, 0.5)) / 2


def integral_generator(generator: Generator) -> Generator:
    """Return the generator of the frontier integral of f, in closed form where there is one.

    Raises:
        ValueError: ``f(0)`` is infinite.
    """
    _check_finite_at_zero(generator, "frontier integral")
    if isinstance(generator, KL):
        return IntegralKL()
    return IntegralChiSquared() if isinstance(generator, ChiSquared) else FrontierIntegral(generator)


def midpoint_generator(generator: Generator) -> Generator:
    """Return the generator of the midpoint summary of f: Jensen-Shannon for KL, Le Cam for chi-squared.

    Raises:
        ValueError: ``f(0)`` is infinite.
    """
    _check_finite_at_zero(generator, "midpoint")
    if isinstance(generator, KL):
        return JensenShannon()
    return LeCam() if isinstance(generator, ChiSquared) else Midpoint(generator)


def _check_finite_at_zero(generator: Generator, summary: str) -> None:
    if not generator.finite_at_zero:
        raise ValueError(
            f"generator must have a finite f(0) for the {summary}; that of {generator.name} is infinite, so any mass "
            "outside one of the two supports would make every point of the frontier infinite."
        )


def check_frontier_generator(generator: Generator) -> None:
    """Refuse a generator that Definition 4 of the MAUVE paper refuses, with the reason.

    Raises:
        ValueError: ``f(0)`` is infinite, or ``f*(0)`` is finite.
        TypeError: It is no generator.
    """
    if not isinstance(generator, Generator):
        raise TypeError(f"generator must be a fkeax.frontier.Generator such as KL(); got {type(generator).__name__}.")
    _check_finite_at_zero(generator, "frontier")
    if generator.finite_conjugate_at_zero:
        raise ValueError(
            f"generator must have f*(0) = infinity for a divergence frontier (Definition 4); that of {generator.name} "
            "is finite, so the frontier would stay bounded, and its area above 0, where the supports are disjoint. "
            "KL() and ChiSquared() qualify; fi and mid take any generator with a finite f(0)."
        )


GENERATORS: dict[str, type[Generator]] = {
    kind.name: kind
    for kind in (
        KL,
        ReverseKL,
        ChiSquared,
        JensenShannon,
        LeCam,
        SquaredHellinger,
        TotalVariation,
        IntegralKL,
        IntegralChiSquared,
    )
}


def named_generator(name: str) -> Generator:
    """Return the generator of that name, for configuration files and the command line.

    Raises:
        ValueError: No generator without a parameter has this name; the sentence lists them.

    Example:
        >>> named_generator("chi2")
        ChiSquared()
    """
    return GENERATORS[checks.choice(name, "generator", tuple(GENERATORS))]()
