"""Every change does what it says to means, traces, modes and rows, and is refused in one sentence otherwise."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from fkeax.sensitivity import CHANGES, apply_change, describe_corpus
from fkeax.sensitivity.modes import nearest_mode
from fkeax.sensitivity.temperature import tempered_spectrum

# Sums of 100 rows of 12 numbers of size 10: 1e-13 relative in float64, 1e-6 after a cast to float32.
ROUNDING = {np.float64: 1e-12, np.float32: 1e-5}
AFFINE = tuple(name for name, change in CHANGES.items() if change.affine is not None)


def parts(rows, dtype=np.float64):
    return rows[:100].astype(dtype), rows[100:200].astype(dtype), rows[200:].astype(dtype)


def change(name, rows, corpus, strength=0.25, dtype=np.float64, seed=1):
    reference, draw, reserve = parts(rows, dtype)
    found = apply_change(name, jax.random.key(seed), corpus, draw, strength, reference=reference, reserve=reserve)
    return draw, found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CHANGES)
def test_shape_dtype_and_determinism(name, dtype, rows, corpus):
    draw, found = change(name, rows, corpus, dtype=dtype)
    _, again = change(name, rows, corpus, dtype=dtype)
    assert found.samples.shape == draw.shape
    assert found.samples.dtype == dtype
    np.testing.assert_array_equal(found.samples, again.samples)
    assert (found.change, found.strength) == (name, 0.25)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", AFFINE)
def test_affine_changes_keep_mean_and_trace_to_rounding(name, dtype, rows, corpus):
    draw, found = change(name, rows, corpus, dtype=dtype)
    assert abs(found.mean_error) < ROUNDING[dtype]
    assert abs(found.trace_error) < ROUNDING[dtype]
    law = CHANGES[name].affine(jax.random.key(1), 0.25, corpus, parts(rows)[0])
    image = corpus.mean + law.shift + law.linear(draw.astype(np.float64) - corpus.mean)
    np.testing.assert_allclose(found.samples, image, rtol=ROUNDING[dtype])
    np.testing.assert_allclose(
        law.covariance(corpus.covariance), np.cov(law.linear(rows - corpus.mean), rowvar=False, bias=True), atol=1e-11
    )


@pytest.mark.parametrize("name", ["rotation", "rank-two", "rank-two-random", "temperature"])
def test_the_law_keeps_mean_and_trace(name, corpus):
    law = CHANGES[name].affine(jax.random.key(1), 0.25, corpus, None)
    assert not law.shift.any()
    assert np.trace(law.covariance(corpus.covariance)) == pytest.approx(corpus.trace, rel=1e-12)


def test_random_directions_are_new_for_every_draw(rows, corpus):
    for name in ("shift", "rank-one-random", "rank-two-random", "shift-reference"):
        first, second = (change(name, rows, corpus, seed=seed)[1].samples for seed in (1, 2))
        assert not np.array_equal(first, second), name


def test_shift_directions(rows, corpus):
    draw, found = change("shift-principal", rows, corpus)
    move = (found.samples - draw).mean(axis=0)
    assert abs(move @ corpus.eigenvectors[:, 0]) == pytest.approx(0.25 * corpus.rho)
    reference = parts(rows)[0] - corpus.mean
    move = (change("shift-reference", rows, corpus)[1].samples - draw).mean(axis=0)
    cosines = reference @ move / np.linalg.norm(reference, axis=1) / np.linalg.norm(move)
    assert cosines.max() == pytest.approx(1)


def test_rank_one_moves_one_direction(rows, corpus):
    draw, found = change("rank-one", rows, corpus)
    axes = corpus.eigenvectors
    before, after = (np.square((part - corpus.mean) @ axes).mean(axis=0) for part in (draw, found.samples))
    np.testing.assert_allclose(after[1:], before[1:], rtol=1e-10)
    assert after[0] / before[0] == pytest.approx(found.details["factor"] ** 2)
    assert change("rank-one-shrink", rows, corpus)[1].details["factor"] < 1 < found.details["factor"]


def test_rank_two_control_turns_by_the_same_angle(rows, corpus):
    matched, control = (change(name, rows, corpus)[1] for name in ("rank-two", "rank-two-random"))
    assert matched.details["angle"] == control.details["angle"] > 0
    assert matched.details["eigenvectors"][0] == 0


def test_temperature_spectrum(rows, corpus):
    """Cooling lowers the effective dimension, heating raises it; the corpus's spectrum is the tempered one."""
    for strength in (0.25, -0.25):
        law = CHANGES["temperature"].affine(jax.random.key(0), strength, corpus, None)
        after = np.linalg.eigvalsh(law.covariance(corpus.covariance))[::-1]
        np.testing.assert_allclose(after, tempered_spectrum(corpus.eigenvalues, 1 - strength), rtol=1e-10)
        dimension = after.sum() ** 2 / np.square(after).sum()
        assert (dimension < corpus.effective_dimension) == (strength > 0)


@pytest.mark.parametrize("name", ["drop", "drop-reserve", "drop-mean-matched", "drop-least"])
def test_drops_remove_a_half_of_one_mode(name, rows, corpus):
    draw, found = change(name, rows, corpus, 0.5)
    mode = found.details["mode"]
    before = nearest_mode(draw, corpus)
    gone = found.details["num_removed"]
    assert gone == round(0.5 * np.count_nonzero(before == mode))
    assert found.mode_shares["after"][mode] < found.mode_shares["before"][mode]
    kept = np.isclose(found.samples - found.samples.mean(axis=0), draw - found.samples.mean(axis=0)).all(axis=1)
    if name != "drop-mean-matched":
        assert np.count_nonzero(kept) == len(draw) - gone
    if name != "drop-least":
        assert mode == corpus.mode_shares.argmax()


def test_refills(rows, corpus):
    """With replacement from the rest, or rows not drawn, none twice."""
    _, draw, reserve = parts(rows)
    with_copies, without = (change(name, rows, corpus, 0.5)[1].samples for name in ("drop", "drop-reserve"))
    assert {row.tobytes() for row in with_copies} <= {row.tobytes() for row in draw}
    assert {row.tobytes() for row in without} <= {row.tobytes() for row in np.concatenate([draw, reserve])}
    assert len({row.tobytes() for row in without}) == len(draw)


def test_mean_matched_and_least_displacing(rows, corpus):
    moved, matched, least = (
        change(name, rows, corpus, 0.5)[1] for name in ("drop-reserve", "drop-mean-matched", "drop-least")
    )
    assert matched.mean_error < 1e-12
    assert moved.mean_error > 0.02
    shares, offsets = corpus.mode_shares, np.linalg.norm(corpus.centres - corpus.mean, axis=1)
    displacement = 0.5 * shares * offsets / (1 - 0.5 * shares)
    assert least.details["mode"] == displacement.argmin()


def test_collapse_keeps_the_means_of_the_modes(rows, corpus):
    draw, found = change("collapse", rows, corpus, 0.4)
    labels = nearest_mode(draw, corpus)
    assert found.mean_error < 1e-13
    for mode in range(3):
        before, after = draw[labels == mode], found.samples[labels == mode]
        np.testing.assert_allclose(after.mean(axis=0), before.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(np.cov(after.T), 0.36 * np.cov(before.T), atol=1e-10)
    within = found.details["share_of_trace_within_modes"]
    assert found.trace_error == pytest.approx(-(1 - 0.36) * within, rel=1e-9)


def test_copies(rows, corpus):
    reference = parts(rows)[0]
    draw, exact = change("copies", rows, corpus)
    copied = ~(exact.samples == draw).all(axis=1)
    assert np.count_nonzero(copied) == exact.details["num_copied"] == 25
    sources = [int(np.flatnonzero((reference == row).all(axis=1))[0]) for row in exact.samples[copied]]
    assert len(set(sources)) == 25
    assert np.flatnonzero(copied).tolist() != sources  # places and sources are shuffled apart
    assert (exact.w2, exact.w2_kind) == (0.0, "exact")

    _, moved = change("copies-perturbed", rows, corpus)
    distances = np.linalg.norm(reference[:, None] - reference[None], axis=2) + np.diag(np.full(len(reference), np.inf))
    radius = 0.1 * np.median(distances.min(axis=1))
    lengths = np.linalg.norm(moved.samples - exact.samples, axis=1)[copied]
    np.testing.assert_allclose(lengths, radius, rtol=1e-5)  # neighbours are searched in float32
    assert moved.w2 == pytest.approx(radius * 0.25**0.5, rel=1e-5)


def test_strength_zero_changes_nothing(rows, corpus):
    for name in CHANGES:
        draw, found = change(name, rows, corpus, 0.0)
        np.testing.assert_allclose(found.samples, draw, rtol=1e-12, err_msg=name)


@pytest.mark.parametrize(
    ("name", "strength", "options", "message"),
    [
        ("shift", -0.1, {}, "strength must be at least 0"),
        ("contraction", 1.5, {}, "strength must be between 0 and 1"),
        ("collapse", 1.5, {}, "strength must be between 0 and 1"),
        ("temperature", 1.0, {}, "strength must be below 1"),
        ("copies", 0.5, {}, "the change 'copies' needs reference"),
        ("copies-perturbed", 0.5, {}, "the change 'copies-perturbed' needs reference"),
        ("shift-reference", 0.5, {}, "the change 'shift-reference' needs reference"),
        ("drop-reserve", 0.5, {}, "the change 'drop-reserve' needs reserve"),
        ("drop-reserve", 0.5, {"reserve": slice(0, 3)}, "reserve must hold at least"),
        ("copies", 1.0, {"reference": slice(0, 40)}, "strength must be at most 0.4 with a reference of 40 rows"),
        ("shift", float("nan"), {}, "strength must be finite"),
        ("warp", 0.1, {}, "name must be one of null, shift"),
    ],
)
def test_what_cannot_be_done(name, strength, options, message, rows, corpus):
    given = {option: rows[part] for option, part in options.items()}
    with pytest.raises(ValueError, match=message):
        apply_change(name, jax.random.key(0), corpus, rows[:100], strength, **given)


def test_unfit_rows_and_corpora(rows, corpus):
    with pytest.raises(ValueError, match="draw must have the corpus's 12 columns; got 3"):
        apply_change("shift", jax.random.key(0), corpus, rows[:, :3], 0.1)
    bare = describe_corpus(jax.random.key(0), rows, num_modes=0)
    with pytest.raises(ValueError, match="corpus must have modes"):
        apply_change("drop", jax.random.key(0), bare, rows, 0.1)
