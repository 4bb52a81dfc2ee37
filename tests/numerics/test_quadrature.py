"""Tanh-sinh quadrature on the unit interval."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fkeax.numerics.quadrature import tanh_sinh


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda t, c: np.ones_like(t), 1.0),
        (lambda t, c: t**7 * c, 1 / 8 - 1 / 9),
        (lambda t, c: np.log(t), -1.0),
        (lambda t, c: np.log(t) * np.log(c), 2 - math.pi**2 / 6),
        (lambda t, c: t**0.1, 1 / 1.1),
        (lambda t, c: np.sqrt(t / c), math.pi / 2),
    ],
)
def test_integrals_with_end_singularities(function, expected) -> None:
    """Truncation at 3e-21 costs at most the integral over that end: 1e-10 for the root of 1/c, less than 1e-13 else."""
    rule = tanh_sinh()
    tolerance = 2e-10 if expected == math.pi / 2 else 1e-13
    assert float(np.sum(rule.weights * function(rule.nodes, rule.complements))) == pytest.approx(
        expected, abs=tolerance
    )


def test_nodes_and_complements_are_accurate() -> None:
    rule = tanh_sinh(31)
    assert len(rule.nodes) == 31
    np.testing.assert_array_equal(rule.complements, rule.nodes[::-1])
    np.testing.assert_allclose(rule.nodes + rule.complements, 1, rtol=1e-15)
    assert (np.diff(rule.nodes) >= 0).all()
    assert 0 < rule.nodes[0] < 1e-20
    with pytest.raises(ValueError, match="read-only"):
        rule.nodes[0] = 1.0
    with pytest.raises(ValueError, match="num_nodes must be at least 3; got 2"):
        tanh_sinh(2)
