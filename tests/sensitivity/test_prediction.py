"""Predicted z and power: the printed formulas, exact kernels on a finite law, unbiased estimates, simulated tests."""

from __future__ import annotations

import math

import jax
import numpy as np
import pytest
from scipy import stats

from fkeax.kernels import Gaussian, LaplaceL1
from fkeax.numerics.skewed import standard_gamma_quantile
from fkeax.sensitivity import (
    CHANGES,
    InfeasibleChange,
    Prediction,
    describe_corpus,
    predict_from_rows,
    predict_gaussian,
    predict_leading,
    samples_needed,
    smallest_detectable,
)
from fkeax.twosample import mmd_test
from fkeax.twosample.mmd_estimates import VarianceParts
from fkeax.twosample.presets import kid_kernel
from tests.twosample import oracle

STRENGTH, N = 0.1, 780
UNIT = VarianceParts(0.0, 0.0, 1.0, 1.0, 1.0)


def law(name, corpus):
    return CHANGES[name].affine(jax.random.key(1), STRENGTH, corpus, None)


@pytest.mark.parametrize("kernel", ["gaussian-median", "kid"])
def test_leading_order_is_the_printed_formula(kernel, corpus):
    d, spread = corpus.dimension, corpus.covariance
    frobenius, effective = np.linalg.norm(spread), corpus.effective_dimension
    base = 1 + float(corpus.mean @ corpus.mean) / d
    share = 1 - (1 - STRENGTH) ** 2
    turned = law("rotation", corpus).covariance(spread) - spread
    kappa = (np.linalg.norm(turned) / frobenius) ** 2
    root = math.sqrt(8)
    if kernel == "kid":
        contraction, rotation = (N * v * frobenius / (root * d * base) for v in (share**2, kappa))
    else:
        contraction = N * share**2 * math.sqrt(effective) / (8 * root) * (1 + 2 / effective)
        rotation = N * kappa / (4 * root * math.sqrt(effective))
    expected = {
        "shift": N * STRENGTH**2 * math.sqrt(effective) / root,
        "contraction": contraction,
        "rotation": rotation,
    }
    for name, z in expected.items():
        assert predict_leading(kernel, corpus, law(name, corpus)).z(N) == pytest.approx(z, rel=1e-9), name


def population(rows, images, kernel, bandwidth):
    """MMD^2, pooled q, s_xx, s_xy, s_yy and zetas of the uniform law on given rows, by sums over all pairs."""
    xx, xy, yy = (oracle.gram(kernel, a, b, bandwidth) for a, b in ((rows, rows), (rows, images), (images, images)))
    squares = [
        np.square(k - k.mean(0) - k.mean(1)[:, None] + k.mean()).mean() for k in (*pooled(xx, xy, yy), xx, xy, yy)
    ]
    witness = (xx - xy).mean(axis=1), (xy.T - yy).mean(axis=1)
    return [xx.mean() + yy.mean() - 2 * xy.mean(), *squares, *(w.var() for w in witness)]


def pooled(xx, xy, yy):
    return (np.block([[xx, xy], [xy.T, yy]]),)


@pytest.mark.parametrize("kernel", ["gaussian", "laplace-l1", "kid"])
def test_estimates_from_rows_are_unbiased(kernel, rows, corpus):
    """Rows drawn from a finite law, 200 times 30: means within 4.5 standard errors of sums over all of its pairs.

    False alarms: 21 values, 2e-4 in total. The clipped zetas may only be above. The pooled q of a sample of 15 rows
    and 15 images is centred by their own means, as a relabelled sample is: low by at most 1/15.
    """
    moved = law("contraction", corpus)
    images = corpus.mean + moved.linear(rows - corpus.mean)
    built = {"gaussian": Gaussian(3.0), "laplace-l1": LaplaceL1(8.0), "kid": kid_kernel(corpus.dimension)}[kernel]
    bandwidth = {"gaussian": 3.0, "laplace-l1": 8.0, "kid": 1.0}[kernel]
    random = np.random.default_rng(0)
    draws = []
    for _ in range(200):
        chosen = random.integers(len(rows), size=30)
        found = predict_from_rows(built, rows[chosen], images[chosen])
        parts = found.parts
        spreads = parts.s_xx, parts.s_xy, parts.s_yy, parts.zeta_x, parts.zeta_y
        draws.append([found.mmd2, found.pooled_square, *spreads])
    truth = np.asarray(population(rows, images, kernel, bandwidth))
    values = np.asarray(draws)
    noise = values.std(axis=0, ddof=1) / 200**0.5
    errors = (values.mean(axis=0) - truth) / noise
    assert (np.abs(errors[[0, 2, 3, 4]]) < 4.5).all()
    assert (errors[5:] > -4.5).all()
    assert abs(values[:, 1].mean() - truth[1]) < 4.5 * noise[1] + truth[1] / 15


def test_null_variance_and_skewness_of_a_linear_kernel():
    """k = x.y of N(0, S): q = ||S||^2, skewness sqrt 8 tr S^3 / ||S||^3; a shift's zetas are dm'S dm.

    Over 1,000 rows the relative error of q is near 2 sqrt(2/n) = 9 %, of the skewness 15 %; within 3 of these.
    """
    random = np.random.default_rng(0)
    values = 1 / np.arange(1, 9)
    rows = random.standard_normal((1000, 8)) * np.sqrt(values)
    move = np.full(8, 0.2)
    wide = Gaussian(1e3)  # linear, times 1e-6
    found = predict_from_rows(wide, rows, rows + move)
    square = float(np.square(values).sum())
    assert found.mmd2 * 1e6 == pytest.approx(move @ move, rel=1e-3)
    assert found.pooled_square * 1e12 == pytest.approx(square, rel=0.27)
    assert found.skewness == pytest.approx(8**0.5 * float((values**3).sum()) / square**1.5, rel=0.45)
    np.testing.assert_allclose(
        np.asarray([found.parts.zeta_x, found.parts.zeta_y]) * 1e12, move @ (values * move), rtol=0.15
    )


@pytest.mark.parametrize("change", ["shift", "contraction", "rotation"])
def test_closed_forms_agree_with_rows_for_gaussian_data(change):
    """Both on N(mu, S): MMD^2 of 500 paired rows scatters by some percent."""
    random = np.random.default_rng(0)
    sample = 0.3 + random.standard_normal((4000, 10)) / np.arange(1, 11) ** 0.5
    corpus = describe_corpus(jax.random.key(0), sample, num_modes=0)
    moved = law(change, corpus)
    rows = sample[:500]
    images = corpus.mean + moved.shift + moved.linear(rows - corpus.mean)
    for kernel in (Gaussian(corpus.rho * 2**0.5), kid_kernel(10)):
        closed, seen = predict_gaussian(kernel, corpus, moved, rows), predict_from_rows(kernel, rows, images)
        assert closed.mmd2 == pytest.approx(seen.mmd2, rel=0.15)
        assert closed.pooled_square == seen.pooled_square


def test_only_kernels_with_closed_forms(rows, corpus):
    with pytest.raises(TypeError, match="kernel must be Gaussian or KID's cubic one"):
        predict_gaussian(LaplaceL1(1.0), corpus, law("shift", corpus), rows)
    with pytest.raises(ValueError, match="kernel must be one of gaussian-median, kid; got 'laplace'"):
        predict_leading("laplace", corpus, law("shift", corpus))
    with pytest.raises(ValueError, match="rows and images must match and be at least 4"):
        predict_from_rows(Gaussian(1.0), rows[:3], rows[:3])


def test_gamma_quantiles():
    """Against scipy's Pearson III."""
    for skewness in (1e-4, 0.01, 0.5, 2.0):
        for level in (0.5, 0.95, 0.999):
            expected = stats.pearson3.ppf(level, skewness)
            assert standard_gamma_quantile(level, skewness) == pytest.approx(expected, abs=1e-3)
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        standard_gamma_quantile(1.0, 0.0)
    with pytest.raises(ValueError, match="skewness must be at least 0"):
        standard_gamma_quantile(0.5, -1.0)


def test_unequal_sizes():
    found = Prediction(0.01, 1.0, VarianceParts(0.5, 0.25, 1.0, 1.0, 1.0), 0.0)
    assert found.null_sd(100, 300) == pytest.approx(2**0.5 * (1 / 100 + 1 / 300))
    assert found.z(200) == found.z(200, 200)
    ratio = found.sd_ratio(100, 300)
    assert ratio**2 == pytest.approx(1 + (4 * 0.5 / 100 + 4 * 0.25 / 300) / found.null_sd(100, 300) ** 2, rel=0.02)


def test_smallest_detectable_and_samples_needed_are_inverse(corpus):
    def predict(strength):
        return predict_leading("kid", corpus, CHANGES["shift"].affine(jax.random.key(1), strength, corpus, None))

    strength = smallest_detectable(predict, 200, power=0.7)
    assert predict(strength).power(200) == pytest.approx(0.7, abs=5e-3)
    assert samples_needed(predict(strength), power=0.7) == pytest.approx(200, rel=0.01)


def test_what_no_strength_or_budget_detects():
    assert smallest_detectable(lambda s: Prediction(1e-9, 1.0, UNIT, 0.0), 100) is None
    assert samples_needed(Prediction(0.0, 1.0, UNIT, 0.0)) is None
    assert samples_needed(Prediction(1e-12, 1.0, UNIT, 0.0)) is None
    visible = Prediction(1.0, 1.0, UNIT, 0.0)
    assert smallest_detectable(lambda s: visible, 1000) == pytest.approx(1e-4)


def test_infeasible_strengths_are_not_detectable():
    def predict(strength, limit):
        if strength > limit:
            raise InfeasibleChange("too far")
        return Prediction(strength**2, 1.0, UNIT, 0.0)

    # z = 1.645 + 0.84 at s = 0.084 with n = 1000
    assert smallest_detectable(lambda s: predict(s, 0.09), 1000) == pytest.approx(0.0838, rel=0.01)
    assert smallest_detectable(lambda s: predict(s, 0.05), 1000) is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"power": 0.01}, "power must lie between alpha"),
        ({"alpha": 0.0}, "alpha must lie between 0 and 1"),
        ({"power": 1.0}, "power must lie between alpha"),
    ],
)
def test_numbers_out_of_range(options, message):
    prediction = Prediction(1.0, 1.0, UNIT, 0.0)
    with pytest.raises(ValueError, match=message):
        samples_needed(prediction, **options)
    with pytest.raises(ValueError, match=message):
        smallest_detectable(lambda s: prediction, 10, **options)


@pytest.mark.slow
@pytest.mark.parametrize(("change", "strength", "n"), [("shift", 0.2, 70), ("contraction", 0.25, 80)])
def test_power_by_simulation(change, strength, n):
    """500 permutation tests of a Gaussian law in 20 axes: the rejection rate is within 0.08 of the predicted power.

    Normal and gamma approximations are good to 0.04 here; 0.04 more is 1.8 binomial standard errors at 500 tests. The
    key is fixed.
    """
    random = np.random.default_rng(0)

    def sample(size):
        return random.standard_normal((size, 20)) / np.arange(1, 21) ** 0.5

    corpus = describe_corpus(jax.random.key(0), sample(5000), num_modes=0)
    kernel = Gaussian(corpus.rho * 2**0.5)
    move = CHANGES[change].affine(jax.random.key(1), strength, corpus, None)
    prediction = predict_gaussian(kernel, corpus, move, sample(1000))
    count, scores = 0, []
    for seed in range(500):
        y = corpus.mean + move.shift + move.linear(sample(n) - corpus.mean)
        found = mmd_test(sample(n), y, key=jax.random.key(seed), kernel=kernel, num_permutations=199)
        count += found.reject
        scores.append(found.z)
    assert 0.3 < prediction.power(n) < 0.9
    assert count / 500 == pytest.approx(prediction.power(n), abs=0.08)
    assert np.mean(scores) == pytest.approx(prediction.z(n), rel=0.1)
    assert np.std(scores) == pytest.approx(prediction.sd_ratio(n), rel=0.15)
