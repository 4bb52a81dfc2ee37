"""Squared norms of a covariance too large to hold: some of its columns at a time, or some on each device.

RKE, plain and debiased, needs ``||C||_F^2`` and its parts by frequency, which are sums over columns. A block of columns
``sum phi phi_J^T / n`` is ``(2r) x 2|J|``; with the memory of one block at a time the samples are read once for every
block, with the blocks on several devices once in all.
"""

from __future__ import annotations

from functools import lru_cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jaxtyping import Array, Float

from fkeax.diversity.frequency_bias import FrequencyMoments
from fkeax.features import FourierMap, phases
from fkeax.numerics import batching, checks, linalg
from fkeax.numerics.trig import cos_sin_turns


def moments_by_columns(
    fourier_map: FourierMap, x: np.ndarray, *, block_frequencies: int, batch_size: int = 4096
) -> FrequencyMoments:
    """Return the squared norms of the covariance by frequency, holding the columns of some frequencies at a time.

    The numbers of :func:`fkeax.diversity.frequency_moments`: ``1 / total`` is plain RKE, and
    :func:`fkeax.diversity.debiased_second_moment` takes the bias of the frequencies out.

    Args:
        fourier_map: Map of r frequencies.
        x: Samples, (n, d); may be mapped from a file.
        block_frequencies: Frequencies whose columns are held: ``2r * 2 block_frequencies`` numbers.
        batch_size: Rows of a batch.

    Cost:
        One pass over the samples a block. ``4 n r (d + 2r)`` flops in all for the products, as much as the whole
        covariance without its symmetry, and ``2 n d r`` a block for the features.

    Example:
        >>> import jax, jax.numpy as jnp, numpy as np
        >>> from fkeax.features import sample_fourier_map
        >>> from fkeax.kernels import Gaussian
        >>> fourier_map = sample_fourier_map(jax.random.key(0), Gaussian(1.0), 50, jnp.zeros(2))
        >>> found = moments_by_columns(fourier_map, np.ones((4, 2), np.float32), block_frequencies=20)
        >>> round(1 / found.total, 3)
        1.0
    """
    rows = checks.matrix(x)
    step = min(checks.count(block_frequencies, "block_frequencies"), fourier_map.num_frequencies)
    size = batching.padded_size(rows.shape[0], batch_size)
    total, cross = 0.0, []
    for start in range(0, fourier_map.num_frequencies, step):
        width = min(step, fourier_map.num_frequencies - start)
        dtype = fourier_map.frequencies.dtype
        sums = jnp.zeros((2, fourier_map.num_frequencies, 2, width), dtype)
        for batch in _batches(fourier_map, np.asarray(rows), size):
            sums = _add_columns(fourier_map, sums, batch.rows, batch.weights, start, width=width)
        squares = np.square(np.asarray(sums, np.float64) / rows.shape[0]).sum(axis=(0, 2))  # (r, width)
        total += float(squares.sum())
        squares[start + np.arange(width), np.arange(width)] = 0
        cross.append(squares.sum(axis=0))
    return FrequencyMoments(total, np.concatenate(cross))


def _batches(fourier_map: FourierMap, rows: np.ndarray, size: int):
    centre, dtype = np.asarray(fourier_map.centre), np.dtype(fourier_map.frequencies.dtype)
    first_row = 0
    for chunk in batching.matrix_chunks(rows, size):
        checks.finite_rows(chunk, first_row=first_row)
        yield batching.pad(chunk, None, size, centre=centre, dtype=dtype)
        first_row += chunk.shape[0]


def _features(
    fourier_map: FourierMap, centred: Float[Array, "b d"], weights: Float[Array, "b"], num_frequencies: int
) -> Float[Array, "b 2 r"]:
    """Return cosines and sines of each row, times ``sqrt(w / r)`` for the r of the whole map."""
    angles = jax.vmap(partial(phases, fourier_map))(centred)
    scale = jnp.sqrt(weights / num_frequencies)[:, None]
    cosine, sine = cos_sin_turns(angles)
    return jnp.stack([cosine * jnp.broadcast_to(scale, angles.shape), sine * jnp.broadcast_to(scale, angles.shape)], 1)


def _product(rows: Float[Array, "b 2 _"], columns: Float[Array, "b 2 _"]) -> Float[Array, "2 _ 2 _"]:
    return lax.dot_general(rows, columns, (((0,), (0,)), ((), ())), precision=linalg.PRECISION)


@partial(jax.jit, static_argnames="width", donate_argnums=1)
def _add_columns(
    fourier_map: FourierMap,
    sums: Float[Array, "2 r 2 _"],
    centred: Float[Array, "b d"],
    weights: Float[Array, "b"],
    start: Array | int,
    *,
    width: int,
) -> Float[Array, "2 r 2 _"]:
    features = _features(fourier_map, centred, weights, fourier_map.num_frequencies)
    return sums + _product(features, lax.dynamic_slice_in_dim(features, start, width, axis=2))


def moments_over_mesh(
    fourier_map: FourierMap, x: np.ndarray, *, mesh: Mesh, axis: str | None = None, batch_size: int = 4096
) -> FrequencyMoments:
    """Return the squared norms of the covariance by frequency, each device of a mesh holding columns of its own.

    One pass over the samples. Every device makes the features of its own frequencies and gathers those of the others;
    it holds ``(2r)^2 / devices`` numbers, and nothing larger is held anywhere.

    Args:
        fourier_map: Map whose number of frequencies the devices divide.
        x: Samples, (n, d), the same in every process; may be mapped from a file.
        mesh: Devices.
        axis: The axis of the mesh that frequencies are split over; by default its first.
        batch_size: Rows of a batch, all of which every device sees.

    Raises:
        ValueError: If the devices do not divide the frequencies.

    Example:
        >>> import jax, jax.numpy as jnp, numpy as np
        >>> from fkeax.features import sample_fourier_map
        >>> from fkeax.kernels import Gaussian
        >>> mesh = jax.make_mesh((jax.device_count(),), ("columns",))
        >>> fourier_map = sample_fourier_map(jax.random.key(0), Gaussian(1.0), 48, jnp.zeros(2))
        >>> round(1 / moments_over_mesh(fourier_map, np.ones((4, 2), np.float32), mesh=mesh).total, 3)
        1.0
    """
    name = mesh.axis_names[0] if axis is None else axis
    checks.choice(name, "axis", mesh.axis_names)
    devices, r = mesh.shape[name], fourier_map.num_frequencies
    if r % devices:
        raise ValueError(f"num_frequencies must be a multiple of the {devices} devices along {name!r}; got {r}.")
    rows = np.asarray(checks.matrix(x))
    size = batching.padded_size(rows.shape[0], batch_size)
    columns = NamedSharding(mesh, PartitionSpec(name))
    frequencies = jax.device_put(np.asarray(fourier_map.frequencies), columns)
    add, norms = _column_steps(mesh, name, r)
    sums = jax.device_put(np.zeros((devices, devices * 2, r // devices, 2, r // devices), frequencies.dtype), columns)
    for batch in _batches(fourier_map, rows, size):
        sums = add(frequencies, sums, batch.rows, batch.weights)
    totals, cross = norms(sums, np.asarray(rows.shape[0], frequencies.dtype))
    return FrequencyMoments(float(np.asarray(totals, np.float64)), np.asarray(cross, np.float64))


@lru_cache(maxsize=16)
def _column_steps(mesh: Mesh, axis: str, num_frequencies: int):
    """Return the compiled step that adds a batch to every device's columns, and the one that reads off norms."""
    columns, everywhere = PartitionSpec(axis), PartitionSpec()
    devices = mesh.shape[axis]

    @partial(jax.jit, donate_argnums=1)
    @partial(jax.shard_map, mesh=mesh, in_specs=(columns, columns, everywhere, everywhere), out_specs=columns)
    def add(
        frequencies: Float[Array, "_ d"], sums: Array, centred: Float[Array, "b d"], weights: Float[Array, "b"]
    ) -> Array:
        own_map = FourierMap(frequencies, jnp.zeros_like(centred[0]))
        own = _features(own_map, centred, weights, num_frequencies)
        gathered = lax.all_gather(own, axis, axis=1, tiled=True)  # (b, devices * 2, frequencies of a device)
        return sums + _product(gathered, own)[None]

    @jax.jit
    @partial(jax.shard_map, mesh=mesh, in_specs=(columns, everywhere), out_specs=(everywhere, columns))
    def norms(sums: Array, num_rows: Array) -> tuple[Array, Array]:
        width = sums.shape[-1]
        squares = jnp.square(sums[0] / num_rows).reshape(devices, 2, width, 2, width).sum(axis=(1, 3))
        own = jnp.diagonal(squares[lax.axis_index(axis)])
        by_frequency = squares.sum(axis=(0, 1))
        return lax.psum(by_frequency.sum(), axis), by_frequency - own

    return add, norms
