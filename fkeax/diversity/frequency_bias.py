"""The bias that random frequencies give ``||C||_F^2``, removed exactly, and the error that is left.

Over independent frequencies ``E ||C||_F^2 = mean k^2 + mean (1 - k^2)^2 / (2r)``: FKEA-RKE reads low at any number of
draws. The excess sits in the 2x2 blocks of a frequency with itself, so leaving them out removes it.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from fkeax.numerics import linalg
from fkeax.numerics.accumulate import MomentState


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class FrequencyMoments:
    """Squared norms of the covariance ``C`` by frequency, with ``C_ab`` the 2x2 block of cosines and sines of a and b.

    Attributes:
        total: ``||C||_F^2``, what plain FKEA-RKE inverts.
        cross: For every frequency a, ``sum over b != a of ||C_ab||_F^2``.
    """

    total: Float[Array, ""]
    cross: Float[Array, "r"]


@jax.jit
def frequency_moments(moment: MomentState) -> FrequencyMoments:
    """Return the squared norms of the covariance by frequency. Traceable; O(r^2), no eigenvalue.

    Args:
        moment: Sums over features in the parts of :func:`fkeax.features.featurize_parts`: cosines block by block, then
            sines.
    """
    num_parts = len(linalg.block_widths(moment.blocks))
    half = num_parts // 2
    rows: list[Array | float] = [0.0] * num_parts
    own: list[Array | float] = [0.0] * half
    blocks = iter(moment.blocks)
    for i in range(num_parts):
        for j in range(i, num_parts):
            block = next(blocks)
            squared = jnp.square(block / moment.weight.value)
            rows[i] += jnp.sum(squared, axis=1)
            if i != j:
                rows[j] += jnp.sum(squared, axis=0)
            if (
                i % half == j % half
            ):  # the same frequencies: cosine-cosine, sine-sine, and cosine-sine, which counts twice
                own[i % half] += jnp.diagonal(squared) * (1 if i == j else 2)
    cross = jnp.concatenate([jnp.asarray(rows[i] + rows[i + half] - own[i]) for i in range(half)])
    return FrequencyMoments(linalg.squared_norm(moment.blocks) / jnp.square(moment.weight.value), cross)


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
    cross = np.asarray(moments.cross, np.float64)
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
