"""BLAS sums against float64 products, and the layout that the rest of the package reads."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax.numerics import linalg
from fkeax.numerics.host_products import PairedProductSums
from tests.helpers import tolerances


@pytest.mark.parametrize("width", [1, 3, 600])  # 600: more than one tile is mirrored
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_are_the_symmetric_product_of_all_rows(width, dtype):
    rng = np.random.default_rng(width)
    rows = rng.standard_normal((50, 2 * width)).astype(dtype)
    sums = PairedProductSums(width, np.dtype(dtype))
    for chunk in np.array_split(rows, 3):
        sums.add(np.ascontiguousarray(chunk[:, :width]), np.ascontiguousarray(chunk[:, width:]))
    with jax.enable_x64(dtype == "float64"):
        blocks = sums.blocks()
        assert [block.dtype for block in blocks] == [dtype] * 3
        found = np.asarray(linalg.dense_symmetric(blocks), np.float64)
    expected = rows.astype(np.float64).T @ rows.astype(np.float64)
    # a sum of 50 products rounds by at most 50 u times the sum of their absolute values
    bound = 50 * tolerances.roundoff(dtype) * (np.abs(rows).astype(np.float64).T @ np.abs(rows).astype(np.float64))
    assert (np.abs(found - expected) <= bound).all()
    np.testing.assert_array_equal(found, found.T)


def test_the_rows_given_are_left_alone():
    rows = np.ones((4, 2), np.float32)
    sums = PairedProductSums(2, np.dtype(np.float32))
    sums.add(rows, rows)
    np.testing.assert_array_equal(rows, 1)
    assert jnp.asarray(sums.blocks()[1]).shape == (2, 2)
