"""The bias that random frequencies give ``||C||_F^2``, removed exactly, and the error that is left.

Over independent frequencies ``E ||C||_F^2 = mean k^2 + mean (1 - k^2)^2 / (2r)``: FKEA-RKE reads low at any number of
draws. The excess sits in the 2x2 blocks of a frequency with itself, so leaving them out removes it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fkeax.numerics import linalg
from fkeax.numerics.accumulate import MomentState


@dataclass(frozen=True)
class FrequencyMoments:
    """Squared norms of the covariance ``C`` by frequency, with ``C_ab`` the 2x2 block of cosines and sines of a and b.

    Attributes:
        total: ``||C||_F^2``, what plain FKEA-RKE inverts.
        cross: For every frequency a, ``sum over b != a of ||C_ab||_F^2``, (r,).
    """

    total: float
    cross: np.ndarray


def frequency_moments(moment: MomentState) -> FrequencyMoments:
    """Return the squared norms of the covariance by frequency, on the host; O(r^2), no eigenvalue and no copy.

    Args:
        moment: Sums over features in the parts of :func:`fkeax.features.featurize_parts`: cosines block by block, then
            sines.
    """
    widths = linalg.block_widths(moment.blocks)
    half = len(widths) // 2
    rows = [np.zeros(width) for width in widths]
    own = [np.zeros(width) for width in widths[:half]]
    blocks = iter(moment.blocks)
    for i in range(len(widths)):
        for j in range(i, len(widths)):
            block = np.asarray(next(blocks))
            rows[i] += np.einsum("ij,ij->i", block, block)
            if i != j:
                rows[j] += np.einsum("ij,ij->j", block, block)
            if i % half == j % half:  # the same frequencies: cosines, sines, and cosines with sines, which count twice
                own[i % half] += np.square(np.diagonal(block), dtype=np.float64) * (1 if i == j else 2)
    weight = moment.weight.to_float()
    cross = np.concatenate([rows[i] + rows[i + half] - own[i] for i in range(half)])
    return FrequencyMoments(float(sum(row.sum() for row in rows)) / weight**2, cross / weight**2)


@dataclass(frozen=True)
class DebiasedMoment:
    """An unbiased estimate of the mean of ``k^2`` over all pairs of samples, and its standard error over frequencies.

    Attributes:
        value: Can be 0 or below by noise.
        stderr: Conditional on the samples; None below three frequencies.
    """

    value: float
    stderr: float | None


def debiased_second_moment(moments: FrequencyMoments) -> DebiasedMoment | None:
    """Return the second moment without the bias of random frequencies; None for a single frequency, which has no pair.

    ``r/(r-1) (||C||_F^2 - sum_a ||C_aa||_F^2)`` is a U-statistic over pairs of frequencies: exactly unbiased for mean
    ``k^2`` when frequencies are independent (not orthogonal or stratified ones). Its standard error is the jackknife
    over frequencies, biased slightly upward. Only the moment is unbiased: average it over draws, then invert.
    """
    cross = moments.cross
    num_frequencies = cross.size
    if num_frequencies < 2:
        return None
    means = cross * num_frequencies**2 / (num_frequencies - 1)
    value = float(means.mean())
    if num_frequencies < 3:
        return DebiasedMoment(value, None)
    deviations = float(np.square(means - value).sum())
    variance = 4 * (num_frequencies - 1) / (num_frequencies * (num_frequencies - 2) ** 2) * deviations
    return DebiasedMoment(value, variance**0.5)
