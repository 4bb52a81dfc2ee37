"""Precision and recall for distributions against loops, closed forms and symmetries."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from fkeax import frontier

RNG = np.random.default_rng(0)
P, Q = RNG.dirichlet(np.full(20, 0.5), size=2)


def test_against_loops(x64: None) -> None:
    curve = frontier.precision_recall_curve(P, Q, num_angles=11)
    for i, angle in enumerate(np.linspace(1e-10, np.pi / 2 - 1e-10, 11)):
        slope = np.tan(angle)
        precision = sum(min(slope * a, b) for a, b in zip(P, Q, strict=True))
        assert float(curve.precision[i]) == pytest.approx(precision, rel=1e-6)  # tan near 90 degrees
        assert float(curve.recall[i]) == pytest.approx(precision / slope, rel=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_missing_and_invented_mass(x64: None, dtype: str) -> None:
    """Q on a fourth of P's support: nothing invented, recall 1/4; the other way round, precision 1/4."""
    p, q = np.full(8, 1 / 8, dtype), np.repeat([0.5, 0.0], [2, 6]).astype(dtype)
    missing, invented = frontier.precision_recall_curve(p, q), frontier.precision_recall_curve(q, p)
    assert float(missing.precision.max()) == pytest.approx(1, rel=1e-6)
    assert float(missing.recall.max()) == pytest.approx(0.25, rel=1e-6)
    assert float(invented.precision.max()) == pytest.approx(0.25, rel=1e-6)
    assert float(invented.recall.max()) == pytest.approx(1, rel=1e-6)
    # Mass 1/4 is common: both curves are min(slope/4, 1) and min(1/4, 1/slope).
    assert float(frontier.f_beta(missing, 8.0)) == pytest.approx(65 * 0.25 / (64 + 0.25), rel=0.01)
    assert float(frontier.f_beta(missing, 1 / 8)) > 0.9 > 0.3 > float(frontier.f_beta(missing, 8.0))
    assert float(frontier.f_beta(missing, 8.0)) == pytest.approx(float(frontier.f_beta(invented, 1 / 8)), rel=1e-4)


def test_ends_of_the_scale() -> None:
    same = frontier.precision_recall_curve(P, P)
    assert float(frontier.f_beta(same, 8.0)) == pytest.approx(1, abs=1e-6)
    apart = frontier.precision_recall_curve(np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    assert float(frontier.f_beta(apart, 8.0)) == 0
    assert float(apart.precision.max()) == 0


def test_swapping_turns_the_curve(x64: None) -> None:
    forth, back = frontier.precision_recall_curve(P, Q), frontier.precision_recall_curve(Q, P)
    np.testing.assert_allclose(np.asarray(forth.precision), np.asarray(back.recall)[::-1], rtol=1e-5)
    assert (np.diff(np.asarray(forth.precision)) >= -1e-15).all()
    assert (np.diff(np.asarray(forth.recall)) <= 1e-15).all()


def test_beta_is_traced_and_angles_are_checked() -> None:
    curve = frontier.precision_recall_curve(P, Q)
    values = jax.vmap(lambda b: frontier.f_beta(curve, b))(np.array([0.125, 1.0, 8.0], np.float32))
    assert values.shape == (3,)
    with pytest.raises(ValueError, match="num_angles must be at least 3; got 2"):
        frontier.precision_recall_curve(P, Q, num_angles=2)
