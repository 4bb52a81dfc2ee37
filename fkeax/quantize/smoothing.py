"""From counts to probabilities: the empirical law and smoothed ones, which give unseen bins some mass.

Pure and traceable: the last axis is the bins, checks of values happen only outside a trace.
"""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.typing import ArrayLike
from jaxtyping import Array, Float

from fkeax.numerics import checks

Constant = Float[Array, "k"] | Float[Array, ""]


def _checked(counts: ArrayLike, *, whole: bool = False) -> Float[Array, "k"]:
    array = jnp.asarray(counts)
    if not (jnp.issubdtype(array.dtype, jnp.floating) or jnp.issubdtype(array.dtype, jnp.integer)):
        raise TypeError(f"counts must hold numbers; got dtype {array.dtype}.")
    if array.ndim != 1 or array.shape[0] == 0:
        raise ValueError(f"counts must be one vector with a count for each bin; got shape {array.shape}.")
    if not isinstance(array, Tracer):
        values = np.asarray(array, np.float64)
        if not np.isfinite(values).all() or (values < 0).any():
            raise ValueError("counts must be finite and not negative.")
        if whole and (values != np.rint(values)).any():
            raise ValueError(
                "counts must be whole numbers for Good-Turing smoothing, which looks at how often bins tie."
            )
    return array.astype(checks.working_dtype(array.dtype))


def _normalized(pseudo_counts: Float[Array, "k"]) -> Float[Array, "k"]:
    total = jnp.sum(pseudo_counts)
    if not isinstance(total, Tracer) and not float(total) > 0:
        raise ValueError("counts must not be all 0: no sample, no law.")
    return pseudo_counts / total


def empirical(counts: ArrayLike) -> Float[Array, "k"]:
    """Return ``n_l / n``.

    Args:
        counts: Not negative, not all 0; weights are welcome.

    Returns:
        Probabilities in the working dtype.

    Raises:
        ValueError: A count is negative or not finite, or all are 0 (outside a trace).

    Example:
        >>> import numpy as np
        >>> empirical(np.array([1, 3, 0])).tolist()
        [0.25, 0.75, 0.0]
    """
    return _normalized(_checked(counts))


def add_constant(counts: ArrayLike, constant: ArrayLike) -> Float[Array, "k"]:
    """Return the add-b estimate ``(n_l + b_l) / (n + sum b)``.

    Args:
        counts: Not negative.
        constant: b, one number for all bins or one for each; not negative. Traced.

    Returns:
        Probabilities, all positive where b is.

    Raises:
        ValueError: A count or constant is negative or not finite, or all pseudo-counts are 0 (outside a trace).

    Example:
        >>> import numpy as np
        >>> add_constant(np.array([1, 3, 0]), 2.0).tolist() == empirical(np.array([3, 5, 2])).tolist()
        True

    References:
        MAUVE paper, eq. (9), whose normaliser ``n + k b`` holds for one constant; with one for each bin it is
        ``n + sum b``.
    """
    array = _checked(counts)
    added = jnp.asarray(constant)
    if added.shape not in ((), array.shape):
        raise ValueError(
            f"constant must be one number or one for each of {array.shape[0]} bins; got shape {added.shape}."
        )
    if not isinstance(added, Tracer):
        values = np.asarray(added, np.float64)
        if not np.isfinite(values).all() or (values < 0).any():
            raise ValueError("constant must be finite and not negative.")
    return _normalized(array + jnp.broadcast_to(added.astype(array.dtype), array.shape))


def krichevsky_trofimov(counts: ArrayLike) -> Float[Array, "k"]:
    """Return the add-1/2 estimate, the default of the MAUVE paper.

    Example:
        >>> import numpy as np
        >>> krichevsky_trofimov(np.array([1, 0])).tolist()
        [0.75, 0.25]
    """
    return add_constant(counts, 0.5)


def laplace(counts: ArrayLike) -> Float[Array, "k"]:
    """Return the add-1 estimate.

    Example:
        >>> import numpy as np
        >>> laplace(np.array([2, 0])).tolist()
        [0.75, 0.25]
    """
    return add_constant(counts, 1.0)


def braess_sauer(counts: ArrayLike) -> Float[Array, "k"]:
    """Return the add-b estimate with b = 1/2 for unseen bins, 1 for bins seen once, 3/4 for all others.

    References:
        MAUVE paper, Table 2; normalised by ``n + sum b``.

    Example:
        >>> import numpy as np
        >>> (12.25 * braess_sauer(np.array([0, 1, 9]))).tolist()
        [0.5, 2.0, 9.75]
    """
    array = _checked(counts)
    constant = jnp.where(array == 0, 0.5, jnp.where(array == 1, 1.0, 0.75))
    return add_constant(array, constant)


def good_turing(counts: ArrayLike) -> Float[Array, "k"]:
    """Return the (modified) Good-Turing estimate of Orlitsky and Suresh.

    With ``phi_t`` the number of bins of count t (``phi_0``: the unseen ones), proportional to ``n_l`` where
    ``n_l > phi_{n_l + 1}`` and to ``(phi_{n_l + 1} + 1) (n_l + 1) / phi_{n_l}`` elsewhere.

    Args:
        counts: Whole numbers.

    Raises:
        ValueError: A count is negative or no whole number (outside a trace).

    Cost:
        A sort of k numbers.

    Example:
        >>> import numpy as np
        >>> estimate = good_turing(np.array([0, 0, 1, 5]))  # phi = 2, 1, 0, 0, 0, 1: weights 1, 1, 1, 5
        >>> estimate.tolist()
        [0.125, 0.125, 0.125, 0.625]

    References:
        MAUVE paper, Section 4.1.1.
    """
    array = _checked(counts, whole=True)
    ordered = jnp.sort(array)

    def bins_with(count: Float[Array, "k"]) -> Float[Array, "k"]:
        upper = jnp.searchsorted(ordered, count, side="right")
        return (upper - jnp.searchsorted(ordered, count, side="left")).astype(array.dtype)

    one_more = bins_with(array + 1)
    turing = (one_more + 1) * (array + 1) / bins_with(array)
    return _normalized(jnp.where(array > one_more, array, turing))


SMOOTHINGS: dict[str, Callable[[ArrayLike], Float[Array, "k"]]] = {
    "empirical": empirical,
    "krichevsky-trofimov": krichevsky_trofimov,
    "laplace": laplace,
    "braess-sauer": braess_sauer,
    "good-turing": good_turing,
}


def smooth(counts: ArrayLike, method: str) -> Float[Array, "k"]:
    """Return probabilities by a named method: one of `SMOOTHINGS`.

    Raises:
        ValueError: The name is unknown, or as the method says.

    Example:
        >>> import numpy as np
        >>> smooth(np.array([1, 0]), "laplace").tolist() == laplace(np.array([1, 0])).tolist()
        True
    """
    return SMOOTHINGS[checks.choice(method, "smoothing", tuple(SMOOTHINGS))](counts)
