"""MMD of Gaussian laws: 60-digit determinants, both orders of the wide expansion, moments of KID by tensors."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from fkeax.sensitivity import GaussianLaw, gaussian_kernel_mmd2, kid_mmd2, wide_expansion

D = 4
RANDOM = np.random.default_rng(0)


def covariance(scale: float) -> np.ndarray:
    root = RANDOM.standard_normal((D, D))
    return scale * root @ root.T / D


FIRST = GaussianLaw(RANDOM.standard_normal(D), covariance(1.0))
SECOND = GaussianLaw(RANDOM.standard_normal(D), covariance(2.0))
SAME_MEAN = GaussianLaw(FIRST.mean, SECOND.covariance)
NEAR = GaussianLaw(FIRST.mean, FIRST.covariance * (1 + 1e-6))


def exact(first: GaussianLaw, second: GaussianLaw, variance: mpmath.mpf) -> mpmath.mpf:
    """The closed form as it stands, in 60 digits."""
    with mpmath.workdps(60):
        one, two = (mpmath.matrix(law.covariance.tolist()) for law in (first, second))
        move = mpmath.matrix(first.mean.tolist()) - mpmath.matrix(second.mean.tolist())
        unit = mpmath.eye(D)
        total = one + two
        inner = (move.T * mpmath.lu_solve(variance * unit + total, move))[0]
        return (
            mpmath.det(unit + 2 * one / variance) ** -0.5
            + mpmath.det(unit + 2 * two / variance) ** -0.5
            - 2 * mpmath.det(unit + total / variance) ** -0.5 * mpmath.exp(-inner / 2)
        )


@pytest.mark.parametrize("second", [SECOND, SAME_MEAN, NEAR], ids=["other", "same mean", "near"])
@pytest.mark.parametrize("bandwidth", [0.3, 2.0, 30.0, 1e3])
def test_closed_form_cancels_nowhere(second, bandwidth):
    """Down to MMD^2 = 1e-24 of its three terms. Relative error: d eps for eigenvalues; for "near", the covariances'
    difference of 1e-6 holds 1e-10 of itself.
    """
    truth = exact(FIRST, second, mpmath.mpf(bandwidth) ** 2)
    relative = 1e-8 if second is NEAR else 1e-12
    assert float(gaussian_kernel_mmd2(FIRST, second, bandwidth) / truth) == pytest.approx(1, abs=relative)


@pytest.mark.parametrize("second", [SECOND, SAME_MEAN], ids=["other", "same mean"])
def test_both_orders_of_the_wide_expansion(second):
    """Richardson limits of the 60-digit form: v MMD^2 -> first, v (v MMD^2 - first) -> second; the error is 1/v."""
    variance = mpmath.mpf(10) ** 12
    found = wide_expansion(FIRST, second, 1.0)
    with mpmath.workdps(60):
        whole = exact(FIRST, second, variance)
        first = float(variance * whole)
        square = sum(
            (mpmath.mpf(float(a)) - mpmath.mpf(float(b))) ** 2 for a, b in zip(FIRST.mean, second.mean, strict=True)
        )
        remainder = float(variance * (variance * whole - square))
    assert first == pytest.approx(found.first, rel=1e-9, abs=1e-9)
    assert remainder == pytest.approx(found.second, rel=1e-8)


def test_expansion_scales_with_the_bandwidth():
    near, far = (wide_expansion(FIRST, SECOND, bandwidth) for bandwidth in (1.0, 10.0))
    assert far.first == pytest.approx(near.first / 100)
    assert far.second == pytest.approx(near.second / 10_000)


def moments(law: GaussianLaw) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Uncentred moments as tensors."""
    m, s = law.mean, law.covariance
    third = np.einsum("i,j,k->ijk", m, m, m)
    third += np.einsum("ij,k->ijk", s, m) + np.einsum("ik,j->ijk", s, m) + np.einsum("jk,i->ijk", s, m)
    return m, s + np.outer(m, m), third


@pytest.mark.parametrize("second", [SECOND, SAME_MEAN], ids=["other", "same mean"])
def test_kid_by_moments(second):
    squares = [float(np.square(a - b).sum()) for a, b in zip(moments(FIRST), moments(second), strict=True)]
    expected = 3 * squares[0] / D + 3 * squares[1] / D**2 + squares[2] / D**3
    assert kid_mmd2(FIRST, second) == pytest.approx(expected, rel=1e-12)


def test_no_distance_from_itself():
    assert gaussian_kernel_mmd2(FIRST, FIRST, 1.0) == 0
    assert kid_mmd2(FIRST, FIRST) == pytest.approx(0, abs=1e-12)
