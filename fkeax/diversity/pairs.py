"""Pairs of samples: U-statistics of squared kernel values, and their standard errors."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from fkeax import kernels
from fkeax.kernels import Kernel, RowPowers

_BLOCK_BYTES = 64 * 2**20


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


@dataclass(frozen=True)
class PairMoments:
    """Moments of kernel values over pairs of distinct samples.

    Attributes:
        second: Mean of ``k^2``.
        fourth: Mean of ``k^4``.
        between: Estimate of the variance between samples of ``E[k(x, X')^2 | x]`` (zeta_1 of the U-statistic), not
            below 0.
        num_rows: How many samples it was measured on.
    """

    second: float
    fourth: float
    between: float
    num_rows: int

    def u_statistic_stderr(self, num_samples: int) -> float | None:
        """Return the standard error of the mean of ``k^2`` over all pairs of ``num_samples`` independent samples.

        Hoeffding's variance of a U-statistic of order two, ``(4 (n - 2) zeta_1 + 2 zeta_2) / (n (n - 1))``,
        second-order term included; None below 4 measured rows, where zeta_1 cannot be estimated.
        """
        if self.num_rows < 4 or num_samples < 2:
            return None
        within = max(self.fourth - self.second**2, 0.0)
        variance = (4 * (num_samples - 2) * self.between + 2 * within) / (num_samples * (num_samples - 1))
        return variance**0.5

    def expected_spectrum_error(self, num_frequencies: int, weight_share: float) -> float:
        """Return a bound on the rms distance of FKEA's spectrum from the exact one, at most ``1/sqrt(2r)``.

        It is ``sqrt(mean((1 - k^2)^2) / (2r))``.
        Over independent frequencies ``E ||C||_F^2 - mean k^2`` is its square, exactly; by Hoffman and Wielandt it
        bounds the rms of ``||spectrum - exact spectrum||_2``. Theorem 2 of the FKEA paper bounds the same quantity, but
        only says something at far larger r. Gaussian kernel; the mean is over all pairs, i = j included.
        """
        spread = max(1 - 2 * self.second + self.fourth, 0.0) * (1 - weight_share)
        return (spread / (2 * num_frequencies)) ** 0.5


def pair_moments(powers: RowPowers) -> PairMoments | None:
    """Return the pair moments of unweighted row sums over all other rows; None for a single row.

    The variance of the n row means overstates zeta_1, because each row mean is itself a mean over n - 1 draws and two
    row means share their pair: ``E s^2 = (n - 2)/(n - 1)^2 (zeta_2 + (n - 4) zeta_1)``, solved here for zeta_1.
    """
    means = np.asarray(powers.second, np.float64)
    num_rows = means.size
    if num_rows < 2:
        return None
    means = means / (num_rows - 1)
    fourth = float(np.asarray(powers.fourth, np.float64).mean()) / (num_rows - 1)
    second = float(means.mean())
    between = 0.0
    if num_rows > 4:
        within = fourth - second**2
        between = (means.var(ddof=1) * (num_rows - 1) ** 2 / (num_rows - 2) - within) / (num_rows - 4)
    return PairMoments(second, fourth, max(float(between), 0.0), num_rows)


_row_powers = jax.jit(kernels.row_powers, static_argnames="block_rows")


def squared_row_sums(kernel: Kernel, x: Float[Array, "n d"], weights: np.ndarray | None) -> RowPowers:
    """Return weighted sums of ``k^2`` and ``k^4`` over the other rows, for every row, in blocks of at most 64 MiB."""
    num_rows = x.shape[0]
    block_rows = max(1, min(num_rows, _BLOCK_BYTES // (num_rows * x.dtype.itemsize)))
    full = jnp.ones(num_rows, x.dtype) if weights is None else jnp.asarray(weights).astype(x.dtype)
    return _row_powers(kernel, x, full, block_rows=block_rows)
