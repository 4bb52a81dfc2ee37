"""Kernels at a pair of points, their spectral densities and matrices, and rules that choose a bandwidth."""

from fkeax.kernels.bandwidth import Bandwidth, given_bandwidth, median_bandwidth
from fkeax.kernels.gram import RowPowers, cross_gram, gram, row_powers, zero_rows
from fkeax.kernels.pointwise import Cosine, Gaussian, Kernel, Linear

__all__ = [
    "Bandwidth",
    "Cosine",
    "Gaussian",
    "Kernel",
    "Linear",
    "RowPowers",
    "cross_gram",
    "given_bandwidth",
    "gram",
    "median_bandwidth",
    "row_powers",
    "zero_rows",
]
