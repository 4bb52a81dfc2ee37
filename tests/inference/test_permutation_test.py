"""The generic permutation test: exact p-values, level, pytrees that compile once."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from fkeax.inference import (
    clopper_pearson,
    jackknife_variance,
    normal_interval,
    permutation_outcome,
    permutation_test,
    permutation_units,
    row_labels,
)
from fkeax.numerics import pytrees


@pytrees.register
@dataclass(frozen=True)
class PowerShift:
    """|mean |x|^p - mean |y|^p|."""

    power: jax.Array

    def __call__(self, x, y):
        return jnp.abs(jnp.mean(jnp.abs(x) ** self.power) - jnp.mean(jnp.abs(y) ** self.power))


def test_permuted_statistics_one_by_one(key):
    pooled = jax.random.normal(key, (14, 2))
    found = permutation_test(key, PowerShift(jnp.float32(2.0)), pooled, 6, num_permutations=50)
    labels = np.asarray(row_labels(key, permutation_units(6, 8), 50)) > 0
    rows = np.asarray(pooled, np.float64)
    expected = [abs(np.mean(rows[u] ** 2) - np.mean(rows[~u] ** 2)) for u in labels.T]
    np.testing.assert_allclose([found.observed, *found.null], expected, rtol=1e-4, atol=1e-6)


def test_p_values_count_ties():
    outcome = permutation_outcome(2.0, np.asarray([1.0, 2.0, 3.0, 0.0]))
    assert outcome.p_value == 3 / 5
    assert outcome.p_stderr == pytest.approx((0.6 * 0.4 / 4) ** 0.5)
    assert outcome.z == pytest.approx((2.0 - 1.5) / np.std([1, 2, 3, 0], ddof=1))
    constant = permutation_outcome(1.0, np.ones(9))
    assert (constant.p_value, constant.z) == (1.0, None)
    assert permutation_outcome(1.0, np.full(9, 1.0 - 1e-9), tie_tolerance=1e-8).p_value == 1.0


def test_parameters_compile_once(key):
    pooled = jax.random.normal(key, (21, 3))
    traces = []

    @pytrees.register
    @dataclass(frozen=True)
    class Counted:
        power: jax.Array

        def __call__(self, x, y):
            traces.append(1)
            return jnp.mean(x) * self.power - jnp.mean(y)

    for power in (1.0, 2.0, 3.0):
        permutation_test(key, Counted(jnp.float32(power)), pooled, 10, num_permutations=19)
    assert len(traces) == 1


def test_unequal_groups_are_refused(key):
    with pytest.raises(ValueError, match="same number of rows"):
        permutation_test(
            key, PowerShift(jnp.float32(1.0)), jnp.ones((6, 1)), 3, num_permutations=19, groups=[0, 0, 1, 2, 3, 3]
        )


@pytest.mark.slow
def test_level_with_and_without_groups(key):
    """500 null data sets, clustered rows: with groups inside the exact binomial 99.9 % interval of 5 %."""
    statistic = PowerShift(jnp.float32(1.0))
    groups = np.repeat(np.arange(16), 3)

    @jax.jit
    def data(k):
        centres, noise = jax.random.split(k)
        return jnp.repeat(jax.random.normal(centres, (16, 1)), 3, axis=0) * 2 + jax.random.normal(noise, (48, 1))

    grouped = single = 0
    for k in jax.random.split(key, 500):
        x = data(k)
        grouped += (
            permutation_test(k, statistic, x, 24, num_permutations=199, groups=groups, batch_size=200).p_value <= 0.05
        )
        single += permutation_test(k, statistic, x, 24, num_permutations=199, batch_size=200).p_value <= 0.05
    low, high = stats.binom.ppf([0.0005, 0.9995], 500, 0.05)
    assert low <= grouped <= high
    assert single > high  # rows moved alone: the dependence is taken for a difference


def test_clopper_pearson_against_scipy():
    for k, n, level in ((0, 10, 0.95), (10, 10, 0.95), (25, 500, 0.999)):
        expected = stats.binomtest(k, n).proportion_ci(level, method="exact")
        assert clopper_pearson(k, n, level) == pytest.approx((expected.low, expected.high), abs=1e-12)
    with pytest.raises(ValueError, match="3 of 2"):
        clopper_pearson(3, 2)


def test_intervals():
    assert normal_interval(0.0, 1.0, 0.95) == pytest.approx((-1.959964, 1.959964), abs=1e-6)
    x = np.random.default_rng(0).standard_normal(20)
    assert jackknife_variance((x.sum() - x) / 19) == pytest.approx(x.var(ddof=1) / 20)
    with pytest.raises(ValueError, match="level"):
        normal_interval(0.0, 1.0, 1.5)
