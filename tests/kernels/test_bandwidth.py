"""The median rule, and grids."""

from __future__ import annotations

import math

import jax
import numpy as np
import pytest
from scipy import stats
from scipy.spatial import distance

from fkeax import kernels


def _median(x: np.ndarray) -> float:
    wide = x.astype(np.float64)
    distances = [math.dist(wide[i], wide[j]) for i in range(len(x)) for j in range(i)]
    return float(np.median(distances))


@pytest.mark.parametrize("n", [2, 3, 40])
def test_exact_median_of_all_pairs(n):
    x = np.random.default_rng(n).standard_normal((n, 6))
    bandwidth = kernels.median_bandwidth(x)
    assert bandwidth.value == pytest.approx(_median(x), rel=1e-10)
    assert bandwidth.stderr is None


def test_far_from_the_origin():
    x = np.random.default_rng(0).integers(-500, 500, (50, 4)) / 256.0
    assert kernels.median_bandwidth(x + 1e4).value == pytest.approx(_median(x), rel=1e-9)


def test_scales_with_the_data():
    x = np.random.default_rng(1).standard_normal((60, 3))
    assert kernels.median_bandwidth(4.0 * x).value == pytest.approx(4.0 * kernels.median_bandwidth(x).value, rel=1e-12)


def test_sampled_median_and_its_error():
    """N(0, I_3): ||X - Y||^2/2 is chi-square with 3 degrees of freedom. |z| < 5, false-alarm rate 6e-7.

    The rule samples pairs of the given rows; n = 20,000 rows add their own error, at most that of n/2 independent
    pairs.
    """
    x = np.random.default_rng(2).standard_normal((20_000, 3)).astype(np.float32)
    bandwidth = kernels.median_bandwidth(x, key=jax.random.key(0))
    assert bandwidth.stderr is not None
    truth = math.sqrt(2 * stats.chi2.median(3))
    error = math.hypot(bandwidth.stderr, bandwidth.stderr * math.sqrt(100_000 / 10_000))
    assert abs(bandwidth.value - truth) < 5 * error
    # sd of a sample median: 1/(2 f(m) sqrt N), f the density of the distance at the median; 10 % for the order
    # statistics' own noise
    density = stats.chi.pdf(truth / math.sqrt(2), 3) / math.sqrt(2)
    assert bandwidth.stderr == pytest.approx(1 / (2 * density * math.sqrt(100_000)), rel=0.5)


def test_large_data_ask_for_a_key():
    with pytest.raises(ValueError, match="key"):
        kernels.median_bandwidth(np.zeros((2001, 1)))


def test_duplicates_and_single_rows_are_refused():
    with pytest.raises(ValueError, match="duplicates"):
        kernels.median_bandwidth(np.ones((5, 2)))
    with pytest.raises(ValueError, match="2 rows"):
        kernels.median_bandwidth(np.ones((1, 2)))


def test_median_of_l1_distances():
    """What a kernel of the l1 distance is a function of."""
    x = np.random.default_rng(3).standard_normal((40, 6))
    kernel = kernels.LaplaceL1(1.0)
    bandwidth = kernels.median_bandwidth(x, kernel=kernel)
    assert bandwidth.value == pytest.approx(np.median(distance.pdist(x, "cityblock")), rel=1e-13)
    assert bandwidth.source == "median of all 780 pairwise l1 distances"
    large = np.tile(x, (60, 1))
    sampled = kernels.median_bandwidth(large, kernel=kernel, key=jax.random.key(0))
    assert sampled.stderr is not None
    exact = np.median(distance.pdist(large, "cityblock"))
    assert abs(sampled.value - exact) < 5 * sampled.stderr + 0.02  # the 780 distinct values leave gaps of up to 0.02


def test_the_error_names_the_share_of_duplicates():
    x = np.zeros((10, 2))
    x[0] = 1.0
    with pytest.raises(ValueError, match="80% of the pairs are duplicates"):
        kernels.median_bandwidth(x)


def test_grid():
    grid = kernels.bandwidth_grid(3.0, ratio=1.5, num=5)
    np.testing.assert_allclose(grid, 3.0 * 1.5 ** np.arange(-2.0, 3.0), rtol=1e-15)
    np.testing.assert_allclose(kernels.bandwidth_grid(3.0, ratio=4.0, num=2), [1.5, 6.0], rtol=1e-15)
    for arguments, words in [
        ({"centre": 0.0}, "bandwidth must be a positive number"),
        ({"centre": 1.0, "ratio": 1.0}, "ratio must be above 1"),
        ({"centre": 1.0, "num": 0}, "num must be at least 1"),
        ({"centre": 1.0, "num": 99, "ratio": 10.0}, "must lie between"),
    ]:
        with pytest.raises(ValueError, match=words):
            kernels.bandwidth_grid(**arguments)
