"""Logarithms of VENDI scores from raw eigenvalues, many spectra and many orders at once, in float64 on the host."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from fkeax.diversity.entropy import renyi_entropy
from fkeax.numerics import linalg


@jax.jit
def _log_vendi(eigenvalues: Float[Array, "spectra f"], orders: Float[Array, "k"]) -> Float[Array, "spectra k"]:
    def one_spectrum(values: Float[Array, "f"]) -> Float[Array, "k"]:
        spectrum = jnp.asarray(linalg.normalized_spectrum(values).values, orders.dtype)
        return jax.vmap(renyi_entropy, in_axes=(None, 0))(spectrum, orders)

    return jax.vmap(one_spectrum)(eigenvalues)


def log_vendi(eigenvalues: Sequence[np.ndarray], orders: Sequence[float]) -> np.ndarray:
    """Return the Renyi entropies of spectra, one row a spectrum, one column an order.

    Args:
        eigenvalues: As a solver returns them, of one dtype, whose rounding noise is cut; lengths may differ.
        orders: In [0, inf].

    Example:
        >>> import numpy as np
        >>> entropies = log_vendi([np.asarray([1.0, 3.0]), np.ones(4)], (1.0, float("inf")))
        >>> np.exp(entropies).round(4).tolist()
        [[1.7548, 1.3333], [4.0, 4.0]]
    """
    size = max(values.size for values in eigenvalues)
    stacked = np.stack([np.pad(values, (0, size - values.size)) for values in eigenvalues])  # zeros count for nothing
    with jax.enable_x64(True):
        return np.asarray(_log_vendi(jnp.asarray(stacked), jnp.asarray(orders, np.float64)))
