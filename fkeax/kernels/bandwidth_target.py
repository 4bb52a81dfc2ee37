"""Bandwidths at which a data set has a given diversity: its RKE, or its mean squared kernel value."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

from fkeax.kernels.bandwidth import Bandwidth, metric_of
from fkeax.kernels.gaussian import Gaussian
from fkeax.kernels.pair_distances import PairDistances, pair_distances
from fkeax.kernels.protocol import L1Kernel, RadialKernel, SpectralKernel, with_bandwidth
from fkeax.numerics import checks

_REACH = 80.0  # natural logarithms to either side of the median distance that are searched
_HALVINGS = 64  # of 2 _REACH: far below the rounding of the bandwidth
_MAX_MISMATCH = 1e-6  # relative, of the mean that was asked for


def bandwidth_for_rke(
    x: np.ndarray | jax.Array, rke: float, *, kernel: SpectralKernel | None = None, key: jax.Array | None = None
) -> Bandwidth:
    """Return the bandwidth at which the plain exact RKE of the rows of x, ``1 / mean k^2`` over all pairs, is ``rke``.

    Pairs i = j are included, as in the score itself: the target lies between 1 and n, or, with duplicates, what is left
    when only equal rows are alike. RKE falls as the bandwidth grows, so bisection finds the one solution: over all
    pairs up to 2,000 rows, beyond on 100,000 random pairs i != j, with a standard error by the delta method.

    Choose it on a reference set and share it: at its own bandwidth every set has the same RKE.

    Args:
        x: Rows are samples; measured in float64.
        rke: Above 1 and below the number of rows.
        kernel: Which kernel, at any bandwidth (which is ignored). None means Gaussian.
        key: Needed beyond 2,000 rows.

    Raises:
        ValueError: If no bandwidth gives this RKE, or the key is missing.

    Cost:
        One pass over the distances and 64 over their kernel values; up to 2,000 rows ``n^2 d`` flops.

    Example:
        >>> import numpy as np
        >>> x = np.asarray([[0.0], [1.0]])  # mean k^2 = (1 + k^2)/2 = 2/3 at k^2 = 1/3 = exp(-1/s^2)
        >>> round(bandwidth_for_rke(x, 1.5).value, 6)  # log(3)^-1/2
        0.954065
    """
    target = checks.finite_number(rke, "rke")
    found = pair_distances(x, metric=metric_of(kernel), rule="the RKE rule", key=key)
    num_rows = found.num_rows
    self_share = 1 / num_rows
    largest = 1 / (self_share + (1 - self_share) * found.share_of_duplicates)
    if not 1 < target < largest:
        because = "" if found.share_of_duplicates == 0 else ", which duplicates keep below the number of rows"
        raise ValueError(
            f"rke must lie between 1 and {largest:,.6g} for the {num_rows:,} rows of x{because}; got {target:g}."
        )
    mean_square = (1 / target - self_share) / (1 - self_share)
    return _solve(found, mean_square, kernel, f"RKE {target:g}")


def bandwidth_for_mean_square(
    x: np.ndarray | jax.Array,
    target_mean_square: float,
    *,
    kernel: SpectralKernel | None = None,
    key: jax.Array | None = None,
) -> Bandwidth:
    """Return the bandwidth at which the mean of ``k^2`` over pairs i != j of the rows of x has a given value.

    That mean is the U-statistic: unbiased for the population's ``E k^2`` at any n, so that the bandwidth settles as n
    grows. Found as in :func:`bandwidth_for_rke`.

    Args:
        x: Rows are samples; measured in float64.
        target_mean_square: Above 0 (the share of duplicates, where there are any) and below 1.
        kernel: Which kernel, at any bandwidth (which is ignored). None means Gaussian.
        key: Needed beyond 2,000 rows.

    Raises:
        ValueError: If no bandwidth gives this mean, or the key is missing.

    Example:
        >>> import numpy as np
        >>> round(bandwidth_for_mean_square(np.asarray([[0.0], [1.0]]), 1 / 3).value, 6)  # exp(-1/s^2) = 1/3
        0.954065
    """
    target = checks.finite_number(target_mean_square, "target_mean_square")
    found = pair_distances(x, metric=metric_of(kernel), rule="the mean k^2 rule", key=key)
    smallest = found.share_of_duplicates
    if not smallest < target < 1:
        because = "" if smallest == 0 else ", the share of duplicate pairs,"
        raise ValueError(f"target_mean_square must lie between {smallest:.3g}{because} and 1; got {target:g}.")
    return _solve(found, target, kernel, f"mean k^2 {target:g} over distinct pairs")


def _solve(found: PairDistances, mean_square: float, kernel: SpectralKernel | None, goal: str) -> Bandwidth:
    family = Gaussian(1.0) if kernel is None else kernel
    scale = float(np.median(found.values[found.values > 0]))
    with jax.enable_x64(True):
        solved = _bisect(family, jnp.asarray(found.values / scale), jnp.asarray(mean_square))
        logarithm, mean, spread, slope = (float(number) for number in solved)
    if abs(mean - mean_square) > _MAX_MISMATCH * mean_square:
        raise ValueError(
            f"no bandwidth of the {family.name} kernel gives {goal} on x: within e^{_REACH:g} times the "
            f"median distance the nearest mean of k^2 is {mean:.3g}, where {mean_square:.3g} is needed."
        )
    value = scale * float(np.exp(logarithm))
    source, stderr = f"{goal} of the {family.name} kernel on {found.description}", None
    if found.sampled:
        stderr = value * spread / found.values.size**0.5 / slope
        source += f", standard error {stderr:.2g}"
    return Bandwidth(value, source, stderr)


@jax.jit
def _bisect(
    kernel: SpectralKernel, distances: Float[Array, "p"], target: Float[Array, ""]
) -> tuple[Float[Array, ""], Float[Array, ""], Float[Array, ""], Float[Array, ""]]:
    """Return the log bandwidth; mean and standard deviation of ``k^2`` there; the mean's slope in the logarithm."""

    def squares(logarithm: Float[Array, ""]) -> Float[Array, "p"]:
        at = with_bandwidth(kernel, jnp.exp(logarithm))
        if isinstance(at, L1Kernel):
            return jnp.square(at.of_l1_distance(distances))
        if not isinstance(at, RadialKernel):
            raise TypeError(f"a bandwidth rule needs a kernel of the l1 or l2 distance; got {type(kernel).__name__}.")
        return jnp.square(at.of_squared_distance(jnp.square(distances)))

    def halve(_: Array, bracket: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = bracket
        middle = (low + high) / 2
        too_small = jnp.mean(squares(middle)) < target  # k^2 grows with the bandwidth
        return jnp.where(too_small, middle, low), jnp.where(too_small, high, middle)

    ends = jnp.full((), -_REACH, distances.dtype), jnp.full((), _REACH, distances.dtype)
    low, high = lax.fori_loop(0, _HALVINGS, halve, ends)
    logarithm = (low + high) / 2
    mean, slope = jax.jvp(lambda log: jnp.mean(squares(log)), (logarithm,), (jnp.ones_like(logarithm),))
    return logarithm, mean, jnp.std(squares(logarithm)), slope
