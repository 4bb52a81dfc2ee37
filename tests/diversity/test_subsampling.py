"""Intervals for VENDI from leaving groups out: the arithmetic, and their coverage of the expected score at this n."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from fkeax.diversity import subsampling
from fkeax.numerics import accumulate
from tests.helpers import oracle

ORDERS = (1.0, 2.0, math.inf)


def test_groups_are_balanced_and_keep_rows_together():
    groups = subsampling.random_groups(103, seed=0)
    assert sorted(np.bincount(groups)) == [10] * 7 + [11] * 3
    assert (groups == subsampling.random_groups(103, seed=0)).all()
    assert (groups != subsampling.random_groups(103, seed=1)).any()
    clips = np.repeat(np.arange(12), [1, 2, 3, 4] * 3)
    divided = subsampling.random_groups(clips.size, seed=0, num_groups=5, groups=clips)
    assert all(np.unique(divided[clips == clip]).size == 1 for clip in range(12))
    assert np.unique(divided).tolist() == [0, 1, 2, 3, 4]
    assert np.unique(subsampling.random_groups(clips.size, seed=0, num_groups=50, groups=clips)).size == 12


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="at least 2 rows for an interval from leaving some out; got 1"):
        subsampling.random_groups(1, seed=0)
    with pytest.raises(ValueError, match="num_groups must be at least 2; got 1"):
        subsampling.random_groups(10, seed=0, num_groups=1)
    with pytest.raises(ValueError, match=r"gram must be a square kernel matrix; got shape \(2, 3\)"):
        subsampling.interval_from_gram(np.ones((2, 3)), ORDERS, np.arange(2))
    with pytest.raises(ValueError, match="one label for each of the 4 rows"):
        subsampling.interval_from_gram(np.eye(4), ORDERS, np.arange(3))
    with pytest.raises(ValueError, match="level must lie between 0 and 1; got 95"):
        subsampling.interval_from_gram(np.eye(4), ORDERS, np.arange(4), level=95)
    one = accumulate.init_moment([2], np.float32)
    with pytest.raises(ValueError, match="moments must hold at least 2 groups; got 1"):
        subsampling.interval_from_moments([one], ORDERS)
    full = accumulate.update_moment(one, [jnp.ones((3, 2))], jnp.ones(3))
    with pytest.raises(ValueError, match="that of group 1 is empty"):
        subsampling.interval_from_moments([full, one], ORDERS)


def test_interval_is_the_jackknife_by_deletion():
    """Equal groups: sqrt((G-1)/G sum (t_g - mean)^2) on log V, Student's t with G - 1 degrees, back by exp."""
    x = np.random.default_rng(0).standard_normal((40, 3))
    gram = oracle.gaussian_gram(x, 1.5)
    groups = np.arange(40) % 8
    for found in subsampling.interval_from_gram(gram, (0.5, 1.0, 1.5, *ORDERS[1:]), groups):
        logs = []
        for group in range(8):
            kept = groups != group
            logs.append(math.log(oracle.vendi_from_gram(gram[np.ix_(kept, kept)], found.order)))
        stderr = math.sqrt(7 / 8 * np.sum((np.asarray(logs) - np.mean(logs)) ** 2))
        assert found.value == pytest.approx(oracle.vendi_from_gram(gram, found.order), rel=1e-9)
        assert found.stderr == pytest.approx(found.value * stderr, rel=1e-6)
        reach = math.exp(stats.t.isf(0.025, 7) * stderr)
        assert (found.lower, found.upper) == pytest.approx((found.value / reach, found.value * reach), rel=1e-6)
        assert found.num_groups == 8
        assert "8 groups" in found.method


def test_unequal_groups_of_a_mean_give_the_weighted_variance():
    """For the mean the pseudo-values are the groups' own means: sum of (mean_g - mean)^2 / (h_g - 1) over G."""
    rng = np.random.default_rng(1)
    sizes = np.asarray([2.0, 3.0, 5.0, 10.0])
    means = rng.standard_normal((4, 1))
    whole = sizes @ means / 20
    without = (20 * whole - sizes[:, None] * means) / (20 - sizes[:, None])
    expected = np.mean((means - whole)[:, 0] ** 2 / (20 / sizes - 1))
    assert subsampling.delete_group_variance(whole, without, sizes)[0] == pytest.approx(expected, rel=1e-12)


def test_moments_give_the_interval_of_their_gram_matrix(x64):
    """Features F: F^T F and F F^T share their eigenvalues, with each group left out as well. Unequal groups."""
    rng = np.random.default_rng(2)
    angles = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 6))
    columns = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    groups = np.repeat(np.arange(4), [4, 6, 9, 11])
    moments = []
    for group in range(4):
        inside = (groups == group).astype(np.float64)
        parts = [jnp.asarray(part) for part in np.split(columns * inside[:, None], [2, 6, 8], axis=1)]
        moments.append(
            accumulate.update_moment(accumulate.init_moment([2, 4, 2, 4], np.float64), parts, jnp.asarray(inside))
        )
    left = subsampling.interval_from_moments(moments, ORDERS, level=0.9)
    right = subsampling.interval_from_gram(columns @ columns.T, ORDERS, groups, level=0.9)
    for a, b in zip(left, right, strict=True):
        assert (a.value, a.stderr, a.lower, a.upper) == pytest.approx((b.value, b.stderr, b.lower, b.upper), rel=1e-8)
        assert a.level == 0.9


def test_identical_points_are_certain():
    for found in subsampling.interval_from_gram(np.ones((20, 20)), ORDERS, np.arange(20) % 5):
        assert (found.lower, found.value, found.upper, found.stderr) == pytest.approx((1, 1, 1, 0), abs=1e-9)


def test_a_bootstrap_would_read_low():
    """2000 far points score 2000 and a resample of them 0.56 and 0.50 of that: what the module's text says.

    Counts are Poisson(1) in the limit: exp(-E c log c) = 0.5637, 1 / E c^2 = 1/2. A resample's own spread is about 1 %.
    """
    shares = np.random.default_rng(3).multinomial(2000, np.full(2000, 1 / 2000)) / 2000
    assert oracle.hill_number(shares, 1.0) / 2000 == pytest.approx(0.5637, rel=0.04)
    assert oracle.hill_number(shares, 2.0) / 2000 == pytest.approx(0.5, rel=0.04)


def _gram(x: np.ndarray, bandwidth: float) -> np.ndarray:
    norms = np.sum(x**2, axis=1)
    return np.exp(-np.maximum(norms[:, None] + norms[None, :] - 2 * x @ x.T, 0) / (2 * bandwidth**2))


LOW, HIGH = (bound / 1000 for bound in stats.binom.interval(0.999, 1000, 0.95))


def _coverage(draw, bandwidth: float, groups_of, num_samples: int = 1000) -> np.ndarray:
    """Coverage over some samples of the expected score, one an order.

    The truth is the mean of the scores: over 1000, its own error of 1/32 of their spread moves coverage by about 1e-4.
    """
    found = []
    for seed in range(num_samples):
        x = draw(np.random.default_rng(seed))
        found.append(subsampling.interval_from_gram(_gram(x, bandwidth), ORDERS, groups_of(len(x), seed)))
    value, lower, upper = (
        np.asarray([[getattr(one, name) for one in intervals] for intervals in found])
        for name in ("value", "lower", "upper")
    )
    truth = value.mean(axis=0)
    return ((lower <= truth) & (truth <= upper)).mean(axis=0)


def _random(num_rows: int, seed: int) -> np.ndarray:
    return subsampling.random_groups(num_rows, seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize(("dimension", "bandwidth"), [(3, 2.0), (64, 8.0)])
def test_coverage_of_independent_rows(dimension, bandwidth):
    """Nominal 95 % at n = 80, orders 1, 2, inf: inside the exact binomial 99.9 % interval."""
    coverage = _coverage(lambda rng: rng.standard_normal((80, dimension)), bandwidth, _random)
    assert (coverage >= LOW).all()
    assert (coverage <= HIGH).all()


@pytest.mark.slow
def test_coverage_of_grouped_rows():
    """Twenty clips of four frames at correlation 0.7: kept together, coverage is inside; divided, it is far below."""
    clips = np.repeat(np.arange(20), 4)

    def draw(rng):
        return math.sqrt(0.7) * rng.standard_normal((20, 3))[clips] + math.sqrt(0.3) * rng.standard_normal((80, 3))

    together = _coverage(draw, 2.0, lambda n, seed: subsampling.random_groups(n, seed=seed, groups=clips))
    assert (together >= LOW).all()
    assert (together <= HIGH).all()
    assert (_coverage(draw, 2.0, _random, 200) < 0.9).all()
