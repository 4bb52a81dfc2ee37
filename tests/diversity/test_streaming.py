"""FKEA's state: any chunking, order, merge tree, container or dtype gives the same covariance."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax import features, kernels
from fkeax.diversity import score_state, streaming
from tests.helpers import oracle, tolerances

NUM_SAMPLES, DIMENSION, NUM_FREQUENCIES = 61, 5, 12


def _data(seed: int = 0, n: int = NUM_SAMPLES) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, DIMENSION))


def _map(dtype: str = "float64", seed: int = 0, r: int = NUM_FREQUENCIES) -> features.FourierMap:
    centre = jnp.asarray(np.linspace(-0.3, 0.2, DIMENSION), dtype)
    return features.sample_fourier_map(jax.random.key(seed), kernels.Gaussian(2.0), r, centre)


def _oracle(fourier_map: features.FourierMap, x: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    return oracle.covariance(np.asarray(fourier_map.frequencies), np.asarray(fourier_map.centre), x, weights)


def _bound(fourier_map: features.FourierMap, x: np.ndarray, dtype: str) -> float:
    frequencies, centre = (np.asarray(v, np.float64) for v in (fourier_map.frequencies, fourier_map.centre))
    return tolerances.covariance_error(frequencies, x.astype(np.float64) - centre, dtype)


def _fed(fourier_map: features.FourierMap, batches) -> streaming.FkeaState:
    state = streaming.init(fourier_map)
    for batch in batches:
        state = streaming.update(state, batch)
    return state


def _error(state: streaming.FkeaState, expected: np.ndarray) -> float:
    return float(np.linalg.norm(np.asarray(streaming.finalize(state), np.float64) - expected))


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 61, 100])
def test_chunk_sizes(x64, size):
    """Chunk - 1, chunk, chunk + 1 around a power of two, single rows, all at once; each against the loop oracle."""
    fourier_map, x = _map(), _data()
    state = _fed(fourier_map, (x[start : start + size] for start in range(0, NUM_SAMPLES, size)))
    assert state.num_samples == NUM_SAMPLES
    assert _error(state, _oracle(fourier_map, x)) <= _bound(fourier_map, x, "float64")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_merge_trees(x64, seed):
    rng = np.random.default_rng(seed)
    fourier_map, x = _map(), _data()
    cuts = np.sort(rng.integers(0, NUM_SAMPLES + 1, 9))  # repeated cuts make empty batches
    parts = np.split(x, cuts)
    states = [_fed(fourier_map, [part]) for part in rng.permutation(np.array(parts, dtype=object))]
    while len(states) > 1:
        i, j = rng.choice(len(states), 2, replace=False)
        merged = streaming.merge(states[i], states[j])
        states = [state for k, state in enumerate(states) if k not in (i, j)] + [merged]
    assert states[0].num_samples == NUM_SAMPLES
    assert _error(states[0], _oracle(fourier_map, x)) <= _bound(fourier_map, x, "float64")


def test_empty_batches_change_nothing():
    fourier_map, x = _map("float32"), _data().astype(np.float32)
    state = _fed(fourier_map, [x])
    more = streaming.update(state, np.zeros((0, DIMENSION), np.float32))
    more = streaming.update(more, jnp.zeros((0, DIMENSION)))
    for before, after in zip(jax.tree.leaves(state), jax.tree.leaves(more), strict=True):
        np.testing.assert_array_equal(np.asarray(before), np.asarray(after))


def test_a_state_fetched_to_the_host_scores_the_same():
    state = _fed(_map("float32"), [_data().astype(np.float32)])
    fetched = jax.device_get(state)  # its leaves are NumPy's arrays
    assert isinstance(jax.tree.leaves(fetched)[0], np.ndarray)
    found = [score_state(one, bandwidth=2.0, orders=(1.0,)) for one in (state, fetched)]
    assert {name: result.value for name, result in found[0].items()} == {n: r.value for n, r in found[1].items()}


def test_covariance_of_no_samples_is_not_a_number():
    assert np.isnan(np.asarray(streaming.finalize(streaming.init(_map("float32"))))).all()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int8"])
def test_batch_dtypes(dtype):
    """Without x64 the sums are float32; the values of the batch, whatever their dtype, are used as they are."""
    fourier_map = _map("float32")
    x = (
        np.asarray(jnp.asarray(np.clip(3 * _data(), -9, 9)).astype(dtype))
        if dtype == "bfloat16"
        else (3 * _data()).astype(dtype)
    )
    wide = x.astype(np.float64)
    assert _error(_fed(fourier_map, [x]), _oracle(fourier_map, wide)) <= _bound(fourier_map, wide, "float32")


def test_float64_batches_are_centred_before_they_are_cast():
    """At 1e8, neighbours of float32 are 8 apart; the data differ by 1/256 and must survive."""
    x = np.round(_data() * 256) / 256
    near = features.sample_fourier_map(jax.random.key(0), kernels.Gaussian(2.0), 12, jnp.zeros(DIMENSION))
    far = features.FourierMap(near.frequencies, jnp.full(DIMENSION, 1e8, jnp.float32))
    exact = _oracle(near, x)
    assert _error(_fed(far, [x + 1e8]), exact) <= _bound(near, x, "float32")


def test_device_arrays_and_host_arrays_agree():
    fourier_map, x = _map("float32"), _data().astype(np.float32)
    exact, allowed = _oracle(fourier_map, x), _bound(fourier_map, x, "float32")
    assert _error(_fed(fourier_map, [jnp.asarray(x)]), exact) <= allowed
    scanned = streaming.scan_rows(streaming.init(fourier_map), jnp.asarray(x), batch_size=16)
    assert scanned.num_samples == NUM_SAMPLES
    assert _error(scanned, exact) <= allowed


@pytest.mark.parametrize("batch_size", [1, 7, 60, 61, 62])
def test_scan_over_a_ragged_end(x64, batch_size):
    fourier_map, x = _map(), _data()
    weights = np.random.default_rng(5).uniform(0, 3, NUM_SAMPLES)
    state = streaming.scan_rows(
        streaming.init(fourier_map), jnp.asarray(x), jnp.asarray(weights), batch_size=batch_size
    )
    assert _error(state, _oracle(fourier_map, x, weights)) <= _bound(fourier_map, x, "float64")
    assert state.num_samples == NUM_SAMPLES


def test_a_reused_host_buffer_does_not_corrupt_the_state():
    fourier_map, x = _map("float32"), _data(n=64).astype(np.float32)
    buffer = np.empty((8, DIMENSION), np.float32)
    state = streaming.init(fourier_map)
    for start in range(0, 64, 8):
        buffer[...] = x[start : start + 8]
        state = streaming.update(state, buffer)
        buffer[...] = np.nan
    assert _error(state, _oracle(fourier_map, x)) <= _bound(fourier_map, x, "float32")


def test_the_old_state_stays_valid():
    fourier_map, x = _map("float32"), _data().astype(np.float32)
    first = _fed(fourier_map, [x[:30]])
    before = np.asarray(streaming.finalize(first)).copy()
    streaming.update(first, x[30:])
    streaming.merge(first, first)
    np.testing.assert_array_equal(np.asarray(streaming.finalize(first)), before)


def test_weights_are_repeated_rows(x64):
    fourier_map, x = _map(), _data()
    counts = np.random.default_rng(6).integers(0, 4, NUM_SAMPLES)
    weighted = streaming.update(streaming.init(fourier_map), x, counts)
    repeated = _oracle(fourier_map, np.repeat(x, counts, axis=0))
    assert _error(weighted, repeated) <= _bound(fourier_map, x, "float64")
    assert weighted.num_samples == np.count_nonzero(counts)


def test_a_batch_of_weight_0_changes_nothing():
    fourier_map = _map("float32")
    state = streaming.update(streaming.init(fourier_map), np.ones((3, DIMENSION), np.float32))
    again = streaming.update(state, np.full((2, DIMENSION), 5.0, np.float32), np.zeros(2))
    assert again.num_samples == 3
    np.testing.assert_array_equal(streaming.finalize(again), streaming.finalize(state))


def test_union_is_the_weighted_mean(x64):
    fourier_map, x = _map(), _data()
    parts = [streaming.finalize(_fed(fourier_map, [part])) for part in (x[:20], x[20:])]
    union = streaming.finalize(_fed(fourier_map, [x]))
    mean = (20 * np.asarray(parts[0]) + 41 * np.asarray(parts[1])) / 61
    np.testing.assert_allclose(np.asarray(union), mean, atol=2 * tolerances.growth(NUM_SAMPLES, "float64"))


def test_states_of_different_maps_do_not_merge():
    x = _data().astype(np.float32)
    state = _fed(_map("float32"), [x])
    moved = features.FourierMap(state.fourier_map.frequencies, state.fourier_map.centre + 1)
    for other in (_map("float32", seed=1), _map("float32", r=13), moved):
        with pytest.raises(ValueError, match="map"):
            streaming.merge(state, _fed(other, [x]))


def test_vmap_over_draws_is_a_loop(x64):
    x = jnp.asarray(_data())
    keys = jax.random.split(jax.random.key(3), 4)

    def covariance(key: jax.Array) -> jax.Array:
        fourier_map = features.sample_fourier_map(key, kernels.Gaussian(2.0), 6, jnp.zeros(DIMENSION))
        return streaming.finalize(streaming.scan_rows(streaming.init(fourier_map), x, batch_size=16))

    together = np.asarray(jax.vmap(covariance)(keys))
    for one, key in zip(together, keys, strict=True):
        np.testing.assert_allclose(one, np.asarray(covariance(key)), atol=2 * tolerances.growth(NUM_SAMPLES, "float64"))


def test_update_inside_jit_and_scan(x64):
    fourier_map, x = _map(), _data(n=64)

    @jax.jit
    def fold(state, batches):
        return jax.lax.scan(lambda s, batch: (streaming.update(s, batch), None), state, batches)[0]

    state = fold(streaming.init(fourier_map), jnp.asarray(x.reshape(8, 8, DIMENSION)))
    assert _error(state, _oracle(fourier_map, x)) <= _bound(fourier_map, x, "float64")


def test_blocked_products_are_the_covariance(x64):
    """From 256 frequencies on, the product is formed in blocks; here against one dense product of oracle features."""
    fourier_map, x = _map(r=300), _data(n=40)
    phi = oracle.features(np.asarray(fourier_map.frequencies), np.asarray(fourier_map.centre), x)
    assert _error(_fed(fourier_map, [x]), phi.T @ phi / 40) <= _bound(fourier_map, x, "float64")


def test_counts_stay_exact_over_many_updates():
    fourier_map = features.FourierMap(jnp.zeros((1, 1)), jnp.zeros(1))
    state = streaming.init(fourier_map)
    ones = jnp.zeros((1, 1))
    for _ in itertools.repeat(None, 5):
        state = streaming.merge(state, state)
        state = streaming.update(state, ones)
    assert state.num_samples == 31
