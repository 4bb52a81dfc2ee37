"""Principal components against a singular value decomposition in float64."""

from __future__ import annotations

import numpy as np
import pytest

from fkeax.quantize import fit_pca


def _rows(n: int, d: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.standard_normal((n, d)) @ np.diag(1 / np.arange(1, d + 1)) @ random.standard_normal((d, d)) + 5.0


@pytest.mark.parametrize(("n", "d"), [(60, 8), (8, 60), (30, 30)])
def test_variances_and_subspace_are_those_of_the_svd(n, d):
    """From either side. Backward stable: variances to min(n, d) u of the largest, some 1e-14; 1e-10 is asked."""
    x = _rows(n, d)
    _, singular, directions = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    pca = fit_pca(x, num_components=5)
    np.testing.assert_allclose(pca.variances, singular[:5] ** 2 / n, rtol=1e-10)
    np.testing.assert_allclose(np.abs(np.sum(pca.components * directions[:5], axis=1)), 1, atol=1e-10)
    assert pca.total_variance == pytest.approx(x.var(axis=0).sum(), rel=1e-10)


def test_explained_variance_keeps_the_fewest_components():
    x = _rows(50, 6, seed=1)
    shares = np.cumsum(np.linalg.svd(x - x.mean(axis=0), compute_uv=False) ** 2)
    shares /= shares[-1]
    for share in (0.3, 0.7, 0.9, 0.999):
        pca = fit_pca(x, explained_variance=share)
        assert len(pca.variances) == int(np.argmax(shares >= share)) + 1
        assert pca.explained >= share
    assert len(fit_pca(x, explained_variance=1.0).variances) == 6


def test_signs_and_values_do_not_depend_on_the_order_of_rows():
    x = _rows(40, 7, seed=2)
    shuffled = np.random.default_rng(0).permutation(x)
    first, second = fit_pca(x, num_components=4), fit_pca(shuffled, num_components=4)
    np.testing.assert_allclose(first.components, second.components, atol=1e-9)
    largest = np.take_along_axis(first.components, np.abs(first.components).argmax(axis=1)[:, None], axis=1)
    assert (largest > 0).all()


def test_far_data_in_float32_lose_nothing_but_their_own_rounding():
    """At mean 1,000 and unit spread, float32 rows are off by 3e-5; a centred product adds nothing to that."""
    x = np.random.default_rng(3).standard_normal((500, 5)) * [3, 2, 1, 0.5, 0.2]
    near, far = fit_pca(x, num_components=5), fit_pca((x + 1000).astype(np.float32), num_components=5)
    np.testing.assert_allclose(far.variances, near.variances, rtol=1e-3)
    projected = far.project((x + 1000).astype(np.float32))
    assert projected.dtype == np.float32
    np.testing.assert_allclose(projected, (x - x.mean(axis=0)) @ far.components.T, atol=5e-4)


def test_rows_without_spread_keep_one_component():
    pca = fit_pca(np.full((10, 3), 7.0), explained_variance=0.9)
    assert pca.components.shape == (1, 3)
    assert pca.explained == 1.0
    assert fit_pca(np.ones((1, 4)), explained_variance=0.9).project(np.ones((2, 4))).tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "exactly one of explained_variance and num_components must be given."),
        ({"explained_variance": 0.9, "num_components": 2}, "exactly one of explained_variance and num_components"),
        ({"explained_variance": 1.5}, r"explained_variance must lie in \(0, 1\]; got 1.5."),
        ({"num_components": 7}, r"num_components must be at most min\(n, d\) = 3; got 7."),
        ({"num_components": 0}, "num_components must be at least 1; got 0."),
    ],
)
def test_bad_arguments_are_named(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        fit_pca(np.eye(5, 3), **arguments)


def test_projection_of_another_width_is_refused():
    with pytest.raises(ValueError, match=r"x must have 3 columns, as the rows fitted; got 2."):
        fit_pca(np.eye(5, 3), num_components=1).project(np.eye(2))
