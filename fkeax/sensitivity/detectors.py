"""The configured tests of an audit: KID's and KAD's kernels, a narrow Gaussian, an l1 Laplace kernel, MMDAgg, Frechet.

Kernels are fixed by the whole corpus or by the pooled rows of a draw, neither of which relabelling changes, so that
tests keep their level exactly. MMDAgg is the exception: its package chooses bandwidths by distances across the samples.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import jax
import jax.numpy as jnp
import numpy as np

from fkeax.inference import Units, permutation_units, row_labels
from fkeax.kernels import Bandwidth, Gaussian, LaplaceL1, median_bandwidth
from fkeax.sensitivity.cells import named_key
from fkeax.twosample import TwoSampleTest, frechet_test, mmdagg
from fkeax.twosample.decisions import KernelReport, single_test
from fkeax.twosample.kernel_choice import KernelChoice, chosen_kernel, median_of_distances, prepared
from fkeax.twosample.label_forms import SquaredDistances, squared_distance_tiles
from fkeax.twosample.mmd_permutations import mmd_outcome
from fkeax.twosample.presets import kid_kernel
from fkeax.twosample.samples import TwoSamples, two_samples
from fkeax.twosample.tiles import Points, pooled_points

WINDOW_MULTIPLE = 0.25
FRECHET_PERMUTATIONS = 99


@dataclass(frozen=True)
class Effort:
    """What a test may cost.

    Attributes:
        alpha: The level.
        num_permutations: Relabellings of tests with one kernel.
        num_aggregated: B1 and B2 of MMDAgg.
    """

    alpha: float = 0.05
    num_permutations: int = 199
    num_aggregated: int = 2000

    def permutations_of(self, test: str) -> int:
        """Return the number of relabellings of one test."""
        return {"mmdagg": self.num_aggregated, "frechet": FRECHET_PERMUTATIONS}.get(test, self.num_permutations)


@dataclass(frozen=True)
class Scales:
    """Bandwidths that a corpus fixes before any draw.

    Attributes:
        l2: The median distance of the corpus: KAD's bandwidth.
        l1: The median l1 distance.
        window_multiple: Of the pooled median, for the narrow Gaussian.
        window_source: Where the multiple came from.
    """

    l2: Bandwidth
    l1: Bandwidth
    window_multiple: float = WINDOW_MULTIPLE
    window_source: str = "the default"


def find_scales(key: jax.Array, rows: np.ndarray) -> Scales:
    """Return the median distances of a corpus: of all pairs up to 2,000 rows, of 100,000 random ones beyond.

    Raises:
        ValueError: If at least half of the pairs are duplicates.
    """
    one = jnp.asarray(1.0, jnp.float32)
    return Scales(
        l2=median_bandwidth(rows, kernel=Gaussian(one), key=named_key(key, "median")),
        l1=median_bandwidth(rows, kernel=LaplaceL1(one), key=named_key(key, "l1 median")),
    )


@dataclass(frozen=True)
class Pair:
    """Two samples, with what several tests of them share.

    Attributes:
        samples: Checked rows.
        units: What a relabelling moves.
        groups: A label for each row, the reference's first, or None.
    """

    samples: TwoSamples
    units: Units
    groups: np.ndarray | None

    @functools.cached_property
    def distances(self) -> SquaredDistances:
        """All squared distances of the pooled rows, once for all Gaussian kernels."""
        s = self.samples
        return squared_distance_tiles(pooled_points(s.reference, s.generated, s.centre, Gaussian(1.0), s.dtype))

    @functools.cached_property
    def median(self) -> Bandwidth:
        """The median distance of the pooled rows."""
        s = self.samples
        return median_of_distances(self.distances, s.num_reference + s.num_generated, "pooled rows")


def make_pair(reference: np.ndarray, generated: np.ndarray, groups: np.ndarray | None = None) -> Pair:
    """Return two samples ready for tests.

    Raises:
        ValueError: If rows are unfit or groups do not match.
    """
    samples = two_samples(reference, generated, find_duplicates=False)
    return Pair(samples, permutation_units(samples.num_reference, samples.num_generated, groups), groups)


@dataclass(frozen=True)
class Detector:
    """One configured test.

    Attributes:
        name: As it is asked for.
        run: The test of a pair, given a key, the corpus' scales and the effort.
        describe: Kernel and bandwidth in words, given the dimension and the scales.
    """

    name: str
    run: Callable[[jax.Array, Pair, Scales, Effort], TwoSampleTest]
    describe: Callable[[int, Scales], str]


def _mmd(
    key: jax.Array, pair: Pair, effort: Effort, choice: KernelChoice, source: Points | SquaredDistances | None = None
) -> TwoSampleTest:
    """Test with one kernel, all relabellings through one product."""
    labels = row_labels(key, pair.units, effort.num_permutations, dtype=pair.samples.dtype)
    outcome = mmd_outcome(choice.kernel, prepared(pair.samples, choice) if source is None else source, labels)
    width = None if choice.bandwidth is None else choice.bandwidth.value
    return single_test(
        "mmd",
        outcome,
        pair.samples,
        effort.alpha,
        pair.units.scheme,
        settings=choice.settings,
        kernels=(KernelReport(choice.name, width, outcome.p_value, outcome.z, outcome.p_value <= effort.alpha),),
    )


def _kid(key: jax.Array, pair: Pair, scales: Scales, effort: Effort) -> TwoSampleTest:
    del scales
    return _mmd(key, pair, effort, chosen_kernel(kid_kernel(pair.samples.dimension)))


def _kad(key: jax.Array, pair: Pair, scales: Scales, effort: Effort) -> TwoSampleTest:
    return _mmd(key, pair, effort, chosen_kernel("gaussian", scales.l2), pair.distances)


def _window(key: jax.Array, pair: Pair, scales: Scales, effort: Effort) -> TwoSampleTest:
    median = pair.median
    width = Bandwidth(scales.window_multiple * median.value, f"{scales.window_multiple:g} x {median.source}", None)
    return _mmd(key, pair, effort, chosen_kernel("gaussian", width), pair.distances)


def _laplace_l1(key: jax.Array, pair: Pair, scales: Scales, effort: Effort) -> TwoSampleTest:
    return _mmd(key, pair, effort, chosen_kernel("laplace-l1", scales.l1))


def _mmdagg(key: jax.Array, pair: Pair, scales: Scales, effort: Effort) -> TwoSampleTest:
    del scales
    s, number = pair.samples, effort.num_aggregated
    return mmdagg(s.reference, s.generated, key=key, alpha=effort.alpha, groups=pair.groups, num_permutations=number)


def _frechet(key: jax.Array, pair: Pair, scales: Scales, effort: Effort) -> TwoSampleTest:
    del scales
    s = pair.samples
    return frechet_test(
        s.reference,
        s.generated,
        key=key,
        alpha=effort.alpha,
        groups=pair.groups,
        num_permutations=FRECHET_PERMUTATIONS,
    )


_ALL = (
    Detector("kid", _kid, lambda d, scales: f"the cubic kernel (x.y/{d} + 1)^3"),
    Detector(
        "kad", _kad, lambda d, scales: f"a Gaussian kernel of bandwidth {scales.l2.value:.4g} ({scales.l2.source})"
    ),
    Detector(
        "window",
        _window,
        lambda d, scales: (
            f"a Gaussian kernel at {scales.window_multiple:g} x the median distance of the pooled rows "
            f"({scales.window_source})"
        ),
    ),
    Detector(
        "laplace-l1",
        _laplace_l1,
        lambda d, scales: f"the kernel exp(-|.|_1 / b), b = {scales.l1.value:.4g} ({scales.l1.source})",
    ),
    Detector("mmdagg", _mmdagg, lambda d, scales: "10 l1 Laplace and 10 Gaussian kernels on the package's grid"),
    Detector("frechet", _frechet, lambda d, scales: "no kernel: means and covariances"),
)

DETECTORS: Mapping[str, Detector] = MappingProxyType({detector.name: detector for detector in _ALL})
"""The tests of an audit by name."""

DEFAULT_TESTS = ("kid", "kad", "window", "laplace-l1", "mmdagg")
