"""JSON that every parser accepts: no NaN or Infinity literals, no repeated keys."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from fkeax.results.jsonvalue import JSONValue, to_native

_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


def dumps(obj: Any, *, indent: int | None = 2) -> str:
    """Write `obj` as strict JSON text.

    Args:
        obj: Plain Python values; NumPy and JAX numbers and arrays are converted.
        indent: Spaces per level; None writes one line.

    Returns:
        ASCII text without a final newline.

    Raises:
        ValueError: A float is NaN or infinite; the message gives its path.
        TypeError: A value has no JSON form; the message gives its path.

    Example:
        >>> dumps({"value": 2.5}, indent=None)
        '{"value": 2.5}'
        >>> dumps({"results": [{"diagnostics": {"trace": float("inf")}}]})
        Traceback (most recent call last):
        ValueError: results[0].diagnostics.trace is inf, which JSON cannot hold; give a finite number, a string or None.
    """
    root = "" if isinstance(obj, dict) else "value"
    return json.dumps(to_native(obj, root), allow_nan=False, indent=indent)


def loads(text: str) -> JSONValue:
    """Read strict JSON text.

    Args:
        text: One JSON document.

    Returns:
        The plain Python value.

    Raises:
        ValueError: The text is not JSON, holds NaN, an infinite number, an integer beyond float64 or half a character,
            or names a key twice in one object.

    Example:
        >>> loads('{"value": 2.5}')
        {'value': 2.5}
        >>> loads('{"value": NaN}')
        Traceback (most recent call last):
        ValueError: the JSON text holds NaN; expected finite numbers or null.
    """
    try:
        value = json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
            parse_int=_integer_of_float64,
            object_pairs_hook=_unique_keys,
        )
        if _HALF_CHARACTER.search(text):  # an escape may be one half of a pair, or stand behind another backslash
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("the JSON text is nested too deeply to be read.") from None
    except UnicodeEncodeError:
        raise ValueError("the JSON text holds half of a surrogate pair, which is no character.") from None
    return value


def _refuse_constant(literal: str) -> None:
    raise ValueError(f"the JSON text holds {literal}; expected finite numbers or null.")


def _finite_float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):  # 1e999 is legal JSON and overflows to infinity
        raise ValueError(f"the JSON text holds {digits}, which overflows a float64; expected finite numbers or null.")
    return value


def _integer_of_float64(digits: str) -> int:
    _finite_float(digits)
    return int(digits)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique: dict[str, Any] = {}
    for key, value in pairs:
        if key in unique:
            raise ValueError(f"the JSON text names the key {key!r} twice in one object.")
        unique[key] = value
    return unique
