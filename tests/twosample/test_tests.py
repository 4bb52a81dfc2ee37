"""Permutation tests: statistics one by one, groups, ties, levels, refusals, JSON."""

from __future__ import annotations

import json

import jax
import numpy as np
import pytest

from fkeax import kernels
from fkeax.inference import permutation_units, row_labels
from fkeax.results import Result
from fkeax.twosample import frechet_test, mmd_test, two_sample_test
from fkeax.twosample.label_forms import label_forms, squared_distance_tiles
from fkeax.twosample.tiles import pooled_points
from tests.twosample import oracle


def permuted(name: str, x: np.ndarray, y: np.ndarray, labels: np.ndarray, bandwidth: float) -> np.ndarray:
    rows = np.concatenate([x, y])
    return np.asarray([oracle.mmd2(name, rows[u], rows[~u], bandwidth) for u in labels.T > 0])


@pytest.mark.parametrize("name", ["gaussian", "laplace-l1", "energy", "kid"])
@pytest.mark.parametrize("grouped", [False, True])
def test_permuted_statistics_one_by_one(key, name, grouped):
    """Float32 forms against float64 recomputation, far from the origin: 1e-4 of the null standard deviation."""
    random = np.random.default_rng(0)
    x, y = random.standard_normal((40, 6)) + 100, random.standard_normal((26, 6)) + 100.2
    groups = (
        np.concatenate([np.repeat(np.arange(16), [1, 4] * 8), 16 + np.repeat(np.arange(13), 2)]) if grouped else None
    )
    units = permutation_units(40, 26, groups)
    labels = row_labels(key, units, 30)
    kernel = {
        "gaussian": kernels.Gaussian(2.0),
        "laplace-l1": kernels.LaplaceL1(5.0),
        "energy": kernels.Energy(),
        "kid": kernels.Polynomial(3, 1 / 6, 1.0),
    }[name]
    points = pooled_points(x, y, x.mean(axis=0), kernel, np.dtype(np.float32))
    expected = permuted(name, x, y, np.asarray(labels), 5.0 if name == "laplace-l1" else 2.0)
    sources = [points, squared_distance_tiles(points)] if name in ("gaussian", "energy") else [points]
    for source in sources:
        found = label_forms(kernel, source, labels, points.num_tiles, points.tile_rows).unbiased_mmd2()
        np.testing.assert_allclose(found, expected, atol=1e-4 * np.std(expected), rtol=0)


def test_several_tiles(key):
    random = np.random.default_rng(1)
    x, y = random.standard_normal((200, 3)), random.standard_normal((180, 3))
    points = pooled_points(x, y, np.zeros(3), kernels.Gaussian(1.0), np.dtype(np.float32))
    assert points.num_tiles > 1
    labels = row_labels(key, permutation_units(200, 180), 5)
    found = label_forms(kernels.Gaussian(1.0), points, labels, points.num_tiles, points.tile_rows).unbiased_mmd2()
    expected = permuted("gaussian", x, y, np.asarray(labels), 1.0)
    np.testing.assert_allclose(found, expected, atol=1e-4 * np.std(expected), rtol=0)
    distances = squared_distance_tiles(points)
    pairs = np.sqrt(((np.concatenate([x, y])[:, None] - np.concatenate([x, y])[None]) ** 2).sum(-1))
    assert distances.median_distance(380) == pytest.approx(np.median(pairs[np.triu_indices(380, 1)]), rel=1e-5)


def test_swapping_the_samples_changes_nothing(key):
    """Equal sizes: every labelling has a mirror image with the same statistic."""
    x, y = np.random.default_rng(2).standard_normal((2, 50, 4))
    first, second = (mmd_test(a, b, key=key, num_permutations=99) for a, b in ((x, y), (y, x)))
    assert first.statistic == pytest.approx(second.statistic, rel=1e-3, abs=1e-6)
    assert first.settings["bandwidth"] == pytest.approx(second.settings["bandwidth"], rel=1e-6)


@pytest.mark.parametrize("method", ["mmd", "mmdagg", "fuse", "sweep", "frechet"])
def test_every_method_sees_a_shift_and_writes_json(key, method):
    random = np.random.default_rng(3)
    x, y = random.standard_normal((60, 3)), random.standard_normal((50, 3)) + 1.0
    found = two_sample_test(x, y, method=method, key=key, num_permutations=199)
    assert found.reject
    assert found.p_value <= 0.05
    assert found.z > 3
    assert (found.n_ref, found.n_gen, found.alpha) == (60, 50, 0.05)
    assert found.method == method
    assert any(report.fired for report in found.kernels) or method == "frechet"
    whole = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert whole["reject"] is True
    assert whole["p_value"] == found.p_value
    assert Result.from_dict(json.loads(json.dumps(found.to_result().to_dict()))) == found.to_result()


@pytest.mark.parametrize("method", ["mmd", "mmdagg", "fuse", "sweep", "frechet"])
def test_equal_samples_are_never_rejected(key, method):
    x = np.random.default_rng(4).standard_normal((60, 3))
    found = two_sample_test(x, x, method=method, key=key, num_permutations=199)
    assert not found.reject
    assert found.diagnostics["generated_equal_to_reference"] == 60
    assert any("equal a reference row" in warning for warning in found.diagnostics["warnings"])


def test_constant_data_are_told_apart_by_nothing(key):
    found = mmd_test(np.ones((20, 3)), np.ones((20, 3)), key=key, bandwidth=1.0, num_permutations=19)
    assert (found.p_value, found.z) == (1.0, None)
    assert found.diagnostics["constant_columns"] == 3


def test_groups_matter(key):
    """12 clips of 10 frames a side, spread far more between than within clips: rows moved alone mislead."""
    random = np.random.default_rng(5)
    x, y = (
        np.repeat(random.standard_normal((12, 4)), 10, axis=0) + 0.1 * random.standard_normal((120, 4)) for _ in "xy"
    )
    groups = np.repeat(np.arange(24), 10)
    assert mmd_test(x, y, key=key, num_permutations=199).p_value <= 0.01
    found = mmd_test(x, y, key=key, groups=groups, num_permutations=199)
    assert found.scheme == "permutations of groups"
    assert found.p_value > 0.05


def test_frechet_by_gram_and_by_rows_agree(key):
    """d > n goes through the pooled Gram matrix; embedding in more columns changes no distance."""
    random = np.random.default_rng(6)
    x, y = random.standard_normal((14, 5)), 1.5 * random.standard_normal((18, 5))
    rotation = np.linalg.qr(random.standard_normal((30, 30)))[0][:5]
    direct = frechet_test(x, y, key=key, num_permutations=99)
    embedded = frechet_test(x @ rotation, y @ rotation, key=key, num_permutations=99)
    assert embedded.statistic == pytest.approx(direct.statistic, rel=1e-9)
    assert embedded.p_value == direct.p_value
    assert embedded.null_sd == pytest.approx(direct.null_sd, rel=1e-9)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"key": None}, "key is needed for random relabellings: pass key=jax.random.key"),
        ({"alpha": 0.0}, "alpha must be a positive number"),
        ({"alpha": 1.5}, "alpha must lie between 0 and 1"),
        ({"num_permutations": 5}, "num_permutations must be at least 19"),
        ({"num_permutations": 50, "alpha": 0.01}, "num_permutations must be at least 99 for a test at level 0.01"),
        ({"method": "ks"}, "method must be one of mmd, mmdagg, fuse, sweep, frechet; got 'ks'"),
        ({"bandwidth": "mean"}, "bandwidth must be one of median"),
        ({"groups": [1, 2]}, "one label for each of the 40 rows"),
    ],
)
def test_bad_input(options, words):
    x, y = np.random.default_rng(7).standard_normal((2, 20, 3))
    settings = {"method": "mmd", "key": jax.random.key(0)} | options
    with pytest.raises(ValueError, match=words):
        two_sample_test(x, y, **settings)


def test_zero_median_is_one_sentence(key):
    x = np.concatenate([np.zeros((30, 2)), np.ones((3, 2))])
    with pytest.raises(ValueError, match="median distance of the pooled rows is 0"):
        mmd_test(x, x, key=key)


def test_a_sweep_compiles_once(key, compiled_programs):
    x, y = np.random.default_rng(8).standard_normal((2, 45, 3))
    mmd_test(x, y, key=key, bandwidth=1.0, num_permutations=99)
    compiled_programs.clear()
    mmd_test(x + 1, y * 2, key=jax.random.key(3), bandwidth=3, num_permutations=99, alpha=0.1)
    assert not compiled_programs
