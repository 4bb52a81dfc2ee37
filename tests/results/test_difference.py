from __future__ import annotations

import math

import pytest

from fkeax.results import Result, difference, paired_differences


def make(value: float | None, stderr: float | None = None, **settings: object) -> Result:
    return Result("rke", value, stderr, {"bandwidth": 7.0, **settings}, {"reason": "too few rows"})


def test_z_of_independent_errors() -> None:
    found = difference(make(8.0, 0.3), make(9.0, 0.4))
    assert (found.difference, found.stderr, found.z) == (1.0, 0.5, 2.0)
    assert found.beyond
    assert not difference(make(8.0, 0.3), make(8.9, 0.4)).beyond


def test_the_verdict_is_the_five_percent_point() -> None:
    point = 1.959963984540054
    assert math.erfc(point / math.sqrt(2)) == pytest.approx(0.05, rel=1e-14)
    for z, beyond in ((point - 1e-9, False), (point + 1e-9, True), (-point - 1e-9, True)):
        assert difference(make(0.0, 0.6), make(z, 0.8)).beyond is beyond


@pytest.mark.parametrize(("first", "second"), [(None, 0.3), (0.3, None), (None, None)])
def test_an_unknown_error_gives_no_verdict(first: float | None, second: float | None) -> None:
    found = difference(make(8.0, first), make(9.0, second))
    assert found.difference == 1.0
    assert (found.stderr, found.z, found.beyond, found.reason) == (None, None, None, None)


def test_errors_of_zero_leave_no_doubt() -> None:
    assert difference(make(8.0, 0.0), make(9.0, 0.0)).beyond is True
    assert difference(make(8.0, 0.0), make(8.0, 0.0)).beyond is False


def test_unequal_settings_are_refused_unless_told() -> None:
    first, second = make(8.0, 0.3, num_samples=500), make(9.0, 0.4, num_samples=400)
    refused = difference(first, second)
    assert refused.reason == "num_samples is 500 and 400"
    assert (refused.difference, refused.beyond) == (None, None)
    assert difference(first, second, ignoring=["num_samples"]).z == 2.0


def test_what_was_not_computed_is_not_compared() -> None:
    found = difference(make(8.0), make(None))
    assert found.reason == "the second has no value: too few rows"
    assert (found.first, found.second, found.difference) == (8.0, None, None)


def test_sets() -> None:
    curve = [make(float(n), 1.0, num_samples=n) for n in (10, 20)]
    found = paired_differences(curve, [make(23.0, 1.0, num_samples=20)])
    assert [(one.name, one.reason) for one in found] == [
        ("rke (num_samples 10)", "only the first has it"),
        ("rke (num_samples 20)", None),
    ]
    assert found[1].z == pytest.approx(3 / math.sqrt(2))
