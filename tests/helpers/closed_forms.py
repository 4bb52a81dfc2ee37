"""Closed forms of kernel entropies, with the literature's or elementary derivations in the docstrings (Gaussian
kernel).

`k(x, y) = exp(-||x - y||^2 / (2 s^2))` throughout, s the bandwidth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]


def two_groups_spectrum(share: float, kernel_value: float) -> Array:
    """Two groups of identical points of mass w and 1-w at kernel value k: roots of l^2 - l + w(1-w)(1-k^2)."""
    root = math.sqrt(1.0 - 4.0 * share * (1.0 - share) * (1.0 - kernel_value**2))
    return np.array([(1.0 + root) / 2.0, (1.0 - root) / 2.0])


def equicorrelated_spectrum(num_points: int, kernel_value: float) -> Array:
    """n points, every pair at kernel value rho: (1 + (n-1) rho)/n once and (1-rho)/n else."""
    spectrum = np.full(num_points, (1.0 - kernel_value) / num_points)
    spectrum[0] = (1.0 + (num_points - 1) * kernel_value) / num_points
    return spectrum


def equicorrelated_gram(num_points: int, kernel_value: float) -> Array:
    """The Gram matrix of `equicorrelated_spectrum`."""
    return np.full((num_points, num_points), kernel_value) + (1.0 - kernel_value) * np.eye(num_points)


def circle_spectrum(radius: float, bandwidth: float, *, num_terms: int = 60) -> Array:
    """Uniform law on a circle: e^{-z} I_j(z), j in Z, z = R^2/s^2 (Jacobi-Anger), descending."""
    z = (radius / bandwidth) ** 2
    one_side = special.ive(np.arange(num_terms + 1), z)
    return np.sort(np.concatenate([one_side, one_side[1:]]))[::-1]


def circle_points(num_points: int, radius: float) -> Array:
    """Equispaced points on a circle in the plane."""
    angles = 2.0 * np.pi * np.arange(num_points) / num_points
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def gaussian_rke(covariance: Array, bandwidth: float) -> float:
    """x ~ N(mu, S): RKE = det(I + 4 S/s^2)^{1/2}, whatever mu."""
    matrix = np.eye(len(covariance)) + 4.0 * np.asarray(covariance) / bandwidth**2
    return math.exp(0.5 * float(np.linalg.slogdet(matrix)[1]))


def mixture_second_moment(
    shares: Sequence[float], means: Sequence[Array], covariances: Sequence[Array], bandwidth: float
) -> float:
    """E k(X, X')^2 of a Gaussian mixture: k^2 is a Gaussian kernel of variance s^2/2, X_i - X_j is N(m, S_i + S_j)."""
    total = 0.0
    for share_i, mean_i, covariance_i in zip(shares, means, covariances, strict=True):
        for share_j, mean_j, covariance_j in zip(shares, means, covariances, strict=True):
            spread = np.asarray(covariance_i) + np.asarray(covariance_j)
            size = len(spread)
            difference = np.asarray(mean_i) - np.asarray(mean_j)
            determinant = np.linalg.det(np.eye(size) + 2.0 * spread / bandwidth**2)
            inner = difference @ np.linalg.solve(bandwidth**2 * np.eye(size) + 2.0 * spread, difference)
            total += share_i * share_j * math.exp(-float(inner)) / math.sqrt(float(determinant))
    return total


def gaussian_ratio(deviation: float, bandwidth: float) -> float:
    """Ratio B of the geometric law (1-B) B^k of the Mercer spectrum of one axis N(0, deviation^2)."""
    a = 1.0 / (4.0 * deviation**2)
    b = 1.0 / (2.0 * bandwidth**2)
    return b / (a + b + math.sqrt(a * a + 2.0 * a * b))


def gaussian_vendi(deviations: Sequence[float], bandwidth: float, order: float) -> float:
    """x ~ N(0, diag(deviations^2)): the product over axes of the Hill numbers of geometric laws, any order > 0."""
    log_score = 0.0
    for deviation in deviations:
        ratio = gaussian_ratio(deviation, bandwidth)
        if order == math.inf:
            log_score -= math.log1p(-ratio)
        elif order == 1:
            log_score -= ((1.0 - ratio) * math.log1p(-ratio) + ratio * math.log(ratio)) / (1.0 - ratio)
        else:
            log_score += (order * math.log1p(-ratio) - math.log1p(-(ratio**order))) / (1.0 - order)
    return math.exp(log_score)


def gaussian_characteristic_function(mean: Array, covariance: Array) -> Callable[[Array], complex]:
    """f(w) = E exp(i w'X) of N(mean, covariance)."""
    mean, covariance = np.asarray(mean), np.asarray(covariance)

    def function(frequency: Array) -> complex:
        return complex(np.exp(1j * float(frequency @ mean) - 0.5 * float(frequency @ covariance @ frequency)))

    return function


def population_covariance(frequencies: Array, characteristic_function: Callable[[Array], complex]) -> Array:
    """The covariance C of the features at n = infinity, for given frequencies and centre 0.

    With A = w_a'X, B = w_b'X: cos A cos B = (cos(A-B) + cos(A+B))/2, sin A sin B = (cos(A-B) - cos(A+B))/2 and
    cos A sin B = (sin(A+B) - sin(A-B))/2; expectations of cosines and sines are real and imaginary parts of f.
    """
    r = len(frequencies)
    matrix = np.empty((2 * r, 2 * r))
    for a in range(r):
        for b in range(r):
            minus = characteristic_function(frequencies[a] - frequencies[b])
            plus = characteristic_function(frequencies[a] + frequencies[b])
            matrix[a, b] = (minus.real + plus.real) / (2 * r)
            matrix[r + a, r + b] = (minus.real - plus.real) / (2 * r)
            matrix[a, r + b] = (plus.imag - minus.imag) / (2 * r)
            matrix[r + b, a] = matrix[a, r + b]
    return matrix


def gauss_hermite(num_nodes: int, deviations: Sequence[float]) -> tuple[Array, Array]:
    """Nodes (rows) and weights that integrate polynomials of degree 2m-1 per axis exactly against N(0,
    diag(deviations^2)).

    A kernel that is analytic has a Mercer spectrum to which the weighted Gram matrix converges geometrically in m, so a
    weighted sample of a few dozen points an axis reproduces population values to rounding. Nodes of mass below 1e-18,
    which no score sees, are left out.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(num_nodes)
    weights = weights / weights.sum()
    grids = np.meshgrid(*[deviation * nodes for deviation in deviations], indexing="ij")
    weight_grids = np.meshgrid(*[weights] * len(deviations), indexing="ij")
    points = np.stack([grid.ravel() for grid in grids], axis=1)
    masses = np.prod(np.stack([grid.ravel() for grid in weight_grids]), axis=0)
    return points[masses > 1e-18], masses[masses > 1e-18]
