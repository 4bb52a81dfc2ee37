"""Truncated VENDI: a score of t eigenvalues, which converges with samples where VENDI of low order still grows.

The t largest eigenvalues are kept, and the mass of all others is spread evenly over those t. With infinitely many
eigenvalues, as under the Gaussian kernel, VENDI of an order below 2 can keep growing with n far beyond any affordable
n; the truncated score estimates a number that n samples do reach, because t eigenvalues together are off by
``O(1/sqrt(n))`` whatever the dimension.

Codes in use differ where this one is exact. Scaling the t eigenvalues up to sum to 1, instead of spreading the mass, is
another score. Raising zeros to a small positive number first lets an order below 1 count them. Taking t eigenvalues of
a Nystrom approximation with t landmarks leaves nothing to spread, so that they sum to less than 1 and what is returned
is no score. Here zeros stay zeros, and a spectrum that does not sum to 1 is refused.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.core import Tracer
from jax.typing import ArrayLike
from jaxtyping import Array, Float, Int

from fkeax.diversity.entropy import renyi_entropy, vendi_from_spectrum
from fkeax.numerics import checks
from fkeax.numerics.linalg import Spectrum


def truncated_spectrum(spectrum: Float[Array, "f"], num_kept: Int[Array, ""]) -> Float[Array, "f"]:
    """Return the spectrum with its t largest entries kept, in place, and the sum of the others spread over them.

    Traceable, also in ``num_kept``; equal entries at the edge are taken from the end of the vector. Entries keep their
    places and nothing is rescaled, so that ``num_kept`` at or above the number of entries changes no bit.

    Args:
        spectrum: Not negative, summing to 1, in any order.
        num_kept: t, at least 1.

    Example:
        >>> import jax.numpy as jnp
        >>> truncated_spectrum(jnp.asarray([0.125, 0.125, 0.25, 0.5]), jnp.asarray(2)).tolist()
        [0.0, 0.0, 0.375, 0.625]
    """
    rank = jnp.argsort(jnp.argsort(spectrum))  # 0 for the smallest
    kept = rank >= spectrum.shape[0] - num_kept.astype(rank.dtype)
    # The sum of what is dropped, not 1 minus what is kept: exactly 0 where nothing is dropped.
    share = jnp.sum(jnp.where(kept, 0, spectrum)) / num_kept.astype(spectrum.dtype)
    return jnp.where(kept, spectrum + share, 0)


@jax.jit
def _truncated_vendi(
    spectrum: Float[Array, "f"], num_kept: Int[Array, ""], order: Float[Array, ""]
) -> Float[Array, ""]:
    return jnp.exp(renyi_entropy(truncated_spectrum(spectrum, num_kept), order))


def truncated_vendi(
    spectrum: Spectrum | ArrayLike, num_kept: int | Int[Array, ""], order: float | Float[Array, ""] = 1.0
) -> Float[Array, ""]:
    """Return the t-truncated VENDI score: VENDI of the t largest eigenvalues with the rest spread evenly over them.

    From n samples it estimates the same score of the population's t largest eigenvalues. The error of those t, after
    the spreading, is at most ``||K/n - C||`` in the 2-norm, ``sqrt((1 - mean k^2) / n)`` in root mean square for a
    kernel with ``k(x, x) = 1``: free of the dimension, and biased upwards in the large eigenvalues by ``O(1/n)``. It is
    not an approximation of VENDI unless the t eigenvalues hold nearly all of the mass.

    Args:
        spectrum: Eigenvalues that are not negative and sum to 1, or what
            :func:`fkeax.numerics.linalg.normalized_spectrum` returns.
        num_kept: t, at least 1; with as many as there are eigenvalues, or more, the score is plain VENDI to the bit.
            Traced: one compiled program serves every t.
        order: In [0, inf]; traced.

    Returns:
        A number in [1, t]. Differentiable, with a gradient that is finite everywhere; at equal eigenvalues on the edge
        of the t it is one of the one-sided ones.

    Raises:
        ValueError: If the spectrum is negative somewhere or does not sum to 1, or ``num_kept`` is below 1 (outside a
            trace).

    Cost:
        One sort of the eigenvalues.

    Example:
        >>> import jax.numpy as jnp
        >>> spectrum = jnp.asarray([0.5, 0.25, 0.125, 0.125])
        >>> [round(float(truncated_vendi(spectrum, t)), 4) for t in (1, 2, 4)]
        [1.0, 1.9378, 3.3636]

    References:
        Ospanov and Farnia, "Do Vendi Scores Converge with Finite Samples?", UAI 2025.
    """
    values = checks.real_array(spectrum.values if isinstance(spectrum, Spectrum) else spectrum, "spectrum")
    values = values.astype(checks.working_dtype(values.dtype))
    if not isinstance(values, Tracer):
        vendi_from_spectrum(values, order)  # refuses what is no spectrum: spreading would hide a negative entry
    if not isinstance(order, jax.Array):
        order = checks.order(order)
    if not isinstance(num_kept, jax.Array):
        num_kept = min(checks.count(num_kept, "num_kept"), values.shape[0])
    return _truncated_vendi(values, jnp.asarray(num_kept, jnp.int32), jnp.asarray(order, values.dtype))
