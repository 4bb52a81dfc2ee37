"""The public feature route: whatever holds the rows, and however they are cut, the numbers are the same."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fkeax

NAMES = ("vendi-1", "vendi-1.5", "vendi-2", "vendi-inf", "rke", "rke-debiased")


def _data() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((101, 6))


def _scores(x, **settings) -> dict[str, float]:
    given = {"bandwidth": 2.0, "num_frequencies": 24, "key": jax.random.key(7), "method": "fkea"} | settings
    results = fkeax.score(x, **given)
    return {name: float(results[name]) for name in NAMES}


def _check(found: dict[str, float], expected: dict[str, float], rel: float) -> None:
    for name in NAMES:
        assert found[name] == pytest.approx(expected[name], rel=rel), name


@pytest.mark.parametrize("batch_size", [1, 2, 31, 32, 33, 4096])
def test_batch_sizes(x64, batch_size):
    _check(_scores(_data(), batch_size=batch_size), _scores(_data()), 1e-10)


@pytest.mark.parametrize("cut", [1, 2, 33, 101])
def test_iterables_of_batches(x64, cut):
    x, expected = _data(), _scores(_data())
    pieces = [x[start : start + cut] for start in range(0, 101, cut)]
    _check(_scores(pieces), expected, 1e-9)
    _check(_scores(piece for piece in pieces), expected, 1e-9)
    _check(_scores((jnp.asarray(piece) for piece in pieces), batch_size=32), expected, 1e-9)
    _check(_scores([x[:0], *pieces, x[:0]], batch_size=7), expected, 1e-9)


def test_arrays_memmaps_and_device_arrays(x64, tmp_path):
    x, expected = _data(), _scores(_data())
    np.save(tmp_path / "x.npy", x)
    for form in (jnp.asarray(x), x.tolist(), np.load(tmp_path / "x.npy", mmap_mode="r"), np.asfortranarray(x)):
        _check(_scores(form), expected, 1e-10)


def test_order_of_rows_does_not_matter(x64):
    _check(_scores(_data()[::-1]), _scores(_data()), 1e-10)


def test_a_loader_that_reuses_its_buffer(x64):
    x, expected = _data(), _scores(_data())

    def loader():
        buffer = np.empty((16, 6))
        for start in range(0, 101, 16):
            rows = x[start : start + 16]
            buffer[: len(rows)] = rows
            yield buffer[: len(rows)]
            buffer[...] = np.nan

    for batch_size in (5, 16, 64):
        _check(_scores(loader(), batch_size=batch_size), expected, 1e-9)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dtypes_without_x64(dtype):
    """All are computed in float32; the same values give the same scores to float32 rounding of angles below 30
    (1e-5).
    """
    x = _data().astype(np.float16)
    _check(_scores(x.astype(dtype)), _scores(x.astype(np.float32)), 1e-5)


def test_integer_weights_are_repeated_rows(x64):
    """Equal centres would be rounding; the centre may differ with weights, the plain scores may not."""
    x, counts = _data(), np.random.default_rng(1).integers(1, 4, 101)
    weighted, repeated = _scores(x, weights=counts), _scores(np.repeat(x, counts, axis=0))
    for name in NAMES:
        assert weighted[name] == pytest.approx(repeated[name], rel=1e-9), name


def test_draws_agree_with_their_vmap(x64):
    """Several draws in one pass are independent maps: their mean differs from one draw, and a repeat is identical."""
    first, second = (_scores(_data(), num_draws=5) for _ in range(2))
    assert first == second
    assert first["vendi-1"] != _scores(_data())["vendi-1"]


def test_a_key_is_asked_for():
    with pytest.raises(ValueError, match=r"jax\.random\.key\(0\)"):
        fkeax.score(_data(), bandwidth=1.0, method="fkea")
