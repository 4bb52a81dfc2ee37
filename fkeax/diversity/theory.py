"""How far FKEA can be from the exact spectrum: Theorem 2 and Corollary 1 of the FKEA paper, and sharper bounds.

All bounds hold for n samples, r independent frequencies of a shift-invariant kernel with ``k(x, x) = 1``, and fail with
probability at most ``delta`` over the draw of the frequencies. The same quantity runs through all of them, the distance
``||K~/n - K/n||_F`` of the two kernel matrices; it bounds the distance ``||lambda~ - lambda||_2`` of the sorted spectra
(Hoffman and Wielandt).

What the paper prints and what follows from its proof:

* The proof's union bound gives ``n (n - 1) exp(-r epsilon^2 / 2)``; equation (8) lost a factor 2. Solved for epsilon it
  is ``sqrt(2 log(n (n - 1) / delta) / r)`` (:func:`union_bound`). Theorem 2 states ``sqrt(8 log(n / (2 delta)) / r)``,
  which is larger, and so still true, but for n = 2 at delta above 0.9.
* The approximate eigenvectors of Theorem 2 are misprinted. They are the unit eigenvectors of ``K~/n``: the vectors
  ``(phi(x_1)^T v_i, ..., phi(x_n)^T v_i) / sqrt(n lambda~_i)`` with frequencies inside the cosines and sines and the
  entries of the eigenvector ``v_i`` of ``C`` outside, and any orthonormal basis of what is left.
* At order 1 both sides of Corollary 1 are 1 whatever the scores: it says nothing there. :func:`entropy_bound` does.

None of the bounds needs the union over pairs, nor its log n: the distance is the norm of a mean of r independent
matrices of norm at most 1, so it concentrates around its mean (:func:`concentration_bound`).
"""

from __future__ import annotations

import math

from fkeax.numerics import checks

LARGEST_GAUSSIAN_VARIANCE = 0.5
"""The largest mean variance of one cosine under the Gaussian kernel, ``mean (1 - k^2)^2 / 2``, at points far apart."""


def spectrum_bound(num_samples: int, num_frequencies: int, delta: float) -> float:
    """Return the bound of Theorem 2 on ``||lambda~ - lambda||_2``, ``sqrt(8 log(n / (2 delta)) / r)``.

    Both spectra sum to 1, so a bound above ``||lambda||_2 = RKE^(-1/2)`` is one that the zero vector meets as well.

    Args:
        num_samples: n, at least 2.
        num_frequencies: r; the map has 2r features.
        delta: The probability that the bound fails, in (0, 1).

    Raises:
        ValueError: If a number is outside its range.

    Example:
        The paper's largest experiment, 50,000 images and 16,000 features, where RKE = 996.7 and so ``||lambda||_2`` is
        0.032:

        >>> round(spectrum_bound(50_000, 8_000, 0.05), 3)
        0.115

    References:
        FKEA paper, Theorem 2, first inequality; the module says what follows from its proof.
    """
    samples, frequencies, failure = _checked(num_samples, num_frequencies, delta)
    return math.sqrt(8 * math.log(samples / (2 * failure)) / frequencies)


def eigenvector_bound(num_samples: int, num_frequencies: int, delta: float) -> float:
    """Return the bound of Theorem 2 on ``sqrt(sum_i ||K v_i / n - lambda_i v_i||^2)``: twice :func:`spectrum_bound`.

    The ``v_i`` are the n unit eigenvectors of ``K~/n`` in the order of its eigenvalues, ``lambda_i`` the exact
    eigenvalue of the same rank; the paper misprints them (see the module).

    Example:
        >>> eigenvector_bound(1000, 500, 0.1) / spectrum_bound(1000, 500, 0.1)
        2.0

    References:
        FKEA paper, Theorem 2, second inequality.
    """
    return 2 * spectrum_bound(num_samples, num_frequencies, delta)


def union_bound(num_samples: int, num_frequencies: int, delta: float) -> float:
    """Return what the proof of Theorem 2 gives: ``sqrt(2 (1 - 1/n) log(n (n - 1) / delta) / r)``.

    Hoeffding's inequality for each of the ``n (n - 1) / 2`` pairs, both signs; pairs i = j are exact, which is the
    factor ``1 - 1/n``. Between 1/2 and 0.8 of :func:`spectrum_bound` for n of 10 and more and delta of 1e-6 and more.

    Example:
        >>> round(union_bound(50_000, 8_000, 0.05), 3)
        0.078
    """
    samples, frequencies, failure = _checked(num_samples, num_frequencies, delta)
    log_pairs = math.log(samples * (samples - 1) / failure)
    return math.sqrt(2 * (1 - 1 / samples) * log_pairs / frequencies)


def concentration_bound(num_frequencies: int, delta: float, *, variance: float = LARGEST_GAUSSIAN_VARIANCE) -> float:
    """Return ``(sqrt(variance) + sqrt(log(1 / delta))) / sqrt(r)``, a bound on ``||lambda~ - lambda||_2`` free of n.

    The first term bounds the mean distance, exactly the root mean square. The second is McDiarmid's inequality: each
    frequency adds a positive semi-definite matrix of trace 1 over r, and two such differ by at most ``sqrt(2) / r``.

    Args:
        num_frequencies: r.
        delta: The probability that the bound fails, in (0, 1).
        variance: Mean over all pairs of the variance of one cosine, ``(1 + k(2D)) / 2 - k(D)^2``. For the Gaussian
            kernel it is ``mean (1 - k^2)^2 / 2``, at most 1/2; from data it is
            ``r`` :meth:`~fkeax.diversity.PairMoments.expected_spectrum_error` ``^2``. At most 1 for any kernel.

    Example:
        Where Theorem 2 gives 0.115, and below the 0.032 that is to be estimated:

        >>> round(concentration_bound(8_000, 0.05), 4)
        0.0273
    """
    frequencies = checks.count(num_frequencies, "num_frequencies")
    return _concentration_numerator(delta, variance) / math.sqrt(frequencies)


def score_bound(
    order: float, num_samples: int, num_frequencies: int, delta: float, *, feature_dimension: int | None = None
) -> float:
    """Return the bound of Corollary 1 on ``|V~^((1-a)/a) - V^((1-a)/a)|``, with V the VENDI score of order a.

    ``V^((1-a)/a)`` is the a-norm of the spectrum, so this is :func:`spectrum_bound` through :func:`norm_bound`. See
    :func:`score_interval` for what it says about V itself.

    Args:
        order: In (1, inf]. At order 1 both sides are 1: see :func:`entropy_bound`.
        num_samples: n.
        num_frequencies: r.
        delta: The probability that the bound fails, in (0, 1).
        feature_dimension: The paper's ``dim(phi)``, for orders below 2; None where the kernel has no finite one, as the
            Gaussian has not: then n, which bounds the number of eigenvalues as well.

    Raises:
        ValueError: If a number is outside its range.

    References:
        FKEA paper, Corollary 1.
    """
    dimension = num_samples if feature_dimension is None else checks.count(feature_dimension, "feature_dimension")
    return norm_bound(order, spectrum_bound(num_samples, num_frequencies, delta), min(dimension, num_samples))


def norm_bound(order: float, distance: float, num_eigenvalues: int) -> float:
    """Return a bound on the change of the a-norm of a spectrum that moves by ``distance`` in the 2-norm.

    It is ``distance`` for orders of 2 and more and ``m^(1/a - 1/2)`` times as much for m eigenvalues below.

    Args:
        order: a, in (1, inf].
        distance: Any bound on ``||lambda~ - lambda||_2``.
        num_eigenvalues: m, at least as large as the number of eigenvalues that differ.

    Raises:
        ValueError: If a number is outside its range.
    """
    alpha = checks.order(order)
    if alpha <= 1:
        raise ValueError(f"order must be above 1, where the norm of a spectrum says something; got {order!r}.")
    count = checks.count(num_eigenvalues, "num_eigenvalues")
    return count ** max(0.0, 1 / alpha - 0.5) * checks.positive_number(distance, "distance")


def score_interval(score: float, bound: float, order: float, num_samples: int) -> tuple[float, float]:
    """Return the scores of order a > 1 whose ``V^((1-a)/a)`` is within ``bound`` of that of ``score``.

    Args:
        score: A VENDI score, at least 1.
        bound: From :func:`score_bound` or :func:`norm_bound`.
        order: In (1, inf].
        num_samples: n, the largest score there is; reached where the bound says nothing.

    Returns:
        The ends of the interval, in [1, n].

    Raises:
        ValueError: If a number is outside its range.

    Example:
        2,000 digits of RKE 7.24 at r = 2000 and delta = 0.05, by Theorem 2 and by the bound free of n:

        >>> theorem = score_interval(7.24, spectrum_bound(2000, 2000, 0.05), 2, 2000)
        >>> [round(v, 1) for v in theorem]
        [3.1, 33.6]
        >>> [round(v, 1) for v in score_interval(7.24, concentration_bound(2000, 0.05), 2, 2000)]
        [5.5, 9.9]
    """
    alpha = checks.order(order)
    if alpha <= 1:
        raise ValueError(f"order must be above 1, where the norm of a spectrum says something; got {order!r}.")
    samples = checks.count(num_samples, "num_samples")
    exponent = 1.0 if alpha == math.inf else alpha / (alpha - 1)
    norm = checks.positive_number(score, "score") ** (-1 / exponent)
    width = checks.positive_number(bound, "bound")
    highest = samples if norm - width <= 0 else min((norm - width) ** -exponent, samples)
    return max((norm + width) ** -exponent, 1.0), float(highest)


def entropy_bound(distance: float, num_eigenvalues: int) -> float:
    """Return a bound on the change of the Shannon entropy (log VENDI-1) of a spectrum that moves by ``distance``.

    Fannes' inequality in Audenaert's sharp form, ``T log(m - 1) + h(T)`` with ``h`` the binary entropy and
    ``T <= sqrt(m) distance / 2`` half of the distance in the 1-norm. It is what Corollary 1 leaves open at order 1;
    with m in the thousands it, too, says little.

    Args:
        distance: Any bound on ``||lambda~ - lambda||_2``.
        num_eigenvalues: m, at least as large as the number of eigenvalues of either spectrum.

    Returns:
        A number in [0, log m], in nats.
    """
    count = checks.count(num_eigenvalues, "num_eigenvalues")
    return entropy_change(math.sqrt(count) * checks.positive_number(distance, "distance") / 2, count)


def entropy_change(variation: float, num_eigenvalues: int) -> float:
    """Return the largest change of the Shannon entropy at total variation ``variation`` over m entries (Audenaert).

    Example:
        >>> entropy_change(0.0, 10), entropy_change(1.0, 10) == math.log(10)
        (0.0, True)
    """
    if num_eigenvalues == 1 or variation <= 0:
        return 0.0
    if variation >= 1 - 1 / num_eigenvalues:
        return math.log(num_eigenvalues)
    binary = -variation * math.log(variation) - (1 - variation) * math.log1p(-variation)
    return variation * math.log(num_eigenvalues - 1) + binary


def frequencies_for_spectrum(num_samples: int, epsilon: float, delta: float) -> int:
    """Return the smallest r at which Theorem 2 promises ``||lambda~ - lambda||_2 <= epsilon``.

    ``8 log(n / (2 delta)) / epsilon^2``; four times as many for the second inequality, where epsilon is halved.

    Args:
        num_samples: n, at least 2.
        epsilon: Positive.
        delta: The probability that the promise fails, in (0, 1).

    Raises:
        ValueError: If a number is outside its range.

    Example:
        A tenth of the ``||lambda||_2`` of the paper's largest experiment asks for ten million frequencies; the bound
        free of n for half a million:

        >>> frequencies_for_spectrum(50_000, 0.0032, 0.05), frequencies_by_concentration(0.0032, 0.05)
        (10251847, 580418)
    """
    return math.ceil((spectrum_bound(num_samples, 1, delta) / checks.positive_number(epsilon, "epsilon")) ** 2)


def frequencies_for_eigenvectors(num_samples: int, epsilon: float, delta: float) -> int:
    """Return the smallest r at which Theorem 2 promises an eigenvector residual of at most ``epsilon``."""
    return math.ceil((eigenvector_bound(num_samples, 1, delta) / checks.positive_number(epsilon, "epsilon")) ** 2)


def frequencies_for_score(
    order: float, num_samples: int, epsilon: float, delta: float, *, feature_dimension: int | None = None
) -> int:
    """Return the smallest r at which Corollary 1 promises ``|V~^((1-a)/a) - V^((1-a)/a)| <= epsilon``.

    Arguments as in :func:`score_bound`.
    """
    at_one = score_bound(order, num_samples, 1, delta, feature_dimension=feature_dimension)
    return math.ceil((at_one / checks.positive_number(epsilon, "epsilon")) ** 2)


def frequencies_by_concentration(epsilon: float, delta: float, *, variance: float = LARGEST_GAUSSIAN_VARIANCE) -> int:
    """Return the smallest r at which :func:`concentration_bound` promises ``||lambda~ - lambda||_2 <= epsilon``."""
    return math.ceil((_concentration_numerator(delta, variance) / checks.positive_number(epsilon, "epsilon")) ** 2)


def _concentration_numerator(delta: float, variance: float) -> float:
    spread = checks.finite_number(variance, "variance")
    if not 0 <= spread <= 1:
        raise ValueError(f"variance must be a number from 0 to 1, the variance of a cosine; got {variance!r}.")
    return math.sqrt(spread) + math.sqrt(-math.log(_probability(delta)))


def _checked(num_samples: int, num_frequencies: int, delta: float) -> tuple[int, int, float]:
    samples = checks.count(num_samples, "num_samples", minimum=2)
    return samples, checks.count(num_frequencies, "num_frequencies"), _probability(delta)


def _probability(delta: float) -> float:
    number = checks.finite_number(delta, "delta")
    if not 0 < number < 1:
        raise ValueError(f"delta must be a probability between 0 and 1; got {delta!r}.")
    return number
