from __future__ import annotations

import re

import pytest

from fkeax.results import Result, flat

# What mlflow.log_metric takes in a name.
MLFLOW = re.compile(r"^[/\w.\- :]*$", re.ASCII)


def test_values_errors_and_intervals_are_plain_floats() -> None:
    found = flat(
        {
            "vendi-1": Result("vendi-1", 3, 0.5, {}, {"interval": [2.0, 4]}),
            "rke": Result("rke", 2.5, None, {}, {}),
        }
    )
    assert found == {"vendi-1": 3.0, "vendi-1/stderr": 0.5, "vendi-1/low": 2.0, "vendi-1/high": 4.0, "rke": 2.5}
    assert {type(value) for value in found.values()} == {float}


def test_one_result_and_a_prefix() -> None:
    assert flat(Result("kid", -0.25, None, {}, {}), prefix="eval/") == {"eval/kid": -0.25}


def test_what_has_no_value_is_left_out() -> None:
    assert flat([Result("rke", None, None, {}, {"reason": "no pairs"})]) == {}


def test_names_that_trackers_take() -> None:
    curve = [Result("rke", float(n), None, {"num_samples": n, "features": f"a{n}é"}, {}) for n in (1, 2)]
    classes = [Result("vendi-1[a=b]", 1.0, None, {}, {})]
    found = flat([*curve, *classes])
    assert list(found) == ["rke/num_samples 1_ features a1_", "rke/num_samples 2_ features a2_", "vendi-1/a_b"]
    assert all(MLFLOW.match(name) for name in found)


def test_twins_cannot_be_logged() -> None:
    twins = [Result("rke", 1.0, None, {}, {}), Result("rke", 2.0, None, {}, {})]
    with pytest.raises(ValueError, match="results holds two of the name 'rke' with equal settings"):
        flat(twins)


def test_other_things_are_refused() -> None:
    with pytest.raises(TypeError, match="results"):
        flat([3.0])  # type: ignore[list-item]
