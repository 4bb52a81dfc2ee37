"""Scores of shards: any split, order and tree of merges gives the scores of the whole; what does not fit is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fkeax
from fkeax.diversity import ShardState, merge_shards, score_shards, shard_state, streaming
from fkeax.diversity.recentre import recentred
from fkeax.diversity.shard_records import check_complete
from fkeax.features import FourierMap, sample_fourier_map
from fkeax.kernels import Gaussian, bandwidth_for_rke
from tests.helpers import tolerances

N, D, R = 230, 5, 24
OPTIONS = {"bandwidth": 2.0, "num_frequencies": R, "key": jax.random.key(3)}


def rows(seed: int = 0, n: int = N) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, D))


def made(part: np.ndarray, name: str, **more: object) -> ShardState:
    return shard_state(part, name=name, **{**OPTIONS, **more})  # type: ignore[arg-type]


def split(x: np.ndarray, *cuts: int) -> list[ShardState]:
    return [made(part, f"part-{i}") for i, part in enumerate(np.split(x, cuts))]


def assert_equal_scores(found: dict[str, fkeax.Result], expected: dict[str, fkeax.Result], rel: float) -> None:
    assert list(found) == list(expected)
    for name, result in expected.items():
        assert (found[name].value is None) == (result.value is None), name
        assert (found[name].stderr is None) == (result.stderr is None), name
        if result.value is not None:
            assert found[name].value == pytest.approx(result.value, rel=rel), name
        if result.stderr is not None:  # n <= 1,000: the same sampled rows
            assert found[name].stderr == pytest.approx(result.stderr, rel=100 * rel), name
        assert found[name].settings == result.settings


@pytest.mark.usefixtures("x64")
def test_merged_shards_score_as_the_whole() -> None:
    """To 1e-6, with every shard under a centre of its own, far from the others', in an order of no meaning."""
    x = rows() + np.repeat([0.0, 3.0, -5.0], [100, 60, 70])[:, None]
    states = split(x, 100, 160)
    assert len({tuple(np.asarray(state.state.fourier_map.centre)) for state in states}) == 3
    expected = fkeax.score(x, method="fkea", **OPTIONS)
    assert_equal_scores(score_shards(merge_shards(states)), expected, 1e-6)
    nested = merge_shards([merge_shards([states[2], states[0]]), states[1]])
    assert_equal_scores(score_shards(nested), expected, 1e-6)
    assert {result.diagnostics["num_shards"] for result in score_shards(nested).values()} == {3}


def test_single_precision_differs_by_rounding() -> None:
    """Sums of 230 products in another order: growth(N) relative in C, which no score here magnifies twentyfold."""
    x = rows().astype(np.float32)
    expected = fkeax.score(x, method="fkea", metrics=("vendi", "rke"), orders=(1.0, 2.0), **OPTIONS)
    found = score_shards(merge_shards(split(x, 31, 160)), metrics=("vendi", "rke"), orders=(1.0, 2.0))
    assert_equal_scores(found, expected, 20 * tolerances.growth(N, "float32"))


@pytest.mark.usefixtures("x64")
def test_float64_states_keep_their_precision_outside_x64() -> None:
    x = rows()
    states = split(x, 100)
    expected = fkeax.score(x, method="fkea", **OPTIONS)
    with jax.enable_x64(False):
        assert_equal_scores(score_shards(merge_shards(states)), expected, 1e-9)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("r", [7, 300])
def test_recentred_sums_are_those_under_the_other_centre(r: int) -> None:
    """From 256 frequencies on sums come in blocks; both layouts turn."""
    x = rows(n=40)
    fourier_map = sample_fourier_map(jax.random.key(0), Gaussian(1.5), r, jnp.zeros(D))
    centre = np.linspace(-40.0, 70.0, D)
    moved = FourierMap(fourier_map.frequencies, jnp.asarray(centre))
    state, expected = (streaming.update(streaming.init(m), x) for m in (fourier_map, moved))
    # Angles reach |w| |x - c|, rounded to eps of themselves; features and products follow.
    frequencies = np.asarray(moved.frequencies)
    allowed = 4 * tolerances.angle_error(frequencies, x - centre, "float64") + tolerances.growth(40, "float64")
    found, wanted = (np.asarray(streaming.finalize(s)) for s in (recentred(state, centre), expected))
    np.testing.assert_allclose(found, wanted, atol=allowed, rtol=0)


def test_rows_of_a_stream_are_those_of_an_array() -> None:
    x = rows().astype(np.float16)
    whole = made(x, "x")
    batches = made((x[i : i + 37] for i in range(0, N, 37)), "x", batch_size=50)  # type: ignore[arg-type]
    assert whole.shards == batches.shards
    np.testing.assert_array_equal(whole.sample.rows, batches.sample.rows)
    assert whole.settings == batches.settings


def test_a_bandwidth_found_on_a_reference_serves_all_shards() -> None:
    found = bandwidth_for_rke(rows(9), 3.0, kernel=Gaussian(1.0))
    merged = merge_shards([made(part, str(i), bandwidth=found) for i, part in enumerate(np.split(rows(), 2))])
    assert score_shards(merged, metrics=("rke",))["rke"].settings["bandwidth_source"] == found.source


def test_the_row_sample_of_a_merge_is_a_bottom_k_sample() -> None:
    """Of 1,500 rows 1,000 stay, those of smallest priority, whatever the tree of merges."""
    x = rows(n=1500).astype(np.float32)
    states = split(x, 400, 800)
    one, other = merge_shards(states), merge_shards([merge_shards(states[1:]), states[0]])
    assert one.sample.rows.shape == (1000, D)
    np.testing.assert_array_equal(np.sort(one.sample.priorities), np.sort(other.sample.priorities))
    np.testing.assert_array_equal(np.sort(one.sample.rows, axis=0), np.sort(other.sample.rows, axis=0))
    priorities = np.concatenate([state.sample.priorities for state in states])
    assert one.sample.priorities.max() == np.sort(priorities)[999]


def test_priorities_of_shards_are_independent() -> None:
    """Two shards of one size: the correlation of 500 pairs of priorities is below 0.2, 4.5 standard errors."""
    a, b = (made(part, "x").sample.priorities for part in np.split(rows(n=1000), 2))
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.2


MISMATCHES: dict[str, tuple[dict[str, object], str]] = {
    "bandwidth": ({"bandwidth": 3.0}, r"bandwidth is 2\.0 and 3\.0"),
    "frequencies": ({"num_frequencies": 23}, "num_frequencies is 24 and 23"),
    "seed": ({"key": jax.random.key(4)}, r"seed is \(0, 3\) and \(0, 4\)"),
    "kernel": ({"kernel": "laplace-l2"}, "kernel is 'gaussian' and 'laplace-l2'"),
    "scheme": ({"features": "stratified"}, "features is 'iid' and 'stratified'"),
}


@pytest.mark.parametrize("name", MISMATCHES)
def test_other_settings_do_not_merge(name: str) -> None:
    more, sentence = MISMATCHES[name]
    with pytest.raises(ValueError, match=f"'a' and 'b' do not merge: {sentence}"):
        merge_shards([made(rows(1, 20), "a"), made(rows(2, 20), "b", **more)])


def test_other_widths_dtypes_and_frequencies_do_not_merge() -> None:
    a = made(rows(1, 20), "a")
    with pytest.raises(ValueError, match="dimension is 5 and 4"):
        merge_shards([a, made(rows(2, 20)[:, :4], "b")])
    with jax.enable_x64(True):
        double = made(rows(2, 20), "b")
    with pytest.raises(ValueError, match="dtype is 'float32' and 'float64'"):
        merge_shards([a, double])
    b = made(rows(2, 20), "b")
    moved = replace(b.state.fourier_map, frequencies=b.state.fourier_map.frequencies + 1)
    with pytest.raises(ValueError, match="their frequencies differ though their seeds do not"):
        merge_shards([a, replace(b, state=replace(b.state, fourier_map=moved))])


def ranges(x: np.ndarray, *spans: tuple[int, int]) -> list[ShardState]:
    return [made(x[a:b], "x.npy", first_row=a, file_rows=len(x)) for a, b in spans]


DUPLICATES: dict[str, tuple[Callable[[np.ndarray], list[ShardState]], str]] = {
    "content": (
        lambda x: [made(x, "a.npy"), made(x, "copy.npy")],
        "'copy.npy' was counted already: its rows are those",
    ),
    "ranges": (lambda x: ranges(x, (0, 20), (15, 30)), "rows 15 to 19 of 'x.npy' were counted already"),
    "part and whole": (lambda x: ranges(x, (0, len(x)), (3, 9)), "rows 3 to 8 of 'x.npy' were counted already"),
}


@pytest.mark.parametrize("name", DUPLICATES)
def test_rows_are_counted_once(name: str) -> None:
    make, sentence = DUPLICATES[name]
    with pytest.raises(ValueError, match=sentence):
        merge_shards(make(rows(n=40)))


def test_missing_rows_are_told() -> None:
    x = rows(n=40)
    gap = merge_shards(ranges(x, (0, 20), (30, 40)))
    with pytest.raises(ValueError, match=r"rows 20 to 29 of 'x\.npy' are missing"):
        score_shards(gap)
    with pytest.raises(ValueError, match=r"rows 30 to 39 of 'x\.npy' are missing"):
        check_complete(merge_shards(ranges(x, (10, 30), (0, 10))).shards)
    whole = merge_shards(ranges(x, (20, 40), (0, 20)))
    check_complete(whole.shards, num_shards=2, num_samples=40)
    with pytest.raises(ValueError, match="must hold 3 shards; it holds 2: 1 is missing"):
        check_complete(whole.shards, num_shards=3)
    with pytest.raises(ValueError, match="must hold 30 samples; it holds 40: 10 are too many"):
        check_complete(whole.shards, num_samples=30)


def test_bad_arguments_get_one_sentence() -> None:
    with pytest.raises(ValueError, match="bandwidth must be one for all shards; the rule 'median'"):
        made(rows(), "a", bandwidth="median")
    with pytest.raises(ValueError, match="states must hold at least one"):
        merge_shards([])
    x = rows()
    x[3, 2] = np.nan
    with pytest.raises(ValueError, match="x must be finite; NaN or infinity in row 3"):
        made(x, "a")
    with pytest.raises(ValueError, match="shift-invariant kernel"):
        shard_state(rows(), name="a", kernel="cosine", bandwidth=None, key=jax.random.key(0))  # type: ignore[arg-type]
