"""MMD: against float64 definitions, closed forms, and its own sampling distribution."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from scipy import stats

from fkeax import kernels
from fkeax.twosample import mmd
from fkeax.twosample.kernel_choice import chosen_kernel, prepared
from fkeax.twosample.mmd_estimates import unbiased_mmd2, variance_parts
from fkeax.twosample.pair_sums import pair_sums
from fkeax.twosample.samples import two_samples
from tests.twosample import oracle

N, M, D = 300, 270, 6
KERNELS = [
    ("gaussian", "gaussian", {"bandwidth": 2.0}),
    ("laplace-l1", "laplace-l1", {"bandwidth": 5.0}),
    ("laplace-l2", "laplace-l2", {"bandwidth": 2.0}),
    ("energy", "energy", {}),
    ("imq", "rational-quadratic", {"bandwidth": 2.0, "alpha": 0.5}),
    ("iq", "rational-quadratic", {"bandwidth": 2.0 / 2**0.5, "alpha": 1.0}),
    ("linear", "linear", {}),
    ("kid", kernels.Polynomial(3, 1.0 / D, 1.0), {}),
]


def pair(offset: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    return random.standard_normal((N, D)) + offset, 1.1 * random.standard_normal((M, D)) + offset + 0.2


@pytest.mark.parametrize(("name", "kernel", "settings"), KERNELS, ids=[case[0] for case in KERNELS])
@pytest.mark.parametrize("offset", [0.0, 1000.0])
def test_float32_equals_the_float64_definition(name, kernel, settings, offset):
    """The contract: 1e-4 relative, at feature means of 0 and of 1000 alike; inputs are float64, products float32."""
    x, y = pair(offset)
    bandwidth = 2.0 if name in ("imq", "iq") else settings.get("bandwidth", 1.0)
    for estimator in ("unbiased", "biased"):
        result = mmd(x, y, kernel=kernel, estimator=estimator, **settings)
        assert result.settings["dtype"] == "float32"
        expected = oracle.mmd2(name, x, y, bandwidth, unbiased=estimator == "unbiased")
        assert result.name == f"mmd2-{estimator}"
        assert result.value == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("name", ["gaussian", "kid"])
def test_float64_equals_the_definition(x64, name):
    """float64 products of centred rows against differences: 1e-12 of the kernel's size, 1e-10 of MMD^2 here."""
    x, y = pair(10.0)
    kernel = kernels.Gaussian(2.0) if name == "gaussian" else kernels.Polynomial(3, 1.0 / D, 1.0)
    assert mmd(x, y, kernel=kernel).value == pytest.approx(oracle.mmd2(name, x, y, 2.0), rel=1e-10)


def test_gaussian_laws_have_a_closed_form():
    """A large sample lies within 4 standard errors of the population value (false alarm 6e-5)."""
    random = np.random.default_rng(5)
    first, second = np.diag([1.0, 0.5, 2.0]), np.diag([1.5, 0.5, 1.0])
    mean = np.asarray([0.3, 0.0, -0.2])
    x = random.standard_normal((4000, 3)) * np.sqrt(np.diag(first))
    y = random.standard_normal((3000, 3)) * np.sqrt(np.diag(second)) + mean
    result = mmd(x, y, bandwidth=1.7)
    expected = oracle.gaussian_mmd2(mean, first, second, 1.7)
    assert abs(result.value - expected) < 4 * result.stderr
    assert result.stderr < 0.1 * expected


@pytest.mark.slow
def test_variance_parts_are_unbiased_and_add_up():
    """Over 400 draws at P != Q and n != m: the mean of the variance estimate against the variance of the estimates.

    The ratio of a chi-square variance with 399 degrees of freedom to its expectation lies in (0.78, 1.26) with
    probability 0.999.
    """
    random = np.random.default_rng(1)
    kernel = kernels.Gaussian(1.5)
    values, variances, biased = [], [], []
    for _ in range(400):
        x, y = random.standard_normal((24, 2)), random.standard_normal((40, 2)) * 1.2 + 0.4
        samples = two_samples(x, y, find_duplicates=False)
        sums = pair_sums(kernel, prepared(samples, chosen_kernel(kernel)), 24)
        parts = variance_parts(sums)
        assert parts is not None
        values.append(unbiased_mmd2(sums))
        variances.append(parts.variance(24, 40))
        biased.append(min(parts.zeta_x, parts.zeta_y))
    low, high = stats.chi2.ppf([0.0005, 0.9995], 399) / 399
    assert low < np.var(values, ddof=1) / np.mean(variances) < high
    expected = oracle.gaussian_mmd2(np.asarray([0.4, 0.4]), np.eye(2), 1.44 * np.eye(2), 1.5)
    z = (np.mean(values) - expected) / (np.std(values, ddof=1) / 20)
    assert abs(z) < 4  # unbiased at n = 24 against 40; false alarm 8e-5


@pytest.mark.slow
def test_jackknife_is_root_two_too_wide_under_the_null():
    """The ratio of expectations is 2 in variance, up to 1/n; averaged over 60 null data sets within 6 % of sqrt 2.

    The first-order part is left out: it is 0 in truth, and only noise made positive where it is reported.
    """
    random = np.random.default_rng(2)
    second_order, jackknife = [], []
    for _ in range(60):
        x, y = random.standard_normal((2, 100, 20))
        result = mmd(x, y, bandwidth=4.0)
        s_xx, s_xy, s_yy = result.diagnostics["second_order_variances"]
        second_order.append((2 * s_xx + 2 * s_yy + 4 * s_xy) / 100**2)
        jackknife.append(result.diagnostics["jackknife_stderr"] ** 2)
    assert (np.mean(jackknife) / np.mean(second_order)) ** 0.5 == pytest.approx(2**0.5, rel=0.06)


def test_values_are_signed():
    random = np.random.default_rng(3)
    x, y = random.standard_normal((2, 60, 4))
    values = [mmd(x, y[order], bandwidth=1.0).value for order in (slice(None), slice(None, None, -1))]
    assert values[0] == pytest.approx(values[1], rel=1e-4)  # the order of rows does not matter
    random = np.random.default_rng(4)
    assert min(mmd(*random.standard_normal((2, 60, 4)), bandwidth=1.0).value for _ in range(10)) < 0


def test_shift_changes_nothing():
    x, y = pair()
    near, far = (mmd(x + c, y + c, bandwidth=2.0) for c in (0.0, 1e4))
    assert near.value == pytest.approx(far.value, rel=1e-4)
    assert near.stderr == pytest.approx(far.stderr, rel=1e-4)


def test_median_is_the_references():
    x, y = pair()
    result = mmd(x, y * 9, bandwidth="median")
    distances = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))[np.triu_indices(N, 1)]
    assert result.settings["bandwidth"] == pytest.approx(np.median(distances), rel=1e-6)
    assert "reference" in result.settings["bandwidth_source"]


def test_small_samples():
    two = mmd(np.asarray([[0.0], [1.0]]), np.asarray([[0.0], [2.0]]), bandwidth=1.0)
    assert two.stderr is None
    assert "4 rows" in two.diagnostics["stderr_reason"]
    assert two.value == pytest.approx(oracle.mmd2("gaussian", [[0.0], [1.0]], [[0.0], [2.0]]), rel=1e-5)


@pytest.mark.parametrize(
    ("arguments", "settings", "error", "words"),
    [
        ((np.zeros((1, 2)), np.ones((3, 2))), {"bandwidth": 1.0}, ValueError, "reference must have at least 2 rows"),
        ((np.zeros((3, 2)), np.ones((3, 4))), {"bandwidth": 1.0}, ValueError, "same number of columns; got 2 and 4"),
        ((np.zeros((3, 2)), np.full((3, 2), np.nan)), {"bandwidth": 1.0}, ValueError, "generated must be finite"),
        ((np.zeros((3, 2)), np.ones((3, 2))), {"bandwidth": "median"}, ValueError, "median distance of the reference"),
        ((np.eye(3), np.ones((3, 3))), {}, ValueError, "bandwidth is needed for the gaussian kernel"),
        ((np.eye(3), np.ones((3, 3))), {"bandwidth": "mean"}, ValueError, "bandwidth must be one of median"),
        ((np.eye(3), np.ones((3, 3))), {"bandwidth": -1.0}, ValueError, "bandwidth must be a positive number"),
        ((np.eye(3), np.ones((3, 3))), {"bandwidth": 1.0, "estimator": "u"}, ValueError, "estimator must be one of"),
        ((np.eye(3), np.ones((3, 3))), {"kernel": "gausian", "bandwidth": 1.0}, ValueError, "did you mean 'gaussian'"),
        ((np.eye(3), np.ones((3, 3))), {"kernel": "energy", "bandwidth": 1.0}, ValueError, "energy"),
        ((np.eye(3), np.zeros((3, 3))), {"kernel": "cosine"}, ValueError, "generated has 3 rows of length 0"),
    ],
)
def test_bad_input(arguments, settings, error, words):
    with pytest.raises(error, match=words):
        mmd(*arguments, **settings)


def test_one_compile_for_a_sweep(compiled_programs):
    x, y = pair()
    mmd(x, y, bandwidth=1.0)
    compiled_programs.clear()
    mmd(x, y, bandwidth=3)
    mmd(x[:299], y[:271], bandwidth=np.float64(7.0))
    assert not compiled_programs


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m", "shift"), [(60, 60, 0.0), (60, 90, 0.0), (100, 100, 0.15), (60, 90, 0.3)])
def test_interval_covers(n, m, shift):
    """1000 draws of the nominal 95 % interval, d = 300: coverage inside the exact binomial 99.9 % interval of 0.95."""
    dimension = 300
    bandwidth = (2 * dimension) ** 0.5
    kernel = kernels.Gaussian(bandwidth)
    mean = np.zeros(dimension)
    mean[:50] = shift
    expected = oracle.gaussian_mmd2(mean, np.eye(dimension), np.eye(dimension), bandwidth)
    random = np.random.default_rng(n + m)
    covered = 0
    for _ in range(1000):
        x, y = random.standard_normal((n, dimension)), random.standard_normal((m, dimension)) + mean
        samples = two_samples(x, y, find_duplicates=False)
        sums = pair_sums(kernel, prepared(samples, chosen_kernel(kernel)), n)
        parts = variance_parts(sums)
        assert parts is not None
        covered += abs(unbiased_mmd2(sums) - expected) <= 1.959964 * parts.variance(n, m) ** 0.5
    low, high = stats.binom.ppf([0.0005, 0.9995], 1000, 0.95)
    assert low <= covered <= high


def test_key_is_needed_only_for_sampled_medians(key):
    x, y = pair()
    assert mmd(x, y, bandwidth=2.0, key=key) == mmd(x, y, bandwidth=2.0)
    assert isinstance(key, jax.Array)
