"""VENDI of any order without the leading bias of random frequencies: a jackknife over halves of the frequencies.

The covariance of a subset of the frequencies is the sub-block of rows and columns of their cosines and sines, scaled to
trace 1: the covariance of a smaller Fourier map, free of a further pass over the samples. The mean of ``log V`` over
random frequencies is ``log V_exact + c_1 / r + c_2 / r^2 + ...``, so values at r and r/2 cancel the first term, and
values at r, r/2 and r/4 the first two.

The standard error comes from the same spectra. A half A has a debiased value of its own, ``D_A = 2 log V(A) - mean log
V(its quarters)``, and so has the other half B. To first order ``D_A - D_B = (2/r) sum_a e_a g_a`` with random signs e
and g the influence of a frequency, so ``(D_A - D_B)^2 / 4`` has the mean ``sum g^2 / r^2``, the variance of the
debiased value at r. (The plain halves would show the smaller influences of the plain score, and read 0.5 where this
reads 0.7 on a saturated map.) Halving at random adds the variance of its results over their number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fkeax.diversity.log_vendi import log_vendi
from fkeax.numerics import linalg
from fkeax.numerics.accumulate import MomentState

NUM_HALVINGS = 3
MAX_SATURATION = 0.2  # of the debiased value over 2r: beyond, higher terms of the expansion in 1/r are not small
MAX_DISAGREEMENT = 0.05  # of the two orders, relative: a debiased value is off by about as much as they disagree


@dataclass(frozen=True)
class HalvedSpectra:
    """Eigenvalues of the covariances of halves and quarters of the frequencies.

    Attributes:
        num_frequencies: r of the whole map.
        halves: Two complementary halves of every halving, (halvings, 2, r).
        quarters: Two quarters of each half, (halvings, 2, 2, r/2); None below four frequencies.
    """

    num_frequencies: int
    halves: np.ndarray
    quarters: np.ndarray | None


@dataclass(frozen=True)
class Extrapolation:
    """A debiased score and its standard error over random frequencies, conditional on the samples.

    The error covers neither the samples (the target is their own exact score) nor the bias of higher order that is
    left, which :attr:`DebiasedVendi.disagreement` gauges.

    Attributes:
        value: May exceed the caps of a plain score, n and 2r: it is not clipped.
        stderr: None from a single halving. From K halvings it is itself uncertain by about ``1 / sqrt(2K)``.
    """

    value: float
    stderr: float | None


@dataclass(frozen=True)
class DebiasedVendi:
    """The VENDI score of one order with the bias of random frequencies removed.

    Attributes:
        order: In [0, inf].
        plain: The score of all frequencies, which reads low.
        first: First order, ``2 log V(r) - mean log V(r/2)``; None with a reason.
        second: Second order, ``(8 log V(r) - 6 mean log V(r/2) + mean log V(r/4)) / 3``; None below four frequencies.
        reason: Why there is no value, or None.
    """

    order: float
    plain: float
    first: Extrapolation | None
    second: Extrapolation | None
    reason: str | None = None

    @property
    def disagreement(self) -> float | None:
        """How far apart the two orders are, relative: about the bias that is left in the first, which no error covers.

        None where there are not two.
        """
        if self.first is None or self.second is None:
            return None
        return abs(self.second.value / self.first.value - 1)


def halved_spectra(
    moment: MomentState, *, seed: int | Sequence[int], num_halvings: int = NUM_HALVINGS
) -> HalvedSpectra:
    """Return the spectra of random complementary halves of the frequencies, and of two quarters of each half.

    Where a number of frequencies is odd, one at random is left out. Halves are random whatever the draw of the
    frequencies, as they must be under orthogonal or stratified ones.

    Args:
        moment: Sums over features in the parts of :func:`fkeax.features.featurize_parts`: cosines block by block, then
            sines.
        seed: Of the halvings; the frequencies must not depend on it.
        num_halvings: K >= 1. One is enough for a value, a standard error needs several.

    Raises:
        ValueError: For a single frequency, which has no halves, or ``num_halvings`` below 1.

    Cost:
        Each halving takes 5/16 of the eigenwork of the whole map (1/4 the halves, 1/16 the quarters). Eigenvalues only;
        one half-size matrix at a time beside the moment, on an accelerator also the whole dense matrix.
    """
    r = sum(linalg.block_widths(moment.blocks)) // 2
    if r < 2:
        raise ValueError(f"num_frequencies must be at least 2 to be halved; got {r}.")
    if num_halvings < 1:
        raise ValueError(f"num_halvings must be at least 1; got {num_halvings}.")
    spectrum_of = _subset_spectra(moment)
    generator = np.random.default_rng(seed)
    half, quarter = r // 2, r // 4
    halves = np.zeros((num_halvings, 2, 2 * half), moment.blocks[0].dtype)
    quarters = np.zeros((num_halvings, 2, 2, 2 * quarter), halves.dtype)
    for number in range(num_halvings):
        shuffled = generator.permutation(r)
        for side in range(2):
            subset = shuffled[side * half : (side + 1) * half]
            halves[number, side] = spectrum_of(subset)
            for part in range(2 if quarter else 0):
                quarters[number, side, part] = spectrum_of(subset[part * quarter : (part + 1) * quarter])
    return HalvedSpectra(r, halves, quarters if quarter else None)


def _subset_spectra(moment: MomentState) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function from a subset of the frequencies to the eigenvalues of its sums."""
    blocks = moment.blocks
    if next(iter(blocks[0].devices())).platform == "cpu":
        host = [np.asarray(block) for block in blocks]  # views
        edges = np.cumsum([0, *linalg.block_widths(blocks)])
        return lambda subset: linalg.eigenvalues(_upper_triangle_of(host, edges, subset), overwrite=True)
    matrix = linalg.dense_symmetric(blocks)
    r = matrix.shape[0] // 2

    def on_device(subset: np.ndarray) -> np.ndarray:
        kept = np.concatenate([subset, subset + r])
        return linalg.eigenvalues(matrix[kept][:, kept])

    return on_device


def _upper_triangle_of(blocks: Sequence[np.ndarray], edges: np.ndarray, subset: np.ndarray) -> np.ndarray:
    """Return the sub-block of a subset of the frequencies, its upper triangle filled; no copy of the whole is made."""
    kept = np.sort(np.concatenate([subset, subset + edges[-1] // 2]))
    ends = np.searchsorted(kept, edges)
    matrix = np.zeros((kept.size, kept.size), blocks[0].dtype)
    remaining = iter(blocks)
    spans = [(slice(a, b), kept[a:b] - edge) for a, b, edge in zip(ends[:-1], ends[1:], edges[:-1], strict=True)]
    for i, (rows, own_rows) in enumerate(spans):
        for columns, own_columns in spans[i:]:
            matrix[rows, columns] = next(remaining)[np.ix_(own_rows, own_columns)]
    return matrix


def _extrapolation_weights(*sizes: int) -> np.ndarray:
    """Return the weights that carry a polynomial in 1/size from its values at some sizes to 1/size = 0.

    (2, -1) at r, r/2 and (8, -6, 1)/3 at r, r/2, r/4; sizes that were rounded down get weights of their own.
    """
    inverse = [1 / size for size in sizes]
    return np.asarray([math.prod(y / (y - x) for j, y in enumerate(inverse) if j != i) for i, x in enumerate(inverse)])


def debiased_vendi(spectrum: np.ndarray, halved: HalvedSpectra, orders: Sequence[float]) -> tuple[DebiasedVendi, ...]:
    """Return VENDI scores with the leading bias of random frequencies removed, by first and by second order.

    Consistent for the exact score of the same samples as r grows, with a bias of ``O(1/r^2)`` (first order) or
    ``O(1/r^3)`` instead of ``O(1/r)``; the spread over frequencies grows 1.0 to 2 times.

    That is so for independent frequencies. It holds as well, measured, for stratified radii with independent directions
    and for scrambled Sobol points. Orthogonal directions have less bias, and first order takes too much: N(0, I_64) at
    r = 200, order 1, goes from -20 % to +1.5 %, order 2 from -0.6 % to +0.6 %; second order takes more. Under every
    such scheme the standard error is an upper bound, up to ten times too wide, as halves at random lose what the scheme
    gains.

    Order 0 counts eigenvalues. With random features that is ``min(n, 2r)`` for distinct samples, which no expansion in
    1/r carries anywhere, so it gets no value.

    Args:
        spectrum: Eigenvalues of the covariance of all frequencies.
        halved: Those of its halves and quarters.
        orders: In [0, inf].

    Returns:
        One entry an order. Standard errors by the delta method from ``log V``.

    References:
        FKEA paper, eq. (2) and (4), for the plain score; the jackknife is not in the paper.
    """
    count = halved.halves.shape[0]
    parts = [spectrum, *halved.halves.reshape(2 * count, -1)]
    if halved.quarters is not None:
        parts += [*halved.quarters.reshape(4 * count, -1)]
    logs = log_vendi(parts, orders)
    whole, halves = logs[0], logs[1 : 1 + 2 * count].reshape(count, 2, -1)
    quarters = None if halved.quarters is None else logs[1 + 2 * count :].reshape(count, 2, 2, -1).mean(2)
    r = halved.num_frequencies
    half, quarter = r // 2, r // 4
    first_weights = _extrapolation_weights(r, half)
    first = first_weights[0] * whole + first_weights[1] * halves.mean(1)  # (halvings, orders)
    debiased_halves, second = halves, None
    if quarters is not None:
        inner = _extrapolation_weights(half, quarter)
        debiased_halves = inner[0] * halves + inner[1] * quarters
        outer = _extrapolation_weights(r, half, quarter)
        second = outer[0] * whole + outer[1] * halves.mean(1) + outer[2] * quarters.mean(1)
    contrast = np.square(debiased_halves[:, 0] - debiased_halves[:, 1]).mean(0) / 4
    return tuple(
        DebiasedVendi(
            float(order),
            math.exp(whole[i]),
            None if order == 0 else _extrapolated(first[:, i], contrast[i]),
            None if order == 0 or second is None else _extrapolated(second[:, i], contrast[i]),
            "order 0 counts eigenvalues: min(n, 2r) for random features, with no limit in r" if order == 0 else None,
        )
        for i, order in enumerate(orders)
    )


def _extrapolated(logs: np.ndarray, contrast: float) -> Extrapolation:
    """Return the value of the mean over halvings, its error from contrasts of halves and the spread over halvings."""
    value = math.exp(logs.mean())
    if logs.size < 2:
        return Extrapolation(value, None)
    return Extrapolation(value, value * math.sqrt(contrast + logs.var(ddof=1) / logs.size))


def reliability_warning(estimate: DebiasedVendi, num_frequencies: int) -> str | None:
    """Return why a debiased score cannot be relied on, as one sentence, or None.

    Two signs: a value near the ceiling 2r, and two orders of debiasing that disagree. Measured, first order against
    exact: off by 1 to 5 % where neither sign shows; by 5 to 50 % where one does.
    """
    if estimate.first is None:
        return None
    both = [found.value for found in (estimate.first, estimate.second) if found is not None]
    saturation = max(both) / (2 * num_frequencies)
    if saturation > MAX_SATURATION:
        return (
            f"the debiased value is {saturation:.0%} of the ceiling 2r = {2 * num_frequencies} of the plain one: "
            "too near it for debiasing to reach the exact score; take more frequencies"
        )
    if estimate.disagreement is not None and estimate.disagreement > MAX_DISAGREEMENT:
        return (
            f"first and second order of debiasing disagree by {estimate.disagreement:.1%}: the value is off by about "
            "as much; take more frequencies"
        )
    return None
