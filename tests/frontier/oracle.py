"""Frontiers, summaries and smoothing in plain float64 (or wider) loops, from the formulas of the paper.

Nothing here is shared with the package: textbook forms, adaptive quadrature, dictionaries for counts of counts.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import integrate

Array = NDArray[np.float64]
Function = Callable[[float], float]


def _xlogx(t: float) -> float:
    return t * math.log(t) if t > 0 else 0.0


TEXTBOOK: dict[str, Function] = {
    "kl": lambda t: _xlogx(t) - t + 1,
    "reverse-kl": lambda t: t - 1 - math.log(t) if t > 0 else math.inf,
    "chi2": lambda t: (t - 1) ** 2,
    "js": lambda t: 0.5 * (_xlogx(t) - (t + 1) * math.log((t + 1) / 2)),
    "le-cam": lambda t: (t - 1) ** 2 / (2 * (t + 1)),
    "squared-hellinger": lambda t: (math.sqrt(t) - 1) ** 2,
    "total-variation": lambda t: abs(t - 1) / 2,
    "fi-kl": lambda t: 0.0 if t == 1 else (t + 1) / 2 - _xlogx(t) / (t - 1),
    "fi-chi2": lambda t: 0.0 if t == 1 else (t + 1) - 2 * _xlogx(t) / (t - 1),
}

# lim f*(t) at 0: the slope of f at infinity.
SLOPE_AT_INFINITY = {
    "kl": math.inf,
    "reverse-kl": 1.0,
    "chi2": math.inf,
    "js": math.log(2) / 2,
    "le-cam": 0.5,
    "squared-hellinger": 1.0,
    "total-variation": 0.5,
    "fi-kl": 0.5,
    "fi-chi2": 1.0,
}


def divergence(name: str, p: Sequence[float] | Array, q: Sequence[float] | Array) -> float:
    """D_f(P||Q) with the conventions 0 f(0/0) = 0 and 0 f(p/0) = p f*(0)."""
    total = 0.0
    for a, b in zip(p, q, strict=True):
        if b > 0:
            total += b * TEXTBOOK[name](a / b)
        elif a > 0:
            total += a * SLOPE_AT_INFINITY[name]
    return total


def point(name: str, p: Array, q: Array, weight: float) -> tuple[float, float]:
    """(D_f(P||R), D_f(Q||R)), R = weight P + (1 - weight) Q."""
    mixture = weight * np.asarray(p) + (1 - weight) * np.asarray(q)
    return divergence(name, p, mixture), divergence(name, q, mixture)


def trapezoid_area(name: str, p: Array, q: Array, scale: float, weights: Array) -> float:
    """Area through (0, 1), the points in the order of the weights, (1, 0)."""
    points = [(0.0, 1.0)]
    for weight in weights:
        x, y = point(name, p, q, float(weight))
        points.append((math.exp(-scale * x), math.exp(-scale * y)))
    points.append((1.0, 0.0))
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in itertools.pairwise(points))


def exact_area(name: str, p: Array, q: Array, scale: float) -> float:
    """The area as a supremum: y integrated over x, x(l) inverted by bisection, adaptive quadrature."""

    def x_of(weight: float) -> float:
        return math.exp(-scale * point(name, p, q, weight)[0])

    def y_at(x: float) -> float:
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if x_of(middle) < x else (low, middle)
        return math.exp(-scale * point(name, p, q, low)[1]) if low > 0 else 1.0

    start = math.exp(-scale * divergence(name, p, q))
    value, _ = integrate.quad(y_at, start, 1.0, epsabs=1e-10, limit=200)
    return start + value


def integral(name: str, p: Array, q: Array) -> float:
    """2 int l D_f(P||R) + (1 - l) D_f(Q||R) dl by adaptive quadrature."""

    def cost(weight: float) -> float:
        first, second = point(name, p, q, weight)
        return weight * first + (1 - weight) * second

    return 2 * integrate.quad(cost, 0, 1, epsabs=1e-12, epsrel=1e-12, limit=500)[0]


def frontier_integral_kl(p: Array, q: Array) -> float:
    """FI in 80-bit arithmetic, terms of nearly equal masses by their series."""
    total = np.longdouble(0)
    for a, b in zip(p, q, strict=True):
        x, y = np.longdouble(a), np.longdouble(b)
        if x + y == 0:
            continue
        u = (x - y) / (x + y)
        if abs(u) < 0.05:
            total += (x + y) / 2 * sum(2 * u ** (2 * k) / (4 * k * k - 1) for k in range(1, 12))
        elif x == 0 or y == 0:
            total += (x + y) / 2
        else:
            total += (x + y) / 2 - x * y * np.log(x / y) / (x - y)
    return float(total)


def smoothed(counts: Sequence[int] | Array, method: str) -> Array:
    """The estimators of Section 4.1.1, one bin after the other."""
    values = [int(c) for c in counts]
    bins_with = Counter(values)
    pseudo = []
    for c in values:
        if method == "empirical":
            pseudo.append(float(c))
        elif method == "krichevsky-trofimov":
            pseudo.append(c + 0.5)
        elif method == "laplace":
            pseudo.append(c + 1.0)
        elif method == "braess-sauer":
            pseudo.append(c + (0.5 if c == 0 else 1.0 if c == 1 else 0.75))
        else:
            more = bins_with.get(c + 1, 0)
            pseudo.append(float(c) if c > more else (more + 1) * (c + 1) / bins_with[c])
    return np.asarray(pseudo) / math.fsum(pseudo)


def zipf(num_buckets: int, exponent: float) -> Array:
    """P_l proportional to l^-exponent; 0 is uniform."""
    weights = np.arange(1, num_buckets + 1, dtype=np.float64) ** -exponent
    return weights / weights.sum()


def step(num_buckets: int) -> Array:
    """Half of the bins hold 1/(2k) each, the other half 3/(2k)."""
    half = num_buckets // 2
    weights = np.concatenate([np.full(half, 0.5), np.full(num_buckets - half, 1.5)])
    return weights / weights.sum()
