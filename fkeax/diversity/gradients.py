"""VENDI and RKE as pure functions of samples, to be differentiated: for training, guidance, and batch selection.

The scores of :mod:`fkeax.diversity.scores` run on the host, and have no gradient. These are traceable, and their
gradients are finite where the general derivative of eigenvalues is not: a score is a symmetric function
``f(C) = sum g(lambda_i)`` of the spectrum, whose gradient ``V g'(lambda) V'`` needs no gaps between eigenvalues.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

from fkeax import kernels
from fkeax.diversity.entropy import renyi_entropy
from fkeax.features import FourierMap, featurize
from fkeax.kernels import Kernel
from fkeax.numerics import linalg


def _entropy_of_eigenvalues(eigenvalues: Float[Array, "f"], order: Float[Array, ""]) -> Float[Array, ""]:
    return renyi_entropy(jnp.asarray(linalg.normalized_spectrum(eigenvalues).values), order)


@jax.custom_jvp
def spectral_entropy(matrix: Float[Array, "f f"], order: Float[Array, ""]) -> Float[Array, ""]:
    """Return the Renyi entropy of the spectrum of a symmetric matrix over its trace, in nats.

    Eigenvalues below rounding (:func:`fkeax.numerics.linalg.relative_cutoff`) count as 0, and have gradient 0. For
    orders below 1 the true derivative at an eigenvalue of 0 is infinite, and just above the cut it is as large as
    ``cut^(order - 1)``: take an order of at least 1 where that matters. At order infinity the gradient is one of the
    subgradients if the largest eigenvalue repeats.

    Args:
        matrix: Positive semi-definite.
        order: In [0, inf]; traced, and not differentiated.

    Returns:
        A number whose first derivatives in the matrix are finite; second ones need gaps between eigenvalues.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> gradient = jax.grad(spectral_entropy)(jnp.eye(3), jnp.asarray(1.0))  # repeated eigenvalues, at the maximum
        >>> bool(jnp.abs(gradient).max() < 1e-6)
        True
    """
    return _entropy_of_eigenvalues(jnp.linalg.eigvalsh(matrix), order)


@spectral_entropy.defjvp
def _spectral_entropy_jvp(primals, tangents):
    matrix, order = primals
    values, vectors = jnp.linalg.eigh(matrix)
    entropy, slopes = jax.value_and_grad(_entropy_of_eigenvalues)(values, order)
    slopes = lax.stop_gradient(slopes)
    gradient = jnp.matmul(vectors * slopes[None], vectors.T, precision=linalg.PRECISION)
    return entropy, jnp.sum(gradient * tangents[0])


def exact_vendi(kernel: Kernel, x: Float[Array, "n d"], order: Float[Array, ""] | float = 1.0) -> Float[Array, ""]:
    """Return the VENDI score of the kernel matrix of samples, traceable and differentiable in them.

    In the dtype of x. In float32, order 1 is good to about 1e-5 where eigenvalues decay slowly.

    Args:
        kernel: Such as ``fkeax.kernels.Gaussian(2.0)``. Kernels with a corner at 0 (Laplace, Matern 1/2) have gradient
            0 between identical points.
        x: Samples.
        order: In [0, inf].

    Returns:
        The score. Between identical points the gradient is 0 by symmetry: an optimiser that is to part them has to be
        given noise.

    Cost:
        ``2 n^2 d + 9 n^3`` flops with its gradient; three (n, n) matrices.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from fkeax import Gaussian
        >>> x = jnp.asarray([[0.0], [1.0]])  # eigenvalues (1 +- k) / 2
        >>> gradient = jax.grad(exact_vendi, argnums=1)(Gaussian(1.0), x, 2.0)  # 2 / (1 + k^2), k^2 = exp(-d^2)
        >>> [round(float(g), 4) for g in gradient[:, 0]], round(float(4 * jnp.exp(-1) / (1 + jnp.exp(-1)) ** 2), 4)
        ([-0.7864, 0.7864], 0.7864)
    """
    matrix = kernels.gram(kernel, _centred(kernel, x))
    return jnp.exp(spectral_entropy(matrix, jnp.asarray(order, x.dtype)))


def exact_rke(kernel: Kernel, x: Float[Array, "n d"]) -> Float[Array, ""]:
    """Return RKE of the kernel matrix of samples, ``(tr K)^2 / ||K||_F^2``, traceable and differentiable in them.

    Args:
        kernel: Any.
        x: Samples.

    Cost:
        ``2 n^2 d`` flops, twice more for the gradient; two (n, n) matrices.
    """
    matrix = kernels.gram(kernel, _centred(kernel, x))
    return jnp.square(jnp.trace(matrix)) / jnp.sum(jnp.square(matrix))


def fourier_vendi(
    fourier_map: FourierMap, x: Float[Array, "n d"], order: Float[Array, ""] | float = 1.0
) -> Float[Array, ""]:
    """Return the VENDI score of the Fourier features of samples (FKEA), traceable and differentiable in them.

    The spectrum of the smaller of ``F'F`` and ``FF'``, which share their non-zero eigenvalues.

    Args:
        fourier_map: From :func:`fkeax.features.sample_fourier_map`. A fresh map each step makes the gradient a noisy
            one of the exact score, with the bias of plain FKEA.
        x: Samples.
        order: In [0, inf].

    Cost:
        ``2 n d r`` flops for the angles, ``2 n^2 (2r)`` or ``2 n (2r)^2`` for the products, ``9 min(n, 2r)^3`` for the
        spectrum.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from fkeax import Gaussian
        >>> from fkeax.features import sample_fourier_map
        >>> fourier_map = sample_fourier_map(jax.random.key(0), Gaussian(1.0), 64, jnp.zeros(2))
        >>> gradient = jax.grad(fourier_vendi, argnums=1)(fourier_map, jnp.ones((5, 2)))  # five identical points
        >>> bool(jnp.isfinite(gradient).all())
        True
    """
    return jnp.exp(spectral_entropy(_feature_products(fourier_map, x), jnp.asarray(order, x.dtype)))


def fourier_rke(fourier_map: FourierMap, x: Float[Array, "n d"]) -> Float[Array, ""]:
    """Return plain RKE of the Fourier features of samples, traceable and differentiable in them.

    Args:
        fourier_map: As in :func:`fourier_vendi`.
        x: Samples.

    Cost:
        That of :func:`fourier_vendi` without the spectrum.
    """
    matrix = _feature_products(fourier_map, x)
    return jnp.square(jnp.trace(matrix)) / jnp.sum(jnp.square(matrix))


def _centred(kernel: Kernel, x: Float[Array, "n d"]) -> Float[Array, "n d"]:
    """Return rows less their mean for a shift-invariant kernel, which changes neither the score nor its gradient."""
    return x - lax.stop_gradient(jnp.mean(x, axis=0))[None] if kernel.shift_invariant else x


def _feature_products(fourier_map: FourierMap, x: Float[Array, "n d"]) -> Float[Array, "_ _"]:
    features = jax.vmap(partial(featurize, fourier_map))(x)
    if x.shape[0] <= features.shape[1]:
        return jnp.matmul(features, features.T, precision=linalg.PRECISION)
    return jnp.matmul(features.T, features, precision=linalg.PRECISION)
