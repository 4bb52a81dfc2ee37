"""Every kernel by every route it has, groups, intervals and truncation, against float64 oracles."""

from __future__ import annotations

import math

import jax
import numpy as np
import pytest

import fkeax
from fkeax import kernels
from fkeax.diversity import plan
from fkeax.features import SCHEMES
from tests.helpers import oracle

ORDERS = (0.0, 1.0, 2.0, math.inf)
SAMPLES, DIMENSION = 90, 4


def _data(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((SAMPLES, DIMENSION))


def _gram(kernel: kernels.Kernel, x: np.ndarray) -> np.ndarray:
    """Kernel values one pair at a time, from the definition at two points."""
    return np.asarray(jax.vmap(lambda a: jax.vmap(lambda b: kernel(a, b))(x))(x))


@pytest.mark.parametrize(
    "name",
    [
        "laplace-l1",
        "laplace-l2",
        "matern12",
        "matern32",
        "matern52",
        "rational-quadratic:alpha=0.5",
        "polynomial:degree=2,scale=0.3",
        "polynomial:degree=3,scale=0.3,offset=0",
    ],
)
def test_exact_and_dual_scores_of_every_kernel(x64, name):
    x = _data()
    has_bandwidth = isinstance(kernels.kernel_family(name), kernels.SpectralKernel)
    options = {"kernel": name, "bandwidth": 1.5 if has_bandwidth else None, "orders": ORDERS}
    family = kernels.kernel_family(name)
    gram = _gram(kernels.with_bandwidth(family, 1.5) if isinstance(family, kernels.SpectralKernel) else family, x)
    for method in ("exact",) if has_bandwidth else ("exact", "dual"):
        found = fkeax.score(x, method=method, **options)
        for order in ORDERS:
            expected = oracle.vendi_from_gram(gram, order)
            # Values from inner products are off by 1e-13 of a squared length; a root of that at small distances.
            assert float(found[f"vendi-{order:g}"]) == pytest.approx(expected, rel=1e-6), (method, order)
        assert float(found["rke"]) == pytest.approx(oracle.vendi_from_gram(gram, 2.0), rel=1e-6)


@pytest.mark.parametrize("name", ["laplace-l1", "matern32", "rational-quadratic:alpha=1"])
def test_features_approach_the_exact_score(name):
    """Debiased RKE of 4 draws is within 5 of its standard errors of the exact one (t of 3 degrees: one in 65)."""
    x = _data(1).astype(np.float32)
    exact = fkeax.rke(x, kernel=name, bandwidth=1.5)
    found = fkeax.fkea(
        x, kernel=name, bandwidth=1.5, orders=(2,), num_frequencies=256, num_draws=4, key=jax.random.key(2)
    )
    debiased = found["rke-debiased"]
    assert debiased.stderr is not None
    assert abs(float(debiased) - float(exact)) < 5 * debiased.stderr
    assert found["rke"].settings["kernel"] == name.partition(":")[0]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_schemes_say_which_debiasing_is_valid(scheme):
    x = _data(2).astype(np.float32)
    found = fkeax.fkea(x, bandwidth=2.0, features=scheme, orders=(1,), num_frequencies=128, key=jax.random.key(0))
    assert found["rke"].settings["features"] == scheme
    valid = scheme in ("iid", "stratified", "sobol")
    for name in ("rke-debiased", "vendi-1-debiased"):
        assert (found[name].value is not None) == valid
        assert valid or "overcorrects" in str(found[name].diagnostics["reason"])
    assert float(found["rke"]) == pytest.approx(float(fkeax.rke(x, bandwidth=2.0)), rel=0.25)
    assert ("expected_spectrum_error" in found["rke"].diagnostics) == (scheme == "iid")


def test_groups_of_one_row_change_nothing_and_labels_do_not_matter():
    x = _data(3).astype(np.float32)
    alone = fkeax.score(x, bandwidth=2.0, metrics=("rke",))["rke-population"]
    grouped = fkeax.score(x, bandwidth=2.0, metrics=("rke",), groups=np.arange(SAMPLES))["rke-population"]
    assert float(grouped) == pytest.approx(float(alone), rel=1e-9)
    assert grouped.stderr == pytest.approx(alone.stderr, rel=1e-9)
    assert grouped.diagnostics["interval"] == pytest.approx(alone.diagnostics["interval"], rel=1e-9)
    labels = np.repeat(np.arange(30), 3)
    words = np.asarray([f"clip {n}" for n in labels])
    numbered, named = (
        fkeax.score(x, bandwidth=2.0, metrics=("rke",), groups=groups)["rke-population"] for groups in (labels, words)
    )
    assert numbered.settings["num_groups"] == 30
    assert (numbered.value, numbered.stderr) == (named.value, named.stderr)


@pytest.mark.parametrize("method", ["exact", "fkea"])
def test_grouped_population_score_goes_over_pairs_of_different_groups(x64, method):
    x = np.repeat(_data(4)[:30], 3, axis=0) + 0.1 * np.random.default_rng(5).standard_normal((90, DIMENSION))
    groups = np.repeat(np.arange(30), 3)
    squares = oracle.gaussian_gram(x, 2.0) ** 2
    expected = 1 / squares[groups[:, None] != groups[None, :]].mean()
    options = {"num_frequencies": 512, "num_draws": 4, "key": jax.random.key(1)} if method == "fkea" else {}
    found = fkeax.score(x, bandwidth=2.0, metrics=("rke",), groups=groups, method=method, **options)["rke-population"]
    # By features within the spread of 4 draws of 512 frequencies, 3 % by the bound 1/sqrt(2 r draws) on the moment.
    assert float(found) == pytest.approx(expected, rel=1e-9 if method == "exact" else 0.05)
    assert found.stderr is not None


@pytest.mark.parametrize("method", ["exact", "fkea", "dual"])
def test_intervals_hold_the_score_and_widen_with_groups(method):
    x = np.repeat(_data(6)[:30], 3, axis=0).astype(np.float32)
    options = {"bandwidth": 2.0} if method != "dual" else {"kernel": "cosine"}
    options |= {"num_frequencies": 64, "key": jax.random.key(1)} if method == "fkea" else {}
    plain, grouped = (
        fkeax.vendi(x, order=1.0, method=method, intervals=True, groups=groups, **options)
        for groups in (None, np.repeat(np.arange(30), 3))
    )
    low, high = plain.diagnostics["interval"]
    assert low < float(plain) < high
    assert plain.stderr is not None
    assert grouped.stderr is not None
    assert plain.stderr < grouped.stderr  # threefold copies carry the information of a third of the rows
    assert "delete-group jackknife" in str(plain.diagnostics["stderr_method"])
    assert float(plain) == pytest.approx(float(fkeax.vendi(x, order=1.0, method=method, **options)), rel=1e-6)


def test_truncated_scores_are_those_of_the_largest_eigenvalues(x64):
    x = _data(7)
    spectrum = oracle.gram_spectrum(oracle.gaussian_gram(x, 1.5))
    kept = spectrum[:10] + spectrum[10:].sum() / 10
    found = fkeax.score(x, metrics=("vendi-truncated",), orders=(1.0, 2.0), num_kept=10, bandwidth=1.5)
    for order in (1.0, 2.0):
        result = found[f"vendi-{order:g}-truncated"]
        assert float(result) == pytest.approx(oracle.hill_number(kept, order), rel=1e-9)
        assert result.diagnostics["num_kept"] == 10


@pytest.mark.slow
def test_nystrom_with_all_rows_is_exact_and_says_what_it_misses(x64):
    x = _data(8)
    options = {"bandwidth": 2.0, "orders": (1.0, 2.0), "method": "nystrom", "key": jax.random.key(0)}
    whole = fkeax.score(x, num_landmarks=SAMPLES, **options)
    assert float(whole["vendi-1"]) == pytest.approx(float(fkeax.vendi(x, bandwidth=2.0)), rel=1e-6)
    part = fkeax.score(x, num_landmarks=20, **options)
    deficit = part["rke"].diagnostics["trace_deficit"]
    assert isinstance(deficit, float)
    assert deficit > 0.05
    assert "nystrom features miss" in str(part["rke"].diagnostics["warnings"])
    low, high = part["vendi-2"].diagnostics["exact_bounds"]
    assert low <= float(fkeax.rke(x, bandwidth=2.0)) <= high


def test_a_bandwidth_found_on_a_reference_travels_with_the_result():
    reference, x = _data(9), _data(10)
    found = kernels.bandwidth_for_rke(reference, 8.0, kernel=kernels.Gaussian(1.0))
    result = fkeax.rke(x, bandwidth=found)
    assert result.settings["bandwidth"] == found.value
    assert result.settings["bandwidth_source"] == found.source
    assert float(fkeax.rke(reference, bandwidth=found)) == pytest.approx(8.0, rel=1e-6)
    by_rule = fkeax.rke(reference, bandwidth="rke=8")
    assert by_rule.settings["bandwidth"] == pytest.approx(found.value, rel=1e-9)
    given = fkeax.rke(x, kernel=kernels.RationalQuadratic(2.0, alpha=0.5))
    assert given.settings["bandwidth"] == 2.0
    assert given.settings["kernel_parameters"] == "alpha=0.5"
    assert float(given) == float(fkeax.rke(x, kernel="rational-quadratic:alpha=0.5", bandwidth=2.0))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"kernel": "cosine", "method": "fkea"}, "method='fkea' needs a shift-invariant kernel"),
        ({"bandwidth": 1.0, "method": "dual"}, "method='dual' needs a kernel with an explicit feature map"),
        ({"kernel": kernels.Gaussian(1.0), "bandwidth": 1.0}, "bandwidth belongs to the kernel Gaussian"),
        ({"kernel": "polynomial:degree=2"}, "scale must be given for the polynomial kernel"),
        ({"kernel": "gausian", "bandwidth": 1.0}, "did you mean 'gaussian'"),
        ({"bandwidth": 1.0, "groups": np.zeros(90, int)}, "groups must number at least 2; got 1"),
        ({"bandwidth": 1.0, "groups": np.arange(3)}, "groups must hold one label for each of the 90 rows"),
        ({"bandwidth": 1.0, "weights": np.ones(90), "intervals": True}, "intervals and weights do not go together"),
        ({"bandwidth": 1.0, "weights": np.zeros(90)}, "weights must not all be 0"),
        ({"bandwidth": 1.0, "metrics": ("vendi-truncated",)}, "num_kept is needed for 'vendi-truncated'"),
        ({"bandwidth": 1.0, "metrics": ("vendi-debiased",), "method": "exact"}, "has no bias to remove"),
        ({"bandwidth": "rke=0.5"}, "needs a number above 1"),
        ({"bandwidth": 1.0, "method": "nystrom"}, "key is needed for the landmarks"),
        ({"bandwidth": 1.0, "features": "grid"}, "features must be one of iid"),
        ({"kernel": "polynomial:degree=900,scale=1", "method": "exact"}, "overflow or vanish even in float64"),
        ({"kernel": "polynomial:degree=30,scale=1", "method": "dual"}, "46,376 explicit features here"),
        ({"kernel": "rational-quadratic:alpha=1,alpha=2", "bandwidth": 1.0}, "alpha is given twice"),
    ],
)
def test_bad_options_get_one_sentence(options, sentence):
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
        fkeax.score(_data(), **options)


@pytest.mark.parametrize(
    "call", [fkeax.vendi, fkeax.fkea, lambda x, **o: fkeax.curve(x, over="order", values=(1,), **o)]
)
def test_a_misspelt_option_is_an_error(call):
    with pytest.raises(TypeError, match="num_frequncies"):
        call(_data(), bandwidth=1.0, key=jax.random.key(0), num_frequncies=5)


def test_intervals_need_rows():
    with pytest.raises(ValueError, match="intervals need at least 10 rows"):
        fkeax.vendi(_data()[:9], bandwidth=1.0, intervals=True)


def test_plan_knows_every_route():
    assert plan(50_000, 64, kernel="polynomial:degree=2,scale=1").route == "dual"
    assert plan(100, 64, kernel="polynomial:degree=2,scale=1").reason == "n = 100 <= 2145 features"
    assert plan(50_000, 64, kernel="laplace-l1").route == "fkea"
    assert plan(50_000, 64, method="nystrom", num_landmarks=500).matrix_bytes == 500 * 500 * 4
    with pytest.raises(ValueError, match="explicit features here"):
        plan(10**9, 4000, kernel="polynomial:degree=3,scale=1", method="dual")
