"""Error bounds by dtype, derived from rounding analysis and matrix perturbation theory.

Notation: u is the unit roundoff of the working dtype, lambda a spectrum that adds up to one, Delta the difference
between the computed and the exact spectrum. Tests compare against these bounds; a failure means a wrong number, not a
tight tolerance.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

UNIT_ROUNDOFF = {"float32": 2.0**-24, "float64": 2.0**-53}

# The contract of the exact path in float64, over and above the derived bounds.
CONTRACT_RELATIVE = 1e-6

# Number of standard deviations of a random walk of rounding errors: P(exceed) <= 2 exp(-6^2/2) = 3e-8 per sum.
_WALK = 6.0


def roundoff(dtype: str) -> float:
    """Unit roundoff u: 2^-24 for float32, 2^-53 for float64."""
    return UNIT_ROUNDOFF[str(dtype)]


def growth(num_terms: int, dtype: str) -> float:
    """Relative error of a sum or inner product of `num_terms` terms, relative to the sum of magnitudes.

    Higham and Mary (2019): rounding errors that behave like independent mean-zero variables give lambda sqrt(n) u with
    probability 1 - 2 exp(-lambda^2/2); lambda = 6 here. Never above the worst case n u.
    """
    return min(_WALK * math.sqrt(num_terms), float(max(num_terms, 2))) * roundoff(dtype)


def gaussian_gram_error(x: Array, gram: Array, bandwidth: float, dtype: str) -> Array:
    """Entrywise bound on a Gaussian Gram matrix computed from centred rows by the expansion |a|^2 + |b|^2 - 2ab.

    The three terms carry a relative error growth(d + 3), so the squared distance is off by at most growth (|a| +
    |b|)^2; the exponential turns this into k growth (|a| + |b|)^2/(2 s^2), and rounds to 2 ulp itself (4u). Centring
    rounds each coordinate once, which moves a squared distance by at most 2 |a-b| u (|a| + |b|) <= 2u (|a| + |b|)^2:
    two more terms.
    """
    norms = np.sqrt(np.sum((x - x.mean(axis=0)) ** 2, axis=1))
    reach = (norms[:, None] + norms[None, :]) ** 2
    relative = (growth(x.shape[1] + 3, dtype) + 2.0 * roundoff(dtype)) * reach / (2.0 * bandwidth**2)
    return gram * (np.expm1(np.minimum(relative, 1.0)) + 4.0 * roundoff(dtype))


def cosine_gram_error(num_samples: int, dimension: int, dtype: str) -> Array:
    """Entrywise bound on cosines: normalising two rows and one inner product, each growth(d) relative to |a||b| = 1."""
    return np.full((num_samples, num_samples), 3.0 * growth(dimension + 3, dtype))


def eigensolver_error(size: int, frobenius: float, dtype: str) -> float:
    """2-norm error of a computed spectrum: eigenvalues are exact for A + E with ||E||_F <= growth(size^2) ||A||_F.

    LAPACK's backward error is p(n) u ||A|| with p linear in the worst case, sqrt(n)-like in practice; growth(n^2) is
    the probabilistic bound of n successive reflections of length n, and Hoffman-Wielandt turns ||E||_F into
    ||Delta||_2.
    """
    return growth(size * size, dtype) * frobenius


def gram_spectrum_error(gram: Array, entry_error: Array, dtype: str) -> float:
    """||Delta||_2 <= ||Delta K||_F/n (Hoffman-Wielandt) + the eigensolver's own error."""
    n = len(gram)
    frobenius = float(np.linalg.norm(gram)) / n
    return float(np.linalg.norm(entry_error)) / n + eigensolver_error(n, frobenius, dtype)


def angle_error(frequencies: Array, centred: Array, dtype: str) -> float:
    """Bound on w'(x - c): growth(d + 3) |w| |x - c| at the largest norms, rounding of w, x - c and the unit of the
    angle included.
    """
    reach = float(np.sqrt(np.max(np.sum(frequencies**2, axis=1)) * np.max(np.sum(centred**2, axis=1))))
    return growth(centred.shape[1] + 3, dtype) * reach


def trig_error(dtype: str) -> float:
    """Absolute error of sine and cosine of an angle given in turns.

    float32: 2e-7, a polynomial of error 1.4e-8 h and three roundings of numbers of size at most 1 (3u = 1.8e-7).
    float64: the argument, at most pi/2, carries the rounding of pi and of the product (pi u), the library function up
    to one ulp (2u): 5.2 u.
    """
    return 2e-7 if str(dtype) == "float32" else 5.2 * roundoff(dtype)


def covariance_error(frequencies: Array, centred: Array, dtype: str) -> float:
    """Bound on ||Delta C||_F for C = mean phi phi^T, ||phi|| = 1.

    Each feature is off by at most (angle error + trig error + u)/sqrt(r), so ||Delta phi|| <= sqrt 2 times that sum and
    ||Delta(phi phi^T)||_F <= 2 ||Delta phi||. Summing n outer products adds growth(n) E|phi||phi|^T, whose norm is at
    most 1.
    """
    feature = angle_error(frequencies, centred, dtype) + trig_error(dtype) + roundoff(dtype)
    return 2.0 * math.sqrt(2.0) * feature + growth(len(centred), dtype)


def dropped_mass(spectrum: Array, cutoff: float, error: float) -> float:
    """Mass at or below `cutoff`, give or take `error` in each eigenvalue: the most that a cut may remove."""
    return float(spectrum[spectrum <= cutoff + error].sum())


def score_error(spectrum: Array, order: float, error: float, dropped: float = 0.0) -> float:
    """Relative error of VENDI_a when the spectrum (unit sum) is off by `error` in 2-norm and `dropped` mass is cut
    away.

    In 1-norm Delta <= sqrt(n) error + 2 dropped (cut, then renormalised). From there
    a = 1: Fannes-Audenaert |Delta H| <= T log(n-1) + h(T), T half the 1-norm;
    a > 1: the a-norm of lambda moves by at most ||Delta||_a <= n^{max(0, 1/a - 1/2)} ||Delta||_2, and
           V = ||lambda||_a^{-a/(a-1)} (the paper's Corollary 1);
    0 < a < 1: |sum (lambda + Delta)^a - sum lambda^a| <= sum |Delta|^a <= n^{1 - a/2} ||Delta||_2^a.
    Order 0 counts eigenvalues and has no such bound.
    """
    spectrum = np.clip(spectrum, 0.0, None)  # a computed spectrum may hold zeros rounded below
    n = len(spectrum)
    norm_1 = math.sqrt(n) * error + 2.0 * dropped
    norm_2 = error + 2.0 * dropped
    if order == 1:
        half = min(norm_1 / 2.0, 0.5)
        entropy = -half * math.log(half) - (1.0 - half) * math.log1p(-half) if half > 0 else 0.0
        return math.expm1(half * math.log(max(n - 1, 2)) + entropy)
    if order == math.inf:
        return norm_2 / float(spectrum.max() - norm_2) if norm_2 < spectrum.max() else math.inf
    if order > 1:
        top = float(spectrum.max())
        size = top * float(np.sum((spectrum / top) ** order)) ** (1.0 / order)
        moved = n ** max(0.0, 1.0 / order - 0.5) * norm_2
        return math.expm1(-order / (order - 1.0) * math.log1p(-moved / size)) if moved < size else math.inf
    if order > 0:
        moved = n ** (1.0 - order / 2.0) * norm_2**order / float(np.sum(spectrum**order))
        return math.expm1(math.log1p(moved) / (1.0 - order))
    raise ValueError(f"order must be positive for a perturbation bound, got {order}")
