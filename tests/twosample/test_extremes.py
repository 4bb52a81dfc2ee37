"""Numbers at the ends of what single precision holds: right, without an error, or refused in one sentence."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import fkeax

X, Y = np.random.default_rng(0).standard_normal((2, 30, 4))


@pytest.mark.parametrize("scale", [1e-20, 1e20, 1e160])
@pytest.mark.parametrize("metric", [fkeax.kad, fkeax.kid, fkeax.prdc, fkeax.frechet])
def test_out_of_range_is_refused(metric, scale):
    with pytest.raises(ValueError, match=r"reference holds numbers too (large|small) to square"):
        metric(X * scale, Y * scale)


def test_mauve_out_of_range_is_refused():
    for scale, sentence in ((1e45, "too large to square"), (1e-45, "too small to square"), (0.0, "only zeros")):
        with pytest.raises(ValueError, match=f"reference holds .*{sentence}"):
            fkeax.mauve(X * scale, Y * scale, key=jax.random.key(0))


def test_kid_of_large_rows_has_a_value_and_says_why_it_has_no_error():
    found = fkeax.kid(X * 1e6, Y * 1e6)
    kernel = lambda a, b: (a @ b.T / 4 * 1e12 + 1) ** 3  # noqa: E731
    xx, yy = (kernel(z, z) for z in (X, Y))
    expected = sum((k.sum() - np.trace(k)) / (30 * 29) for k in (xx, yy)) - 2 * kernel(X, Y).mean()
    # Cubes of products of size 1e13 cancel: to 1e-4 of the largest of the three means.
    assert float(found) == pytest.approx(expected, abs=1e-4 * abs(xx.mean()))
    assert found.stderr is not None or "leave the range" in str(found.diagnostics["stderr_reason"])


def test_equal_rows_have_no_z():
    rows = np.full((20, 3), 3.7)
    found = fkeax.two_sample_test(rows, rows, method="mmdagg", key=jax.random.key(0), num_permutations=199)
    assert (found.reject, found.z) == (False, None)
