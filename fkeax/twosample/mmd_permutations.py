"""The permutation test on MMD with one kernel: all permutations through one blocked product."""

from __future__ import annotations

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax.inference import Groups, PermutationOutcome, permutation_outcome, row_labels
from fkeax.kernels import Bandwidth, Energy, Gaussian, Kernel, kernel_entry
from fkeax.numerics import checks
from fkeax.twosample.decisions import KernelReport, TwoSampleTest, checked_test, single_test
from fkeax.twosample.kernel_choice import (
    BandwidthChoice,
    KernelChoice,
    chosen_kernel,
    distances_fit,
    median_of_distances,
    median_of_rows,
    prepared,
)
from fkeax.twosample.label_forms import DistanceKernel, SquaredDistances, label_forms, squared_distance_tiles
from fkeax.twosample.samples import TwoSamples
from fkeax.twosample.tiles import Points, pooled_points, tile_shape


def mmd_test(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    key: jax.Array | None = None,
    kernel: str | Kernel = "gaussian",
    bandwidth: BandwidthChoice = None,
    alpha: float = 0.05,
    groups: Groups | None = None,
    num_permutations: int = 500,
    **parameters: float,
) -> TwoSampleTest:
    """Test whether two samples come from one law, by the unbiased MMD^2 and random relabellings of the pooled rows.

    Exact: under the null hypothesis P(p <= a) <= a at any n, m and number of permutations, whatever the kernel.

    Args:
        reference: (n, d) rows, at least 2.
        generated: (m, d) rows, at least 2; n and m may differ.
        key: Draws the relabellings (and the pairs of the median over more than some 14,000 rows).
        kernel: A name of :func:`fkeax.kernels.by_name`, "energy", or a kernel.
        bandwidth: A number, or "median": the median distance of the **pooled** rows, which relabelling does not change.
            None is the same where the kernel needs a bandwidth.
        alpha: The level.
        groups: A label for each row, the reference's rows first; rows of one label depend on each other (the frames of
            a clip) and move together. A group lies in one sample. With groups of unequal size the number of groups on
            either side is kept and the test is exact if groups, sizes included, are exchangeable.
        num_permutations: B; the smallest p-value is 1/(B + 1).
        parameters: Further numbers of the kernel.

    Raises:
        ValueError: If rows are unfit, groups do not match, the median is 0, or B is too small for alpha.

    Cost:
        ``1.2 N^2 (d + B)`` flops for N = n + m; squared distances are held once while they fit in 512 MiB (N up to
        some 14,000), beyond that tiles are made and dropped, and the labels take ``4 N B`` bytes.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (100, 8))
        >>> y = jax.random.normal(jax.random.key(1), (120, 8)) + 0.5
        >>> mmd_test(x, y, key=jax.random.key(2), num_permutations=199).p_value
        0.005
    """
    key, level, number, samples, units = checked_test(reference, generated, key, alpha, groups, num_permutations)
    key_labels, key_pairs = jax.random.split(key)
    choice, source = _kernel_and_source(samples, kernel, bandwidth, dict(parameters), key_pairs)
    labels = row_labels(key_labels, units, number, dtype=samples.dtype)
    outcome = mmd_outcome(choice.kernel, source, labels)
    width = None if choice.bandwidth is None else choice.bandwidth.value
    return single_test(
        "mmd",
        outcome,
        samples,
        level,
        units.scheme,
        settings=choice.settings,
        kernels=(KernelReport(choice.name, width, outcome.p_value, outcome.z, outcome.p_value <= level),),
    )


def mmd_outcome(kernel: Kernel, source: Points | SquaredDistances, labels: jax.Array) -> PermutationOutcome:
    """Return the outcome of unbiased MMD^2 with labels whose first column is the observed one."""
    forms = label_forms(kernel, source, labels, *tile_shape(labels.shape[0]))
    values = forms.unbiased_mmd2()
    rounding = forms.rounding * float(np.std(values[1:]))
    return permutation_outcome(values[0], values[1:], tie_tolerance=rounding)


def _kernel_and_source(
    samples: TwoSamples,
    kernel: str | Kernel,
    bandwidth: BandwidthChoice,
    parameters: dict[str, float],
    key: jax.Array,
) -> tuple[KernelChoice, Points | SquaredDistances]:
    """Return the kernel and what its tiles are made from, sharing the distances between the median and the kernel."""
    needs_width = isinstance(kernel, str) and kernel != Energy.name and kernel_entry(kernel).needs_bandwidth
    if bandwidth is None and needs_width:
        bandwidth = "median"
    if bandwidth is not None and not isinstance(bandwidth, str):
        choice = chosen_kernel(
            kernel, Bandwidth(checks.positive_number(bandwidth, "bandwidth"), "given", None), parameters
        )
        return choice, _source(samples, choice)
    if bandwidth is None:
        choice = chosen_kernel(kernel, None, parameters)
        return choice, _source(samples, choice)
    checks.choice(bandwidth, "bandwidth", ("median",))
    num_rows = samples.num_reference + samples.num_generated
    if not distances_fit(num_rows, samples.dtype):
        width = median_of_rows(samples.pooled(), np.zeros(samples.dimension), samples.dtype, "pooled rows", key)
        choice = chosen_kernel(kernel, width, parameters)
        return choice, prepared(samples, choice)
    points = pooled_points(samples.reference, samples.generated, samples.centre, Gaussian(1.0), samples.dtype)
    distances = squared_distance_tiles(points)
    choice = chosen_kernel(kernel, median_of_distances(distances, num_rows, "pooled rows"), parameters)
    return choice, distances if isinstance(choice.kernel, DistanceKernel) else prepared(samples, choice)


def _source(samples: TwoSamples, choice: KernelChoice) -> Points | SquaredDistances:
    points = prepared(samples, choice)
    if isinstance(choice.kernel, DistanceKernel) and distances_fit(
        samples.num_reference + samples.num_generated, samples.dtype
    ):
        return squared_distance_tiles(points)
    return points
