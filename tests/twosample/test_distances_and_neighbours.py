"""PRDC, copy checks and Wasserstein distances against naive definitions and closed forms."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import cdist

from fkeax.twosample import copying, prdc, sliced_wasserstein, wasserstein
from fkeax.twosample.prdc import expected_coverage

NAMES = ("precision", "recall", "density", "coverage")


def naive_prdc(x: np.ndarray, y: np.ndarray, k: int) -> list[float]:
    """The definitions with full distance matrices and <=."""
    radius_x = np.sort(cdist(x, x), axis=1)[:, k]
    radius_y = np.sort(cdist(y, y), axis=1)[:, k]
    across = cdist(x, y)
    return [
        (across <= radius_x[:, None]).any(axis=0).mean(),
        (across <= radius_y[None, :]).any(axis=1).mean(),
        (across <= radius_x[:, None]).sum(axis=0).mean() / k,
        (across <= radius_x[:, None]).any(axis=1).mean(),
    ]


@pytest.mark.parametrize("k", [1, 5])
def test_prdc_against_the_definition(k):
    random = np.random.default_rng(0)
    x, y = random.standard_normal((120, 3)) + 500, 0.7 * random.standard_normal((90, 3)) + 500.5
    found = prdc(x, y, num_neighbors=k)
    assert [found[name].value for name in NAMES] == pytest.approx(naive_prdc(x, y, k), abs=1e-12)
    assert found["precision"].diagnostics["reference_radii"][2] == pytest.approx(
        np.median(np.sort(cdist(x, x), axis=1)[:, k]), rel=1e-4
    )


@pytest.mark.parametrize("repeats", [1, 3])
def test_identical_samples(repeats):
    x = np.repeat(np.random.default_rng(1).standard_normal((100, 40)).astype(np.float32), repeats, axis=0)
    values = [prdc(x, x)[name].value for name in NAMES]
    assert values[:2] == [1.0, 1.0]
    assert values[3] == 1.0
    if repeats == 1:
        assert values[2] == pytest.approx(1.2)


@pytest.mark.slow
def test_expected_values_under_equal_laws():
    """Coverage and density over 200 null data sets against their exact expectations (4 errors: false alarm 6e-5)."""
    values = []
    for seed in range(200):
        random = np.random.default_rng(seed)
        found = prdc(random.standard_normal((30, 2)), random.standard_normal((40, 2)), num_neighbors=3)
        values.append([found["density"].value, found["coverage"].value])
    assert found["coverage"].diagnostics["expected_if_equal"] == expected_coverage(30, 40, 3)
    for column, expected in ((0, 1.0), (1, expected_coverage(30, 40, 3))):
        sample = np.asarray(values)[:, column]
        assert abs(sample.mean() - expected) < 4 * sample.std(ddof=1) / 200**0.5


@pytest.mark.slow
def test_relabelling_gives_expectations(key):
    random = np.random.default_rng(2)
    x, y = random.standard_normal((60, 2)), random.standard_normal((60, 2)) + 3
    found = prdc(x, y, key=key, num_relabellings=5)
    assert found["precision"].value < found["precision"].diagnostics["expected_if_equal"] - 0.3
    assert found["precision"].diagnostics["null_sd"] > 0


def test_prdc_refuses_too_few_rows():
    with pytest.raises(ValueError, match="reference must have at least 6 rows for this; it has 5"):
        prdc(np.eye(5), np.ones((9, 5)))


def test_copies_are_found_and_fresh_rows_are_not():
    random = np.random.default_rng(3)
    training, held_out, fresh = random.standard_normal((3, 400, 5))
    copies = training[:200] + 0.01 * random.standard_normal((200, 5))
    found = copying(training, held_out, np.concatenate([copies, fresh[:200]]))
    assert found["c-t"].value < -5
    assert found["authenticity"].value < found["authenticity"].diagnostics["held_out"] - 0.2
    clean = copying(training, held_out, fresh)
    assert abs(clean["c-t"].value) < 4  # standard normal: false alarm 6e-5
    assert abs(clean["authenticity"].value - clean["authenticity"].diagnostics["held_out"]) < 0.15


def test_c_t_against_scipy():
    random = np.random.default_rng(4)
    training, held_out, generated = random.standard_normal((3, 60, 2))
    generated[:9], held_out[:4] = training[:9], training[20:24]  # ties at distance 0
    first, second = (cdist(rows, training).min(axis=1) for rows in (generated, held_out))
    expected = stats.mannwhitneyu(first, second, use_continuity=False, method="asymptotic")
    z = (expected.statistic - 60 * 60 / 2) / abs(expected.statistic - 60 * 60 / 2) * stats.norm.isf(expected.pvalue / 2)
    assert copying(training, held_out, generated)["c-t"].value == pytest.approx(z, rel=1e-6)


def test_exact_wasserstein():
    """On a line the matching sorts; a shift costs its length; a permutation of the rows nothing."""
    random = np.random.default_rng(5)
    x, y = random.standard_normal((80, 1)), 2 * random.standard_normal((80, 1)) + 1
    expected = np.mean((np.sort(x, axis=0) - np.sort(y, axis=0)) ** 2) ** 0.5
    assert wasserstein(x, y).value == pytest.approx(expected, rel=1e-12)
    x = random.standard_normal((60, 7)) + 1000
    assert wasserstein(x, x[::-1] + np.eye(7)[0] * 2).value == pytest.approx(2.0, rel=1e-9)
    with pytest.raises(ValueError, match="they have 60 and 59"):
        wasserstein(x, x[1:])


def test_sliced_wasserstein(key):
    random = np.random.default_rng(6)
    x, y = random.standard_normal((90, 1)), random.standard_normal((70, 1)) * 2
    # On a line every direction is the line itself; scipy has the distance of order 1, so order 2 by fine quantiles.
    levels = (np.arange(90 * 70) + 0.5) / (90 * 70)
    quantiles = [np.sort(rows[:, 0])[np.ceil(levels * len(rows)).astype(int) - 1] for rows in (x, y)]
    found = sliced_wasserstein(x, y, key=key, num_projections=3)
    assert found.value == pytest.approx(np.mean((quantiles[0] - quantiles[1]) ** 2), rel=1e-10)
    x = random.standard_normal((50, 8)) + 100
    shifted = sliced_wasserstein(x, x + 1.0, key=jax.random.key(1))
    assert abs(shifted.value - 1.0) < 4 * shifted.stderr
