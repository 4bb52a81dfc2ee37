from __future__ import annotations

import dataclasses
import math

import jax.numpy as jnp
import numpy as np
import pytest

from fkeax.results import Result


def make(**changes: object) -> Result:
    fields = {"name": "rke", "value": 7.25, "stderr": None, "settings": {"bandwidth": 16.0}, "diagnostics": {}}
    return Result(**{**fields, **changes})  # type: ignore[arg-type]


def test_float_is_the_value() -> None:
    assert float(make()) == 7.25


def test_float_without_value_quotes_the_reason() -> None:
    result = make(value=None, diagnostics={"reason": "the second moment is not positive"})
    with pytest.raises(ValueError, match="rke has no value: the second moment is not positive"):
        float(result)


def test_numbers_of_numpy_and_jax_become_plain() -> None:
    result = make(
        value=np.float32(1.5),
        stderr=jnp.float32(0.25),
        settings={"seed": np.uint32([1, 2]), "weighted": np.bool_(True), "dtype": np.str_("float32")},
        diagnostics={"plan": {"bytes": np.int64(2**40)}, "trace": jnp.float32(1.0), "warnings": ("a",)},
    )
    assert type(result.value) is float
    assert type(result.stderr) is float
    assert result.settings == {"seed": [1, 2], "weighted": True, "dtype": "float32"}
    assert result.diagnostics == {"plan": {"bytes": 2**40}, "trace": 1.0, "warnings": ["a"]}
    assert type(result.settings["weighted"]) is bool
    assert type(result.settings["dtype"]) is str


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, np.float32(math.nan), jnp.float32(math.inf)])
def test_non_finite_numbers_are_refused_by_name(bad: object) -> None:
    with pytest.raises(ValueError, match=r"^value is "):
        make(value=bad)
    with pytest.raises(ValueError, match=r"^stderr is "):
        make(stderr=bad)
    with pytest.raises(ValueError, match=r"^settings\.order is "):
        make(settings={"order": bad})
    with pytest.raises(ValueError, match=r"^diagnostics\.draws\[1\]\.trace is "):
        make(diagnostics={"draws": [{}, {"trace": bad}]})


def test_negative_stderr_is_refused() -> None:
    with pytest.raises(ValueError, match="stderr must be at least 0 or None"):
        make(stderr=-0.1)


@pytest.mark.parametrize(
    "changes", [{"name": ""}, {"value": "7"}, {"value": True}, {"settings": [1]}, {"stderr": [1.0]}]
)
def test_wrong_types_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        make(**changes)


def test_integer_beyond_float64_is_refused() -> None:
    with pytest.raises(ValueError, match="beyond the range of a float64"):
        make(value=10**400)


def test_is_frozen_and_owns_its_dictionaries() -> None:
    settings = {"orders": [1.0]}
    result = make(settings=settings)
    settings["orders"].append(2.0)
    assert result.settings == {"orders": [1.0]}
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.value = 1.0  # type: ignore[misc]


def test_dictionary_round_trip_shares_nothing() -> None:
    result = make(diagnostics={"warnings": ["few samples"]})
    written = result.to_dict()
    assert Result.from_dict(written) == result
    written["diagnostics"]["warnings"].append("changed")
    assert result.diagnostics == {"warnings": ["few samples"]}


def test_from_dict_names_what_is_wrong() -> None:
    good = make().to_dict()
    with pytest.raises(ValueError, match="lacks 'value' and has the unknown 'valeu'"):
        Result.from_dict({**{key: good[key] for key in good if key != "value"}, "valeu": 1.0})
    with pytest.raises(TypeError, match="a result must be a dict, got list"):
        Result.from_dict([good])
    with pytest.raises(TypeError, match="value must be a number or None"):
        Result.from_dict({**good, "value": "7"})
