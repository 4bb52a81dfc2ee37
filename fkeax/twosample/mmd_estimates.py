"""The squared MMD and its standard error, from sums over pairs. Host arithmetic in float64."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fkeax.inference import jackknife_variance
from fkeax.twosample.pair_sums import PairSums


@dataclass(frozen=True)
class VarianceParts:
    """The variance of the unbiased MMD^2 by Hoeffding's decomposition, each part estimated without bias.

    ``Var = 4 zeta_x / n + 4 zeta_y / m + 2 s_xx / (n (n - 1)) + 2 s_yy / (m (m - 1)) + 4 s_xy / (n m)``, exact at any n
    and m. The first two terms vanish at P = Q, where only the second-order ones are left.

    Attributes:
        zeta_x: Variance of ``E k(x, X') - E k(x, Y)`` over reference points x; may come out negative.
        zeta_y: Likewise over generated points.
        s_xx: Variance of the part of ``k(x, x')`` that is a function of both points.
        s_xy: Likewise of ``k(x, y)``.
        s_yy: Likewise of ``k(y, y')``.
    """

    zeta_x: float
    zeta_y: float
    s_xx: float
    s_xy: float
    s_yy: float

    def variance(self, num_reference: int, num_generated: int) -> float:
        """Return the variance of MMD^2 at sample sizes n and m; a negative first-order part counts as 0."""
        n, m = float(num_reference), float(num_generated)
        first = max(4 * self.zeta_x / n + 4 * self.zeta_y / m, 0.0)
        second = 2 * self.s_xx / (n * (n - 1)) + 2 * self.s_yy / (m * (m - 1)) + 4 * self.s_xy / (n * m)
        return first + second


def unbiased_mmd2(sums: PairSums) -> float:
    """Return the U-statistic: the mean over pairs of distinct rows; unbiased, so it may be negative."""
    n, m = sums.num_reference, sums.num_generated
    cross = (float(sums.xy.sum()) + float(sums.yx.sum())) / 2
    return float(sums.xx.sum()) / (n * (n - 1)) + float(sums.yy.sum()) / (m * (m - 1)) - 2 * cross / (n * m)


def biased_mmd2(sums: PairSums) -> float:
    """Return the V-statistic: the squared distance of the empirical mean embeddings; high by about (1 - k) (1/n + 1/m).

    Never negative but for rounding.
    """
    n, m = sums.num_reference, sums.num_generated
    cross = (float(sums.xy.sum()) + float(sums.yx.sum())) / 2
    within_x = float(sums.xx.sum()) + float(sums.x_diagonal.sum())
    within_y = float(sums.yy.sum()) + float(sums.y_diagonal.sum())
    return within_x / (n * n) + within_y / (m * m) - 2 * cross / (n * m)


def variance_parts(sums: PairSums) -> VarianceParts | None:
    """Return the parts of the variance; None below 4 rows a side, where they cannot be told apart.

    Within a sample, ``k(x_i, x_j) = mean + a_i + a_j + rest`` is a two-way layout without diagonal: least squares gives
    the effects ``(R_i - S/n)/(n - 2)`` of row sums R, noisy by ``s_xx/(n - 2)``, and ``n (n - 3)/2`` degrees of freedom
    for the rest. Across samples the layout is complete. Differences of effects estimate the first-order projections;
    what their variance owes to noise is taken off.
    """
    n, m = sums.num_reference, sums.num_generated
    if min(n, m) < 4:
        return None
    x_within, s_xx = _own_layout(sums.xx, sums.xx_squares)
    y_within, s_yy = _own_layout(sums.yy, sums.yy_squares)
    mean = (float(sums.xy.sum()) + float(sums.yx.sum())) / (2 * n * m)
    x_across, y_across = sums.xy / m - mean, sums.yx / n - mean
    explained = m * float(np.square(x_across).sum()) + n * float(np.square(y_across).sum())
    s_xy = max((sums.xy_squares - n * m * mean**2 - explained) / ((n - 1) * (m - 1)), 0.0)
    zeta_x = float(np.square(x_within - x_across).sum()) / (n - 1) - s_xx / (n - 2) - s_xy / m
    zeta_y = float(np.square(y_within - y_across).sum()) / (m - 1) - s_yy / (m - 2) - s_xy / n
    return VarianceParts(zeta_x, zeta_y, s_xx, s_xy, s_yy)


def _own_layout(row_sums: np.ndarray, squares: float) -> tuple[np.ndarray, float]:
    """Return the effects of the rows of one sample and the variance of what they leave."""
    n, total = row_sums.size, float(row_sums.sum())
    effects = (row_sums - total / n) / (n - 2)
    mean = total / (n * (n - 1))
    rest = squares - n * (n - 1) * mean**2 - 2 * (n - 2) * float(np.square(effects).sum())
    return effects, max(rest / (n * (n - 3)), 0.0)


def jackknife_stderr(sums: PairSums) -> float | None:
    """Return the two-sample jackknife's standard error of the unbiased MMD^2, in closed form; None below 3 rows a side.

    It counts the second-order part twice: up to sqrt 2 too wide, and that at P = Q.
    """
    n, m = sums.num_reference, sums.num_generated
    if min(n, m) < 3:
        return None
    xx, yy = float(sums.xx.sum()), float(sums.yy.sum())
    cross = (float(sums.xy.sum()) + float(sums.yx.sum())) / 2
    without_x = (xx - 2 * sums.xx) / ((n - 1) * (n - 2)) + yy / (m * (m - 1)) - 2 * (cross - sums.xy) / ((n - 1) * m)
    without_y = xx / (n * (n - 1)) + (yy - 2 * sums.yy) / ((m - 1) * (m - 2)) - 2 * (cross - sums.yx) / (n * (m - 1))
    return (jackknife_variance(without_x) + jackknife_variance(without_y)) ** 0.5
