"""Bounds on the error of estimated f-divergences, and the numbers of bins and neighbours that balance them.

Upper bounds for the worst law: they say how errors grow with k and n and are far above the errors met in practice.
Host float64 throughout. Laws are histograms on the same bins; both samples have n rows (take the smaller number).
"""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from fkeax.frontier.constants import SmoothnessConstants
from fkeax.frontier.generators import Generator, check_mixture
from fkeax.frontier.summary_generators import check_frontier_generator
from fkeax.numerics import checks

_MIN_SAMPLES = 3  # of all the theorems


def _law(p: ArrayLike, name: str) -> np.ndarray:
    array = np.asarray(p, np.float64)
    if array.ndim != 1 or not (array >= 0).all() or not abs(array.sum() - 1) < 1e-3:
        raise ValueError(f"{name} must be one histogram, not negative and summing to 1; got shape {array.shape}.")
    return array


def _usable(constants: SmoothnessConstants, name: str) -> SmoothnessConstants:
    values = (constants.c0, constants.c0_conjugate, constants.c1, constants.c1_conjugate, constants.c2)
    if not all(map(math.isfinite, (*values, constants.c2_conjugate))):
        raise ValueError(
            f"generator must satisfy Assumption 9, that its values, slopes and curvature are bounded; {name} does not. "
            "Its frontier integral, its midpoint and its mixtures may."
        )
    return constants


def alpha_term(p: ArrayLike, num_samples: int) -> float:
    """Return ``alpha_n(P) = sum sqrt(P_l / n)``, a bound on the mean 1-norm error of the empirical law.

    Example:
        >>> import numpy as np
        >>> alpha_term(np.full(4, 0.25), 100)  # sqrt(k / n)
        0.2
    """
    return float(np.sum(np.sqrt(_law(p, "p") / checks.count(num_samples, "num_samples"))))


def beta_term(p: ArrayLike, num_samples: int) -> float:
    """Return ``beta_n(P)``, the expected sum of ``P_l max(1, log(1/P_l))`` over bins that no sample met.

    Exact: bin l is missed with probability ``(1 - P_l)^n``.

    Example:
        >>> import numpy as np
        >>> round(beta_term(np.array([0.5, 0.5]), 3), 6)  # log(1/P) < 1, missed with probability 1/8
        0.125
    """
    number = checks.count(num_samples, "num_samples")
    law = _law(p, "p")
    law = law[(law > 0) & (law < 1)]
    return float(np.sum(np.exp(number * np.log1p(-law)) * law * np.maximum(1, -np.log(law))))


def gamma_term(p: ArrayLike, num_samples: int, constant: float) -> float:
    """Return ``gamma_{n,k}(P) = b k / (n + b k) sum |P_l - 1/k|``, how far add-b smoothing pulls P to uniform.

    Example:
        >>> import numpy as np
        >>> gamma_term(np.array([1.0, 0.0]), 1, 0.5)  # 1/2 of distance 1
        0.5
    """
    law = _law(p, "p")
    pulled = checks.positive_number(constant, "constant") * law.size
    share = pulled / (checks.count(num_samples, "num_samples") + pulled)
    return share * float(np.sum(np.abs(law - 1 / law.size)))


def statistical_bound(generator: Generator, p: ArrayLike, q: ArrayLike, num_samples: int) -> float:
    """Return a bound on ``E |D_f(P||Q) - D_f(P_n||Q_n)|`` for the empirical laws of n samples each.

    Args:
        generator: f, of which Assumption 9 must hold: interpolated, Jensen-Shannon, Le Cam, a frontier integral.
        p: P; long tails are fine.
        q: Q.
        num_samples: n, at least 3.

    Raises:
        ValueError: Assumption 9 fails for f, or a law is none.
        NotImplementedError: The constants of f are not known.

    Example:
        >>> import numpy as np
        >>> from fkeax.frontier import IntegralKL
        >>> uniform = np.full(100, 0.01)
        >>> bool(statistical_bound(IntegralKL(), uniform, uniform, 10**6) < 0.31)
        True

    References:
        MAUVE paper, Theorem 10, eq. (10).
    """
    constants = _usable(generator.constants(), generator.name)
    return _statistical(constants, p, q, checks.count(num_samples, "num_samples", minimum=_MIN_SAMPLES))


def _statistical(c: SmoothnessConstants, p: ArrayLike, q: ArrayLike, number: int) -> float:
    over_p, over_q = max(c.c0_conjugate, c.c2), max(c.c0, c.c2_conjugate)
    return (
        (c.c1 * math.log(number) + over_p) * alpha_term(p, number)
        + (c.c1_conjugate * math.log(number) + over_q) * alpha_term(q, number)
        + (c.c1 + over_p) * beta_term(p, number)
        + (c.c1_conjugate + over_q) * beta_term(q, number)
    )


def _sums(c: SmoothnessConstants) -> tuple[float, float]:
    return c.c1 + c.c1_conjugate, max(c.c2, c.c0_conjugate) + max(c.c2_conjugate, c.c0)


def statistical_bound_for_size(generator: Generator, num_buckets: int, num_samples: int) -> float:
    """Return the same bound for any two laws on k bins: ``(c1 log n + c2) (sqrt(k/n) + k/n)``.

    Raises:
        ValueError: Assumption 9 fails for f.

    References:
        MAUVE paper, Theorem 10, eq. (11).
    """
    first, second = _sums(_usable(generator.constants(), generator.name))
    number = checks.count(num_samples, "num_samples", minimum=_MIN_SAMPLES)
    ratio = checks.count(num_buckets, "num_buckets") / number
    return (first * math.log(number) + second) * (math.sqrt(ratio) + ratio)


def frontier_bound(
    generator: Generator, p: ArrayLike, q: ArrayLike, num_samples: int, *, smallest_mixture: float
) -> float:
    """Return a bound on the mean of the largest error of both coordinates over a part of the frontier.

    ``E sup |D_f(P_n||R_n) - D_f(P||R)| + |D_f(Q_n||R_n) - D_f(Q||R)|``, the supremum over mixture weights from
    ``smallest_mixture`` to 1 minus it. Outside no bound can hold, for ``KL(P||Q)`` may be infinite.

    Args:
        generator: f of the frontier: KL or chi-squared.
        p: P.
        q: Q.
        num_samples: n, at least 3.
        smallest_mixture: In (0, 1/2].

    Raises:
        ValueError: Definition 4 refuses f, or the weight is out of range.

    References:
        MAUVE paper, Proposition 11, which leaves its constant open. Here it is explicit: the terms of eq. (10) depend
        on the sample only through quantities that do not know the weight, so that the largest constants over the
        weights will do, and those of both generators fall in the weight.
    """
    check_frontier_generator(generator)
    weight = check_mixture(smallest_mixture, "smallest_mixture")
    if weight > 0.5:
        raise ValueError(f"smallest_mixture must be at most 1/2; got {weight}.")
    number = checks.count(num_samples, "num_samples", minimum=_MIN_SAMPLES)
    constants = generator.mixture_constants(weight)
    return _statistical(constants, p, q, number) + _statistical(constants.swapped(), p, q, number)


def smoothed_bound(generator: Generator, p: ArrayLike, q: ArrayLike, num_samples: int, *, constant: float) -> float:
    """Return a bound on ``E |D_f(P||Q) - D_f(P_n^b||Q_n^b)|`` for add-b estimates of n samples each.

    Args:
        generator: f, of which Assumption 9 must hold.
        p: P.
        q: Q.
        num_samples: n, at least 3.
        constant: b > 0; 1/2 for Krichevsky-Trofimov.

    Raises:
        ValueError: Assumption 9 fails for f, a law is none, or b is not positive.

    References:
        MAUVE paper, Theorem 12, eq. (15), whose second line needs gamma of Q, not of P as printed.
    """
    c = _usable(generator.constants(), generator.name)
    number = checks.count(num_samples, "num_samples", minimum=_MIN_SAMPLES)
    added = checks.positive_number(constant, "constant")
    size = _law(p, "p").size
    log_term = math.log(number / added + size)
    share = number / (number + size * added)
    over_p, over_q = max(c.c0_conjugate, c.c2), max(c.c0, c.c2_conjugate)
    first = share * alpha_term(p, number) + gamma_term(p, number, added)
    second = share * alpha_term(q, number) + gamma_term(q, number, added)
    return first * (c.c1 * log_term + over_p) + second * (c.c1_conjugate * log_term + over_q)


def smoothed_bound_for_size(generator: Generator, num_buckets: int, num_samples: int, *, constant: float) -> float:
    """Return the same bound for any two laws on k bins.

    ``(c1 log(n/b + k) + c2) (sqrt(k n) + 2 b (k - 1)) / (n + k b)``.

    Raises:
        ValueError: Assumption 9 fails for f, or b is not positive.

    References:
        MAUVE paper, Theorem 12, eq. (16).
    """
    first, second = _sums(_usable(generator.constants(), generator.name))
    number = checks.count(num_samples, "num_samples", minimum=_MIN_SAMPLES)
    size = checks.count(num_buckets, "num_buckets")
    added = checks.positive_number(constant, "constant")
    rate = (math.sqrt(size * number) + 2 * added * (size - 1)) / (number + size * added)
    return (first * math.log(number / added + size) + second) * rate


def total_bound(generator: Generator, p: ArrayLike, q: ArrayLike, num_samples: int) -> float:
    """Return the bound on the total error of a divergence estimated by the best quantizer with k bins.

    Statistical error of the quantised laws, eq. (10), plus the error of an oracle quantizer; a quantizer that does not
    know the laws may do worse than its second part.

    Args:
        generator: f.
        p: P as quantised, on k bins.
        q: Q as quantised.
        num_samples: n, at least 3.

    References:
        MAUVE paper, Theorem 14. Its alpha and beta are of the quantised laws, and its last term is ``2/k`` for k bins.
    """
    return statistical_bound(generator, p, q, num_samples) + quantization_bound(generator, _law(p, "p").size)


def quantization_bound(generator: Generator, num_buckets: int) -> float:
    """Return a bound on what the best partition into k bins loses: ``(f(0) + f*(0)) / floor(k / 2)``.

    Raises:
        ValueError: ``f(0)`` or ``f*(0)`` is infinite, or there are fewer than 2 bins.

    References:
        MAUVE paper, Proposition 13, which is stated for 2k bins.
    """
    pairs = checks.count(num_buckets, "num_buckets", minimum=2) // 2
    c = generator.constants()
    if not math.isfinite(c.c0 + c.c0_conjugate):
        raise ValueError(f"generator must have finite f(0) and f*(0); those of {generator.name} are not.")
    return (c.c0 + c.c0_conjugate) / pairs


def recommended_num_buckets(num_samples: int, generator: Generator) -> int:
    """Return the number of bins that minimises the bound on the total error: ``n^{1/3}`` up to logarithms.

    It balances eq. (11) with Proposition 13, ``k = (4 (f(0) + f*(0)) sqrt(n) / (c1 log n + c2))^{2/3}`` while k is far
    below n, and holds for the worst law and the best quantizer. For k-means on embeddings practice uses far more, n/10.

    Args:
        num_samples: n of each side, at least 3.
        generator: f, of which Assumption 9 must hold.

    Returns:
        A number from 2 to n.

    Raises:
        ValueError: Assumption 9 fails for f.

    Example:
        >>> from fkeax.frontier import IntegralKL
        >>> [recommended_num_buckets(n, IntegralKL()) for n in (10**3, 10**6, 10**9)]
        [4, 27, 207]

    References:
        MAUVE paper, after Theorem 14.
    """
    number = checks.count(num_samples, "num_samples", minimum=_MIN_SAMPLES)
    c = _usable(generator.constants(), generator.name)
    first, second = _sums(c)
    factor = first * math.log(number) + second
    loss = 2 * (c.c0 + c.c0_conjugate)
    low, high = 2.0, float(number)
    for _ in range(100):  # the slope factor (1/(2 sqrt(k n)) + 1/n) - loss/k^2 changes its sign once
        middle = math.sqrt(low * high)
        if factor * (1 / (2 * math.sqrt(middle * number)) + 1 / number) < loss / middle**2:
            low = middle
        else:
            high = middle
    return max(2, min(number, round(low)))


def oracle_partition(p: ArrayLike, q: ArrayLike, generator: Generator, num_buckets: int) -> np.ndarray:
    """Return the partition behind Proposition 13: atoms share a bin if ``f(p/q)`` is similar, ``f*(q/p)`` where p > q.

    It needs both laws, so it serves to see what quantization can at best keep, not to estimate.

    Args:
        p: P on many atoms.
        q: Q on the same atoms.
        generator: f, with finite ``f(0)`` and ``f*(0)``.
        num_buckets: k, at least 2; half for each side.

    Returns:
        The bin of each atom, int32 from 0 to k - 1; the divergence of the binned laws falls short of the full one by at
        most ``quantization_bound(generator, k)``.

    Raises:
        ValueError: ``f(0)`` or ``f*(0)`` is infinite, or the laws are on different atoms.

    References:
        MAUVE paper, Figure 7.
    """
    pairs = checks.count(num_buckets, "num_buckets", minimum=2) // 2
    quantization_bound(generator, num_buckets)  # refuses infinite limits
    law_p, law_q = _law(p, "p"), _law(q, "q")
    if law_p.shape != law_q.shape:
        raise ValueError(f"p and q must be laws on the same atoms; got {law_p.size} and {law_q.size} of them.")
    c = generator.constants()
    larger = np.maximum(law_p, law_q)
    ratio = np.minimum(law_p, law_q) / np.where(larger > 0, larger, 1)
    of_p = law_p > law_q
    of_ratio = jnp.asarray(ratio)
    height = np.where(of_p, generator.conjugate(of_ratio) / c.c0_conjugate, generator(of_ratio) / c.c0)
    level = np.clip(np.floor(height * pairs), 0, pairs - 1)
    return (level + np.where(of_p, pairs, 0)).astype(np.int32)


def balanced_num_neighbors(num_samples: int, dimension: int, *, smoothness: float = 1.0) -> int:
    """Return the number of neighbours ``k = n^{g / (d + g)}`` that balances the two parts of Theorem 17.

    Args:
        num_samples: n of each side.
        dimension: d, after any reduction.
        smoothness: g in (0, 1], the Hoelder exponent of the densities.

    Raises:
        ValueError: An argument is out of its range.

    Example:
        >>> balanced_num_neighbors(10_000, 1), balanced_num_neighbors(10_000, 50)
        (100, 1)

    References:
        MAUVE paper, Theorem 17, after Noshad et al. (2017).
    """
    number, exponent = _neighbor_arguments(num_samples, dimension, smoothness)
    return max(1, round(number ** (exponent / (dimension + exponent))))


def neighbor_rate(num_neighbors: int, num_samples: int, dimension: int, *, smoothness: float = 1.0) -> float:
    """Return ``(k/n)^{g/d} + 1/k``, to which the bias of the nearest-neighbour estimate is proportional.

    At the balanced k it is ``2 n^{-g/(d+g)}``; the exponent ``-2g/(d+g)`` printed in the paper is not what its own two
    terms give, though it is that of a squared error.

    Raises:
        ValueError: An argument is out of its range.

    References:
        MAUVE paper, Theorem 17.
    """
    number, exponent = _neighbor_arguments(num_samples, dimension, smoothness)
    neighbors = checks.count(num_neighbors, "num_neighbors")
    return (neighbors / number) ** (exponent / dimension) + 1 / neighbors


def _neighbor_arguments(num_samples: int, dimension: int, smoothness: float) -> tuple[int, float]:
    checks.count(dimension, "dimension")
    exponent = checks.positive_number(smoothness, "smoothness")
    if exponent > 1:
        raise ValueError(f"smoothness must be a Hoelder exponent, above 0 and at most 1; got {exponent}.")
    return checks.count(num_samples, "num_samples"), exponent
