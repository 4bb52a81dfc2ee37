"""Two samples compared: values with honest errors, and calibrated tests."""

from fkeax.twosample.aggregated import bandwidth_sweep, mmd_fuse, mmdagg
from fkeax.twosample.copying import copying
from fkeax.twosample.decisions import KernelReport, TwoSampleTest
from fkeax.twosample.frechet import frechet, frechet_from_states, frechet_infinity
from fkeax.twosample.frechet_permutations import frechet_test
from fkeax.twosample.gaussian_state import (
    GaussianState,
    finalize_gaussian,
    init_gaussian,
    merge_gaussians,
    update_gaussian,
)
from fkeax.twosample.mmd import mmd
from fkeax.twosample.mmd_fast import mmd_blocks, mmd_fourier, mmd_linear_time
from fkeax.twosample.mmd_permutations import mmd_test
from fkeax.twosample.prdc import prdc
from fkeax.twosample.presets import cmmd, kad, kad_shipped, kid, kid_subsets
from fkeax.twosample.two_sample_test import two_sample_test
from fkeax.twosample.wasserstein import sliced_wasserstein, wasserstein

__all__ = [
    "GaussianState",
    "KernelReport",
    "TwoSampleTest",
    "bandwidth_sweep",
    "cmmd",
    "copying",
    "finalize_gaussian",
    "frechet",
    "frechet_from_states",
    "frechet_infinity",
    "frechet_test",
    "init_gaussian",
    "kad",
    "kad_shipped",
    "kid",
    "kid_subsets",
    "merge_gaussians",
    "mmd",
    "mmd_blocks",
    "mmd_fourier",
    "mmd_fuse",
    "mmd_linear_time",
    "mmd_test",
    "mmdagg",
    "prdc",
    "sliced_wasserstein",
    "two_sample_test",
    "update_gaussian",
    "wasserstein",
]
