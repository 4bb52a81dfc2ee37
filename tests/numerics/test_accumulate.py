"""Compensated sums and running second moments."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax.numerics import accumulate, linalg
from tests.helpers import tolerances

WIDTHS = (3, 2)


def _zero() -> accumulate.CompensatedSum:
    return accumulate.CompensatedSum(jnp.float32(0), jnp.float32(0))


def _add(state: accumulate.MomentState, rows: np.ndarray, weights: np.ndarray) -> accumulate.MomentState:
    scaled = rows * np.sqrt(weights)[:, None].astype(np.float32)
    parts = [jnp.asarray(scaled[:, :3]), jnp.asarray(scaled[:, 3:])]
    return accumulate.update_moment(state, parts, jnp.asarray(weights))


def test_compensated_count_beyond_float32():
    """2^24 + 1 is no float32; a compensated sum of 4,000 addends of 2^13 + 1 must still be exact."""
    addend = 2.0**13 + 1

    def step(total, _):
        return total.add(jnp.float32(addend)), None

    total, _ = jax.lax.scan(step, _zero(), None, length=4000)
    assert total.to_float() == 4000 * addend


def test_compensated_sum_under_jit_is_not_optimised_away():
    total = jax.jit(lambda s, a: s.add(a).add(a).add(a))(
        accumulate.CompensatedSum(jnp.float32(2.0**25), jnp.float32(0)), jnp.float32(1.0)
    )
    assert total.to_float() == 2.0**25 + 3


def test_compensated_merge_is_exact_on_whole_numbers():
    a = accumulate.CompensatedSum(jnp.float32(2.0**30), jnp.float32(3.0))
    b = accumulate.CompensatedSum(jnp.float32(5.0), jnp.float32(0.0))
    assert a.merge(b).to_float() == 2.0**30 + 8
    assert b.merge(a).to_float() == 2.0**30 + 8


def test_compensated_sum_of_fractions():
    """Error of a compensated sum of n terms is about u + n u^2, not n u: 1e-7 relative here, where a plain sum loses
    1e-5.
    """
    values = np.random.default_rng(0).uniform(0, 1, 20_000).astype(np.float32)

    def step(total, value):
        return total.add(value), None

    total, _ = jax.lax.scan(step, _zero(), jnp.asarray(values))
    exact = float(np.sum(values, dtype=np.float64))
    assert total.to_float() == pytest.approx(exact, rel=2 * tolerances.roundoff("float32"))


def test_moment_is_the_weighted_product():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((50, 5)).astype(np.float32)
    weights = rng.uniform(0, 2, 50).astype(np.float32)
    weights[[3, 7]] = 0.0
    state = accumulate.init_moment(WIDTHS, jnp.float32)
    for start in range(0, 50, 10):
        state = _add(state, rows[start : start + 10], weights[start : start + 10])
    wide, mass = rows.astype(np.float64), weights.astype(np.float64)
    exact, magnitudes = wide.T @ (wide * mass[:, None]), np.abs(wide).T @ (np.abs(wide) * mass[:, None])
    assert np.all(
        np.abs(np.asarray(linalg.dense_symmetric(state.blocks)) - exact)
        <= tolerances.growth(54, "float32") * magnitudes
    )
    assert state.num_rows.to_float() == 48
    assert state.weight.to_float() == pytest.approx(mass.sum(), rel=tolerances.growth(10, "float32"))
    assert state.squared_weight.to_float() == pytest.approx(np.sum(mass**2), rel=tolerances.growth(10, "float32"))


def test_rows_of_weight_zero_change_nothing():
    rows = np.random.default_rng(2).standard_normal((8, 5)).astype(np.float32)
    state = _add(accumulate.init_moment(WIDTHS, jnp.float32), rows, np.ones(8, np.float32))
    padded = _add(state, np.ones((4, 5), np.float32), np.zeros(4, np.float32))
    for before, after in zip(jax.tree.leaves(state), jax.tree.leaves(padded), strict=True):
        np.testing.assert_array_equal(np.asarray(before), np.asarray(after))


def test_merge_commutes_and_has_a_unit():
    rng = np.random.default_rng(3)
    zero = accumulate.init_moment(WIDTHS, jnp.float32)
    one = np.ones(6, np.float32)
    a = _add(zero, rng.standard_normal((6, 5)).astype(np.float32), one)
    b = _add(zero, rng.standard_normal((6, 5)).astype(np.float32), one)
    pairs = ((accumulate.merge_moments(a, b), accumulate.merge_moments(b, a)), (accumulate.merge_moments(a, zero), a))
    for left, right in pairs:
        for x, y in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True):
            np.testing.assert_array_equal(np.asarray(x), np.asarray(y))
