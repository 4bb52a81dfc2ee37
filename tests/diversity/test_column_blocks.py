"""Norms of a covariance from some of its columns at a time are those of the whole one; over devices, see
test_distributed."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax.diversity import debiased_second_moment, frequency_moments, streaming
from fkeax.diversity.column_blocks import moments_by_columns, moments_over_mesh
from fkeax.features import sample_fourier_map
from fkeax.kernels import Gaussian
from tests.helpers import tolerances

X = np.random.default_rng(0).standard_normal((75, 4))
R = 13


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("block_frequencies", [1, 5, 13, 99])
def test_columns_have_the_norms_of_the_whole(block_frequencies: int) -> None:
    fourier_map = sample_fourier_map(jax.random.key(0), Gaussian(2.0), R, jnp.zeros(4))
    state = streaming.update(streaming.init(fourier_map), X)
    whole = frequency_moments(state.moment)
    found = moments_by_columns(fourier_map, X, block_frequencies=block_frequencies, batch_size=32)
    assert found.total == pytest.approx(whole.total, rel=1e-12)
    np.testing.assert_allclose(found.cross, whole.cross, rtol=1e-12)
    both = [debiased_second_moment(moments) for moments in (found, whole)]
    assert both[0] is not None
    assert both[1] is not None
    assert both[0].value == pytest.approx(both[1].value, rel=1e-12)
    assert found.total == pytest.approx(float(jnp.sum(jnp.square(streaming.finalize(state)))), rel=1e-12)


def test_single_precision_and_one_device() -> None:
    """1e-6 is the contract; 75 rounded products and their squares stay within twice growth(75)."""
    x = X.astype(np.float32)
    fourier_map = sample_fourier_map(jax.random.key(0), Gaussian(2.0), R, jnp.zeros(4))
    whole = frequency_moments(streaming.update(streaming.init(fourier_map), x).moment)
    mesh = jax.make_mesh((1,), ("columns",))
    for found in (
        moments_by_columns(fourier_map, x, block_frequencies=4),
        moments_over_mesh(fourier_map, x, mesh=mesh),
    ):
        assert found.total == pytest.approx(whole.total, rel=min(1e-6, 2 * tolerances.growth(75, "float32")))


def test_bad_arguments_get_one_sentence() -> None:
    fourier_map = sample_fourier_map(jax.random.key(0), Gaussian(2.0), R, jnp.zeros(4))
    mesh = jax.make_mesh((1,), ("columns",))
    with pytest.raises(ValueError, match="block_frequencies must be at least 1; got 0"):
        moments_by_columns(fourier_map, X, block_frequencies=0)
    with pytest.raises(ValueError, match="axis must be one of columns; got 'rows'"):
        moments_over_mesh(fourier_map, X, mesh=mesh, axis="rows")
    with pytest.raises(ValueError, match="x must be finite; NaN or infinity in row 2"):
        moments_by_columns(fourier_map, np.where(np.arange(75)[:, None] == 2, np.nan, X), block_frequencies=4)
