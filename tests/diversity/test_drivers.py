"""Every driver of the streaming sums gives the same covariance: BLAS on the host, scan on a device, vmap over draws."""

import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax.diversity import moments
from fkeax.diversity.samples import samples
from fkeax.features import sample_fourier_map
from fkeax.kernels import Gaussian
from fkeax.numerics import linalg
from tests.helpers import tolerances

streaming = importlib.import_module("fkeax.diversity.streaming")

# Entries of the covariance are means of products of at most 1/r each: in float32 they are off by n u / r at worst.
ROWS, FREQUENCIES = 301, 300


def _covariance(moment) -> np.ndarray:
    return np.asarray(linalg.dense_symmetric(moment.blocks)) / moment.weight.to_float()


def _setting():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((ROWS, 5)).astype(np.float32)
    weights = rng.integers(0, 3, ROWS).astype(np.float64)
    fourier_map = sample_fourier_map(jax.random.key(1), Gaussian(2.0), FREQUENCIES, jnp.asarray(x[:64].mean(axis=0)))
    return x, weights, fourier_map


@pytest.mark.parametrize("weighted", [False, True])
def test_host_scan_and_update_agree(weighted):
    x, weights, fourier_map = _setting()
    chosen = weights if weighted else None
    tolerance = ROWS * tolerances.roundoff("float32") / FREQUENCIES
    chunks = [x[:64], x[64:128], x[128:192], x[192:256], x[256:]]
    on_host = streaming.stream_on_host(fourier_map, iter(chunks), chosen, 64)
    on_device = streaming.scan_rows(
        streaming.init(fourier_map),
        jnp.asarray(x),
        None if chosen is None else jnp.asarray(chosen.astype(np.float32)),
        batch_size=64,
    ).moment
    by_update = streaming.update(streaming.init(fourier_map), x, chosen).moment
    for other in (on_device, by_update):
        np.testing.assert_allclose(_covariance(on_host), _covariance(other), rtol=0, atol=tolerance)
        assert on_host.num_rows.to_float() == other.num_rows.to_float()
        assert on_host.weight.to_float() == pytest.approx(other.weight.to_float(), rel=1e-6)
        assert on_host.squared_weight.to_float() == pytest.approx(other.squared_weight.to_float(), rel=1e-6)


def test_rows_on_a_device_give_the_same_sums():
    x, _, _ = _setting()
    key, kernel = jax.random.key(3), Gaussian(2.0)
    maps, sums = moments.fkea_moment(samples(x, 64), kernel, None, key, None, FREQUENCIES, 2)
    device_sums = moments.device_moment(jnp.asarray(x), maps, None, 64)
    tolerance = ROWS * tolerances.roundoff("float32") / FREQUENCIES
    for ours, theirs in zip(sums, device_sums, strict=True):
        np.testing.assert_allclose(_covariance(ours), _covariance(theirs), rtol=0, atol=tolerance)
