"""Integrals over the unit interval of functions that may misbehave at its ends."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

_REACH = 3.4  # the outermost nodes lie exp(-pi sinh 3.4) = 3e-21 from the ends


@dataclass(frozen=True)
class UnitRule:
    """A quadrature rule on (0, 1): ``integral of g = sum weights * g(nodes)``.

    Attributes:
        nodes: Points in (0, 1), increasing, accurate relative to their distance from 0.
        complements: ``1 - nodes``, accurate relative to their distance from 1.
        weights: Positive, with sum 1.
    """

    nodes: np.ndarray
    complements: np.ndarray
    weights: np.ndarray


@functools.cache
def tanh_sinh(num_nodes: int = 69) -> UnitRule:
    """Return the tanh-sinh rule (Takahasi and Mori), in float64 on the host.

    The substitution ``t = sigmoid(pi sinh s)`` makes an integrable singularity at 0 or 1, such as ``log t`` or
    ``t^0.1``, decay doubly exponentially in ``s``, where equal steps converge exponentially.

    Args:
        num_nodes: Static. 69 give about 1e-14 for bounded functions that are smooth inside the interval.

    Returns:
        The rule; its arrays are read-only.

    Raises:
        ValueError: Fewer than 3 nodes.

    Example:
        >>> rule = tanh_sinh()
        >>> round(float(np.sum(rule.weights * np.log(rule.nodes))), 12)
        -1.0
    """
    if num_nodes < 3:
        raise ValueError(f"num_nodes must be at least 3; got {num_nodes}.")
    steps = np.linspace(-_REACH, _REACH, num_nodes)
    nodes = 1 / (1 + np.exp(-np.pi * np.sinh(steps)))
    complements = nodes[::-1].copy()
    weights = np.cosh(steps) * nodes * complements
    weights /= weights.sum()  # the step size and pi, up to 1e-16
    for array in (nodes, complements, weights):
        array.setflags(write=False)
    return UnitRule(nodes, complements, weights)
