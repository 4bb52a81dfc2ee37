"""Gaussian noise on embeddings, which gives every law a density."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from fkeax.frontier.generators import Scalar
from fkeax.numerics import checks


def noisy_pair(
    key: Key[Array, ""],
    reference: Float[Array, "n d"],
    generated: Float[Array, "m d"],
    *,
    noise_scale: Scalar,
) -> tuple[Float[Array, "n d"], Float[Array, "m d"]]:
    """Return two samples with independent noise ``N(0, noise_scale^2 I)`` added to every row.

    The laws of the noisy rows have smooth densities, as nearest-neighbour and kernel estimators need, and every
    f-divergence between them is at most that between the laws of the rows (data processing). A divergence that stays
    clear of 0 under noise is therefore real; the noise only hides.

    Args:
        key: Consumed once; split for the two sides.
        reference: Rows of P.
        generated: Rows of Q.
        noise_scale: Standard deviation of each coordinate, in the units of the data, the same on both sides.

    Raises:
        ValueError: The scale is not positive.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> noisy, _ = noisy_pair(jax.random.key(0), jnp.zeros((1000, 2)), jnp.zeros((5, 2)), noise_scale=2.0)
        >>> bool(abs(jnp.std(noisy) - 2.0) < 0.15)
        True

    References:
        MAUVE paper, Property 15.
    """
    key_reference, key_generated = jax.random.split(checks.typed_key(key, "the noise"))
    number = noise_scale if isinstance(noise_scale, jax.Array) else checks.positive_number(noise_scale, "noise_scale")

    def noisy(key_side: Key[Array, ""], x: Float[Array, "n d"]) -> Float[Array, "n d"]:
        return x + jnp.asarray(number, x.dtype) * jax.random.normal(key_side, x.shape, x.dtype)

    return noisy(key_reference, reference), noisy(key_generated, generated)
