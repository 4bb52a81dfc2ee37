"""Euclidean distances between two blocks of points, through one product."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

from fkeax.numerics import linalg


def rounding_share(dimension: int, dtype: np.dtype | type) -> float:
    """Return the size, relative to ``|x|^2 + |y|^2``, at which a squared distance from inner products is rounding.

    An inner product of ``d`` terms carries independent roundings that add up to a few times ``sqrt(d)/8`` units.
    """
    return (4 + dimension**0.5 / 8) * float(jnp.finfo(dtype).eps)


def squared_distances(x: Float[Array, "n d"], y: Float[Array, "m d"]) -> Float[Array, "n m"]:
    """Return ``||x_i - y_j||^2`` by ``|x|^2 + |y|^2 - 2 x.y``; rows must be centred, or it cancels.

    Values within rounding of 0 (:func:`rounding_share`) are 0, so that duplicates are at distance 0.

    Cost:
        ``2 n m d`` flops; one (n, m) matrix.

    Example:
        >>> import jax.numpy as jnp
        >>> [float(v) for v in squared_distances(jnp.asarray([[0.0, 0.0]]), jnp.asarray([[3.0, 4.0], [0.0, 0.0]]))[0]]
        [25.0, 0.0]
    """
    products = lax.dot_general(x, y, (((1,), (1,)), ((), ())), precision=linalg.PRECISION)
    sums = jnp.sum(jnp.square(x), axis=1)[:, None] + jnp.sum(jnp.square(y), axis=1)[None, :]
    squared = sums - 2 * products
    return jnp.where(squared <= rounding_share(x.shape[1], x.dtype) * sums, 0, squared)
