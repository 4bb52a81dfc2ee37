"""Values that JSON can hold, and the way there from NumPy and JAX numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

# One level deep on purpose: a recursive alias cannot be checked at run time on Python 3.11.
JSONValue: TypeAlias = bool | int | float | str | list[Any] | dict[str, Any] | None


def to_native(value: Any, path: str = "value") -> JSONValue:
    """Return `value` as plain Python that strict JSON can hold.

    Dictionaries, lists and tuples are copied (tuples become lists). NumPy and JAX numbers and arrays are recognised by
    their `tolist` method, so that this module imports neither.

    Args:
        value: Anything made of None, bools, numbers, strings, lists, tuples, string-keyed mappings and arrays.
        path: How to name the value in an error message.

    Returns:
        A deep copy without a single NumPy or JAX object.

    Raises:
        ValueError: A float is NaN or infinite; the message names where.
        TypeError: A value or a dictionary key has no JSON form; the message names where.

    Example:
        >>> to_native({"order": (1, 2.5)})
        {'order': [1, 2.5]}
        >>> to_native({"trace": float("nan")}, "diagnostics")
        Traceback (most recent call last):
        ValueError: diagnostics.trace is nan, which JSON cannot hold; give a finite number, a string or None.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(
                f"{path} is {float(value)!r}, which JSON cannot hold; give a finite number, a string or None."
            )
        return float(value)
    if isinstance(value, Mapping):
        return _native_mapping(value, path)
    if isinstance(value, list | tuple):
        return [to_native(item, f"{path}[{position}]") for position, item in enumerate(value)]
    if hasattr(value, "tolist") and hasattr(value, "ndim"):
        plain = value.tolist()
        # A type without a Python counterpart (a long double, a raw record) hands itself back.
        if type(plain) is not type(value):
            return to_native(plain, path)
    raise TypeError(
        f"{path} is of type {type(value).__name__}, which has no JSON form; "
        "expected None, a bool, a number, a string, a list or a dict."
    )


def _native_mapping(value: Mapping[Any, Any], path: str) -> dict[str, Any]:
    native: dict[str, Any] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise TypeError(f"{path} has the key {key!r}; expected only strings as keys.")
        name = str.__str__(key)
        native[name] = to_native(item, f"{path}.{name}" if path else name)
    return native
