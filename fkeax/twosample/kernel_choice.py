"""Which kernel a comparison uses, and at which bandwidth."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import jax
import numpy as np

from fkeax import kernels
from fkeax.kernels import Bandwidth, Energy, Kernel, Linear
from fkeax.numerics import checks, selection
from fkeax.twosample.label_forms import SquaredDistances, squared_distance_tiles
from fkeax.twosample.samples import TwoSamples
from fkeax.twosample.tiles import Points, pooled_points, tile_shape

MAX_HELD_BYTES = 512 * 2**20  # of squared distances held at once

BandwidthChoice = float | str | None
"""A number, or "median" for the median distance rule."""


@dataclass(frozen=True)
class KernelChoice:
    """A kernel ready to use, and what results say about it.

    Attributes:
        kernel: With its bandwidth.
        name: As asked for.
        bandwidth: None for a kernel without one.
        unit_rows: Whether rows are scaled to length 1 first (the cosine kernel, which is then linear).
        parameters: Its other numbers.
    """

    kernel: Kernel
    name: str
    bandwidth: Bandwidth | None
    unit_rows: bool
    parameters: dict[str, object]

    @property
    def settings(self) -> dict[str, object]:
        """Name, bandwidth and its source, other numbers."""
        found: dict[str, object] = {"kernel": self.name}
        if self.bandwidth is not None:
            found |= {"bandwidth": self.bandwidth.value, "bandwidth_source": self.bandwidth.source}
        return found | self.parameters


def chosen_kernel(
    kernel: str | Kernel, bandwidth: Bandwidth | None = None, parameters: dict[str, float] | None = None
) -> KernelChoice:
    """Return the kernel of a name, or one that is given whole.

    Raises:
        ValueError: If the name is unknown, or a number is missing, superfluous or out of range.
        TypeError: If it is neither a name nor a kernel.
    """
    if isinstance(kernel, str):
        if kernel == Energy.name:
            if bandwidth is not None or parameters:
                raise ValueError("the energy kernel has no bandwidth and no parameters; leave them out.")
            built: Kernel = Energy()
        else:
            built = kernels.by_name(kernel, None if bandwidth is None else bandwidth.value, **(parameters or {}))
    elif isinstance(kernel, Kernel):
        if bandwidth is not None or parameters:
            raise ValueError("kernel is given whole, with its numbers; leave out bandwidth and parameters.")
        built = kernel
    else:
        raise TypeError(f"kernel must be a name such as 'gaussian' or a kernel; got {type(kernel).__name__}.")
    numbers = {
        field.name: getattr(built, field.name)
        for field in dataclasses.fields(built)  # pyright: ignore[reportArgumentType]  (kernels are dataclasses)
        if field.name != "bandwidth" and getattr(built, field.name) is not None
    }
    width = getattr(built, "bandwidth", None)
    if bandwidth is None and width is not None:
        bandwidth = kernels.given_bandwidth(width)
    unit_rows = built.name == "cosine"
    return KernelChoice(
        kernel=Linear() if unit_rows else built,
        name=built.name,
        bandwidth=bandwidth,
        unit_rows=unit_rows,
        parameters={name: number if isinstance(number, int) else float(number) for name, number in numbers.items()},
    )


def prepared(samples: TwoSamples, choice: KernelChoice) -> Points:
    """Return the pooled points as the kernel wants them."""
    reference, generated, centre = samples.reference, samples.generated, samples.centre
    if choice.unit_rows:
        reference, generated = unit_rows(reference, "reference"), unit_rows(generated, "generated")
        centre = (reference.mean(axis=0) + generated.mean(axis=0)) / 2
    return pooled_points(reference, generated, centre, choice.kernel, samples.dtype)


def unit_rows(rows: np.ndarray, name: str) -> np.ndarray:
    """Return rows of length 1, in float64.

    Raises:
        ValueError: If a row is 0.
    """
    zero = kernels.zero_rows(rows)
    if zero.size:
        raise ValueError(
            f"{name} has {zero.size} rows of length 0, which have no direction; the first is row {zero[0]}."
        )
    wide = rows.astype(np.float64)
    wide /= np.abs(wide).max(axis=1, keepdims=True)
    return wide / np.sqrt(np.square(wide).sum(axis=1, keepdims=True))


def median_of_rows(
    rows: np.ndarray, centre: np.ndarray, dtype: np.dtype, whose: str, key: jax.Array | None, *, lower: bool = False
) -> Bandwidth:
    """Return the median distance over pairs ``i < j`` of rows: exact where the distances fit in 512 MiB.

    Args:
        rows: On the host.
        centre: Near them.
        dtype: To compute in.
        whose: For the source and for errors.
        key: For the random pairs that are used beyond some 14,000 rows.
        lower: Take the lower of two middle distances rather than their mean.

    Raises:
        ValueError: If the median is 0, or a key is needed and absent.
    """
    num_rows = rows.shape[0]
    if not distances_fit(num_rows, dtype):
        found = kernels.median_bandwidth(rows, key=checks.typed_key(key, f"the median over {num_rows:,} rows"))
        return dataclasses.replace(found, source=f"{found.source} of the {whose}")
    points = pooled_points(rows, rows[:0], centre, Energy(), dtype)
    return median_of_distances(squared_distance_tiles(points), num_rows, whose, lower=lower)


def median_of_distances(distances: SquaredDistances, num_rows: int, whose: str, *, lower: bool = False) -> Bandwidth:
    """Return the median over all pairs, exactly.

    Raises:
        ValueError: If it is 0.
    """
    num_pairs = num_rows * (num_rows - 1) // 2
    if lower:
        value = selection.kth_smallest(np.asarray(distances.tiles), (num_pairs - 1) // 2) ** 0.5
    else:
        value = distances.median_distance(num_rows)
    if not value > 0:
        raise ValueError(
            f"the median distance of the {whose} is 0: at least half of the pairs are duplicates. "
            "Give a number as bandwidth."
        )
    which = "lower median" if lower else "median"
    return Bandwidth(value, f"{which} of all {num_pairs:,} pairwise distances of the {whose}", None)


def distances_fit(num_rows: int, dtype: np.dtype) -> bool:
    """Return whether all squared distances, by tiles of the upper triangle, may be held at once."""
    num_tiles, tile_rows = tile_shape(num_rows)
    return num_tiles * (num_tiles + 1) // 2 * tile_rows**2 * dtype.itemsize <= MAX_HELD_BYTES


def bandwidth_for_value(
    samples: TwoSamples, kernel: str | Kernel, bandwidth: BandwidthChoice, key: jax.Array | None
) -> Bandwidth | None:
    """Return the bandwidth of a value: a number, or the median of the reference, which does not depend on the model.

    Raises:
        ValueError: If the kernel needs a bandwidth and none was given.
    """
    if bandwidth is None:
        if isinstance(kernel, str) and kernel != Energy.name and kernels.kernel_entry(kernel).needs_bandwidth:
            raise ValueError(
                f"bandwidth is needed for the {kernel} kernel: a number in the units of the data, or 'median'."
            )
        return None
    if isinstance(bandwidth, str):
        checks.choice(bandwidth, "bandwidth", ("median",))
        return median_of_rows(samples.reference, samples.centre, samples.dtype, "reference", key)
    return kernels.given_bandwidth(bandwidth)
