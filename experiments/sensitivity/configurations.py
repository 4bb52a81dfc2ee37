"""The configured tests of the experiments by name: those of the audit, Gaussian kernels at multiples of the median.

Kernels that the paper names as not run stand beside them: CMMD, MMD-FUSE, and a Gaussian kernel that is chosen on one
half of the rows and tested on the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
import numpy as np

from fkeax.inference import row_labels
from fkeax.kernels import Bandwidth, Gaussian
from fkeax.sensitivity import DETECTORS, Detector, Effort, named_key
from fkeax.sensitivity.detectors import Pair, Scales
from fkeax.twosample import TwoSampleTest, bandwidth_sweep, mmd_fuse, mmd_test, mmdagg
from fkeax.twosample.decisions import KernelReport, single_test
from fkeax.twosample.kernel_choice import chosen_kernel, unit_rows
from fkeax.twosample.mmd_permutations import mmd_outcome
from fkeax.twosample.presets import CMMD_BANDWIDTH

MULTIPLES = (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
SWEEP = tuple(f"gaussian-{multiple:g}" for multiple in MULTIPLES)
Run = Callable[[jax.Array, Pair, Scales, Effort], TwoSampleTest]


def _at_multiple(multiple: float) -> Run:
    def run(key: jax.Array, pair: Pair, scales: Scales, effort: Effort) -> TwoSampleTest:
        del scales
        width = Bandwidth(multiple * pair.median.value, f"{multiple:g} x {pair.median.source}", None)
        choice = chosen_kernel("gaussian", width)
        labels = row_labels(key, pair.units, effort.num_permutations, dtype=pair.samples.dtype)
        found = mmd_outcome(choice.kernel, pair.distances, labels)
        report = KernelReport(choice.name, width.value, found.p_value, found.z, found.p_value <= effort.alpha)
        return single_test(
            "mmd", found, pair.samples, effort.alpha, pair.units.scheme, settings=choice.settings, kernels=(report,)
        )

    return run


def _laplace_l2(key: jax.Array, pair: Pair, scales: Scales, effort: Effort) -> TwoSampleTest:
    return _mmd(key, pair, effort, kernel="laplace-l2", bandwidth=scales.l2.value)


def _cmmd(key: jax.Array, pair: Pair, scales: Scales, effort: Effort) -> TwoSampleTest:
    """Test with CMMD's kernel on unit rows; the estimator is the unbiased one, whose relabelled ranks are the same."""
    del scales
    x, y = unit_rows(pair.samples.reference, "reference"), unit_rows(pair.samples.generated, "generated")
    return mmd_test(
        x,
        y,
        key=key,
        kernel="gaussian",
        bandwidth=CMMD_BANDWIDTH,
        alpha=effort.alpha,
        groups=pair.groups,
        num_permutations=effort.num_permutations,
    )


def _mmd(key: jax.Array, pair: Pair, effort: Effort, *, kernel: str, bandwidth: float) -> TwoSampleTest:
    return mmd_test(
        pair.samples.reference,
        pair.samples.generated,
        key=key,
        kernel=kernel,
        bandwidth=bandwidth,
        alpha=effort.alpha,
        groups=pair.groups,
        num_permutations=effort.num_permutations,
    )


def _fuse(key: jax.Array, pair: Pair, scales: Scales, effort: Effort) -> TwoSampleTest:
    del scales
    return mmd_fuse(
        pair.samples.reference,
        pair.samples.generated,
        key=key,
        alpha=effort.alpha,
        groups=pair.groups,
        num_permutations=effort.num_permutations,
    )


def _gaussians(key: jax.Array, pair: Pair, scales: Scales, effort: Effort) -> TwoSampleTest:
    """Test with MMDAgg over Gaussian kernels alone, at the multiples of the pooled median."""
    del scales
    widths = jnp.asarray(np.asarray(MULTIPLES) * pair.median.value, pair.samples.dtype)
    return mmdagg(
        pair.samples.reference,
        pair.samples.generated,
        key=key,
        alpha=effort.alpha,
        groups=pair.groups,
        num_permutations=effort.num_aggregated,
        families=(Gaussian(widths),),
    )


def _chosen(key: jax.Array, pair: Pair, scales: Scales, effort: Effort) -> TwoSampleTest:
    """Choose the multiple with the largest z on one half of either sample, test on the other halves.

    The two halves share no rows, so that the level is exact; with groups the halves share no groups either, as rows of
    a draw come in the order of their groups.
    """
    del scales
    n, m = pair.samples.num_reference // 2, pair.samples.num_generated // 2
    x, y = pair.samples.reference, pair.samples.generated
    seen = bandwidth_sweep(x[:n], y[:m], key=named_key(key, "choice"), num_permutations=99)
    scores = [report.z or 0.0 for report in seen.kernels]
    width = seen.kernels[int(np.argmax(scores))].bandwidth
    return mmd_test(
        x[n:],
        y[m:],
        key=named_key(key, "test"),
        kernel="gaussian",
        bandwidth=width,
        alpha=effort.alpha,
        num_permutations=effort.num_permutations,
    )


_MORE = (
    *(
        Detector(name, _at_multiple(multiple), lambda d, scales: "a Gaussian kernel at a multiple of the pooled median")
        for name, multiple in zip(SWEEP, MULTIPLES, strict=True)
    ),
    Detector("laplace-l2", _laplace_l2, lambda d, scales: f"the kernel exp(-|.|_2 / b), b = {scales.l2.value:.4g}"),
    Detector("cmmd", _cmmd, lambda d, scales: "CMMD's Gaussian kernel of bandwidth 10 on unit rows"),
    Detector("fuse", _fuse, lambda d, scales: "MMD-FUSE over 10 Laplace and 10 Gaussian kernels"),
    Detector("mmdagg-gaussian", _gaussians, lambda d, scales: "MMDAgg over seven Gaussian kernels"),
    Detector("chosen", _chosen, lambda d, scales: "a Gaussian kernel chosen on half of the rows, tested on the rest"),
)
CONFIGURATIONS: Mapping[str, Detector] = {**DETECTORS, **{detector.name: detector for detector in _MORE}}
PAPERS_FOUR = ("kid", "kad", "window", "mmdagg")


def permutations(effort: Effort) -> dict[str, int]:
    """Return the number of relabellings of every configuration."""
    found = {name: effort.permutations_of(name) for name in CONFIGURATIONS}
    return found | {"mmdagg-gaussian": effort.num_aggregated}
