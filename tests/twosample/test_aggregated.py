"""MMDAgg, MMD-FUSE and sweeps: the reference package's numbers under the same draws, and laws of the correction."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax import kernels
from fkeax.twosample import bandwidth_sweep, mmd_fuse, mmdagg
from fkeax.twosample.aggregated import fused_parts, paired_statistics
from fkeax.twosample.bandwidth_grids import aggregation_grid, fusion_grid
from fkeax.twosample.kernel_families import family_forms, listed
from fkeax.twosample.level_correction import corrected_level
from fkeax.twosample.tiles import pooled_points

package_mmdagg = pytest.importorskip("kt.mmdagg", reason="kerneltests is not installed (the test extra)")
package_fuse = pytest.importorskip("kt.mmdfuse")

B1, B2 = 200, 150
CASES = [(30, 30, 0.0, 0), (30, 30, 0.8, 1), (30, 22, 0.0, 2), (30, 22, 0.9, 3), (24, 30, 0.5, 4)]


def pair(n: int, m: int, shift: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.standard_normal((n, 4)), random.standard_normal((m, 4)) + shift


def centred_points(x: np.ndarray, y: np.ndarray):
    return pooled_points(x, y, x.mean(axis=0), kernels.Gaussian(1.0), np.dtype(np.float32))


@pytest.mark.parametrize(("n", "m", "shift", "seed"), CASES)
def test_mmdagg_under_the_packages_draws(n, m, shift, seed):
    """The package's RandomState draws fed to our statistics: thresholds, quantiles, p-values and decisions agree."""
    x, y = pair(n, m, shift, seed)
    decision, found = package_mmdagg.mmdagg(x, y, B1=B1, B2=B2, seed=seed, return_details=True)
    centre = x.mean(axis=0)
    families = aggregation_grid((x - centre).astype(np.float32), (y - centre).astype(np.float32), 10, "package")
    random = np.random.RandomState(seed)  # the package's own draws
    if n == m:
        signs = random.choice([-1.0, 1.0], size=(B1 + B2 + 1, n))
        order = [B1, *range(B1), *range(B1 + 1, B1 + B2 + 1)]
        signs[B1] = 1
        ours = paired_statistics(families, x, y, centre, signs[order].T.astype(np.float32)) * n * (n - 1)
    else:
        places = random.rand(B1 + B2 + 1, n + m).argsort(axis=1)
        places[B1] = np.arange(n + m)
        order = [B1, *range(B1), *range(B1 + 1, B1 + B2 + 1)]
        labels = jnp.asarray((places[order] < n).T.astype(np.float32))
        forms = family_forms(families, centred_points(x, y), labels).forms
        ours = np.stack([form.unbiased_mmd2() for form in forms])
    widths = np.asarray([width for _, width in listed(families)])
    np.testing.assert_allclose(widths * np.repeat([1, 2**0.5], 10), found["bandwidth"], rtol=1e-5)
    scale = np.std(ours, axis=1)
    np.testing.assert_allclose(ours[:, 0] / scale, found["mmd"] / scale, atol=1e-3)
    corrected = corrected_level(ours[:, 0], ours[:, 1 : B1 + 1], ours[:, B1 + 1 :], np.full(20, 1 / 20), 0.05)
    assert corrected.level / 20 == pytest.approx(found["threshold"][0], abs=1e-9)
    np.testing.assert_allclose(corrected.thresholds / scale, found["quantile"] / scale, atol=1e-3)
    np.testing.assert_allclose(corrected.p_values, found["p_value"], atol=1.5 / (B1 + 1))  # rounding may break a tie
    assert (corrected.fired == found["reject"]).all()
    assert corrected.fired.any() == bool(decision)


@pytest.mark.parametrize(("n", "m", "shift", "seed"), CASES)
def test_fuse_under_the_packages_draws(n, m, shift, seed):
    x, y = pair(n, m, shift, seed)
    decision, found = package_fuse.mmdfuse(x, y, number_permutations=199, seed=seed, return_details=True)
    first, second = (x, y) if n >= m else (y, x)  # the package puts the larger sample first
    places = np.random.RandomState(seed).rand(199, n + m).argsort(axis=1)
    labels = np.concatenate([np.arange(n + m)[None], places]) < len(first)
    pooled = np.concatenate([first, second]) - first.mean(axis=0)
    families = fusion_grid(pooled.astype(np.float32), 10)
    parts = fused_parts(families, centred_points(first, second), jnp.asarray(labels.T.astype(np.float32)))
    np.testing.assert_allclose(parts[:, 0], found["mmd"], atol=2e-3 * np.std(found["permuted_statistics"]))
    top = parts.max(axis=0)
    fused = top + np.log(np.mean(np.exp(parts - top), axis=0))
    np.testing.assert_allclose(fused[1:], found["permuted_statistics"], atol=2e-3 * np.std(fused))
    p_value = np.mean(fused >= fused[0])
    assert p_value == pytest.approx(found["p_value"], abs=1.5 / 200)
    assert bool(decision) == (p_value <= 0.05)


def test_p_value_is_the_smallest_level_that_rejects():
    """Bisection at levels around the p-value: above it the test rejects, below it does not."""
    random = np.random.default_rng(0)
    for _ in range(40):
        draws = random.standard_normal((3, 600)) * [[1], [2], [3]]
        observed = random.standard_normal(3) * [1, 2, 3] + random.uniform(0, 3)
        weights = random.dirichlet([2, 2, 2])
        found = corrected_level(observed, draws[:, :299], draws[:, 299:], weights, 0.05)
        assert found.fired.any() == (found.p_value <= 0.05)
        for alpha, expected in ((found.p_value + 1e-9, True), (found.p_value - 1e-9, False)):
            if 1 / 302 < found.p_value < 0.9:
                again = corrected_level(observed, draws[:, :299], draws[:, 299:], weights, alpha)
                assert again.fired.any() == expected


@pytest.mark.slow
def test_equivariant_grid_does_not_know_units(key):
    x, y = pair(40, 40, 0.4, 5)
    plain, scaled = (mmdagg(c * x, c * y, key=key, num_permutations=199, grid="equivariant") for c in (1.0, 1e-3))
    assert plain.p_value == scaled.p_value
    assert scaled.kernels[3].bandwidth == pytest.approx(1e-3 * plain.kernels[3].bandwidth, rel=1e-4)
    floored = mmdagg(1e-3 * x, 1e-3 * y, key=key, num_permutations=199)
    assert floored.kernels[3].bandwidth > 10 * scaled.kernels[3].bandwidth  # the package's floors


def test_own_kernels_and_weights(key):
    x, y = pair(40, 30, 1.0, 6)
    families = (kernels.Gaussian(jnp.asarray([0.5, 2.0])), kernels.LaplaceL1(jnp.asarray([3.0])))
    found = mmdagg(x, y, key=key, num_permutations=199, families=families, weights=[0.5, 0.25, 0.25])
    assert [report.name for report in found.kernels] == ["gaussian", "gaussian", "laplace-l1"]
    assert found.reject
    with pytest.raises(ValueError, match="weights must be 3 positive numbers"):
        mmdagg(x, y, key=key, num_permutations=199, families=families, weights=[1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="as many generated as reference rows and no groups; got 40 and 30"):
        mmdagg(x, y, key=key, scheme="wild", num_permutations=199)


def test_wild_bootstrap_sees_copies_at_the_same_index():
    """Y = X + noise row by row: the copies show no difference of laws, and are counted."""
    random = np.random.default_rng(7)
    x = random.standard_normal((60, 4))
    found = mmdagg(x, x + 0.003 * random.standard_normal((60, 4)), key=jax.random.key(0), num_permutations=199)
    assert found.scheme == "wild bootstrap of shuffled pairs"
    assert not found.reject
    assert found.diagnostics["generated_near_reference"] == 60


def test_sweep_names_the_scale():
    random = np.random.default_rng(8)
    x = random.standard_normal((150, 2))
    y = np.round(random.standard_normal((150, 2)) / 0.5) * 0.5 + 0.05 * random.standard_normal((150, 2))  # fine grid
    found = bandwidth_sweep(x, y, key=jax.random.key(1), num_permutations=199)
    fired = [report.fired for report in found.kernels]
    assert found.reject
    assert fired[0]
    assert not fired[-1]
    assert min(report.p for report in found.kernels) == found.p_value


def test_fuse_agrees_with_itself_under_shift(key):
    x, y = pair(40, 30, 0.3, 9)
    near, far = (mmd_fuse(x + c, y + c, key=key, num_permutations=99) for c in (0.0, 1000.0))
    assert near.statistic == pytest.approx(far.statistic, rel=1e-3)
