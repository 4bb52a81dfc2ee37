"""Student's t against scipy.stats."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from fkeax.numerics import student


@pytest.mark.parametrize("degrees", [1, 4.5, 30, 1e6])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_quantile_is_that_of_scipy(level, degrees):
    assert student.central_quantile(level, degrees) == pytest.approx(stats.t.isf((1 - level) / 2, degrees), rel=1e-9)


def test_infinitely_many_degrees_give_the_normal_quantile():
    assert student.central_quantile(0.95, math.inf) == pytest.approx(stats.norm.isf(0.025), rel=1e-12)


@pytest.mark.parametrize(("level", "degrees"), [(0, 5), (1, 5), (math.nan, 5), (0.95, 0), (0.95, math.nan)])
def test_out_of_range_is_refused(level, degrees):
    with pytest.raises(ValueError, match="got"):
        student.central_quantile(level, degrees)
