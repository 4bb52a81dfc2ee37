"""Running second moments: ``init``, ``update``, ``merge``, and what is read off at the end.

The state is a sum over rows, so any chunking, order or tree of merges gives the same numbers up to rounding, and the
same four functions serve a ``lax.scan``, a mesh of devices and files of states merged later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from fkeax.numerics import linalg, pytrees


@pytrees.register
@dataclass(frozen=True)
class CompensatedSum:
    """A scalar sum kept as ``value + residual`` (Knuth's two-sum), so that counts beyond 2^24 stay exact in float32.

    Exact for whole numbers up to 2^48 in float32 as long as each addend is at most 2^24.

    Example:
        >>> import jax.numpy as jnp
        >>> total = CompensatedSum(jnp.float32(2.0**25), jnp.float32(0.0)).add(jnp.float32(1.0)).add(jnp.float32(1.0))
        >>> total.to_float() - 2.0**25
        2.0
    """

    value: Float[Array, "*k"]
    residual: Float[Array, "*k"]

    @classmethod
    def of(cls, total: float, dtype: np.dtype | type) -> CompensatedSum:
        """Return a host total as a sum: rounded, with what rounding lost beside it."""
        value = np.asarray(total, dtype)
        return cls(jnp.asarray(value), jnp.asarray(np.asarray(total - float(value), dtype)))

    def add(self, addend: Float[Array, "*k"]) -> CompensatedSum:
        """Return the sum with one more term."""
        total = self.value + addend
        virtual = total - self.value
        lost = (self.value - (total - virtual)) + (addend - virtual)
        return CompensatedSum(total, self.residual + lost)

    def merge(self, other: CompensatedSum) -> CompensatedSum:
        """Return the sum of both sums."""
        summed = self.add(other.value)
        return CompensatedSum(summed.value, summed.residual + other.residual)

    def to_float(self) -> float:
        """Return the sum as a Python float (eager, a scalar sum only)."""
        return float(self.value) + float(self.residual)


@pytrees.register
@dataclass(frozen=True)
class MomentState:
    """Sums over weighted rows ``f``: ``sum w f f^T`` by blocks, and the sums of 1, w and ``w^2``.

    Attributes:
        blocks: Blocks on and above the diagonal (:func:`fkeax.numerics.linalg.symmetric_blocks`); about half of the
            square.
        num_rows: Rows counted, exactly.
        weight: Sum of the weights.
        squared_weight: Sum of their squares.
    """

    blocks: tuple[Float[Array, "..."], ...]
    num_rows: CompensatedSum
    weight: CompensatedSum
    squared_weight: CompensatedSum


def init_moment(widths: Sequence[int], dtype: np.dtype | type) -> MomentState:
    """Return the state of no rows, for rows that come in parts of these widths."""

    def zero() -> CompensatedSum:  # buffers of its own each time, or the state could not be donated
        return CompensatedSum(jnp.zeros((), dtype), jnp.zeros((), dtype))

    return MomentState(linalg.zero_blocks(widths, dtype), zero(), zero(), zero())


def update_moment(state: MomentState, parts: Sequence[Float[Array, "b _"]], weights: Float[Array, "b"]) -> MomentState:
    """Return the state with rows ``[parts_1, parts_2, ...]`` added; rows of weight 0, such as padding, change nothing.

    Args:
        state: Sums so far; donate it under ``jit`` to add in place.
        parts: The rows' columns, already multiplied by the square roots of their weights.
        weights: Not negative.

    Cost:
        ``b f^2 (1 + 1 / p)`` flops for p parts, against ``2 b f^2`` of the whole product.
    """
    products = linalg.symmetric_blocks(parts)
    return MomentState(
        blocks=tuple(total + product for total, product in zip(state.blocks, products, strict=True)),
        num_rows=state.num_rows.add(jnp.sum(weights > 0, dtype=weights.dtype)),
        weight=state.weight.add(jnp.sum(weights)),
        squared_weight=state.squared_weight.add(jnp.sum(jnp.square(weights))),
    )


def merge_moments(a: MomentState, b: MomentState) -> MomentState:
    """Return the state of the rows of both; commutative, and associative up to rounding."""
    return MomentState(
        blocks=tuple(left + right for left, right in zip(a.blocks, b.blocks, strict=True)),
        num_rows=a.num_rows.merge(b.num_rows),
        weight=a.weight.merge(b.weight),
        squared_weight=a.squared_weight.merge(b.squared_weight),
    )
