"""Squared MMD between two Gaussian laws, in closed form: the Gaussian kernel, its wide-bandwidth expansion, and KID.

What a test sees of a change is this number against its null deviation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class GaussianLaw:
    """A Gaussian law by its mean and covariance."""

    mean: Float[np.ndarray, "d"]
    covariance: Float[np.ndarray, "d d"]


@dataclass(frozen=True)
class WideExpansion:
    """The squared MMD at wide bandwidth, in powers of ``1 / sigma^2``.

    Attributes:
        first: ``||dm||^2 / sigma^2``: a wide Gaussian kernel compares means.
        second: The part in ``sigma^-4``, where covariances enter.
    """

    first: float
    second: float


def gaussian_kernel_mmd2(first: GaussianLaw, second: GaussianLaw, bandwidth: float) -> float:
    """Return the squared MMD of two Gaussian laws under ``exp(-||x - y||^2 / (2 sigma^2))``, v = sigma^2.

    ``|I + 2 S_1/v|^{-1/2} + |I + 2 S_2/v|^{-1/2} - 2 |M|^{-1/2} exp(-dm' M^{-1} dm / (2 v))`` with
    ``M = I + (S_1 + S_2)/v``, rearranged so that nothing cancels, however wide the kernel or close the laws: with t_i
    the eigenvalues of ``M^{-1/2} (S_1 - S_2)/v M^{-1/2}``, the first two determinants are ``|M| prod (1 +- t_i)``.

    Cost:
        Two eigenvalue problems of a d x d matrix.

    Example:
        >>> import numpy as np
        >>> wide = GaussianLaw(np.zeros(1), np.asarray([[3.0]]))
        >>> narrow = GaussianLaw(np.zeros(1), np.asarray([[0.0]]))  # a point: 7^-1/2 + 1 - 2 * 4^-1/2
        >>> round(gaussian_kernel_mmd2(wide, narrow, 1.0), 12) == round(7**-0.5, 12)
        True
    """
    variance = bandwidth**2
    move = first.mean - second.mean
    values, vectors = np.linalg.eigh((first.covariance + second.covariance) / variance)
    values = np.maximum(values, 0.0)
    whitening = vectors / np.sqrt(1 + values)
    ratios = np.linalg.eigvalsh(whitening.T @ ((first.covariance - second.covariance) / variance) @ whitening)
    distance = float(np.square(whitening.T @ move).sum()) / variance
    common = -0.5 * float(np.log1p(values).sum()) - 0.5 * distance
    # Half the sum and half the difference of the logarithms of the first two terms over the third.
    half_sum = 0.5 * distance - 0.25 * float(np.log1p(-np.square(ratios)).sum())
    half_difference = 0.5 * float(np.arctanh(ratios).sum())
    excess = math.expm1(half_sum) * math.cosh(half_difference) + 2 * math.sinh(half_difference / 2) ** 2
    return 2 * math.exp(common) * excess


def wide_expansion(first: GaussianLaw, second: GaussianLaw, bandwidth: float) -> WideExpansion:
    """Return the first two orders of :func:`gaussian_kernel_mmd2` in ``1 / v``, v = sigma^2 (Appendix A.1).

    ``||dm||^2/v + [2 (dtr)^2 + 4 ||dS||_F^2 - 4 ||dm||^2 tr(S_1 + S_2) - 2 ||dm||^4 - 8 dm'(S_1 + S_2) dm] / (8 v^2)``;
    what is left is of order ``v^-3``. Other laws have a further term in third moments where the means differ.

    Example:
        >>> import numpy as np
        >>> still = GaussianLaw(np.zeros(1), np.asarray([[1.0]]))
        >>> moved = GaussianLaw(np.ones(1), np.asarray([[1.0]]))
        >>> wide_expansion(still, moved, 10.0)
        WideExpansion(first=0.01, second=-0.000325)
    """
    variance = bandwidth**2
    move, change = first.mean - second.mean, first.covariance - second.covariance
    total = first.covariance + second.covariance
    square = float(move @ move)
    fourth = (
        2 * float(np.trace(change)) ** 2
        + 4 * float(np.square(change).sum())
        - 4 * square * float(np.trace(total))
        - 2 * square**2
        - 8 * float(move @ total @ move)
    )
    return WideExpansion(square / variance, fourth / (8 * variance**2))


def kid_mmd2(first: GaussianLaw, second: GaussianLaw) -> float:
    """Return the population KID of two Gaussian laws: the squared MMD under ``(x.y / d + 1)^3``.

    ``(3/d) ||dmu||^2 + (3/d^2) ||dM_2||_F^2 + ||dM_3||^2 / d^3`` with uncentred moments; the third moment of a Gaussian
    law is ``m (x) m (x) m + 3 sym(S (x) m)``.

    Example:
        >>> import numpy as np
        >>> point = GaussianLaw(np.zeros(1), np.asarray([[0.0]]))
        >>> kid_mmd2(point, GaussianLaw(np.ones(1), np.asarray([[0.0]])))  # 3 + 3 + 1
        7.0
    """
    size = first.mean.size
    moments = [law.covariance + np.outer(law.mean, law.mean) for law in (first, second)]
    third = _third_moments(first, first) + _third_moments(second, second) - 2 * _third_moments(first, second)
    return (
        3 * float(np.square(first.mean - second.mean).sum()) / size
        + 3 * float(np.square(moments[0] - moments[1]).sum()) / size**2
        + third / size**3
    )


def _third_moments(first: GaussianLaw, second: GaussianLaw) -> float:
    """Return ``E (x.y)^3`` for independent x and y of two laws: the inner product of their third moments."""
    a, b, s, t = first.mean, second.mean, first.covariance, second.covariance
    product = float(a @ b)
    spreads = float(a @ t @ a) + float(b @ s @ b) + float(np.vdot(s, t))
    return product**3 + 3 * product * spreads + 6 * float(b @ s @ t @ a)
