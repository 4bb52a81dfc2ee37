"""Divergence frontiers: points ``(D_f(P||R_l), D_f(Q||R_l))`` with ``R_l = l P + (1 - l) Q``.

The order of the coordinates, everywhere in this room: first the divergence of P (the reference), second that of Q (the
model), as in Definition 4 and eq. (25) of the MAUVE paper; its eq. (21) has them the other way round. P is what the
reference samples come from; a large first coordinate says that the model misses a part of P (type II cost), a large
second one that it makes what P does not (type I). Along a curve the weight l of P grows, so the first coordinate falls
and the second one rises.

Two entry points make a curve: :func:`frontier_from_histograms`, and :func:`frontier_from_ratios` for estimators of the
likelihood ratio ``p/q`` at samples. Both reduce to :class:`PairedMasses`, masses of P and Q on the atoms that each
coordinate sums over, which the summaries take too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.typing import ArrayLike
from jaxtyping import Array, Float

from fkeax.frontier.generators import KL, Generator, Scalar
from fkeax.frontier.summary_generators import check_frontier_generator
from fkeax.numerics import checks, pytrees

_MASS_TOLERANCE = 1e-3  # of a histogram's sum


@pytrees.register
@dataclass(frozen=True)
class Mixtures:
    """Weights of P and of Q in the mixtures ``R_l = l P + (1 - l) Q``.

    Both are kept: in float32, ``1 - l`` at l = 1 - 1e-6 is off by 1 %.

    Attributes:
        of_p: The weights l, increasing, in (0, 1).
        of_q: ``1 - l``.
    """

    of_p: Float[Array, "*pairs l"]
    of_q: Float[Array, "*pairs l"]


def mixture_weights(weights: Sequence[float] | np.ndarray) -> Mixtures:
    """Return mixtures with the given weights of P; their complements are taken in float64.

    Args:
        weights: Strictly increasing numbers strictly between 0 and 1.

    Raises:
        ValueError: They are not.
    """
    array = np.asarray(weights, np.float64)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"mixtures must be one vector of weights of P; got shape {array.shape}.")
    if not (np.diff(array, prepend=0.0, append=1.0) > 0).all():
        raise ValueError("mixtures must be strictly increasing numbers strictly between 0 and 1.")
    return Mixtures(jnp.asarray(array), jnp.asarray(1 - array))


def compatible_mixtures(num_points: int = 25) -> Mixtures:
    """Return the grid of the mauve-text package: ``linspace(1e-6, 1 - 1e-6, 25)``."""
    return mixture_weights(np.linspace(1e-6, 1 - 1e-6, checks.count(num_points, "num_points", minimum=2)))


def uniform_mixtures(num_intervals: int = 100) -> Mixtures:
    """Return the grid of the MAUVE paper, Section 4.1.2: ``i / N`` for ``i = 1 .. N - 1``."""
    number = checks.count(num_intervals, "num_intervals", minimum=2)
    return mixture_weights(np.arange(1, number) / number)


@pytrees.register
@dataclass(frozen=True)
class PairedMasses:
    """Masses of P and Q on the atoms over which each coordinate of a frontier sums.

    Of histograms, both coordinates sum over the bins. Of likelihood ratios, the first sums over the m samples of Q,
    each of mass 1/m under Q and ratio/m under P, and the second over the n samples of P: sums over P's own atoms would
    not see where Q has mass and P has none.

    Attributes:
        p_first: Masses of P on the atoms of the first coordinate, ``D_f(P||R)``.
        q_first: Those of Q.
        p_second: Masses of P on the atoms of the second coordinate, ``D_f(Q||R)``.
        q_second: Those of Q.
    """

    p_first: Float[Array, "m"]
    q_first: Float[Array, "m"]
    p_second: Float[Array, "n"]
    q_second: Float[Array, "n"]

    def at(self, generator: Generator, weight: Scalar, complement: Scalar) -> tuple[Float[Array, ""], Float[Array, ""]]:
        """Return ``(D_f(P||R), D_f(Q||R))`` for ``R = weight P + complement Q``."""
        first = generator.mixed(self.p_first, self.q_first, weight, complement)
        second = generator.mixed(self.q_second, self.p_second, complement, weight)
        return jnp.sum(first), jnp.sum(second)


@pytrees.register
@dataclass(frozen=True)
class FrontierCurve:
    """Points of a divergence frontier in the order of growing weight of P.

    Attributes:
        mixtures: The weights l of P and ``1 - l`` of Q.
        divergence_p: First coordinates, ``D_f(P||R_l)``, falling: what of P the model misses.
        divergence_q: Second coordinates, ``D_f(Q||R_l)``, rising: what the model makes beyond P.
    """

    mixtures: Mixtures
    divergence_p: Float[Array, "*pairs l"]
    divergence_q: Float[Array, "*pairs l"]


def frontier_curve(masses: PairedMasses, generator: Generator, mixtures: Mixtures) -> FrontierCurve:
    """Return the frontier at the given mixtures: pure, traceable, differentiable; nothing is checked.

    Cost:
        ``O(l (n + m))``, or ``O(l k)`` for histograms.
    """
    dtype = masses.p_first.dtype
    of_p, of_q = mixtures.of_p.astype(dtype), mixtures.of_q.astype(dtype)
    first, second = jax.vmap(masses.at, in_axes=(None, 0, 0))(generator, of_p, of_q)
    return FrontierCurve(Mixtures(of_p, of_q), first, second)


_frontier_curve = jax.jit(frontier_curve)


def frontier_from_histograms(
    p: ArrayLike, q: ArrayLike, generator: Generator | None = None, mixtures: Mixtures | None = None
) -> FrontierCurve:
    """Return the divergence frontier of two histograms on the same bins.

    Exact for the histograms given; as an estimate of the frontier of the laws behind two samples it is biased towards
    larger divergences (:func:`fkeax.frontier.delete_half_jackknife` takes most of that away).

    Args:
        p: Probabilities of P, the reference: not negative, summing to 1.
        q: Those of Q, the model. Under ``vmap``, many pairs.
        generator: f, with ``f(0) < inf = f*(0)``; KL unless given.
        mixtures: Weights of P; those of mauve-text unless given.

    Returns:
        The curve; divergences in [0, inf), computed in the dtype of the histograms.

    Raises:
        ValueError: The histograms differ in length, are negative or do not sum to 1 (outside a trace), or Definition 4
            refuses the generator.

    Numerics:
        Terms are computed without cancellation (:mod:`fkeax.frontier.perspectives`), so that P = Q gives 0 and the
        relative error stays at rounding level for histograms that are close.

    Cost:
        ``O(l k)`` for k bins and l mixtures.

    Example:
        >>> import numpy as np
        >>> p, q = np.array([1.0, 0.0]), np.array([0.5, 0.5])
        >>> curve = frontier_from_histograms(p, q, mixtures=mixture_weights([0.5]))
        >>> round(float(curve.divergence_p[0]), 5), round(float(curve.divergence_q[0]), 5)  # log 4/3, -log(3/4)/2
        (0.28768, 0.14384)

    References:
        MAUVE paper, Definition 4; coordinates in that order.
    """
    kind = KL() if generator is None else generator
    check_frontier_generator(kind)
    masses = masses_from_histograms(p, q)
    return _frontier_curve(masses, kind, compatible_mixtures() if mixtures is None else mixtures)


def frontier_from_ratios(
    ratios_at_p_samples: ArrayLike,
    ratios_at_q_samples: ArrayLike,
    generator: Generator | None = None,
    mixtures: Mixtures | None = None,
) -> FrontierCurve:
    """Return the divergence frontier from likelihood ratios ``t = p(x)/q(x)`` at the samples of both sides.

    The first coordinate is the mean over Q's samples of ``f_l(t)``, the second the mean over P's samples of
    ``f_{1-l}(1/t)``. Unbiased for the curve if the ratios are exact; the error of estimated ratios adds to it.

    Args:
        ratios_at_p_samples: ``p/q`` at the n samples of P: positive; infinite where Q has no mass.
        ratios_at_q_samples: ``p/q`` at the m samples of Q: finite; 0 where P has no mass.
        generator: f, with ``f(0) < inf = f*(0)``; KL unless given.
        mixtures: Weights of P; those of mauve-text unless given.

    Raises:
        ValueError: A ratio is out of its range (outside a trace), or Definition 4 refuses the generator.

    Cost:
        ``O(l (n + m))``.

    Example:
        >>> import numpy as np
        >>> curve = frontier_from_ratios(np.ones(3), np.ones(5))
        >>> bool(curve.divergence_p.max() < 1e-12), bool(curve.divergence_q.max() < 1e-12)
        (True, True)

    References:
        MAUVE paper, eq. (25), in which the second coordinate takes 1/t at P's samples.
    """
    kind = KL() if generator is None else generator
    check_frontier_generator(kind)
    masses = masses_from_ratios(ratios_at_p_samples, ratios_at_q_samples)
    return _frontier_curve(masses, kind, compatible_mixtures() if mixtures is None else mixtures)


def _vector(values: ArrayLike, name: str) -> Float[Array, "n"]:
    array = jnp.asarray(values)
    if not (jnp.issubdtype(array.dtype, jnp.floating) or jnp.issubdtype(array.dtype, jnp.integer)):
        raise TypeError(f"{name} must hold real numbers; got dtype {array.dtype}.")
    if array.ndim != 1 or array.shape[0] == 0:
        raise ValueError(f"{name} must be one vector of numbers; got shape {array.shape}.")
    return array.astype(checks.working_dtype(array.dtype))


def _common_dtype(first: Array, second: Array) -> tuple[Array, Array]:
    dtype = np.promote_types(first.dtype, second.dtype)
    return first.astype(dtype), second.astype(dtype)


def masses_from_histograms(p: ArrayLike, q: ArrayLike) -> PairedMasses:
    """Return the masses of two histograms after checking them (their values only outside a trace).

    Raises:
        ValueError: The histograms differ in length, are negative or not finite, or do not sum to 1 within 0.001.
    """
    hist_p, hist_q = _common_dtype(_vector(p, "p"), _vector(q, "q"))
    if hist_p.shape != hist_q.shape:
        raise ValueError(
            f"p and q must be histograms on the same bins; got {hist_p.shape[0]} and {hist_q.shape[0]} of them."
        )
    for name, histogram in (("p", hist_p), ("q", hist_q)):
        if isinstance(histogram, Tracer):
            continue
        values = np.asarray(histogram, np.float64)
        if not (values >= 0).all() or not abs(values.sum() - 1) < _MASS_TOLERANCE:
            raise ValueError(
                f"{name} must hold probabilities that are not negative and sum to 1 (counts become such with "
                f"fkeax.quantize.empirical); the smallest is {values.min():.3g}, the sum {values.sum():.6g}."
            )
    return PairedMasses(hist_p, hist_q, hist_p, hist_q)


def masses_from_ratios(ratios_at_p_samples: ArrayLike, ratios_at_q_samples: ArrayLike) -> PairedMasses:
    """Return the masses that likelihood ratios ``p/q`` put on the samples of both sides, after checking them.

    Raises:
        ValueError: A ratio at P's samples is not above 0, or one at Q's samples is negative or not finite.
    """
    at_p, at_q = _common_dtype(
        _vector(ratios_at_p_samples, "ratios_at_p_samples"), _vector(ratios_at_q_samples, "ratios_at_q_samples")
    )
    if not isinstance(at_p, Tracer) and not (np.asarray(at_p) > 0).all():
        raise ValueError(
            "ratios_at_p_samples must be above 0, for P has mass where its samples are; "
            f"the smallest is {np.asarray(at_p).min():.3g}."
        )
    if not isinstance(at_q, Tracer) and not ((np.asarray(at_q) >= 0) & np.isfinite(np.asarray(at_q))).all():
        raise ValueError(
            "ratios_at_q_samples must be finite and not negative, for Q has mass where its samples are; "
            f"they range from {np.asarray(at_q).min():.3g} to {np.asarray(at_q).max():.3g}."
        )
    share_p, share_q = 1 / at_p.shape[0], 1 / at_q.shape[0]
    return PairedMasses(at_q * share_q, jnp.full_like(at_q, share_q), jnp.full_like(at_p, share_p), 1 / at_p * share_p)
