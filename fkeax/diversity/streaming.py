"""FKEA as four functions, ``init``, ``update``, ``merge`` and ``finalize``: O((2r)^2) memory whatever n is.

The state is the sum of ``phi(x) phi(x)^T`` over the samples seen (FKEA paper, eq. (2)) beside their count. The same
functions serve a training loop, a ``lax.scan``, ``vmap`` over several draws of frequencies, and states made elsewhere
and merged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer
from jax.typing import ArrayLike
from jaxtyping import Array, Float

from fkeax.features import FourierMap, featurize_parts
from fkeax.numerics import accumulate, batching, checks, linalg, pytrees
from fkeax.numerics.accumulate import CompensatedSum, MomentState
from fkeax.numerics.host_products import PairedProductSums, project
from fkeax.numerics.trig import cos_sin_turns

Tree = TypeVar("Tree")


@pytrees.register
@dataclass(frozen=True)
class FkeaState:
    """Samples seen so far, under one feature map.

    Attributes:
        fourier_map: The map; states merge only if theirs is the same.
        moment: Sums of weighted feature products, and counts.
    """

    fourier_map: FourierMap
    moment: MomentState

    @property
    def num_samples(self) -> int:
        """How many samples of positive weight the state has seen (eager)."""
        return round(self.moment.num_rows.to_float())


def init(fourier_map: FourierMap) -> FkeaState:
    """Return the state that has seen nothing.

    Args:
        fourier_map: From :func:`fkeax.features.sample_fourier_map`; its dtype is the dtype of the sums.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from fkeax.features import sample_fourier_map
        >>> from fkeax.kernels import Gaussian
        >>> state = init(sample_fourier_map(jax.random.key(0), Gaussian(1.0), 8, jnp.zeros(2)))
        >>> state = update(state, jnp.zeros((10, 2)))
        >>> state.num_samples, round(float(jnp.trace(finalize(state))), 5)
        (10, 1.0)
    """
    return FkeaState(
        fourier_map, accumulate.init_moment(fourier_map.part_widths, np.dtype(fourier_map.frequencies.dtype))
    )


def update_centred(
    fourier_map: FourierMap, moment: MomentState, centred: Float[Array, "b d"], weights: Float[Array, "b"]
) -> MomentState:
    """Return the sums with weighted rows ``x - c`` added. Traceable; the inner step of every driver.

    Cost:
        ``2 b d r + b (2r)^2 (1 + 1 / p)`` flops for p parts; ``2 b r`` numbers for the features of the batch.
    """
    parts = jax.vmap(partial(featurize_parts, fourier_map))(centred)
    scale = jnp.sqrt(weights / fourier_map.num_frequencies)[:, None]
    return accumulate.update_moment(moment, [part * jnp.broadcast_to(scale, part.shape) for part in parts], weights)


_update_draws_in_place = jax.jit(jax.vmap(update_centred, in_axes=(0, 0, None, None)), donate_argnums=1)


def update(state: FkeaState, batch: ArrayLike, weights: ArrayLike | None = None) -> FkeaState:
    """Return the state with a batch added. The old state stays valid, and the batch may be overwritten at once.

    Inside ``jit``, ``scan`` or ``shard_map`` the batch is used as it is (give padding weight 0). Outside, rows are
    checked, centred in their own precision, cast, and padded to a power of two, so that batches of any size compile a
    few shapes only; an empty batch changes nothing.

    Args:
        state: From :func:`init` or an earlier update.
        batch: Rows are samples, (b, d).
        weights: Not negative, (b,); None counts every row once.

    Raises:
        ValueError: On a wrong shape or width, non-finite rows, or bad weights (outside a trace).
    """
    dtype = state.fourier_map.frequencies.dtype
    if isinstance(batch, Tracer) or isinstance(state.moment.weight.value, Tracer):
        rows = jnp.asarray(batch).astype(dtype)
        full = jnp.ones(rows.shape[0], dtype) if weights is None else jnp.asarray(weights).astype(dtype)
        return replace(
            state, moment=update_centred(state.fourier_map, state.moment, rows - state.fourier_map.centre[None], full)
        )
    rows = np.asarray(checks.own_array(batch, "batch"))
    if rows.ndim != 2 or rows.shape[0] > 0:
        rows = np.asarray(checks.matrix(rows, "batch"))
    if rows.shape[0] == 0:
        return state
    dimension = state.fourier_map.centre.shape[-1]
    if rows.shape[1] != dimension:
        raise ValueError(f"batch must have {dimension} columns, as the feature map does; got {rows.shape[1]}.")
    checks.finite_rows(rows, "batch")
    padded = batching.pad(
        rows,
        checks.weight_vector(weights, rows.shape[0]),
        batching.padded_size(rows.shape[0], rows.shape[0] * 2),
        centre=np.asarray(state.fourier_map.centre),
        dtype=np.dtype(dtype),
    )
    return replace(state, moment=_update(state.fourier_map, state.moment, padded.rows, padded.weights))


_update = jax.jit(update_centred)


def merge(a: FkeaState, b: FkeaState) -> FkeaState:
    """Return the state that has seen the samples of both.

    Raises:
        ValueError: If the two feature maps differ (outside a trace): sums under different frequencies cannot be added.
    """
    _check_equal_maps(a.fourier_map, b.fourier_map, "to merge ")
    return FkeaState(a.fourier_map, accumulate.merge_moments(a.moment, b.moment))


def _check_equal_maps(a: FourierMap, b: FourierMap, purpose: str = "") -> None:
    for left, right in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True):
        traced = isinstance(left, Tracer) or isinstance(right, Tracer)
        if left is not right and not traced and not np.array_equal(np.asarray(left), np.asarray(right)):
            raise ValueError(f"the states {purpose}must share one feature map; theirs differ in frequencies or centre.")


def check_one_map(reference: FkeaState, generated: FkeaState) -> tuple[FkeaState, FkeaState]:
    """Return two states after checking that each has seen samples, and both under one feature map (eager).

    Raises:
        ValueError: If the maps differ (a kernel value between the two sets is then not to be had), or a state is empty.
    """
    for name, state in (("reference", reference), ("generated", generated)):
        if state.num_samples == 0:
            raise ValueError(f"{name} must have seen at least one sample; it has seen none.")
    _check_equal_maps(reference.fourier_map, generated.fourier_map)
    return reference, generated


def finalize(state: FkeaState) -> Float[Array, "f f"]:
    """Return the covariance of the features, ``sum w phi phi^T / sum w`` (FKEA paper, eq. (2)). Traceable.

    Features are ordered ``[cos | sin]``. For scores with their diagnostics see
    :func:`fkeax.diversity.score_state`.
    Its eigenvalues approximate those of ``K / n``; its trace is 1 up to rounding. The covariance of no samples is NaN.
    """
    return linalg.dense_symmetric(state.moment.blocks) / state.moment.weight.value


def scan_rows(
    state: FkeaState, x: Float[Array, "n d"], weights: Float[Array, "n"] | None = None, *, batch_size: int
) -> FkeaState:
    """Return the state with all rows of a device array added by a ``lax.scan`` over batches of one shape. Traceable.

    The last batch overlaps the one before it, with weight 0 on the overlap: no padded copy of ``x`` is made.
    """
    num_rows, dtype = x.shape[0], state.fourier_map.frequencies.dtype
    size = min(batch_size, num_rows)
    full = jnp.ones(num_rows, dtype) if weights is None else weights.astype(dtype)

    def step(moment: MomentState, number: Array) -> tuple[MomentState, None]:
        start = jnp.minimum(number * size, num_rows - size)
        rows = lax.dynamic_slice_in_dim(x, start, size).astype(dtype) - state.fourier_map.centre[None]
        fresh = start + jnp.arange(size) >= number * size
        batch_weights = jnp.where(fresh, lax.dynamic_slice_in_dim(full, start, size), 0)
        return update_centred(state.fourier_map, moment, rows, batch_weights), None

    moment, _ = lax.scan(step, state.moment, jnp.arange(-(-num_rows // size)))
    return replace(state, moment=moment)


def unstacked(tree: Tree, num_draws: int) -> tuple[Tree, ...]:
    """Return the draws of a pytree whose leaves have a leading axis of draws."""
    return tuple(jax.tree.map(lambda leaf, i=i: leaf[i], tree) for i in range(num_draws))


@jax.jit
def _weighted_features(
    turns: Float[Array, "b r"], weights: Float[Array, "b"]
) -> tuple[Float[Array, "b r"], Float[Array, "b r"]]:
    """Return cosines and sines times ``sqrt(w / r)``."""
    scale = jnp.broadcast_to(jnp.sqrt(weights / turns.shape[1])[:, None], turns.shape)
    cosine, sine = cos_sin_turns(turns)
    return cosine * scale, sine * scale


def stream_on_host(
    fourier_map: FourierMap, chunks: Iterable[np.ndarray], weights: np.ndarray | None, size: int
) -> MomentState:
    """Return the sums of a stream of host chunks under one map: products by BLAS, cosines and sines by XLA.

    The same sums as :func:`stream_draws` by XLA alone, in two parts (cosines, sines) instead of blocks; in 0.86 of its
    time on one CPU thread (n = 16,384, d = 768, r = 2,000).
    """
    dtype = np.dtype(fourier_map.frequencies.dtype)
    centre, frequencies = np.asarray(fourier_map.centre), np.asarray(fourier_map.frequencies)
    turns = np.empty((size, fourier_map.num_frequencies), dtype)
    sums = PairedProductSums(fourier_map.num_frequencies, dtype)
    num_rows, weight, squared_weight = 0, 0.0, 0.0
    seen = 0
    for chunk in chunks:
        chunk_weights = None if weights is None else weights[seen : seen + chunk.shape[0]]
        batch = batching.pad(chunk, chunk_weights, size, centre=centre, dtype=dtype)
        project(batch.rows, frequencies, 1 / (2 * math.pi), out=turns)
        cosine, sine = _weighted_features(turns, batch.weights)
        # Padding has weight 0: BLAS need not multiply it.
        sums.add(np.asarray(cosine)[: chunk.shape[0]], np.asarray(sine)[: chunk.shape[0]])
        del cosine, sine  # before the next batch takes as much again
        num_rows += int(np.count_nonzero(batch.weights))
        weight += float(batch.weights.sum(dtype=np.float64))
        squared_weight += float(np.square(batch.weights, dtype=np.float64).sum())
        seen += chunk.shape[0]
    totals = (CompensatedSum.of(total, dtype) for total in (float(num_rows), weight, squared_weight))
    return MomentState(sums.blocks(), *totals)


def stream_draws(
    fourier_maps: tuple[FourierMap, ...], chunks: Iterable[np.ndarray], weights: np.ndarray | None, size: int
) -> tuple[MomentState, ...]:
    """Return the sums of a stream of host chunks under several maps at once, in one pass.

    Several draws run as one ``vmap``; a single one on CPU runs through BLAS (:func:`stream_on_host`).

    Args:
        fourier_maps: Maps of one shape with one centre.
        chunks: Host matrices of at most ``size`` rows; they may be views of a memory map.
        weights: Over all rows of the stream, in order; None counts every row once.
        size: Rows of a padded batch: one compiled shape.
    """
    num_draws = len(fourier_maps)
    if num_draws == 1 and jax.default_backend() == "cpu":
        return (stream_on_host(fourier_maps[0], chunks, weights, size),)
    dtype = np.dtype(fourier_maps[0].frequencies.dtype)
    centre = np.asarray(fourier_maps[0].centre)
    maps = jax.tree.map(lambda *leaves: jnp.stack(leaves), *fourier_maps)
    moment = accumulate.init_moment(fourier_maps[0].part_widths, dtype)
    moment = jax.tree.map(lambda leaf: jnp.tile(leaf, (num_draws,) + (1,) * leaf.ndim), moment)
    seen = 0
    for chunk in chunks:
        chunk_weights = None if weights is None else weights[seen : seen + chunk.shape[0]]
        batch = batching.pad(chunk, chunk_weights, size, centre=centre, dtype=dtype)
        moment = _update_draws_in_place(maps, moment, batch.rows, batch.weights)
        jax.block_until_ready(moment)  # or copies of batches pile up ahead of the device
        seen += chunk.shape[0]
    return unstacked(moment, num_draws)
