"""VENDI by quadrature against all eigenvalues: within its own standard error, with less of it than asked for."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import fkeax
from fkeax.diversity import streaming
from fkeax.diversity.spectral_quadrature import QuadratureVendi, quadrature_vendi
from fkeax.features import sample_fourier_map
from fkeax.kernels import Gaussian
from fkeax.numerics import lanczos, linalg
from tests.helpers import oracle

ORDERS = (0.5, 1.0, 1.0001, 1.5, 2.0, 3.0, math.inf)
R = 150


def state_of(x: np.ndarray, bandwidth: float, r: int = R) -> streaming.FkeaState:
    fourier_map = sample_fourier_map(jax.random.key(7), Gaussian(bandwidth), r, jnp.zeros(x.shape[1]))
    return streaming.update(streaming.init(fourier_map), x)


def scored(state: streaming.FkeaState, seed: int, **options: float) -> tuple[QuadratureVendi, ...]:
    return quadrature_vendi(state.moment, ORDERS, key=jax.random.key(seed), **options)  # type: ignore[arg-type]


def exact(state: streaming.FkeaState, order: float) -> float:
    return oracle.hill_number(oracle.covariance_spectrum(np.asarray(streaming.finalize(state))), order)


def data(name: str) -> np.ndarray:
    random = np.random.default_rng(3)
    normal = random.standard_normal((400, 12))
    return {"normal": normal, "groups": normal + 6 * random.integers(0, 3, (400, 1))}[name]


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("name", ["normal", "groups"])
def test_scores_are_within_four_standard_errors(name: str) -> None:
    """|z| < 4 at 5 orders: 3e-4 false alarms a data set, at most, for Gaussian errors; the key is fixed."""
    state = state_of(data(name), 3.0)
    for score in scored(state, 0):
        expected = exact(state, score.order)
        assert score.value is not None
        if score.stderr is None:
            assert score.value == pytest.approx(expected, rel=1e-9)  # order 2 by the norm, infinity by the recursion
            continue
        assert abs(score.value - expected) < 4 * score.stderr
        assert score.stderr < 0.003 * expected
        assert score.quadrature_error is not None
        assert score.quadrature_error < 1e-2  # of order 0.5; 30 steps, 300 eigenvalues


@pytest.mark.slow
@pytest.mark.usefixtures("x64")
def test_standard_errors_are_right() -> None:
    """Over 200 keys z has a mean within half a standard error, what two rules and a regression on 32 vectors may leave,
    plus four of its own; and a variance within 0.6 to 1.6: four standard errors of a variance around 1.07, that of
    Student's t with 29 degrees of freedom."""
    state = state_of(data("normal"), 3.0)
    for column, order in ((1, 1.0), (3, 1.5)):
        expected = exact(state, order)
        z = np.asarray([(s.value - expected) / s.stderr for s in (scored(state, i)[column] for i in range(200))])  # type: ignore[operator]
        assert abs(z.mean()) < 0.5 + 4 / math.sqrt(200)
        assert 0.6 < z.var() < 1.6


@pytest.mark.usefixtures("x64")
def test_few_modes_are_exact() -> None:
    """Four far groups: rank 4, below the number of directions; the recursion ends early and nothing is random."""
    state = state_of(np.repeat(90 * np.eye(4), [1, 2, 3, 4], axis=0), 1.0)
    for score in scored(state, 1):
        assert score.value == pytest.approx(exact(state, score.order), rel=1e-7)
        assert score.value is not None
        assert score.value == pytest.approx(oracle.hill_number(np.asarray([0.1, 0.2, 0.3, 0.4]), score.order), rel=0.2)


@pytest.mark.slow
def test_identical_points_score_one() -> None:
    """In float32: 299 eigenvalues of rounding, at most 300 eps in sum, times their logarithm of at most 17."""
    for score in scored(state_of(np.ones((50, 3), np.float32), 1.0), 0):
        if score.order >= 1:  # lower orders count rounding as species; nothing is cut here
            assert score.value == pytest.approx(1.0, abs=17 * 300 * 2.0**-23)


@pytest.mark.usefixtures("x64")
def test_rounds_go_on_until_the_tolerance() -> None:
    state = state_of(data("normal"), 3.0)
    few, many = scored(state, 0, tolerance=1.0), scored(state, 0, tolerance=1e-9, max_vectors=96)
    assert {score.num_vectors for score in few} == {32}
    assert {score.num_vectors for score in many} == {96}
    assert many[1].stderr is not None
    assert few[1].stderr is not None
    assert many[1].stderr < few[1].stderr


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("widths", [[2, 2, 3]])
def test_gauss_rules_are_exact_for_polynomials(widths: list[int]) -> None:
    """``steps`` nodes integrate degree ``2 steps - 1`` exactly, whatever the blocks of the matrix."""
    random = np.random.default_rng(0)
    size = sum(widths)
    root = random.standard_normal((size, size))
    parts = [jnp.asarray(part) for part in np.split(root, np.cumsum(widths)[:-1], axis=1)]
    blocks, matrix = linalg.symmetric_blocks(parts), root.T @ root
    vectors = random.standard_normal((4, size))
    np.testing.assert_allclose(lanczos.products(blocks, jnp.asarray(vectors)), vectors @ matrix, rtol=1e-12)
    found = lanczos.recursion(blocks, jnp.asarray(vectors), num_steps=3)
    for rules, degrees in ((found.gauss_rules(), 6), (found.radau_rules(), 5)):
        for degree in range(degrees):
            power = np.linalg.matrix_power(matrix, degree)
            np.testing.assert_allclose(
                rules.forms(rules.nodes**degree), np.einsum("vi,ij,vj->v", vectors, power, vectors), rtol=1e-9
            )
    np.testing.assert_allclose(found.radau_rules().nodes.min(axis=1), 0, atol=1e-12 * np.linalg.norm(matrix))


@pytest.mark.usefixtures("x64")
def test_gauss_and_radau_rules_bracket_the_entropy() -> None:
    """Of a spectrum that decays to 1e-8, which five steps do not resolve; for every vector, without exception."""
    random = np.random.default_rng(1)
    basis = np.linalg.qr(random.standard_normal((60, 60)))[0]
    values = np.exp(-np.linspace(0, 18, 60))
    vectors = random.choice([-1.0, 1.0], (8, 60))
    found = lanczos.recursion((jnp.asarray((basis * values) @ basis.T),), jnp.asarray(vectors), num_steps=5)
    exact = np.square(vectors @ basis) @ (-values * np.log(values))
    high, low = (
        rules.forms(-nodes * np.log(np.where(nodes > 1e-14, nodes, 1)))
        for rules in (found.gauss_rules(), found.radau_rules())
        for nodes in (rules.nodes,)
    )
    assert (low < exact).all()
    assert (exact < high).all()
    assert np.abs((high + low) / 2 - exact).max() < np.abs(high - exact).max()


OPTIONS = {"bandwidth": 3.0, "method": "fkea", "num_frequencies": R, "key": jax.random.key(2)}


@pytest.mark.usefixtures("x64")
def test_scores_with_the_option() -> None:
    x = data("normal")
    dense = fkeax.score(x, **OPTIONS)
    found = fkeax.score(x, spectrum="lanczos", **OPTIONS)
    assert list(found) == [name for name in dense if "second" not in name]
    for order in ("1", "1.5"):
        result = found[f"vendi-{order}"]
        assert result.stderr is not None
        assert abs(float(result) - float(dense[f"vendi-{order}"])) < 4 * result.stderr
        assert "random vectors" in str(result.diagnostics["stderr_method"])
        assert result.settings == dense[f"vendi-{order}"].settings
        assert found[f"vendi-{order}-debiased"].value is None
        assert "spectrum='dense' does" in str(found[f"vendi-{order}-debiased"].diagnostics["reason"])
    for name in ("vendi-2", "vendi-inf", "rke", "rke-debiased", "rke-population"):
        assert float(found[name]) == pytest.approx(float(dense[name]), rel=1e-9)
    assert fkeax.score(x, spectrum="lanczos", **OPTIONS) == found


@pytest.mark.slow
@pytest.mark.usefixtures("x64")
def test_draws_and_the_dual_route() -> None:
    x = data("groups")
    draws = fkeax.score(x, spectrum="lanczos", metrics=("vendi",), orders=(1.0,), num_draws=3, **OPTIONS)["vendi-1"]
    assert "spread over draws" in str(draws.diagnostics["stderr_method"])
    dual = fkeax.score(
        x,
        spectrum="lanczos",
        metrics=("vendi",),
        orders=(0.0, 1.0),
        kernel="linear",
        method="dual",
        key=jax.random.key(0),
    )
    exact_dual = fkeax.score(x, metrics=("vendi",), orders=(1.0,), kernel="linear", method="dual")["vendi-1"]
    assert float(dual["vendi-1"]) == pytest.approx(float(exact_dual), rel=1e-7)  # 12 columns: nothing is random
    assert "order 0 counts eigenvalues" in str(dual["vendi-0"].diagnostics["reason"])


def test_what_it_cannot_do_is_one_sentence() -> None:
    x = data("normal")
    with pytest.raises(ValueError, match="spectrum must be one of dense, lanczos; got 'full'"):
        fkeax.score(x, spectrum="full", **OPTIONS)
    with pytest.raises(
        ValueError, match="is for covariances of features, method='fkea' or 'dual'; the route here is ex"
    ):
        fkeax.score(x, spectrum="lanczos", bandwidth=1.0, method="exact")
    with pytest.raises(ValueError, match="intervals need all eigenvalues"):
        fkeax.score(x, spectrum="lanczos", intervals=True, **OPTIONS)
    with pytest.raises(ValueError, match="random vectors"):
        fkeax.score(x, spectrum="lanczos", kernel="linear", method="dual")
