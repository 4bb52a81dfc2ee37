"""What an estimator returns, whether two of them may be compared, and strict JSON there and back.

`Result` holds a value with its standard error, the settings that define it and the diagnostics that judge it.
`check_comparable` refuses to set two results side by side when a setting that changes the number differs.
`strictjson` writes and reads JSON without the NaN and Infinity literals that other parsers reject.

Nothing here needs JAX or NumPy.
"""

from __future__ import annotations

from fkeax.results.comparability import NotComparableError, check_comparable, differences
from fkeax.results.jsonvalue import JSONValue, to_native
from fkeax.results.result import Result
from fkeax.results.strictjson import dumps, loads

__all__ = [
    "JSONValue",
    "NotComparableError",
    "Result",
    "check_comparable",
    "differences",
    "dumps",
    "loads",
    "to_native",
]
