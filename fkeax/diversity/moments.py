"""Second moments of features, summed over samples of any container, route by route."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from fkeax.diversity import streaming, subsampling
from fkeax.diversity.plan import NUM_SAMPLED_ROWS
from fkeax.diversity.request import Request
from fkeax.diversity.samples import Samples, centre_of
from fkeax.features import FourierMap, sample_fourier_map
from fkeax.kernels import ExplicitKernel, Kernel, SpectralKernel
from fkeax.numerics import accumulate, batching, checks, linalg
from fkeax.numerics.accumulate import MomentState

Draws = tuple[MomentState, ...]


def dual_moment(
    data: Samples, kernel: ExplicitKernel, weights: np.ndarray | None, sample: batching.RowSample | None
) -> MomentState:
    """Return the sums of explicit features over the samples."""
    moment = accumulate.init_moment([kernel.feature_dimension(data.dimension)], data.dtype)
    seen = 0
    for chunk in observed(data, kernel, sample):
        chunk_weights = None if weights is None else weights[seen : seen + chunk.shape[0]]
        batch = batching.pad(chunk, chunk_weights, data.batch_size, centre=None, dtype=data.dtype)
        batch.rows[chunk.shape[0] :] = 1  # padding needs a direction too; its weight is 0
        moment = _update_dual(kernel, moment, batch.rows, batch.weights)
        jax.block_until_ready(moment)  # the buffers of the batch are free again only now
        seen += chunk.shape[0]
    return moment


@jax.jit
def _update_dual(
    kernel: ExplicitKernel, moment: MomentState, rows: Float[Array, "b d"], weights: Float[Array, "b"]
) -> MomentState:
    features = jax.vmap(kernel.features)(rows)
    return accumulate.update_moment(
        moment, [features * jnp.broadcast_to(jnp.sqrt(weights)[:, None], features.shape)], weights
    )


def fkea_moment(
    data: Samples,
    kernel: SpectralKernel,
    weights: np.ndarray | None,
    key: jax.Array,
    sample: batching.RowSample | None,
    num_frequencies: int,
    num_draws: int,
    scheme: str = "iid",
) -> tuple[tuple[FourierMap, ...], Draws]:
    """Return the maps of all draws and their sums, one an entry.

    The centre is the median of the first rows, rounded to the working dtype: known before the second chunk is.
    """
    keys = jax.random.split(key, num_draws)
    if data.on_accelerator and isinstance(data.matrix, jax.Array):
        checks.finite_rows(data.matrix)
        if sample is not None:
            sample.update(np.asarray(data.matrix[sample.indices(data.matrix.shape[0])]))
        centre = jnp.asarray(centre_of(np.asarray(data.matrix[: data.batch_size]), data.dtype))
        maps = _sample_maps(keys, kernel, num_frequencies, centre, scheme)
        return maps, device_moment(data.matrix, maps, weights, data.batch_size)
    chunks = observed(data, kernel, sample)
    first = next(chunks)
    centre = jnp.asarray(centre_of(first, data.dtype))
    maps = _sample_maps(keys, kernel, num_frequencies, centre, scheme)
    return maps, streaming.stream_draws(maps, itertools.chain([first], chunks), weights, data.batch_size)


def block_moments(data: Samples, maps: tuple[FourierMap, ...], kernel: Kernel, blocks: np.ndarray) -> tuple[Draws, ...]:
    """Return the sums of each block of rows under given maps, one entry a block: together, those of all rows.

    Args:
        data: A matrix.
        maps: From :func:`fkea_moment`, of one shape with one centre.
        kernel: For the checks of the rows.
        blocks: The block of each row, 0 to B - 1.
    """
    found = []
    for number in range(int(blocks.max()) + 1):
        rows = np.flatnonzero(blocks == number)
        if data.on_accelerator and isinstance(data.matrix, jax.Array):
            found.append(device_moment(data.matrix[rows], maps, None, data.batch_size))
            continue
        part = data.subset(rows)
        found.append(streaming.stream_draws(maps, part.chunks(kernel), None, data.batch_size))
    return tuple(found)


def first_frequencies(moment: MomentState, num_frequencies: int) -> MomentState:
    """Return the sums under the first r frequencies alone: a Fourier map of its own if frequencies are independent.

    Sub-blocks of the sums, in two parts, cosines and sines, scaled to features of unit length.

    Raises:
        ValueError: If there are fewer frequencies than that.
    """
    width = sum(linalg.block_widths(moment.blocks)) // 2
    if num_frequencies > width:
        raise ValueError(f"num_frequencies must be at most {width} here; got {num_frequencies}.")
    matrix = linalg.upper_triangle(moment.blocks)
    kept, scale = slice(0, num_frequencies), width / num_frequencies
    sines = slice(width, width + num_frequencies)
    first, cross, second = (matrix[rows, columns] for rows, columns in ((kept, kept), (kept, sines), (sines, sines)))
    symmetric = (np.triu(block) + np.triu(block, 1).T for block in (first, second))
    blocks = (next(symmetric), cross, next(symmetric))
    return replace(moment, blocks=tuple(jnp.asarray(block * np.asarray(scale, block.dtype)) for block in blocks))


def in_two_parts(moment: MomentState) -> MomentState:
    """Return the sums with their features in two parts, cosines and sines, whatever blocks they were summed in."""
    if len(moment.blocks) == 3:
        return moment
    return first_frequencies(moment, sum(linalg.block_widths(moment.blocks)) // 2)


@dataclass(frozen=True)
class FkeaSums:
    """What the one pass of the fkea route leaves behind, before any spectrum.

    Attributes:
        draws: Sums under each map.
        blocks: Sums of each block of rows under the first map; empty unless intervals were asked for.
        sample: Rows that exact kernel moments are measured on.
        seed: Of the halvings of the frequencies.
    """

    draws: tuple[MomentState, ...]
    blocks: tuple[MomentState, ...]
    sample: batching.RowSample
    seed: list[int]

    def with_frequencies(self, num_frequencies: int) -> FkeaSums:
        """Return the sums under the first r frequencies alone; independent frequencies only."""
        draws, blocks = (
            tuple(first_frequencies(moment, num_frequencies) for moment in part) for part in (self.draws, self.blocks)
        )
        return replace(self, draws=draws, blocks=blocks)


def fkea_sums(asked: Request, *, blocks: bool) -> FkeaSums:
    """Return the sums of a request by the fkea route: one pass, O(n), all draws at once; blocks take a second pass."""
    kernel, key = asked.kernel, asked.key
    if (
        not isinstance(kernel, SpectralKernel)
        or key is None
        or asked.num_frequencies is None
        or asked.num_draws is None
        or asked.scheme is None
    ):
        raise AssertionError("the plan let a kernel without features, or no key, reach the fkea route")
    key_frequencies, key_rows = jax.random.split(key)
    seed_rows = batching.key_seed(key_rows)
    sample = batching.RowSample(NUM_SAMPLED_ROWS, seed_rows)
    maps, draws = fkea_moment(
        asked.data,
        kernel,
        asked.weights,
        key_frequencies,
        sample,
        asked.num_frequencies,
        asked.num_draws,
        asked.scheme,
    )
    parts: tuple[MomentState, ...] = ()
    if blocks:
        numbers = subsampling.random_groups(
            round(draws[0].num_rows.to_float()), seed=seed_rows.tolist(), groups=asked.groups
        )
        parts = tuple(part for (part,) in block_moments(asked.data, maps[:1], kernel, numbers))
    return FkeaSums(draws, parts, sample, seed_rows.tolist())


def observed(data: Samples, kernel: Kernel, sample: batching.RowSample | None) -> Iterator[np.ndarray]:
    """Yield the chunks of the data, and sample its rows: at once from a matrix, on the way from a stream."""
    if sample is not None and data.matrix is not None:
        sample.update(np.asarray(data.matrix[sample.indices(data.matrix.shape[0])]))
        sample = None
    for chunk in data.chunks(kernel):
        if sample is not None:
            sample.update(chunk)
        yield chunk


def device_moment(
    x: Float[Array, "n d"], maps: tuple[FourierMap, ...], weights: np.ndarray | None, batch_size: int
) -> Draws:
    """Return the sums of rows that stay on their device, by one ``lax.scan``; it compiles anew for every n."""
    dtype = checks.working_dtype(x.dtype)
    full = jnp.ones(x.shape[0], dtype) if weights is None else jnp.asarray(weights).astype(dtype)
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *maps)
    return streaming.unstacked(_scan_draws(stacked, x, full, batch_size=batch_size), len(maps))


@partial(jax.jit, static_argnames="batch_size")
def _scan_draws(
    maps: FourierMap, x: Float[Array, "n d"], weights: Float[Array, "n"], *, batch_size: int
) -> MomentState:
    def one_draw(fourier_map: FourierMap) -> MomentState:
        return streaming.scan_rows(streaming.init(fourier_map), x, weights, batch_size=batch_size).moment

    return jax.vmap(one_draw)(maps)


_sample_map = jax.jit(sample_fourier_map, static_argnames="num_frequencies")


def _sample_maps(
    keys: Key[Array, "k"], kernel: SpectralKernel, num_frequencies: int, centre: Float[Array, "d"], scheme: str
) -> tuple[FourierMap, ...]:
    if scheme == "iid":
        return tuple(_sample_map(key, kernel, num_frequencies, centre) for key in keys)
    return tuple(sample_fourier_map(key, kernel, num_frequencies, centre, scheme=scheme) for key in keys)
