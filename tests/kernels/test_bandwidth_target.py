"""Bandwidths at which a data set has a given RKE or mean squared kernel value."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import optimize, stats
from scipy.spatial import distance

from fkeax import kernels

FAMILIES = [
    kernels.Gaussian(1.0),
    kernels.LaplaceL1(1.0),
    kernels.LaplaceL2(1.0),
    kernels.Matern(1.0, 1.5),
    kernels.Matern(1.0, 2.5),
    kernels.RationalQuadratic(1.0, 0.4),
]

_gram = jax.jit(kernels.gram)


@pytest.mark.parametrize("kernel", FAMILIES, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("rke", [1.01, 7.0, 55.0])
def test_rke_of_the_gram_is_the_target(x64, kernel, rke):
    """The kernel matrix, whose squared distances are off by 1e-14, gives the target back."""
    x = np.random.default_rng(0).standard_normal((60, 5))
    found = kernels.bandwidth_for_rke(x + 3.0, rke, kernel=kernel)
    gram = np.asarray(_gram(kernels.with_bandwidth(kernel, jnp.asarray(found.value)), jnp.asarray(x - x.mean(axis=0))))
    assert 1 / np.mean(gram**2) == pytest.approx(rke, rel=1e-9)
    assert found.stderr is None
    assert kernel.name in found.source


def test_mean_square_of_distinct_pairs_is_the_target():
    x = np.random.default_rng(1).standard_normal((60, 5))
    found = kernels.bandwidth_for_mean_square(x, 0.05)
    squares = np.exp(-distance.pdist(x, "sqeuclidean") / found.value**2)
    assert squares.mean() == pytest.approx(0.05, rel=1e-10)


def test_rescaled_data():
    x = np.random.default_rng(2).standard_normal((60, 5))
    small, large = kernels.bandwidth_for_rke(x, 7.0), kernels.bandwidth_for_rke(1e6 * x, 7.0)
    assert large.value == pytest.approx(1e6 * small.value, rel=1e-9)


def _solved_on_all_pairs(x: np.ndarray, rke: float) -> float:
    squared = distance.pdist(x, "sqeuclidean")
    n = len(x)

    def excess(log_bandwidth: float) -> float:
        off = np.exp(-squared / math.exp(2 * log_bandwidth)).mean()
        return (1 + (n - 1) * off) / n - 1 / rke

    return math.exp(optimize.brentq(excess, -3.0, 5.0))


def test_sampled_pairs():
    """2,001 rows: |z| < 4.5 against the solution on all pairs, false-alarm rate 7e-6."""
    x = np.random.default_rng(3).standard_normal((2001, 3)).astype(np.float32)
    found = kernels.bandwidth_for_rke(x, 20.0, key=jax.random.key(0))
    assert found.stderr is not None
    assert 0 < found.stderr < 0.02 * found.value
    assert abs(found.value - _solved_on_all_pairs(x.astype(np.float64), 20.0)) < 4.5 * found.stderr
    assert "100,000 random pairwise distances, standard error" in found.source


@pytest.mark.slow
def test_standard_error_is_the_spread():
    """40 keys: the spread over the reported error inside its 1 - 1e-5 chi-square interval, the mean within 4.5 se."""
    x = np.random.default_rng(4).standard_normal((2001, 3)).astype(np.float32)
    found = [kernels.bandwidth_for_rke(x, 20.0, key=key) for key in jax.random.split(jax.random.key(1), 40)]
    values = np.array([bandwidth.value for bandwidth in found])
    error = np.sqrt(np.mean([bandwidth.stderr**2 for bandwidth in found]))
    low, high = np.sqrt(stats.chi2(39).ppf([5e-6, 1 - 5e-6]) / 39)
    assert low < values.std(ddof=1) / error < high
    assert abs(values.mean() - _solved_on_all_pairs(x.astype(np.float64), 20.0)) < 4.5 * error / math.sqrt(40)


X = np.random.default_rng(5).standard_normal((10, 2))


@pytest.mark.parametrize("rke", [0.5, 1.0, 10.0, 11.0])
def test_rke_out_of_reach(rke):
    with pytest.raises(ValueError, match=f"rke must lie between 1 and 10 for the 10 rows of x; got {rke:g}"):
        kernels.bandwidth_for_rke(X, rke)


def test_duplicates_lower_the_reach():
    """Two groups of five equal rows: at most RKE 2."""
    x = np.repeat([[0.0], [1.0]], 5, axis=0)
    assert kernels.bandwidth_for_rke(x, 1.9).value > 0
    with pytest.raises(ValueError, match="between 1 and 2 for the 10 rows of x, which duplicates keep below"):
        kernels.bandwidth_for_rke(x, 2.5)
    with pytest.raises(ValueError, match=r"between 0\.444, the share of duplicate pairs, and 1; got 0\.2"):
        kernels.bandwidth_for_mean_square(x, 0.2)
    with pytest.raises(ValueError, match="between 1 and 1 for the 4 rows"):
        kernels.bandwidth_for_rke(np.ones((4, 2)), 1.5)


def test_bad_input():
    with pytest.raises(ValueError, match="the RKE rule needs at least 2 rows"):
        kernels.bandwidth_for_rke(np.ones((1, 2)), 1.5)
    with pytest.raises(ValueError, match="key is needed for the RKE rule beyond 2,000 rows"):
        kernels.bandwidth_for_rke(np.zeros((2001, 1)), 1.5)
    with pytest.raises(ValueError, match="NaN or infinity in row 3"):
        kernels.bandwidth_for_rke(np.where(np.arange(10)[:, None] == 3, np.nan, X), 1.5)
    with pytest.raises(ValueError, match="rke must be finite; got nan"):
        kernels.bandwidth_for_rke(X, math.nan)
    with pytest.raises(ValueError, match="target_mean_square must lie between 0 and 1; got 1"):
        kernels.bandwidth_for_mean_square(X, 1)
    with pytest.raises(ValueError, match="no bandwidth of the rational-quadratic kernel gives RKE 9"):
        kernels.bandwidth_for_rke(X, 9.0, kernel=kernels.RationalQuadratic(1.0, 1e-3))
