"""Pairs of rows from different groups: the U-statistic, its two standard errors, and the coverage of its interval."""

from __future__ import annotations

import math
import sys

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from fkeax.diversity import pairs
from fkeax.diversity.grouped_pairs import group_numbers, grouped_pairs, without_group_pairs
from fkeax.kernels import Cosine, Gaussian, Linear
from tests.helpers import closed_forms as forms
from tests.helpers import oracle

SIZES = [1, 5, 2, 7, 3, 1, 4]


@pytest.fixture
def clips() -> tuple[np.ndarray, np.ndarray]:
    """Rows in seven groups of unequal sizes, shuffled."""
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.repeat(np.arange(len(SIZES)), SIZES))
    return rng.standard_normal((len(SIZES), 3))[labels] + 0.4 * rng.standard_normal((labels.size, 3)), labels


def _between_mean(gram: np.ndarray, labels: np.ndarray) -> float:
    """Mean of k^2 over pairs of different groups, pair by pair."""
    total, count = 0.0, 0
    for i in range(len(gram)):
        for j in range(len(gram)):
            if labels[i] != labels[j]:
                total += gram[i, j] ** 2
                count += 1
    return total / count


def test_moments_are_those_of_the_pairs(x64, clips):
    x, labels = clips
    gram = oracle.gaussian_gram(x, 1.5)
    found = grouped_pairs(Gaussian(1.5), jnp.asarray(x), labels)
    same = labels[:, None] == labels[None, :]
    assert found.second == pytest.approx(_between_mean(gram, labels), rel=1e-12)
    assert found.within == pytest.approx(float(np.mean(gram[same] ** 2)), rel=1e-12)
    assert found.group_share == pytest.approx(same.mean(), rel=1e-12)
    everything = float(np.mean(gram**2))
    assert without_group_pairs(everything, found.within, found.group_share) == pytest.approx(found.second)
    for group in range(len(SIZES)):
        kept = labels != group
        expected = _between_mean(gram[np.ix_(kept, kept)], labels[kept])
        assert found.leave_one_out[group] == pytest.approx(expected, rel=1e-12)
    deviations = found.leave_one_out - found.leave_one_out.mean()
    assert found.jackknife_stderr() == pytest.approx(math.sqrt(6 / 7 * np.sum(deviations**2)), rel=1e-12)


def test_groups_of_one_row_are_the_ungrouped_case(x64):
    x = jnp.asarray(np.random.default_rng(1).standard_normal((60, 2)))
    powers = pairs.squared_row_sums(Gaussian(1.0), x, None)
    plain = pairs.pair_moments(powers)
    found = grouped_pairs(Gaussian(1.0), x, np.arange(60)[::-1])
    assert found.second == pytest.approx(plain.second, rel=1e-12)
    assert found.between == pytest.approx(plain.between, rel=1e-9)
    assert found.u_statistic_stderr() == pytest.approx(plain.u_statistic_stderr(60), rel=1e-9)
    assert found.u_statistic_stderr(500) == pytest.approx(plain.u_statistic_stderr(500), rel=1e-9)
    assert found.jackknife_stderr() == pytest.approx(pairs.jackknife_stderr(powers), rel=1e-9)
    assert (found.within, found.group_share) == pytest.approx((1, 1 / 60))


def test_jackknife_over_rows_is_the_one_by_deletion(x64):
    """The closed form against deletion; in terms of zeta_1 and zeta_2 it is 4/(n (n-2)) (zeta_2 + (n-4) zeta_1)."""
    x = np.random.default_rng(2).standard_normal((80, 2))
    gram = oracle.gaussian_gram(x, 1.0)
    powers = pairs.squared_row_sums(Gaussian(1.0), jnp.asarray(x), None)
    deleted = [oracle.off_diagonal_second_moment(np.delete(np.delete(gram, i, 0), i, 1)) for i in range(80)]
    expected = math.sqrt(79 / 80 * np.sum((np.asarray(deleted) - np.mean(deleted)) ** 2))
    assert pairs.jackknife_stderr(powers) == pytest.approx(expected, rel=1e-9)
    moments = pairs.pair_moments(powers)
    variance = 4 / (80 * 78) * (moments.fourth - moments.second**2 + 76 * moments.between)
    assert expected**2 == pytest.approx(variance, rel=1e-9)
    assert moments.u_statistic_stderr(80) < expected


def test_error_of_repeated_rows_is_that_of_the_rows(x64):
    """Every row four times, grouped: the same mean and errors as the rows once; ungrouped they would look surer."""
    x = np.random.default_rng(3).standard_normal((40, 2))
    once = grouped_pairs(Gaussian(1.0), jnp.asarray(x), np.arange(40))
    copies = jnp.asarray(np.repeat(x, 4, axis=0))
    grouped = grouped_pairs(Gaussian(1.0), copies, np.repeat(np.arange(40), 4))
    assert grouped.second == pytest.approx(once.second, rel=1e-12)
    assert grouped.u_statistic_stderr() == pytest.approx(once.u_statistic_stderr(), rel=1e-9)
    assert grouped.jackknife_stderr() == pytest.approx(once.jackknife_stderr(), rel=1e-9)
    ungrouped = pairs.pair_moments(pairs.squared_row_sums(Gaussian(1.0), copies, None))
    assert ungrouped.u_statistic_stderr(160) < 0.6 * once.u_statistic_stderr()


@pytest.mark.parametrize("block_rows", [1, 3, 4, 11])
def test_blocks_change_nothing(x64, clips, monkeypatch, block_rows):
    """Blocks smaller than a group, larger than several, and not dividing the rows."""
    x, labels = clips
    whole = grouped_pairs(Gaussian(1.5), jnp.asarray(x), labels)
    monkeypatch.setattr(sys.modules[grouped_pairs.__module__], "BLOCK_BYTES", block_rows * len(x) * 8)
    blocked = grouped_pairs(Gaussian(1.5), jnp.asarray(x), labels)
    np.testing.assert_allclose(blocked.leave_one_out, whole.leave_one_out, rtol=1e-12)
    for name in ("second", "within", "group_share", "between", "spread"):
        assert getattr(blocked, name) == pytest.approx(getattr(whole, name), rel=1e-9, abs=1e-15)


def test_labels_may_be_strings_in_any_order(x64, clips):
    x, labels = clips
    whole = grouped_pairs(Cosine(), jnp.asarray(x), labels)
    order = np.random.default_rng(4).permutation(len(x))
    named = np.asarray([f"clip {label}" for label in labels])[order]
    again = grouped_pairs(Cosine(), jnp.asarray(x[order]), named)
    assert again.second == pytest.approx(whole.second, rel=1e-12)
    assert again.u_statistic_stderr() == pytest.approx(whole.u_statistic_stderr(), rel=1e-9)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.zeros(3, int), r"one label for each of the 28 rows.*got shape \(3,\)"),
        (np.zeros((28, 1), int), r"got shape \(28, 1\)"),
        (np.full(28, 0.5), "a whole number or a string; .*dtype float64"),
        (np.zeros(28, int), "groups must number at least 2; got 1"),
    ],
)
def test_bad_labels_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        group_numbers(labels, 28)


def test_few_groups_have_no_error():
    x = jnp.asarray(np.random.default_rng(5).standard_normal((6, 2)), jnp.float32)
    two = grouped_pairs(Gaussian(1.0), x, [0, 0, 0, 1, 1, 1])
    assert two.jackknife_stderr() is None
    assert two.u_statistic_stderr() is None
    assert pairs.jackknife_stderr(pairs.squared_row_sums(Gaussian(1.0), x[:2], None)) is None
    with pytest.raises(ValueError, match="got linear"):
        grouped_pairs(Linear(), x, [0, 0, 0, 1, 1, 1])


def test_interval_of_the_inverse():
    """Symmetric in log m: lower times upper is the squared value; no interval where m is not positive."""
    low, high = pairs.rke_interval(0.05, 0.01, 30)
    assert low * high == pytest.approx(400)
    assert math.log(high / 20) == pytest.approx(stats.t.isf(0.025, 29) * 0.2)
    assert pairs.rke_interval(-0.001, 0.01, 30) is None
    assert pairs.rke_interval(1.0, 0.0, 30) == (1.0, 1.0)


LOW, HIGH = (bound / 1000 for bound in stats.binom.interval(0.999, 1000, 0.95))


def _covered(interval: tuple[float, float] | None, truth: float) -> bool:
    return interval is not None and interval[0] <= truth <= interval[1]


@pytest.mark.slow
@pytest.mark.parametrize("law", ["gaussian", "clusters"])
def test_coverage_of_independent_rows(x64, law):
    """Nominal 95 % over 1000 samples of 150 rows, by both errors: inside the exact binomial 99.9 % interval."""
    if law == "gaussian":
        truth = forms.gaussian_rke(np.eye(3), 2.0)

        def draw(rng):
            return rng.standard_normal((150, 3))
    else:
        means, shares = [np.zeros(2), np.array([3.0, 0.0]), np.array([0.0, 4.0])], [0.6, 0.3, 0.1]
        truth = 1 / forms.mixture_second_moment(shares, means, [0.04 * np.eye(2)] * 3, 2.0)

        def draw(rng):
            return np.stack(means)[rng.choice(3, 150, p=shares)] + 0.2 * rng.standard_normal((150, 2))

    hoeffding = jackknife = 0
    for seed in range(1000):
        powers = pairs.squared_row_sums(Gaussian(2.0), jnp.asarray(draw(np.random.default_rng(seed))), None)
        found = pairs.pair_moments(powers)
        hoeffding += _covered(pairs.rke_interval(found.second, found.u_statistic_stderr(150), 150), truth)
        jackknife += _covered(pairs.rke_interval(found.second, pairs.jackknife_stderr(powers), 150), truth)
    assert LOW <= hoeffding / 1000 <= HIGH
    assert LOW <= jackknife / 1000 <= HIGH


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [[3] * 30, [1, 2, 3, 4, 5] * 6], ids=["equal", "unequal"])
def test_coverage_of_grouped_rows(x64, sizes):
    """Thirty clips, frames of one clip at correlation 0.7; the truth is that of independent rows, N(0, I_3).

    Nominal 95 % over 1000 samples, by both errors: inside the exact binomial 99.9 % interval. Rows taken as independent
    miss the truth at least twice as often as they should.
    """
    truth = forms.gaussian_rke(np.eye(3), 2.0)
    labels = np.repeat(np.arange(30), sizes)
    hoeffding = jackknife = ungrouped = 0
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        frames = math.sqrt(0.7) * rng.standard_normal((30, 3))[labels]
        x = jnp.asarray(frames + math.sqrt(0.3) * rng.standard_normal(frames.shape))
        found = grouped_pairs(Gaussian(2.0), x, labels)
        hoeffding += _covered(pairs.rke_interval(found.second, found.u_statistic_stderr(), 30), truth)
        jackknife += _covered(pairs.rke_interval(found.second, found.jackknife_stderr(), 30), truth)
        alone = pairs.pair_moments(pairs.squared_row_sums(Gaussian(2.0), x, None))
        ungrouped += _covered(pairs.rke_interval(alone.second, alone.u_statistic_stderr(90), 90), truth)
    assert LOW <= hoeffding / 1000 <= HIGH
    assert LOW <= jackknife / 1000 <= HIGH
    assert ungrouped / 1000 < 0.9
