"""Four questions, each with its own quantity: who answers what, and that p-values are exact."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from scipy import linalg, stats

from fkeax.inference import permutation_units
from fkeax.results import dumps
from fkeax.sensitivity import four_questions
from fkeax.sensitivity.four_questions import QUESTIONS
from fkeax.sensitivity.relabelled_moments import (
    calibrate_moments,
    covariance_spectrum,
    moment_differences,
    spectral_numbers,
)
from fkeax.twosample import copying, two_sample_test

N, M, D = 60, 45, 5  # unequal sizes in every test, and few shapes to compile
OPTIONS = {"key": jax.random.key(1), "method": "mmd", "num_permutations": 99}


@pytest.fixture(scope="module")
def samples() -> list[np.ndarray]:
    x, y, training = np.random.default_rng(0).standard_normal((3, N, D)).astype(np.float32)
    return [x, y[:M], training[:M]]


def test_equal_laws(samples):
    x, y, training = samples
    found = four_questions(x, y, training=training, **OPTIONS)
    assert tuple(answer.question for answer in found.answers) == QUESTIONS
    assert "no difference seen with 60 and 45 samples" in found.distribution.verdict
    assert found.location.verdict.count("do not differ visibly") == 2
    assert found.spectrum.verdict.count("no difference seen") == 2
    assert "no sign of copying" in found.copying.verdict
    names = [result.name for result in found.to_results()]
    assert names == [
        "mmd-test",
        "mean-shift",
        "bures",
        "trace-ratio",
        "covariance-effective-dimension",
        "covariance-vendi",
        "c-t",
        "authenticity",
        "duplicates-of-reference",
    ]
    assert all("calibration" in result.diagnostics for result in found.to_results())
    dumps(found.to_dict())


def test_each_question_sees_its_own_change(samples):
    x, y, training = samples
    shifted = four_questions(x, y + 1, **OPTIONS)
    assert "means differ" in shifted.location.verdict
    assert "covariances do not differ visibly" in shifted.location.verdict
    assert shifted.spectrum.verdict.count("no difference seen") == 2
    flat = four_questions(x, y * np.asarray([2, 1, 0.2, 0.2, 0.2], np.float32), **OPTIONS)
    assert "covariances differ" in flat.location.verdict
    assert flat.spectrum.verdict.count("differs") == 2
    copied = four_questions(x, training + np.float32(1e-3), training=training, **OPTIONS)
    assert "nearer to the training rows" in copied.copying.verdict
    assert "no difference seen" in copied.distribution.verdict  # copies look like perfect samples


def test_without_training_rows_copying_is_not_answered(samples):
    x, y, _ = samples
    y = y.copy()
    y[:3] = x[:3]
    found = four_questions(x, y, **OPTIONS)
    assert found.copying.verdict.startswith("not answered without the training rows; 3 generated rows equal")
    assert found.copying.results[0].value == 3
    assert any("3 of 45 generated rows equal a reference row" in warning for warning in found.warnings)


def test_quantities_are_those_of_the_rooms_below(samples):
    x, y, training = samples
    found = {result.name: result for result in four_questions(x, y, training=training, **OPTIONS).to_results()}
    alone = copying(training, x, y)
    assert found["c-t"].value == alone["c-t"].value
    assert found["c-t"].diagnostics["p_value"] == pytest.approx(stats.norm.cdf(alone["c-t"].value))
    rho = np.sqrt(np.trace(np.cov(x.T)))
    assert found["mean-shift"].value == pytest.approx(np.linalg.norm(x.mean(0) - y.mean(0)) / rho, rel=1e-5)
    test = two_sample_test(x, y, method="mmd", key=jax.random.key(0))
    assert found["mmd-test"].value == pytest.approx(test.statistic, rel=1e-5)


def test_differences_against_matrix_square_roots(samples):
    x, y = (rows.astype(float) for rows in samples[:2])
    y = 1.5 * y @ np.linalg.qr(np.random.default_rng(1).standard_normal((D, D)))[0] + 1
    found = moment_differences(x, y)
    first, second = np.cov(x.T), np.cov(y.T)
    root = linalg.sqrtm(first)
    crossed = np.trace(linalg.sqrtm(root @ second @ root)).real
    assert found.bures**2 == pytest.approx(np.trace(first) + np.trace(second) - 2 * crossed, rel=1e-9)
    assert found.log_trace == pytest.approx(np.log(np.trace(second) / np.trace(first)), rel=1e-9)
    shares = np.linalg.eigvalsh(second) / np.trace(second)
    trace, dimension, vendi = spectral_numbers(covariance_spectrum(y))
    assert (trace, dimension) == pytest.approx((np.trace(second), 1 / np.square(shares).sum()))
    assert vendi == pytest.approx(np.exp(stats.entropy(shares)))


def test_spectra_of_few_rows_come_from_the_smaller_side():
    rows = np.random.default_rng(2).standard_normal((6, 20))
    np.testing.assert_allclose(covariance_spectrum(rows)[:5], np.linalg.eigvalsh(np.cov(rows.T))[::-1][:5], rtol=1e-9)
    assert spectral_numbers(np.zeros(3)) == (0.0, 1.0, 1.0)


def test_groups_move_together(samples):
    x, y, _ = samples
    found = four_questions(x, y + 3, groups=np.arange(N + M) // 5, **OPTIONS)
    assert "99 permutations of groups, one-sided" in str(found.location.results[0].diagnostics["calibration"])
    assert "means differ" in found.location.verdict


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"key": None}, "key is needed for random relabellings"),
        ({"method": "ks"}, "method must be one of"),
        ({"num_permutations": 19, "alpha": 0.01}, "num_permutations must be at least 99"),
    ],
)
def test_bad_arguments_name_themselves(samples, arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        four_questions(samples[0], samples[1], **(OPTIONS | arguments))


def test_total_collapse_is_answered(samples):
    x, y, _ = samples
    found = four_questions(x, np.zeros_like(y), **OPTIONS)
    assert found.distribution.results[0].diagnostics["reject"] is True
    assert "covariances differ: 1 rho apart" in found.location.verdict
    assert found.spectrum.verdict == "no spectrum: all generated rows are equal"


def test_three_rows_are_too_few(samples):
    with pytest.raises(ValueError, match="at least 4 rows each; got 60 and 3"):
        four_questions(samples[0], samples[1][:3], **OPTIONS)


@pytest.mark.slow
def test_p_values_are_exact_under_the_null_hypothesis():
    """Of 300 pairs of equal laws, the share of p <= 0.1 is at most the exact 99.9 % bound of 0.1, for each quantity.

    Five quantities: at most 0.5 % of keys would fail; the key is fixed.
    """
    random = np.random.default_rng(11)
    units = permutation_units(20, 30)
    counts: dict[str, int] = {}
    for repeat in range(300):
        pooled = random.standard_normal((50, 3)).astype(np.float32)
        found = calibrate_moments(jax.random.key(repeat), pooled, units, 39)
        for name, calibration in found.calibrations.items():
            counts[name] = counts.get(name, 0) + (calibration.p_value <= 0.1)
    for name, count in counts.items():
        assert count <= stats.binom.ppf(0.999, 300, 0.1), (name, count)
