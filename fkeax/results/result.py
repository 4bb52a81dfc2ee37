"""The one object that every estimator returns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from fkeax.results.jsonvalue import JSONValue, to_native


@dataclass(frozen=True, init=False)
class Result:
    """A number with all that is needed to judge it and to compute it again.

    The constructor converts NumPy and JAX numbers to plain Python and copies both dictionaries, so that a result never
    holds an array and goes to JSON as it is. Treat a result as immutable.

    Attributes:
        name: What was estimated, such as "vendi-1" or "rke-debiased".
        value: The estimate; None when there is no honest one, and then `diagnostics["reason"]` says why.
        stderr: Its standard error; None when unknown, never 0 in place of unknown.
        settings: All that defines the number: estimator, kernel, bandwidth, order ("inf" for infinity), sample size...
        diagnostics: What was seen on the way: the plan, the trace, the mass removed, saturation, warnings...

    Raises:
        ValueError: The value, its error, or a number in the dictionaries is not finite, or the error is negative.
        TypeError: A field is of the wrong type or holds something without a JSON form.

    Example:
        >>> result = Result("rke", 7.25, None, {"kernel": "gaussian", "bandwidth": 16.0}, {"trace": 1.0})
        >>> float(result)
        7.25
        >>> Result.from_dict(result.to_dict()) == result
        True
    """

    name: str
    value: float | None
    stderr: float | None
    settings: dict[str, JSONValue]
    diagnostics: dict[str, JSONValue]

    # Written out because it takes more than the fields hold: numbers of NumPy and JAX, tuples, mappings.
    def __init__(self, name: str, value: Any, stderr: Any, settings: Any, diagnostics: Any) -> None:
        """Convert every field to plain Python and check it."""
        if not isinstance(name, str) or not name:
            raise TypeError(f"name must be a non-empty string, got {name!r}.")
        error = _optional_float(stderr, "stderr")
        if error is not None and error < 0:
            raise ValueError(f"stderr must be at least 0 or None, got {error!r}.")
        converted = {
            "name": str.__str__(name),
            "value": _optional_float(value, "value"),
            "stderr": error,
            "settings": _plain_dict(settings, "settings"),
            "diagnostics": _plain_dict(diagnostics, "diagnostics"),
        }
        for field_name, item in converted.items():
            object.__setattr__(self, field_name, item)  # the dataclass is frozen for everybody else

    def __float__(self) -> float:
        """Return the value, or say why there is none.

        Raises:
            ValueError: The value is None; the message quotes `diagnostics["reason"]`.
        """
        if self.value is None:
            reason = self.diagnostics.get("reason") or "no reason was recorded"
            raise ValueError(f"{self.name} has no value: {reason}")
        return self.value

    def to_dict(self) -> dict[str, Any]:
        """Return a deep copy as plain dictionaries, ready for JSON."""
        return {field.name: to_native(getattr(self, field.name), field.name) for field in fields(self)}

    @classmethod
    def from_dict(cls, data: Any) -> Result:
        """Read what `to_dict` wrote.

        Args:
            data: A mapping with exactly the keys name, value, stderr, settings and diagnostics.

        Raises:
            ValueError: A key is missing or unknown, or a number is not finite.
            TypeError: `data` is no mapping, or a field has the wrong type.
        """
        if not isinstance(data, Mapping):
            raise TypeError(f"a result must be a dict, got {type(data).__name__}.")
        expected = [field.name for field in fields(cls)]
        missing = [key for key in expected if key not in data]
        unknown = [key for key in data if key not in expected]
        if missing or unknown:
            what = " and ".join(
                f"{verb} {', '.join(map(repr, keys))}"
                for verb, keys in (("lacks", missing), ("has the unknown", unknown))
                if keys
            )
            raise ValueError(f"a result must have the keys {', '.join(expected)}, but this one {what}.")
        return cls(**{key: data[key] for key in expected})


def _optional_float(number: Any, name: str) -> float | None:
    native = to_native(number, name)
    if native is None:
        return None
    if isinstance(native, bool) or not isinstance(native, int | float):
        raise TypeError(f"{name} must be a number or None, got {number!r}.")
    try:
        converted = float(native)
    except OverflowError:
        converted = math.inf
    if not math.isfinite(converted):
        raise ValueError(f"{name} must be a finite number or None, got an integer beyond the range of a float64.")
    return converted


def _plain_dict(mapping: Any, name: str) -> dict[str, Any]:
    native = to_native(mapping, name)
    if not isinstance(native, dict):
        raise TypeError(f"{name} must be a dict, got {type(mapping).__name__}.")
    return native
