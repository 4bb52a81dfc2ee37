from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fkeax.results import dumps, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_round_trip(value: object) -> None:
    text = dumps(value)
    assert loads(text) == value
    assert text.isascii()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, np.float64(math.nan), np.array([1.0, math.inf])])
def test_non_finite_is_named_by_path(bad: object) -> None:
    with pytest.raises(ValueError, match=r"^results\[0\]\.diagnostics\.trace"):
        dumps({"results": [{"diagnostics": {"trace": bad}}]})
    with pytest.raises(ValueError, match=r"^value\[1\]"):
        dumps([0.0, bad])


@pytest.mark.parametrize("bad", [object(), {1, 2}, 1j, b"bytes", {1: "integer key"}, np.longdouble(1)])
def test_what_json_cannot_hold_is_a_type_error(bad: object) -> None:
    with pytest.raises(TypeError, match=r"^here"):
        dumps({"here": bad})


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" + 400 * "0"])
def test_reading_refuses_non_finite(literal: str) -> None:
    with pytest.raises(ValueError, match="expected finite numbers or null"):
        loads(f'{{"value": [{literal}]}}')


def test_reading_refuses_half_a_character() -> None:
    assert loads(r'["\ud83d\ude00", "\\ud83d"]') == ["\U0001f600", r"\ud83d"]
    for text in (r'["\ud83d"]', r'{"\uDE00": 1}'):
        with pytest.raises(ValueError, match="half of a surrogate pair"):
            loads(text)


def test_reading_refuses_repeated_keys() -> None:
    with pytest.raises(ValueError, match="the key 'a' twice"):
        loads('{"b": {"a": 1, "a": 1}}')


@pytest.mark.parametrize("text", ["", "{", "[1,]", "{'a': 1}", "[1] 2", "[" * 100_000])
def test_reading_refuses_what_is_no_json(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        loads(text)


def test_floats_survive_to_the_last_bit() -> None:
    value = 0.1 + 0.2
    assert json.loads(dumps({"x": value}))["x"] == value
    assert loads(dumps(np.float32(0.1))) == float(np.float32(0.1))
