"""Symmetric products by blocks, eigenvalues, and the cut of a spectrum."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax.numerics import linalg
from tests.helpers import tolerances


def _parts(seed: int, widths: list[int], rows: int = 40) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((rows, width)).astype(np.float32) for width in widths]


@pytest.mark.parametrize("widths", [[5], [4, 4], [3, 5, 2], [4, 4, 4, 4, 3]])
def test_blocks_make_the_whole_product(widths):
    parts = _parts(0, widths)
    whole = np.concatenate(parts, axis=1).astype(np.float64)
    exact, magnitudes = whole.T @ whole, np.abs(whole).T @ np.abs(whole)
    blocks = linalg.symmetric_blocks([jnp.asarray(part) for part in parts])
    bound = tolerances.growth(40, "float32") * magnitudes
    dense = np.asarray(linalg.dense_symmetric(blocks))
    assert np.all(np.abs(dense - exact) <= bound)
    np.testing.assert_array_equal(np.triu(linalg.upper_triangle(blocks)), np.triu(dense))
    assert linalg.block_widths(blocks) == widths
    assert float(linalg.trace(blocks)) == pytest.approx(
        np.trace(exact), rel=tolerances.growth(40 + sum(widths), "float32")
    )
    squares = float(np.sum(exact**2))
    # each entry moves by at most `bound`, and the sum of the f^2 squares rounds as well
    allowed = (
        float(np.sum(2 * np.abs(exact) * bound + bound**2)) + tolerances.growth(sum(widths) ** 2, "float32") * squares
    )
    assert abs(float(linalg.squared_norm(blocks)) - squares) <= allowed


@pytest.mark.parametrize("widths", [[5], [4, 4], [3, 5, 2]])
def test_blocks_of_zeros_have_the_same_layout(widths):
    blocks = linalg.symmetric_blocks([jnp.asarray(part) for part in _parts(1, widths)])
    zeros = linalg.zero_blocks(widths, jnp.float32)
    assert [z.shape for z in zeros] == [b.shape for b in blocks]
    assert all(float(jnp.sum(jnp.abs(z))) == 0.0 for z in zeros)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [1, 2, 17, 120])
def test_eigenvalues(x64, dtype, size):
    rng = np.random.default_rng(size)
    square = rng.standard_normal((size, size))
    matrix = (square @ square.T / size).astype(dtype)
    matrix = np.triu(matrix) + np.triu(matrix, 1).T
    exact = np.linalg.eigvalsh(matrix.astype(np.float64))
    garbage_below = np.triu(matrix) + np.tril(np.full_like(matrix, 7.0), -1)  # only the upper triangle may be read
    allowed = tolerances.eigensolver_error(size, float(np.linalg.norm(matrix)), dtype)
    allowed += tolerances.eigensolver_error(size, float(np.linalg.norm(matrix)), "float64")
    for given in (matrix, garbage_below, jnp.asarray(matrix)):
        before = np.array(given)
        found = linalg.eigenvalues(given)
        assert found.dtype == dtype
        assert np.linalg.norm(found - exact) <= allowed
        np.testing.assert_array_equal(np.asarray(given), before)  # not overwritten unless allowed


def test_top_eigenpairs(x64):
    square = np.random.default_rng(5).standard_normal((30, 30))
    matrix = square @ square.T
    values, vectors = linalg.top_eigenpairs(matrix, 4)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix)[::-1][:4], rtol=1e-12)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-11 * values[0])
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-13)
    all_values, all_vectors = linalg.eigenpairs(matrix)
    np.testing.assert_allclose(all_values[:4], values, rtol=1e-12)
    np.testing.assert_allclose(all_vectors @ (all_values[:, None] * all_vectors.T), matrix, atol=1e-11 * values[0])


def test_normalized_spectrum_cuts_renormalises_and_says_so():
    raw = np.array([-3e-8, 1e-9, 1.0, 3.0], np.float32)
    spectrum = linalg.normalized_spectrum(jnp.asarray(raw))
    np.testing.assert_allclose(np.asarray(spectrum.values), [0.0, 0.0, 0.25, 0.75], rtol=2e-7)
    assert float(spectrum.trace) == pytest.approx(4.0, rel=1e-6)
    assert float(spectrum.num_removed) == 2
    assert float(spectrum.smallest) == pytest.approx(-3e-8 / 4, rel=1e-5)
    assert float(spectrum.cutoff) == pytest.approx(16 * float(jnp.finfo(jnp.float32).eps) * 0.75, rel=1e-5)


def test_the_cut_follows_the_noise_that_negative_eigenvalues_show() -> None:
    eps = float(jnp.finfo(jnp.float32).eps)
    tail = np.full(4095, 30 * eps, np.float32)  # true eigenvalues far below the worst case of 136 eps
    kept = linalg.normalized_spectrum(jnp.asarray([*tail, 1.0], jnp.float32))
    assert float(kept.num_removed) == 0
    noisy = tail.copy()
    noisy[0] = -8 * eps
    cut = linalg.normalized_spectrum(jnp.asarray([*noisy, 1.0], jnp.float32))
    assert float(cut.num_removed) == 4095
    worst = linalg.normalized_spectrum(jnp.asarray([-0.1, *tail[1:], 1.0], jnp.float32))
    assert float(worst.cutoff * worst.trace) == pytest.approx(4 * linalg.relative_cutoff(4096, jnp.float32), rel=1e-5)


def test_mass_removed_is_the_mass_below_the_cutoff(x64):
    cut = 16 * float(jnp.finfo(jnp.float64).eps)
    raw = np.array([0.4 * cut, 0.9 * cut, 2.0 * cut, 0.5, 1.0])
    spectrum = linalg.normalized_spectrum(jnp.asarray(raw))
    assert float(spectrum.num_removed) == 2
    assert float(spectrum.mass_removed) == pytest.approx(1.3 * cut / raw.sum(), abs=2.0**-52)
    assert float(jnp.sum(spectrum.values)) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("size", [2, 50, 200])
def test_cutoff_removes_the_rounding_of_a_rank_one_matrix(size):
    """Identical rows: the computed spectrum of a rank-one matrix must come out of the cut as a single eigenvalue."""
    rng = np.random.default_rng(size)
    for vector in (np.ones(size), rng.standard_normal(size), rng.exponential(size=size) ** 3):
        matrix = np.outer(vector, vector).astype(np.float32)
        spectrum = linalg.normalized_spectrum(jnp.asarray(linalg.eigenvalues(matrix)))
        assert float(spectrum.num_removed) == size - 1
        # XLA divides by way of a reciprocal: x / x may be one float below 1
        assert float(spectrum.values[-1]) == pytest.approx(1.0, abs=2 * tolerances.roundoff("float32"))


def test_spectrum_is_differentiable_at_repeated_and_zero_eigenvalues():
    def collision(values):
        return jnp.sum(jnp.square(linalg.normalized_spectrum(values).values))

    gradient = jax.grad(collision)(jnp.asarray([0.0, 1.0, 1.0, 2.0], jnp.float32))
    # f = sum l^2/(sum l)^2: df/dl_i = 2 l_i/S^2 - 2 sum l^2/S^3 for the eigenvalues that are kept, S = 4, sum l^2 = 6
    np.testing.assert_allclose(
        np.asarray(gradient)[1:], [2 / 16 - 12 / 64, 2 / 16 - 12 / 64, 4 / 16 - 12 / 64], atol=1e-6
    )
    assert np.isfinite(np.asarray(gradient)).all()
