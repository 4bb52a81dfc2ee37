"""Pairs of samples: U-statistics of squared kernel values, and their standard errors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from fkeax import kernels
from fkeax.inference import jackknife_variance
from fkeax.kernels import Kernel, RowPowers
from fkeax.numerics import student

BLOCK_BYTES = 64 * 2**20
_CACHED_ROWS = 256  # a block of so many rows and columns stays in the cache of a core: four times as fast as 64 MiB


def without_self_pairs(second_moment: float, weight_share: float) -> float:
    """Return the mean of ``k^2`` over pairs i != j from the mean over all pairs, for a kernel with ``k(x, x) = 1``.

    The U-statistic ``(n^2 m - n) / (n (n - 1))``: unbiased for the population's ``E k(x, x')^2``, where the mean over
    all pairs is too high by ``(1 - E k^2) / n``.

    Args:
        second_moment: Mean over all pairs, i = j included.
        weight_share: ``sum w^2 / (sum w)^2``, the weight of the pairs i = j; 1/n without weights.

    Example:
        >>> without_self_pairs(0.5, 1 / 2)  # two samples, m = (1 + 1 + 0 + 0) / 4
        0.0
    """
    return (second_moment - weight_share) / (1 - weight_share)


def hoeffding_stderr(between: float, within: float, num_units: int) -> float:
    """Return the standard error of a U-statistic of order two over independent units.

    Hoeffding's variance ``(4 (n - 2) zeta_1 + 2 zeta_2) / (n (n - 1))``.

    Args:
        between: zeta_1, the variance between units of the mean over the other unit.
        within: zeta_2, the variance of the kernel over pairs of units.
        num_units: n, at least 2.
    """
    variance = (4 * (num_units - 2) * between + 2 * within) / (num_units * (num_units - 1))
    return variance**0.5


def between_variance(means: np.ndarray, within: float) -> float:
    """Return zeta_1 from the means of n units over the n - 1 others, not below 0; 0 up to four units.

    The variance of the means overstates zeta_1, because each is itself a mean over n - 1 draws and two of them share
    their pair: ``E s^2 = (n - 2)/(n - 1)^2 (zeta_2 + (n - 4) zeta_1)``, solved here for zeta_1.

    Args:
        means: One a unit.
        within: zeta_2, the variance over pairs.
    """
    n = means.size
    if n <= 4:
        return 0.0
    return max(float((means.var(ddof=1) * (n - 1) ** 2 / (n - 2) - within) / (n - 4)), 0.0)


def jackknife_stderr(powers: RowPowers) -> float | None:
    """Return the delete-one jackknife standard error of the mean of ``k^2`` over pairs of distinct rows.

    In closed form from unweighted row sums: without row i the mean is ``(T - 2 R_i) / ((n - 1) (n - 2))``. Needs no
    fourth powers, holds for n rows as measured, and lies above :meth:`PairMoments.u_statistic_stderr`, because the
    jackknife counts the second-order part of the variance twice. None below three rows.
    """
    sums = np.asarray(powers.second, np.float64)
    if sums.size < 3:
        return None
    return jackknife_variance((sums.sum() - 2 * sums) / ((sums.size - 1) * (sums.size - 2))) ** 0.5


def population_stderr(sampling: float, frequencies: float, pair_share: float) -> float:
    """Return the standard error of the population's mean ``k^2``, estimated from samples through random features.

    The debiased moment is unbiased given the samples, so the two parts are uncorrelated and their squares add.

    Args:
        sampling: Over independent samples, or groups of them, as if kernel values were exact:
            :meth:`PairMoments.u_statistic_stderr`, :func:`jackknife_stderr`, or those of grouped pairs. Alone it is
            the error of the exact route.
        frequencies: Over random frequencies given the samples, of the mean over *all* pairs:
            ``DebiasedMoment.stderr``. Alone it is the error of ``rke-debiased``, whose target is the exact RKE of
            these samples.
        pair_share: Share of the pairs that were taken out of that mean: 1/n, or the share of pairs within groups.

    Example:
        >>> population_stderr(0.03, 0.02, 0.5)
        0.05
    """
    return math.hypot(sampling, frequencies / (1 - pair_share))


def rke_interval(
    second_moment: float, stderr: float, num_units: int, level: float = 0.95
) -> tuple[float, float] | None:
    """Return the interval of the population RKE ``1/m`` from an estimate of ``m = E k^2`` and its standard error.

    Symmetric on the scale of ``log m``: ``exp(-+ t s / m) / m`` with Student's t at n - 1 degrees of freedom. Sampling
    skews m to the right, its logarithm less so, and the ends stay positive.

    Args:
        second_moment: m.
        stderr: s.
        num_units: n, the independent samples or groups that s was estimated from.
        level: Nominal coverage.

    Returns:
        Lower and upper end; None if m is not positive.

    Example:
        >>> [round(end, 3) for end in rke_interval(0.1, 0.01, 50) or ()]
        [8.179, 12.226]
    """
    if second_moment <= 0:
        return None
    reach = math.exp(student.central_quantile(level, num_units - 1) * stderr / second_moment)
    return 1 / (second_moment * reach), reach / second_moment


@dataclass(frozen=True)
class PairMoments:
    """Moments of kernel values over pairs of distinct samples.

    Attributes:
        second: Mean of ``k^2``.
        fourth: Mean of ``k^4``.
        doubled: Mean of the kernel at twice the difference, ``kappa(2 (x - x'))``; None for kernels that are not
            shift-invariant.
        between: Estimate of the variance between samples of ``E[k(x, X')^2 | x]`` (zeta_1 of the U-statistic), not
            below 0.
        num_rows: How many samples it was measured on.
    """

    second: float
    fourth: float
    doubled: float | None
    between: float
    num_rows: int

    def u_statistic_stderr(self, num_samples: int) -> float | None:
        """Return the standard error of the mean of ``k^2`` over all pairs of ``num_samples`` independent samples.

        Hoeffding's variance, second-order term included; None below 4 measured rows, where zeta_1 cannot be estimated.
        """
        if self.num_rows < 4 or num_samples < 2:
            return None
        return hoeffding_stderr(self.between, max(self.fourth - self.second**2, 0.0), num_samples)

    def expected_spectrum_error(self, num_frequencies: int, weight_share: float) -> float:
        """Return a bound on the rms distance of FKEA's spectrum from the exact one, at most ``1/sqrt(2r)``.

        It is ``sqrt(mean((1 + kappa(2D))/2 - kappa(D)^2) / r)``, the variance of one cosine over the number of them;
        for the Gaussian kernel that is ``sqrt(mean((1 - k^2)^2) / (2r))``. Over independent frequencies
        ``E ||C||_F^2 - mean k^2`` is its square, exactly; by Hoffman and Wielandt it bounds the rms of
        ``||spectrum - exact spectrum||_2``. Theorem 2 of the FKEA paper bounds the same quantity, but only says
        something at far larger r. The mean is over all pairs, i = j included.

        Raises:
            ValueError: If the kernel is not shift-invariant: it has no random features.
        """
        if self.doubled is None:
            raise ValueError("expected_spectrum_error needs a shift-invariant kernel: this one has no random features.")
        variance = max((1 + self.doubled) / 2 - self.second, 0.0) * (1 - weight_share)
        return (variance / num_frequencies) ** 0.5


def pair_moments(powers: RowPowers) -> PairMoments | None:
    """Return the pair moments of unweighted row sums over all other rows; None for a single row."""
    means = np.asarray(powers.second, np.float64)
    num_rows = means.size
    if num_rows < 2:
        return None
    means = means / (num_rows - 1)
    fourth = _mean_over_pairs(powers.fourth)
    doubled = None if powers.doubled is None else _mean_over_pairs(powers.doubled)
    second = float(means.mean())
    between = between_variance(means, fourth - second**2)
    return PairMoments(second, fourth, doubled, between, num_rows)


def _mean_over_pairs(row_sums: Array) -> float:
    return float(np.asarray(row_sums, np.float64).mean()) / (row_sums.shape[0] - 1)


_row_powers = jax.jit(kernels.row_powers, static_argnames=("block_rows", "doubled"))


def squared_row_sums(
    kernel: Kernel,
    x: Float[Array, "n d"],
    weights: np.ndarray | None,
    *,
    doubled: bool = True,
    block_bytes: int = BLOCK_BYTES,
) -> RowPowers:
    """Return weighted sums of powers of k over the other rows, for every row, in blocks of at most ``block_bytes``.

    ``doubled`` says whether the kernel at twice the difference, which only random features need, is summed as well.
    """
    full = jnp.ones(x.shape[0], x.dtype) if weights is None else jnp.asarray(weights).astype(x.dtype)
    side = block_side(x.shape[0], x.dtype.itemsize, block_bytes)
    return _row_powers(kernel, x, full, block_rows=side, doubled=doubled)


def block_side(num_rows: int, itemsize: int, block_bytes: int) -> int:
    """Return how many rows and columns a block of the kernel matrix has: on CPU no more than a cache holds."""
    most = num_rows if jax.default_backend() != "cpu" else min(num_rows, _CACHED_ROWS)
    return max(1, min(most, math.isqrt(block_bytes // itemsize)))
