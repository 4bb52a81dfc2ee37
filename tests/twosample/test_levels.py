"""Every test keeps its level over 500 null data sets, fixed keys; intervals are exact binomial 99.9 %."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from scipy import stats

from fkeax.twosample import bandwidth_sweep, frechet_test, mmd_fuse, mmd_test, mmdagg

LOW, HIGH = stats.binom.ppf([0.0005, 0.9995], 500, 0.05)

pytestmark = pytest.mark.slow


def rejections(test, n: int, m: int, **options) -> int:
    count = 0
    for seed in range(500):
        random = np.random.default_rng([seed, n, m])
        x, y = random.standard_normal((n, 3)), random.standard_normal((m, 3))
        count += test(x, y, key=jax.random.key(seed), **options).reject
    return count


@pytest.mark.parametrize(("n", "m"), [(40, 40), (70, 40)])
def test_mmd(n, m):
    assert LOW <= rejections(mmd_test, n, m, num_permutations=199) <= HIGH


def test_mmd_with_clusters():
    """20 clips of 4 rows a side, moved together."""
    groups = np.repeat(np.arange(40), 4)
    count = alone = 0
    for seed in range(500):
        random = np.random.default_rng([seed, 1])
        rows = np.repeat(random.standard_normal((40, 3)), 4, axis=0) + 0.3 * random.standard_normal((160, 3))
        key = jax.random.key(seed)
        count += mmd_test(rows[:80], rows[80:], key=key, groups=groups, num_permutations=199).reject
        if seed < 50:
            alone += mmd_test(rows[:80], rows[80:], key=key, num_permutations=199).reject
    assert LOW <= count <= HIGH
    assert alone > 25  # half of the data sets, where the dependence is ignored


@pytest.mark.parametrize(("n", "m"), [(40, 40), (50, 40)])
def test_mmdagg(n, m):
    assert rejections(mmdagg, n, m, num_permutations=300) <= HIGH


@pytest.mark.parametrize(("n", "m"), [(40, 40), (60, 40)])
def test_fuse(n, m):
    assert rejections(mmd_fuse, n, m, num_permutations=199) <= HIGH


def test_sweep():
    assert LOW <= rejections(bandwidth_sweep, 40, 50, num_permutations=199) <= HIGH


@pytest.mark.parametrize(("n", "m"), [(40, 40), (60, 40)])
def test_frechet(n, m):
    assert LOW <= rejections(frechet_test, n, m, num_permutations=199) <= HIGH
