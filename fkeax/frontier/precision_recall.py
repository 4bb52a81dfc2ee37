"""Precision and recall for distributions (Sajjadi et al., 2018): the frontier of what two laws share.

With the common part ``min(a P, Q)`` in place of a mixture: precision is the share of the model Q that a times the
reference covers, recall the share of the reference P that Q over a covers.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike
from jaxtyping import Array, Float

from fkeax.frontier.curve import masses_from_histograms
from fkeax.frontier.generators import Scalar
from fkeax.numerics import checks, pytrees

_END = 1e-10  # of the angles, in radians


@pytrees.register
@dataclass(frozen=True)
class PrecisionRecallCurve:
    """Points of the curve, in the order of growing slope a: precision rises, recall falls.

    Attributes:
        precision: ``sum min(a p, q)``.
        recall: ``sum min(p, q / a)``.
    """

    precision: Float[Array, "slopes"]
    recall: Float[Array, "slopes"]


@jax.jit
def _curve(
    p: Float[Array, "k"], q: Float[Array, "k"], of_p: Float[Array, "slopes"], of_q: Float[Array, "slopes"]
) -> PrecisionRecallCurve:
    common = jax.vmap(lambda weight, rest: jnp.sum(jnp.minimum(weight * p, rest * q)))(of_p, of_q)
    return PrecisionRecallCurve(common / of_q, common / of_p)


def precision_recall_curve(p: ArrayLike, q: ArrayLike, *, num_angles: int = 1001) -> PrecisionRecallCurve:
    """Return precision and recall of two histograms at slopes ``a = tan(angle)``, equally spaced over 90 degrees.

    Args:
        p: Probabilities of P, the reference.
        q: Probabilities of Q, the model.
        num_angles: Static.

    Returns:
        The curve; both coordinates in [0, 1]. Swapping P and Q swaps precision and recall and turns the order around.

    Raises:
        ValueError: The histograms are not such, or there are fewer than 3 angles.

    Cost:
        ``O(num_angles k)``.

    Example:
        >>> import numpy as np
        >>> curve = precision_recall_curve(np.array([0.5, 0.5]), np.array([1.0, 0.0]))  # half of P is missing
        >>> round(float(curve.precision.max()), 4), round(float(curve.recall.max()), 4)
        (1.0, 0.5)

    References:
        Sajjadi, Bachem, Lucic, Bousquet and Gelly, Assessing generative models via precision and recall, 2018, eq. (4)
        and (5).
    """
    number = checks.count(num_angles, "num_angles", minimum=3)
    masses = masses_from_histograms(p, q)
    hist_p, hist_q = masses.p_first, masses.q_first
    angles = np.linspace(_END, np.pi / 2 - _END, number)
    # a / (1 + a) and 1 / (1 + a) instead of a: a and 1/a both keep their digits at both ends.
    of_p = np.sin(angles) / (np.sin(angles) + np.cos(angles))
    of_q = np.cos(angles) / (np.sin(angles) + np.cos(angles))
    return _curve(hist_p, hist_q, jnp.asarray(of_p, hist_p.dtype), jnp.asarray(of_q, hist_p.dtype))


def f_beta(curve: PrecisionRecallCurve, beta: Scalar = 8.0) -> Float[Array, ""]:
    """Return the largest ``F_beta = (1 + b^2) precision recall / (b^2 precision + recall)`` on a curve.

    F_8 looks at recall and F_{1/8} at precision; the pair is the usual summary of the curve.

    Args:
        curve: Of :func:`precision_recall_curve`.
        beta: b > 0; traced.

    Example:
        >>> import numpy as np
        >>> curve = precision_recall_curve(np.array([0.5, 0.5]), np.array([0.5, 0.5]))
        >>> round(float(f_beta(curve, 8.0)), 6)
        1.0
    """
    squared = jnp.asarray(beta, curve.precision.dtype) ** 2
    below = squared * curve.precision + curve.recall
    scores = (1 + squared) * curve.precision * curve.recall / jnp.where(below > 0, below, 1)
    return jnp.max(scores)
