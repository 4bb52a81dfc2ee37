"""KID, KAD and CMMD against their definitions; fast MMD estimators against the quadratic one."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from fkeax.results import flat
from fkeax.twosample import cmmd, kad, kad_shipped, kid, kid_subsets, mmd, mmd_blocks, mmd_fourier, mmd_linear_time
from tests.twosample import oracle


def pair(n: int = 150, m: int = 120, d: int = 6) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    return random.standard_normal((n, d)), 1.2 * random.standard_normal((m, d)) + 0.3


def test_kid_by_moments():
    """The biased estimate of the cubic kernel is a sum over uncentred moments up to order 3, exactly."""
    x, y = pair(d=4)
    d = 4
    moments = []
    for rows in (x, y):
        second = np.einsum("ni,nj->ij", rows, rows) / len(rows)
        third = np.einsum("ni,nj,nk->ijk", rows, rows, rows) / len(rows)
        moments.append((rows.mean(axis=0), second, third))
    squares = [float(((a - b) ** 2).sum()) for a, b in zip(*moments, strict=True)]
    expected = 3 / d * squares[0] + 3 / d**2 * squares[1] + squares[2] / d**3
    result = mmd(x, y, kernel="polynomial", degree=3, scale=1 / d, offset=1.0, estimator="biased")
    assert result.value == pytest.approx(expected, rel=1e-5)


def test_kid_is_unbiased_on_all_rows():
    x, y = pair()
    result = kid(x, y)
    assert result.name == "kid"
    assert result.value == pytest.approx(oracle.mmd2("kid", x, y), rel=1e-5)
    assert (result.settings["n_ref"], result.settings["n_gen"], result.settings["preset"]) == (150, 120, "kid")
    assert result.diagnostics["display"] == {"scale": 1.0}
    logged = flat(result)
    assert [logged["kid/low"], logged["kid/high"]] == result.diagnostics["interval"]


def test_kid_subsets_average_to_kid(key):
    """Each subset's KID is unbiased for KID of all rows: the mean over 60 subsets lies within 4 spreads / sqrt(60)."""
    x, y = pair(400, 400)
    whole, subsets = kid(x, y), kid_subsets(x, y, key=key, num_subsets=60, subset_size=100)
    assert subsets.stderr is None
    assert abs(subsets.value - whole.value) < 4 * subsets.diagnostics["subset_std"] / 60**0.5
    with pytest.raises(ValueError, match="at least 1000 rows for subsets of 1000; it has 400"):
        kid_subsets(x, y, key=key)


def test_kad_uses_the_references_median_and_the_shipped_one_does_not():
    x, y = pair(151, 121)
    distances = [np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(-1))[np.triu_indices(len(rows), 1)] for rows in (x, y)]
    ours, shipped = kad(x, y), kad_shipped(x, y)
    assert ours.settings["bandwidth"] == pytest.approx(np.median(distances[0]), rel=1e-6)
    assert ours.value == pytest.approx(oracle.mmd2("gaussian", x, y, float(np.median(distances[0]))), rel=1e-4)
    lower = np.sort(distances[1])[(distances[1].size - 1) // 2]
    assert shipped.settings["bandwidth"] == pytest.approx(lower, rel=1e-6)
    assert shipped.value == pytest.approx(oracle.mmd2("gaussian", x, y, float(lower)), rel=1e-4)
    assert ours.diagnostics["display"] == shipped.diagnostics["display"] == {"scale": 100.0}


@pytest.mark.parametrize("mean", [0.0, 1.5])
def test_cmmd_against_the_definition(mean):
    """float32 to 1e-4 of the float64 definition, and within 1 % of 10 ||dmu||^2 once shown times 1000."""
    random = np.random.default_rng(1)
    x, y = random.standard_normal((200, 30)) + mean, random.standard_normal((250, 30)) + mean + 0.4
    result = cmmd(x, y)
    unit = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (x, y)]
    assert result.value == pytest.approx(oracle.mmd2("gaussian", *unit, 10.0, unbiased=False), rel=1e-4)
    shift = float(((unit[0].mean(axis=0) - unit[1].mean(axis=0)) ** 2).sum())
    shown = result.value * result.diagnostics["display"]["scale"]
    assert shown == pytest.approx(10 * shift, rel=0.015)
    assert "interval_of" in result.diagnostics
    with pytest.raises(ValueError, match="reference has 1 rows of length 0"):
        cmmd(np.concatenate([x, np.zeros((1, 30))]), y)


@pytest.mark.parametrize("estimate", [mmd_blocks, mmd_linear_time])
def test_fast_estimates_agree_within_their_errors(key, estimate):
    random = np.random.default_rng(2)
    x, y = random.standard_normal((3000, 4)), random.standard_normal((2800, 4)) + 0.7
    result = estimate(x, y, bandwidth=2.0, key=key)
    expected = oracle.gaussian_mmd2(np.full(4, 0.7), np.eye(4), np.eye(4), 2.0)
    assert abs(result.value - expected) < 4 * result.stderr  # false alarm 6e-5
    assert result.stderr < 0.3 * expected


def test_fourier_mmd_is_the_quadratic_one_up_to_frequencies():
    x, y = pair(300, 200)
    whole = mmd(x, y, bandwidth=2.0)
    result = mmd_fourier(x + 100, y + 100, bandwidth=2.0, key=jax.random.key(0))
    assert result.stderr is None
    assert abs(result.value - whole.value) < 4 * result.diagnostics["frequency_stderr"]
    with pytest.raises(ValueError, match="spectral density"):
        mmd_fourier(x, y, kernel="linear", key=jax.random.key(0))


def test_duplicates_and_constant_columns_are_counted():
    x, y = pair()
    x[5] = x[3]
    y[0] = x[7]
    y[1] = x[8] + 1e-6
    x[:, 2] = y[:, 2] = 4.0
    found = kid(x, y).diagnostics
    assert found["duplicates_within_reference"] == 1
    assert found["duplicates_within_generated"] == 0
    assert found["generated_equal_to_reference"] == 1
    assert found["generated_near_reference"] == 1
    assert found["constant_columns"] == 1
    assert len(found["warnings"]) == 3
