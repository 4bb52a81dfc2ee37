"""Generators of f-divergences as callable pytrees: the function f, its conjugate, its mixtures and its constants.

A generator is written through its perspective ``(p, q) -> q f(p / q)``, the contribution of one atom to
``D_f(P||Q) = sum q f(p / q)``, which is defined for all masses, 0 included. From it follow ``f(t)`` (q = 1), the
conjugate ``f*(t) = t f(1/t)`` (p = 1), and the generator of ``D_f(P || l P + (1 - l) Q)`` (MAUVE paper, Property 5),
``f_l(t) = (l t + 1 - l) f(t / (l t + 1 - l))``.

Every f here is not negative and has ``f(1) = f'(1) = 0`` (total variation has a kink there instead).

A new generator is a frozen registered dataclass on :class:`Generator` with a `name` and a `perspective`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Float

from fkeax.frontier import perspectives
from fkeax.frontier.constants import SmoothnessConstants
from fkeax.numerics import checks, pytrees

Scalar = Float[Array, ""] | float
Mass = Float[Array, "*shape"]


class Generator:
    """A convex function f on (0, inf) with ``f(1) = 0`` and f not negative, which defines ``D_f``.

    Attributes:
        name: Its name in settings and on the command line.

    Example:
        >>> import jax.numpy as jnp
        >>> round(float(KL()(jnp.asarray(2.0))), 6)  # 2 log 2 - 1
        0.386294
        >>> round(float(KL().conjugate(jnp.asarray(2.0))), 6)  # 1 - log 2
        0.306853
    """

    name: ClassVar[str]

    def perspective(self, p: Mass, q: Mass) -> Mass:
        """Return ``q f(p / q)`` elementwise for masses not below 0; ``q f(0)`` at p = 0 and ``p f*(0)`` at q = 0."""
        raise NotImplementedError

    def __call__(self, t: Mass) -> Mass:
        """Return ``f(t)``."""
        return self.perspective(t, jnp.ones_like(t))

    def conjugate(self, t: Mass) -> Mass:
        """Return ``f*(t) = t f(1/t)``, the generator of ``D_f(Q||P)`` (the Csiszar conjugate, not Fenchel's)."""
        return self.perspective(jnp.ones_like(t), t)

    def mixed(self, p: Mass, q: Mass, weight: Scalar, complement: Scalar) -> Mass:
        """Return ``r f(p / r)`` with ``r = weight p + complement q``, where ``complement = 1 - weight``.

        Both are asked for because ``1 - weight`` loses the digits of a weight close to 1.
        """
        mixture = weight * p + complement * q
        held = mixture > 0  # a mass so small that its product with a weight vanishes counts as none
        return jnp.where(held, self.perspective(p, jnp.where(held, mixture, 1)), 0)

    def divergence(self, p: Float[Array, "k"], q: Float[Array, "k"]) -> Float[Array, ""]:
        """Return ``D_f(P||Q)`` of two histograms, in nats for the logarithmic ones; possibly infinite."""
        return jnp.sum(self.perspective(p, q))

    @property
    def finite_at_zero(self) -> bool:
        """Whether ``f(0)`` is finite: then mass of Q where P has none costs a finite amount."""
        return True

    @property
    def finite_conjugate_at_zero(self) -> bool:
        """Whether ``f*(0)`` is finite: then mass of P where Q has none costs a finite amount."""
        return True

    def constants(self) -> SmoothnessConstants:
        """Return the constants of the error bounds, as Python floats.

        Raises:
            NotImplementedError: None are known for this generator.
        """
        raise NotImplementedError(f"no constants of Assumption 9 are known for the generator {self.name}.")

    def mixture_constants(self, weight: float) -> SmoothnessConstants:
        """Return the constants of ``f_l`` at mixture weight l.

        Raises:
            NotImplementedError: None are known for this generator.
        """
        del weight
        raise NotImplementedError(f"no constants of Assumption 9 are known for mixtures of the generator {self.name}.")


def check_mixture(weight: object, name: str = "mixture") -> float:
    """Return a mixture weight as a float after checking that it lies strictly between 0 and 1."""
    number = checks.finite_number(weight, name)
    if not 0 < number < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1; got {number}.")
    return number


@pytrees.register
@dataclass(frozen=True)
class KL(Generator):
    """Kullback-Leibler: ``f(t) = t log t - t + 1``, ``f(0) = 1``, ``f*(0) = inf``."""

    name: ClassVar[str] = "kl"

    def perspective(self, p: Mass, q: Mass) -> Mass:
        """Return ``p log(p / q) - p + q``."""
        return perspectives.kl(p, q)

    @property
    def finite_conjugate_at_zero(self) -> bool:
        """It is not: ``KL(P||Q)`` is infinite where Q misses a part of P."""
        return False

    def constants(self) -> SmoothnessConstants:
        """Return the constants; those of the conjugate are infinite. C1 and C2 are tight."""
        return SmoothnessConstants(1.0, math.inf, 1.0, math.inf, 0.5, math.inf)

    def mixture_constants(self, weight: float) -> SmoothnessConstants:
        """Return the constants of ``f_l(t) = t log(t / (l t + 1 - l)) - (1 - l)(t - 1)``.

        C1, C2 and C2* are tight; C1* is the supremum of the derivative itself. Table 1 of the paper as printed has
        ``1 - l`` in place of l in the three conjugate ones.
        """
        rest = 1 - check_mixture(weight, "weight")
        log_term = -math.log(weight)
        return SmoothnessConstants(rest, log_term - rest, 1.0, rest**2 / weight, 0.5, rest / (8 * weight))


@pytrees.register
@dataclass(frozen=True)
class ReverseKL(Generator):
    """Reverse Kullback-Leibler, ``D(P||Q) = KL(Q||P)``: ``f(t) = t - 1 - log t``, ``f(0) = inf``, ``f*(0) = 1``."""

    name: ClassVar[str] = "reverse-kl"

    def perspective(self, p: Mass, q: Mass) -> Mass:
        """Return ``q log(q / p) - q + p``."""
        return perspectives.kl(q, p)

    @property
    def finite_at_zero(self) -> bool:
        """It is not: any mass of Q outside P costs infinitely much."""
        return False

    def constants(self) -> SmoothnessConstants:
        """Return the constants of KL with the two sides swapped."""
        return KL().constants().swapped()


@pytrees.register
@dataclass(frozen=True)
class ChiSquared(Generator):
    """Pearson's chi-squared: ``f(t) = (t - 1)^2``, ``f(0) = 1``, ``f*(0) = inf``."""

    name: ClassVar[str] = "chi2"

    def perspective(self, p: Mass, q: Mass) -> Mass:
        """Return ``(p - q)^2 / q``."""
        return perspectives.chi_squared(p, q)

    @property
    def finite_conjugate_at_zero(self) -> bool:
        """It is not: the divergence is infinite where Q misses a part of P."""
        return False

    def constants(self) -> SmoothnessConstants:
        """Return the constants; C2 and those of the conjugate are infinite. C1 is the supremum of ``|f'|``."""
        return SmoothnessConstants(1.0, math.inf, 2.0, math.inf, math.inf, math.inf)

    def mixture_constants(self, weight: float) -> SmoothnessConstants:
        """Return the constants of ``f_l(t) = (1 - l)^2 (t - 1)^2 / (l t + 1 - l)``.

        C2 and C2* are tight; C1 and C1* are not (``|f_l'|`` stays below ``2 - l`` and ``(1 - l)^2 (1 + l) / l^2``).
        Example 2(d) of the paper lacks the factor ``(1 - l)^2`` and its Table 1 is for the function without it.
        """
        rest = 1 - check_mixture(weight, "weight")
        return SmoothnessConstants(
            rest,
            rest**2 / weight,
            2.0,
            2 * rest**2 / weight**2,
            4 / (27 * weight),
            4 * rest / (27 * weight**2),
        )


@pytrees.register
@dataclass(frozen=True)
class Interpolated(Generator):
    """The generator of ``D_f(P || l P + (1 - l) Q)``, the first coordinate of a divergence frontier.

    Interpolated KL is ``Interpolated(KL(), l)``, interpolated chi-squared ``Interpolated(ChiSquared(), l)``. The second
    coordinate ``D_f(Q || l P + (1 - l) Q)``, as a divergence of P from Q, is ``Conjugate(Interpolated(f, 1 - l))``.

    Attributes:
        generator: The generator f.
        mixture: The weight l of P, in (0, 1); traced.

    References:
        MAUVE paper, eq. (4).
    """

    generator: Generator
    mixture: Scalar

    name: ClassVar[str] = "interpolated"

    def perspective(self, p: Mass, q: Mass) -> Mass:
        """Return ``r f(p / r)``, ``r = l p + (1 - l) q``."""
        return self.generator.mixed(p, q, self.mixture, 1 - self.mixture)

    @property
    def finite_at_zero(self) -> bool:
        """As of the generator: ``f_l(0) = (1 - l) f(0)``."""
        return self.generator.finite_at_zero

    def constants(self) -> SmoothnessConstants:
        """Return the constants of ``f_l``; the mixture must be a number."""
        return self.generator.mixture_constants(float(self.mixture))


@pytrees.register
@dataclass(frozen=True)
class Conjugate(Generator):
    """The conjugate generator ``f*(t) = t f(1/t)``, with ``D_{f*}(P||Q) = D_f(Q||P)``.

    Attributes:
        generator: The generator f.
    """

    generator: Generator

    name: ClassVar[str] = "conjugate"

    def perspective(self, p: Mass, q: Mass) -> Mass:
        """Return ``p f(q / p)``."""
        return self.generator.perspective(q, p)

    @property
    def finite_at_zero(self) -> bool:
        """Whether ``f*(0)`` is finite."""
        return self.generator.finite_conjugate_at_zero

    @property
    def finite_conjugate_at_zero(self) -> bool:
        """Whether ``f(0)`` is finite."""
        return self.generator.finite_at_zero

    def constants(self) -> SmoothnessConstants:
        """Return the constants of f with the two sides swapped."""
        return self.generator.constants().swapped()


@pytrees.register
@dataclass(frozen=True)
class SkewJensenShannon(Generator):
    """Skew Jensen-Shannon ``l KL(P||R_l) + (1 - l) KL(Q||R_l)``, ``R_l = l P + (1 - l) Q``.

    ``f(t) = l t log(t / s) + (1 - l) log(1 / s)`` with ``s = l t + 1 - l``.

    Attributes:
        mixture: The weight l of P, in (0, 1); traced.
    """

    mixture: Scalar

    name: ClassVar[str] = "skew-js"

    def perspective(self, p: Mass, q: Mass) -> Mass:
        """Return the two weighted terms, each of which is not negative."""
        weight, rest = self.mixture, 1 - self.mixture
        r = weight * p + rest * q
        return weight * perspectives.kl(p, r) + rest * perspectives.kl(q, r)

    def constants(self) -> SmoothnessConstants:
        """Return the constants, all tight; the mixture must be a number."""
        weight = check_mixture(float(self.mixture))
        rest = 1 - weight
        return SmoothnessConstants(
            -rest * math.log(rest), -weight * math.log(weight), weight, rest, weight / 2, rest / 2
        )


@pytrees.register
@dataclass(frozen=True)
class JensenShannon(Generator):
    """Jensen-Shannon ``(KL(P||R) + KL(Q||R)) / 2`` with R half way: at most ``log 2``; the midpoint summary of KL."""

    name: ClassVar[str] = "js"

    def perspective(self, p: Mass, q: Mass) -> Mass:
        """Return skew Jensen-Shannon at one half."""
        return SkewJensenShannon(0.5).perspective(p, q)

    def constants(self) -> SmoothnessConstants:
        """Return the constants, all tight."""
        return SkewJensenShannon(0.5).constants()


@pytrees.register
@dataclass(frozen=True)
class LeCam(Generator):
    """Le Cam: ``f(t) = (t - 1)^2 / (2 (t + 1))``, at most 1; the midpoint summary of chi-squared."""

    name: ClassVar[str] = "le-cam"

    def perspective(self, p: Mass, q: Mass) -> Mass:
        """Return ``(p - q)^2 / (2 (p + q))``."""
        return perspectives.le_cam(p, q)

    def constants(self) -> SmoothnessConstants:
        """Return the constants; C2 is tight, C1 is not (``|f'|`` stays below 3/2)."""
        return ChiSquared().mixture_constants(0.5)


@pytrees.register
@dataclass(frozen=True)
class SquaredHellinger(Generator):
    """Squared Hellinger: ``f(t) = (sqrt t - 1)^2``, at most 2. Its derivative at 0 is too steep for Assumption 9."""

    name: ClassVar[str] = "squared-hellinger"

    def perspective(self, p: Mass, q: Mass) -> Mass:
        """Return ``(sqrt p - sqrt q)^2``."""
        return perspectives.squared_hellinger(p, q)

    def constants(self) -> SmoothnessConstants:
        """Return ``f(0) = f*(0) = 1`` and infinite constants else."""
        return SmoothnessConstants(1.0, 1.0, math.inf, math.inf, math.inf, math.inf)


@pytrees.register
@dataclass(frozen=True)
class TotalVariation(Generator):
    """Total variation: ``f(t) = |t - 1| / 2``, at most 1. Its kink at 1 breaks Assumption 9 (A3)."""

    name: ClassVar[str] = "total-variation"

    def perspective(self, p: Mass, q: Mass) -> Mass:
        """Return ``|p - q| / 2``."""
        return perspectives.total_variation(p, q)

    def constants(self) -> SmoothnessConstants:
        """Return the constants; the curvature is infinite at the kink."""
        return SmoothnessConstants(0.5, 0.5, 0.5, 0.5, math.inf, math.inf)
