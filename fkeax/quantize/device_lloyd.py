"""Lloyd's iteration as one compiled program: the way on accelerators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Float, Int

from fkeax.numerics import pytrees
from fkeax.numerics.linalg import PRECISION

_BLOCK_ENTRIES = 2**26  # scores of a block: enough to fill an accelerator


@pytrees.register
@dataclass(frozen=True)
class Clusters:
    """The end of a run, as :class:`fkeax.quantize.host_lloyd.Clusters`."""

    centres: Float[Array, "k d"]
    labels: Int[Array, "n"]
    objective: Float[Array, ""]
    num_iterations: Int[Array, ""]
    converged: Bool[Array, ""]


class _State(NamedTuple):
    centres: Float[Array, "k d"]
    labels: Int[Array, "n"]
    scores: Float[Array, "n"]
    num_iterations: Int[Array, ""]
    done: Bool[Array, ""]


def lloyd(
    x: Float[Array, "n d"],
    start: Float[Array, "k d"],
    tolerance: Float[Array, ""] | float,
    *,
    max_iterations: int,
) -> Clusters:
    """Run Lloyd's iteration from given centres. Traceable; arguments as in :func:`fkeax.quantize.host_lloyd.lloyd`.

    Cost:
        ``4 n k d`` flops an iteration, half of it for the means.
    """
    num_blocks = max(1, -(-x.shape[0] * start.shape[0] // _BLOCK_ENTRIES))
    block_rows = max(1, x.shape[0] // num_blocks)
    squared_norms = jnp.sum(jnp.square(x), axis=1)
    mean_norm = jnp.mean(squared_norms)

    def step(state: _State) -> _State:
        means, counts = cluster_means(x, state.labels, state.centres, block_rows=block_rows)
        centres, refilled = _refill(x, squared_norms, state.scores, counts, means)
        labels, scores = nearest_centre(x, centres, block_rows=block_rows)
        mean_score = jnp.mean(scores)
        fell = jnp.mean(state.scores) - mean_score
        small = (tolerance > 0) & (fell <= tolerance * (mean_norm + mean_score)) & ~refilled
        done = small | jnp.all(labels == state.labels)
        return _State(centres, labels, scores, state.num_iterations + 1, done)

    labels, scores = nearest_centre(x, start, block_rows=block_rows)
    first = _State(start, labels, scores, jnp.zeros((), jnp.int32), jnp.zeros((), bool))
    last = lax.while_loop(lambda state: ~state.done & (state.num_iterations < max_iterations), step, first)
    centres, _ = cluster_means(x, last.labels, last.centres, block_rows=block_rows)
    objective = jnp.sum(squared_norms + last.scores)
    return Clusters(centres, last.labels, objective, last.num_iterations, last.done)


def nearest_centre(
    x: Float[Array, "n d"], centres: Float[Array, "k d"], *, block_rows: int
) -> tuple[Int[Array, "n"], Float[Array, "n"]]:
    """Return for every row its nearest centre (the first of equals) and ``||c||^2 - 2 x.c`` there. Traceable.

    Cost:
        ``2 n k d`` flops in one product a block; ``block_rows * k`` numbers at a time.
    """
    squared = jnp.sum(jnp.square(centres), axis=1)

    def one_row(row: Float[Array, "d"]) -> tuple[Int[Array, ""], Float[Array, ""]]:
        scores = squared - 2 * jnp.matmul(centres, row, precision=PRECISION)
        return jnp.argmin(scores).astype(jnp.int32), jnp.min(scores)

    return lax.map(one_row, x, batch_size=block_rows)  # batched, the product is one of matrices


def cluster_means(
    x: Float[Array, "n d"], labels: Int[Array, "n"], centres: Float[Array, "k d"], *, block_rows: int
) -> tuple[Float[Array, "k d"], Float[Array, "k"]]:
    """Return cluster means and sizes; an empty cluster keeps its centre. Traceable.

    A product with the one-hot labels: a scatter on an accelerator adds in an order that differs from run to run.
    """
    num_clusters, num_blocks = centres.shape[0], -(-x.shape[0] // block_rows)
    padding = num_blocks * block_rows - x.shape[0]
    rows = jnp.pad(x, ((0, padding), (0, 0))).reshape(num_blocks, block_rows, x.shape[1])
    owners = jnp.pad(labels, (0, padding), constant_values=num_clusters).reshape(num_blocks, block_rows)

    def add(total: Array, block: tuple[Array, Array]) -> tuple[Array, None]:
        one_hot = jax.nn.one_hot(block[1], num_clusters, dtype=x.dtype)
        return total + jnp.matmul(one_hot.T, block[0], precision=PRECISION), None

    sums, _ = lax.scan(add, jnp.zeros_like(centres), (rows, owners))
    counts = jnp.zeros(num_clusters, jnp.int32).at[labels].add(1).astype(x.dtype)
    sizes = jnp.broadcast_to(counts[:, None], sums.shape)
    return jnp.where(sizes > 0, sums / jnp.maximum(sizes, 1), centres), counts


def _refill(
    x: Float[Array, "n d"],
    squared_norms: Float[Array, "n"],
    scores: Float[Array, "n"],
    counts: Float[Array, "k"],
    centres: Float[Array, "k d"],
) -> tuple[Float[Array, "k d"], Bool[Array, ""]]:
    """Move empty clusters onto the rows farthest from their centres and say whether any moved.

    A row within rounding of its centre makes no new cluster: with fewer distinct rows than clusters some stay empty.
    """
    empty = counts == 0

    def refilled(centres: Float[Array, "k d"]) -> tuple[Float[Array, "k d"], Bool[Array, ""]]:
        far, rows = lax.top_k(squared_norms + scores, centres.shape[0])
        turn = jnp.maximum(jnp.cumsum(empty.astype(jnp.int32)) - 1, 0)  # the turn-th farthest row
        rounding = 8 * float(jnp.finfo(x.dtype).eps) * jnp.max(squared_norms)
        moved = empty & (far[turn] > rounding)
        return jnp.where(jnp.broadcast_to(moved[:, None], centres.shape), x[rows[turn]], centres), jnp.any(moved)

    return lax.cond(jnp.any(empty), refilled, lambda centres: (centres, jnp.zeros((), bool)), centres)
