"""Diversity scores as functions of a spectrum, a kernel matrix or a squared norm. Pure, traceable, differentiable."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.typing import ArrayLike
from jaxtyping import Array, Float

from fkeax.numerics import checks, linalg
from fkeax.numerics.logspace import log_positive, xlogx

_NEAR_ONE = (
    0.25  # within this of order 1, sums of powers lose the digits that the order's distance from 1 then divides by
)


def renyi_entropy(spectrum: Float[Array, "f"], order: Float[Array, ""] | float) -> Float[Array, ""]:
    """Return the Renyi entropy of a spectrum that sums to 1, in nats (FKEA paper, Definition 1).

    Finite and continuous for every order in [0, inf], 1 and infinity included: near 1 it is ``-log1p(sum p expm1((a-1)
    log p)) / (a-1)``, which keeps full precision where ``log(sum p^a) / (1-a)`` is 0/0; elsewhere the sum of powers is
    scaled by its largest term. Zero eigenvalues contribute nothing at any order, so order 0 counts the others.

    Args:
        spectrum: Not negative, summing to 1; what :func:`fkeax.numerics.linalg.normalized_spectrum` returns.
        order: Traced; one compiled program serves every order.

    Returns:
        A number in [0, log(count of non-zero eigenvalues)], non-increasing in the order.
    """
    alpha = jnp.asarray(order, spectrum.dtype)
    logs = log_positive(spectrum)
    near_one = jnp.abs(alpha - 1) < _NEAR_ONE
    delta = jnp.where(near_one, alpha - 1, 0.5)
    safe_delta = jnp.where(delta == 0, 1, delta)
    powers = -jnp.log1p(jnp.sum(spectrum * jnp.expm1(safe_delta * logs))) / safe_delta
    near = jnp.where(delta == 0, -jnp.sum(xlogx(spectrum)), powers)

    log_largest = jnp.max(logs, where=spectrum > 0, initial=-jnp.inf)
    finite_alpha = jnp.where(near_one | jnp.isinf(alpha), 2, alpha)
    terms = jnp.where(spectrum > 0, jnp.exp(finite_alpha * jnp.minimum(logs - log_largest, 0)), 0)
    far = (finite_alpha * log_largest + jnp.log(jnp.sum(terms))) / (1 - finite_alpha)
    return jnp.where(jnp.isinf(alpha), -log_largest, jnp.where(near_one, near, far))


@jax.jit
def _vendi(spectrum: Float[Array, "f"], order: Float[Array, ""]) -> Float[Array, ""]:
    return jnp.exp(renyi_entropy(spectrum, order))


def vendi_from_spectrum(spectrum: ArrayLike, order: float | Float[Array, ""] = 1.0) -> Float[Array, ""]:
    """Return the VENDI score of a spectrum, ``(sum p_i^a)^(1/(1-a))``: its effective number of eigenvalues.

    Args:
        spectrum: Eigenvalues, not negative, summing to 1.
        order: In [0, inf]; 0 counts non-zero eigenvalues, 1 is the exponential of the entropy, 2 is RKE, inf the
            inverse of the largest.

    Returns:
        A number in [1, count of non-zero eigenvalues].

    Raises:
        ValueError: If the spectrum is negative somewhere or does not sum to 1 (outside a trace). Eigenvalues as they
            come from a solver hold rounding noise, which low orders would count.

    Example:
        >>> import jax.numpy as jnp
        >>> spectrum = jnp.asarray([0.5, 0.25, 0.25, 0.0])
        >>> [round(float(vendi_from_spectrum(spectrum, a)), 4) for a in (0, 1, 2, float("inf"))]
        [3.0, 2.8284, 2.6667, 2.0]

    References:
        FKEA paper, eq. (4); Hill numbers of the spectrum.
    """
    array = checks.real_array(spectrum, "spectrum")
    array = array.astype(checks.working_dtype(array.dtype))
    if array.ndim != 1 or array.shape[0] == 0:
        raise ValueError(f"spectrum must be one vector of eigenvalues; got shape {array.shape}.")
    if not isinstance(order, jax.Array):
        order = checks.order(order)
    if not isinstance(array, Tracer):
        smallest, total = float(jnp.min(array)), float(jnp.sum(array))
        if not (smallest >= 0 and abs(total - 1) < 1e-3):
            raise ValueError(
                f"spectrum must hold numbers that are not negative and sum to 1 (cut rounding noise and normalise "
                f"with fkeax.numerics.linalg.normalized_spectrum); the smallest is {smallest:.3g}, the sum {total:.6g}."
            )
    return _vendi(array, jnp.asarray(order, array.dtype))


def _square_matrix(gram: ArrayLike) -> np.ndarray:
    matrix = checks.matrix(gram, "gram")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"gram must be a square kernel matrix; got shape {matrix.shape}.")
    checks.finite_rows(matrix, "gram")
    matrix = np.asarray(matrix, np.float64)
    scale = np.abs(matrix).max()
    matrix = matrix / scale if scale > 0 else matrix  # so that no square over- or underflows
    asymmetry = float(abs(matrix - matrix.T).max())
    scale = float(abs(matrix).max())
    if asymmetry > 1e-4 * scale:
        raise ValueError(f"gram must be symmetric; entries differ from their mirror images by up to {asymmetry:.3g}.")
    if not float(matrix.trace()) > 0:
        raise ValueError(f"gram must have a positive trace; got {float(matrix.trace()):.3g}.")
    return matrix


def vendi_from_gram(gram: ArrayLike, *, order: float = 1.0) -> float:
    """Return the VENDI score of a kernel matrix the caller made, any positive semi-definite kernel.

    The eigenvalues of ``K / trace K``; rounding noise is cut (:func:`fkeax.numerics.linalg.normalized_spectrum`).

    Args:
        gram: Symmetric (n, n) kernel matrix; computed in float64.
        order: In [0, inf].

    Returns:
        A number in [1, n].

    Raises:
        ValueError: If it is not square, finite, symmetric and of positive trace, or has an eigenvalue far below 0.

    Cost:
        O(n^3) time, two (n, n) matrices.

    Example:
        >>> import numpy as np
        >>> round(vendi_from_gram(np.eye(3)), 5)
        3.0
    """
    alpha = checks.order(order)
    matrix = _square_matrix(gram)
    with jax.enable_x64(True):
        spectrum = linalg.normalized_spectrum(jnp.asarray(linalg.eigenvalues(matrix)))
        score = float(jnp.exp(renyi_entropy(jnp.asarray(spectrum.values), alpha)))
    if float(spectrum.smallest) < -1e-3:
        raise ValueError(
            "gram must be positive semi-definite; its smallest eigenvalue is "
            f"{float(spectrum.smallest):.3g} of the trace."
        )
    return score


def rke_from_gram(gram: ArrayLike) -> float:
    """Return the RKE score of a kernel matrix: ``(trace K)^2 / ||K||_F^2``, without any eigenvalue.

    Returns:
        A number in [1, n]; the VENDI score of order 2.

    Raises:
        ValueError: If it is not square, finite, symmetric and of positive trace.

    Cost:
        O(n^2).

    Example:
        >>> import numpy as np
        >>> rke_from_gram(np.eye(3))
        3.0

    References:
        FKEA paper, Section 3.1.
    """
    matrix = _square_matrix(gram)
    return float(np.trace(matrix, dtype=np.float64) ** 2 / np.sum(np.square(matrix), dtype=np.float64))
