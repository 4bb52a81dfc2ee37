"""Kernels at a pair of points, their spectral densities and matrices, and rules that choose a bandwidth."""

from fkeax.kernels.bandwidth import Bandwidth, bandwidth_grid, given_bandwidth, median_bandwidth
from fkeax.kernels.bandwidth_rules import (
    BandwidthRule,
    GivenRule,
    MeanSquareRule,
    MedianRule,
    RkeRule,
    parse_bandwidth,
)
from fkeax.kernels.bandwidth_target import bandwidth_for_mean_square, bandwidth_for_rke
from fkeax.kernels.energy import Energy
from fkeax.kernels.gaussian import Gaussian
from fkeax.kernels.gram import RowPowers, cross_gram, gram, row_powers, zero_rows
from fkeax.kernels.inner_product import Cosine, Linear, Polynomial
from fkeax.kernels.laplace import LaplaceL1, LaplaceL2
from fkeax.kernels.matern import Matern
from fkeax.kernels.notation import kernel_family, kernel_parameters, parse_kernel
from fkeax.kernels.protocol import (
    ExplicitKernel,
    Kernel,
    L1Kernel,
    ProductKernel,
    RadialKernel,
    SpectralKernel,
    with_bandwidth,
)
from fkeax.kernels.rational_quadratic import RationalQuadratic
from fkeax.kernels.registry import KERNELS, KernelEntry, by_name, kernel_entry

__all__ = [
    "KERNELS",
    "Bandwidth",
    "BandwidthRule",
    "Cosine",
    "Energy",
    "ExplicitKernel",
    "Gaussian",
    "GivenRule",
    "Kernel",
    "KernelEntry",
    "L1Kernel",
    "LaplaceL1",
    "LaplaceL2",
    "Linear",
    "Matern",
    "MeanSquareRule",
    "MedianRule",
    "Polynomial",
    "ProductKernel",
    "RadialKernel",
    "RationalQuadratic",
    "RkeRule",
    "RowPowers",
    "SpectralKernel",
    "bandwidth_for_mean_square",
    "bandwidth_for_rke",
    "bandwidth_grid",
    "by_name",
    "cross_gram",
    "given_bandwidth",
    "gram",
    "kernel_entry",
    "kernel_family",
    "kernel_parameters",
    "median_bandwidth",
    "parse_bandwidth",
    "parse_kernel",
    "row_powers",
    "with_bandwidth",
    "zero_rows",
]
