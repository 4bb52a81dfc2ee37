"""FKEA over a mesh of devices, of one process or of many under ``jax.distributed``: each device sums its rows.

Sums over rows need no home-made engine: rows are split over one axis of a ``jax.sharding.Mesh``, every device sums its
own, and one ``psum`` per call leaves the total on all of them. The state is the one of
:mod:`fkeax.diversity.streaming`; only where its rows are summed differs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jax.typing import ArrayLike
from jaxtyping import Array, Float

from fkeax.diversity import streaming
from fkeax.diversity.streaming import FkeaState
from fkeax.features import FourierMap
from fkeax.numerics import accumulate, batching, checks
from fkeax.numerics.accumulate import MomentState


def update_sharded(
    state: FkeaState,
    batch: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    mesh: Mesh,
    axis: str | None = None,
    batch_size: int = 4096,
) -> FkeaState:
    """Return the state with a batch added, its rows split over the devices of a mesh; equal to one device's sums.

    Every call sends the sums, about ``(2r)^2 / 2`` numbers, over the mesh once: give it many rows at a time. With
    several processes each passes rows of its own, any number of them, and all call together, with an empty batch where
    one has run out. Feature map and centre are fixed beforehand and must be the same everywhere.

    Args:
        state: From :func:`fkeax.diversity.streaming.init` or an earlier update, the same in every process.
        batch: Rows of this process, (b, d), on the host or a device; copied before the call returns.
        weights: Not negative, (b,); None counts every row once.
        mesh: Of all devices that take part.
        axis: The axis of the mesh that rows are split over; by default its only one.
        batch_size: Rows that a device turns to features at a time.

    Returns:
        A state that lies on every device of the mesh; :func:`collected` brings it to this process.

    Raises:
        ValueError: On a wrong shape or width, non-finite rows, bad weights, or an axis that the mesh has not.

    Cost:
        Rows over devices times that of :func:`fkeax.diversity.streaming.update`. On each device rows are padded to a
        power of two, or to whole batches where they are more than one; every padded number compiles once.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from fkeax.diversity import streaming
        >>> from fkeax.features import sample_fourier_map
        >>> from fkeax.kernels import Gaussian
        >>> mesh = jax.make_mesh((jax.device_count(),), ("rows",))
        >>> state = streaming.init(sample_fourier_map(jax.random.key(0), Gaussian(1.0), 8, jnp.zeros(2)))
        >>> state = collected(update_sharded(state, jnp.zeros((11, 2)), mesh=mesh))
        >>> state.num_samples, round(float(jnp.trace(streaming.finalize(state))), 5)
        (11, 1.0)
    """
    name = _axis_of(mesh, axis)
    rows = _checked_rows(batch, state.fourier_map.centre.shape[-1])
    checked = checks.weight_vector(weights, rows.shape[0])
    num_local = sum(device.process_index == jax.process_index() for device in mesh.devices.flat)
    largest = rows.shape[0]
    if jax.process_count() > 1:  # one shape for all
        largest = int(np.max(multihost_utils.process_allgather(np.asarray(largest))))
    step = checks.count(batch_size, "batch_size")
    per_device = _padded(-(-largest // num_local), step)
    padded = batching.pad(
        rows,
        checked,
        per_device * num_local,
        centre=np.asarray(_local(state.fourier_map.centre)),
        dtype=np.dtype(state.fourier_map.frequencies.dtype),
    )
    split = NamedSharding(mesh, PartitionSpec(name))
    local = (padded.rows, padded.weights)
    spread = [jax.make_array_from_process_local_data(split, array) for array in local]
    fourier_map, moment = replicated((state.fourier_map, state.moment), mesh)
    add = _adder(mesh, name, min(step, per_device))
    return replace(state, fourier_map=fourier_map, moment=add(fourier_map, moment, *spread))


def _padded(num_rows: int, batch_size: int) -> int:
    if num_rows > batch_size:
        return -(-num_rows // batch_size) * batch_size
    return max(1, batching.padded_size(num_rows, batch_size))


def collected(state: FkeaState) -> FkeaState:
    """Return a state that lies on a mesh as one of this process alone, for scores, merging or a file."""
    return jax.tree.map(lambda leaf: jnp.asarray(_local(leaf)), state)


def replicated(tree: streaming.Tree, mesh: Mesh) -> streaming.Tree:
    """Return arrays that are the same in every process as arrays on every device of a mesh."""
    everywhere = NamedSharding(mesh, PartitionSpec())

    def place(leaf: Array) -> Array:
        if leaf.sharding == everywhere:
            return leaf
        return jax.device_put(np.asarray(leaf), everywhere)

    return jax.tree.map(place, tree)


def _local(leaf: Array) -> np.ndarray:
    return np.asarray(leaf if leaf.is_fully_addressable else leaf.addressable_data(0))


def _axis_of(mesh: Mesh, axis: str | None) -> str:
    names = mesh.axis_names
    if axis is None and len(names) == 1:
        return names[0]
    if axis is None or axis not in names:
        raise ValueError(f"axis must be one of the mesh's, {', '.join(map(str, names))}; got {axis!r}.")
    if any(size > 1 for name, size in mesh.shape.items() if name != axis):
        raise ValueError(f"mesh must have size 1 along all axes but {axis!r}; it has the shape {dict(mesh.shape)}.")
    return axis


def _checked_rows(batch: ArrayLike, dimension: int) -> np.ndarray:
    rows = np.asarray(checks.own_array(batch, "batch"))
    if rows.ndim != 2 or rows.shape[0] > 0:
        rows = np.asarray(checks.matrix(rows, "batch"))
    if rows.shape[1] != dimension:
        raise ValueError(f"batch must have {dimension} columns, as the feature map does; got {rows.shape[1]}.")
    checks.finite_rows(rows, "batch")
    return rows


@lru_cache(maxsize=16)
def _adder(mesh: Mesh, axis: str, batch_size: int):
    """Return the compiled step: sums of the rows of each device, their total over the mesh, added to the state."""

    @partial(
        jax.shard_map,
        mesh=mesh,
        in_specs=(PartitionSpec(), PartitionSpec(axis), PartitionSpec(axis)),
        out_specs=PartitionSpec(),
    )
    def total(fourier_map: FourierMap, centred: Float[Array, "b d"], weights: Float[Array, "b"]) -> MomentState:
        # Rows are centred already, in the precision they came in.
        origin = replace(fourier_map, centre=jnp.zeros_like(fourier_map.centre))
        start = jax.tree.map(lambda leaf: lax.pcast(leaf, axis, to="varying"), streaming.init(origin))
        sums = streaming.scan_rows(start, centred, weights, batch_size=batch_size).moment
        return jax.tree.map(lambda leaf: lax.psum(leaf, axis), sums)

    @jax.jit
    def add(
        fourier_map: FourierMap, moment: MomentState, centred: Float[Array, "b d"], weights: Float[Array, "b"]
    ) -> MomentState:
        return accumulate.merge_moments(moment, total(fourier_map, centred, weights))

    return add
