"""Whether two results may stand in one table."""

from __future__ import annotations

import math
from collections.abc import Iterable

from fkeax.results.jsonvalue import JSONValue
from fkeax.results.result import Result

# The seed moves the number only within its standard error; where a bandwidth came from does not matter once it is a
# number; dtype is a matter of rounding; and "generated" names the samples, which are what one compares. All other
# settings change what is estimated.
NEVER_MATTERS = frozenset({"seed", "bandwidth_source", "dtype", "generated"})

BANDWIDTH_DIGITS = 1e-5  # tables show six digits


class NotComparableError(ValueError):
    """Two results differ in something that changes the number, so that comparing their values would mislead."""


def differences(a: Result, b: Result, *, ignoring: Iterable[str] = ()) -> dict[str, tuple[JSONValue, JSONValue]]:
    """Return what keeps two results from being compared.

    The name and every setting count, except "seed", "bandwidth_source", "dtype" and "generated" (the name of the
    samples). A setting that one of the two lacks is read as None.

    Args:
        a: One result.
        b: The other.
        ignoring: Names of settings (or "name") that may differ.

    Returns:
        For each name that differs, the pair of values; empty when the two are comparable.

    Example:
        >>> a = Result("rke", 7.1, None, {"bandwidth": 16.0, "num_samples": 500, "seed": [0, 0]}, {})
        >>> b = Result("rke", 6.9, None, {"bandwidth": 10.0, "num_samples": 500, "seed": [0, 1]}, {})
        >>> differences(a, b)
        {'bandwidth': (16.0, 10.0)}
        >>> differences(a, b, ignoring=["bandwidth"])
        {}
    """
    if isinstance(ignoring, str):
        raise TypeError(f"ignoring must be a collection of names such as [{ignoring!r}], got the string {ignoring!r}.")
    skipped = NEVER_MATTERS | set(ignoring)
    found: dict[str, tuple[JSONValue, JSONValue]] = {}
    if "name" not in skipped and a.name != b.name:
        found["name"] = (a.name, b.name)
    for key in [*a.settings, *(key for key in b.settings if key not in a.settings)]:
        pair = (a.settings.get(key), b.settings.get(key))
        if key not in skipped and not _same(key, *pair):
            found[key] = pair
    return found


def check_comparable(a: Result, b: Result, *, ignoring: Iterable[str] = ()) -> None:
    """Raise unless two results may be compared.

    Args:
        a: One result.
        b: The other.
        ignoring: Names of settings (or "name") that may differ.

    Raises:
        NotComparableError: One sentence that names what differs.

    Example:
        >>> a = Result("rke", 7.1, None, {"bandwidth": 16.0}, {})
        >>> check_comparable(a, Result("rke", 6.9, None, {"bandwidth": 10.0}, {}))
        Traceback (most recent call last):
        fkeax.results.comparability.NotComparableError: the results are not comparable: bandwidth is 16.0 and 10.0.
    """
    found = differences(a, b, ignoring=ignoring)
    if found:
        listed = "; ".join(f"{key} is {left!r} and {right!r}" for key, (left, right) in found.items())
        raise NotComparableError(f"the results are not comparable: {listed}.")


def _same(key: str, a: JSONValue, b: JSONValue) -> bool:
    """Whether a setting is the same in both; a bandwidth typed off the screen, to six digits, is the one it shows."""
    if key == "bandwidth" and isinstance(a, int | float) and isinstance(b, int | float):
        return math.isclose(a, b, rel_tol=BANDWIDTH_DIGITS)
    return a == b
