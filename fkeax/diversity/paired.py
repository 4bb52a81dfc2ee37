"""Two embeddings of the same items: arguments checked once, a kernel each, and second moments of both features."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from fkeax import kernels
from fkeax.diversity.plan import Plan, plan
from fkeax.diversity.request import kernel_choice, kernel_settings
from fkeax.diversity.samples import Rows, Samples, centre_of, check_rows
from fkeax.diversity.two_sets import matrix_samples, unit_kernel
from fkeax.features import FourierMap, featurize_parts, sample_fourier_map
from fkeax.kernels import Bandwidth, ExplicitKernel, Kernel, SpectralKernel
from fkeax.numerics import accumulate, batching, checks, linalg, pytrees
from fkeax.numerics.accumulate import MomentState

KernelPair = tuple[str | Kernel, str | Kernel]
BandwidthPair = tuple[float | str | Bandwidth | None, float | str | Bandwidth | None]
FeatureMap = FourierMap | ExplicitKernel
METHODS = ("auto", "exact", "features")


@dataclass(frozen=True)
class Embedding:
    """One embedding of the items, under its kernel.

    Attributes:
        name: Of the argument.
        data: The rows.
        kernel: With its bandwidth; ``k(x, x) = 1``.
        bandwidth: Value and source; None for a kernel without one.
    """

    name: str
    data: Samples
    kernel: Kernel
    bandwidth: Bandwidth | None

    def settings(self) -> dict[str, object]:
        """Return what results say of it, under its name."""
        of_kernel = kernel_settings(self.kernel, self.bandwidth)
        named = {f"{setting}_{self.name}": value for setting, value in of_kernel.items()}
        return {**named, f"dimension_{self.name}": self.data.dimension}

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Return some of the rows on the host."""
        if self.data.matrix is None:
            raise AssertionError("embeddings are matrices, not streams")
        return np.asarray(self.data.matrix[start:stop])

    def gram(self) -> np.ndarray:
        """Return the kernel matrix in float64."""
        rows = self.rows(0, self.data.num_samples or 0)
        with checks.naming(x=self.name):
            check_rows(rows, self.kernel, 0)
        centre = centre_of(rows, np.dtype(np.float64)) if self.kernel.shift_invariant else None
        padded = batching.pad(rows, None, rows.shape[0], centre=centre, dtype=np.dtype(np.float64))
        with jax.enable_x64(True):
            matrix = np.array(kernels.gram(self.kernel, jnp.asarray(padded.rows)))
        if not np.isfinite(matrix).all():
            raise ValueError(f"{self.name} holds numbers too large to square even in float64; scale it.")
        return matrix

    def feature_map(self, key: jax.Array, num_frequencies: int, dtype: np.dtype) -> FeatureMap:
        """Return random frequencies for a shift-invariant kernel, the kernel itself where it has explicit features."""
        if isinstance(self.kernel, SpectralKernel):
            first_rows = self.rows(0, 1024)
            with checks.naming(x=self.name):
                check_rows(first_rows, self.kernel, 0)
                centre = jnp.asarray(centre_of(first_rows, dtype))
            return sample_fourier_map(key, self.kernel, num_frequencies, centre)
        return self.explicit_map()

    def explicit_map(self) -> ExplicitKernel:
        """Return the kernel itself, whose features are its own."""
        if not isinstance(self.kernel, ExplicitKernel):
            raise ValueError(f"the {self.kernel.name} kernel of {self.name} has no features; use method='exact'.")
        return self.kernel


@dataclass(frozen=True)
class Paired:
    """Two embeddings and what was asked for about them, checked, with every choice made.

    Attributes:
        first: One embedding.
        second: The other; row i of both is item i.
        route: "exact" or "features".
        plan: Its memory.
        num_frequencies: r of each Fourier map; None where there is none.
        key: For the frequencies; None off the feature route.
        seed: Data of the key that was given.
        batch_size: Rows of a padded batch.
    """

    first: Embedding
    second: Embedding
    route: str
    plan: Plan
    num_frequencies: int | None
    key: jax.Array | None
    seed: list[int] | None
    batch_size: int

    @property
    def num_samples(self) -> int:
        """How many items there are."""
        return self.first.data.num_samples or 0

    @property
    def dtype(self) -> np.dtype:
        """What features are computed in."""
        return np.result_type(self.first.data.dtype, self.second.data.dtype)

    def settings(self) -> dict[str, object]:
        """Return the settings of every result about these items."""
        return {
            "estimator": self.route,
            **self.first.settings(),
            **self.second.settings(),
            "num_samples": self.num_samples,
            "num_frequencies": self.num_frequencies,
            "features": None if self.num_frequencies is None else "iid",
            "seed": self.seed,
            "dtype": str(self.dtype),
            "precision": "highest",
        }

    def random_key(self) -> jax.Array:
        """Return the key of a random route, or say that it is missing."""
        return checks.typed_key(self.key, "random Fourier features")

    def maps(self) -> tuple[FeatureMap, FeatureMap]:
        """Return a feature map for either embedding, with frequencies drawn independently."""
        if self.num_frequencies is None:
            return self.first.explicit_map(), self.second.explicit_map()
        keys = jax.random.split(self.random_key())
        return (
            self.first.feature_map(keys[0], self.num_frequencies, self.dtype),
            self.second.feature_map(keys[1], self.num_frequencies, self.dtype),
        )

    def chunks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the rows of both embeddings, in step, checked."""
        for start in range(0, self.num_samples, self.batch_size):
            found = []
            for side in (self.first, self.second):
                rows = side.rows(start, start + self.batch_size)
                with checks.naming(x=side.name):
                    check_rows(rows, side.kernel, start)
                found.append(rows)
            yield found[0], found[1]


def paired(
    named: Sequence[tuple[str, Rows]],
    *,
    kernels: KernelPair,
    bandwidths: BandwidthPair,
    method: str,
    num_frequencies: int,
    batch_size: int,
    key: jax.Array | None,
) -> Paired:
    """Check the arguments of a score of two embeddings, and choose kernels, bandwidths and route.

    ``auto`` is exact where there are at most as many items as features of both embeddings together.
    """
    checks.choice(method, "method", METHODS)
    num_frequencies = checks.count(num_frequencies, "num_frequencies")
    batch_size = checks.count(batch_size, "batch_size")
    for name, pair in (("kernels", kernels), ("bandwidths", bandwidths)):
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise ValueError(f"{name} must be a pair, one for each embedding; got {pair!r}.")
    if key is not None:
        checks.typed_key(key, "this score")
    choices = [kernel_choice(kernel, width) for kernel, width in zip(kernels, bandwidths, strict=True)]
    data = [matrix_samples(rows, name, batch_size) for name, rows in named]
    counts = [rows.num_samples or 0 for rows in data]
    if counts[0] != counts[1]:
        raise ValueError(
            f"{named[0][0]} and {named[1][0]} must have a row for each of the same items; got {counts[0]} and "
            f"{counts[1]} rows."
        )
    widths = [
        choice.family.feature_dimension(rows.dimension)
        if isinstance(choice.family, ExplicitKernel)
        else 2 * num_frequencies
        for choice, rows in zip(choices, data, strict=True)
    ]
    route = ("exact" if counts[0] <= sum(widths) else "features") if method == "auto" else method
    key_bandwidth, key_route = (None, None) if key is None else tuple(jax.random.split(key))
    keys = (None, None) if key_bandwidth is None else tuple(jax.random.split(key_bandwidth))
    sides = []
    for (name, _), choice, rows, key_side in zip(named, choices, data, keys, strict=True):
        unit_kernel(choice.family)
        with checks.naming(x=name):
            kernel, bandwidth = choice.resolve(rows, key_side)
        sides.append(Embedding(name, rows, kernel, bandwidth))
    return Paired(
        first=sides[0],
        second=sides[1],
        route=route,
        plan=_plan(route, counts[0], sum(widths), data),
        num_frequencies=num_frequencies
        if route == "features" and any(isinstance(side.kernel, SpectralKernel) for side in sides)
        else None,
        key=key_route,
        seed=None if key is None else batching.key_seed(key).tolist(),
        batch_size=max(rows.batch_size for rows in data),
    )


def _plan(route: str, num_samples: int, width: int, data: Sequence[Samples]) -> Plan:
    """Return the memory of a route: as for one embedding with the columns and the features of both."""
    found = plan(
        num_samples,
        sum(rows.dimension for rows in data),
        method="exact" if route == "exact" else "fkea",
        num_frequencies=max(1, width // 2),
        batch_size=max(rows.batch_size for rows in data),
        dtype=str(np.result_type(*(rows.dtype for rows in data))),
    )
    where = "<=" if num_samples <= width else ">"
    return replace(found, route=route, reason=f"n = {num_samples} {where} {width} features of both embeddings")


@pytrees.register
@dataclass(frozen=True)
class JointMap:
    """The features of two embeddings of an item, side by side."""

    first: FeatureMap
    second: FeatureMap

    def parts(self, first: Float[Array, "b d"], second: Float[Array, "b _"]) -> tuple[list[Array], list[Array]]:
        """Return the features of centred rows, each embedding's of length 1, in parts."""
        return _parts(self.first, first), _parts(self.second, second)


def _parts(feature_map: FeatureMap, rows: Float[Array, "b _"]) -> list[Array]:
    if isinstance(feature_map, FourierMap):
        scale = feature_map.num_frequencies**-0.5
        return [scale * part for part in jax.vmap(partial(featurize_parts, feature_map))(rows)]
    return [jax.vmap(feature_map.features)(rows)]


def feature_width(feature_map: FeatureMap, dimension: int) -> int:
    """Return how many features a map has."""
    if isinstance(feature_map, FourierMap):
        return 2 * feature_map.num_frequencies
    return feature_map.feature_dimension(dimension)


def map_centre(feature_map: FeatureMap) -> np.ndarray | None:
    """Return what is subtracted from rows first."""
    return np.asarray(feature_map.centre) if isinstance(feature_map, FourierMap) else None


def padded_pair(asked: Paired, maps: JointMap, chunk: tuple[np.ndarray, np.ndarray]) -> tuple[Array, Array, Array]:
    """Return both sets of rows, centred, cast and padded to one shape, and their weights: 0 for padding."""
    padded = []
    for rows, feature_map in zip(chunk, (maps.first, maps.second), strict=True):
        batch = batching.pad(rows, None, asked.batch_size, centre=map_centre(feature_map), dtype=asked.dtype)
        batch.rows[rows.shape[0] :] = 1  # a direction for the cosine kernel; its weight is 0
        padded.append(batch)
    return jnp.asarray(padded[0].rows), jnp.asarray(padded[1].rows), jnp.asarray(padded[0].weights)


def joint_covariance(asked: Paired, maps: JointMap) -> np.ndarray:
    """Return ``sum F'F / n`` of the joint features ``F = [F_1, F_2]``, symmetric, in float64; one pass."""
    sides = (asked.first, asked.second)
    widths = [
        width
        for feature_map, side in zip((maps.first, maps.second), sides, strict=True)
        for width in (
            feature_map.part_widths
            if isinstance(feature_map, FourierMap)
            else [feature_map.feature_dimension(side.data.dimension)]
        )
    ]
    moment = accumulate.init_moment(widths, asked.dtype)
    for chunk in asked.chunks():
        moment = _update(maps, moment, *padded_pair(asked, maps, chunk))
        jax.block_until_ready(moment)  # or copies of batches pile up ahead of the device
    upper = linalg.upper_triangle(moment.blocks).astype(np.float64) / asked.num_samples
    return np.triu(upper) + np.triu(upper, 1).T


@jax.jit
def _update(
    maps: JointMap,
    moment: MomentState,
    first: Float[Array, "b d"],
    second: Float[Array, "b _"],
    weights: Float[Array, "b"],
) -> MomentState:
    parts = [part for side in maps.parts(first, second) for part in side]
    return accumulate.update_moment(
        moment, [part * jnp.broadcast_to(weights[:, None], part.shape) for part in parts], weights
    )
