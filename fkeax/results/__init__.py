"""What an estimator returns, whether two of them may be compared, and strict JSON there and back.

`Result` holds a value with its standard error, the settings that define it and the diagnostics that judge it.
`check_comparable` refuses to set two results side by side when a setting that changes the number differs.
`difference` says how far two results differ and whether that is beyond their errors; `flat` makes them plain floats for
experiment trackers. `strictjson` writes and reads JSON without the NaN and Infinity literals that other parsers reject.

Nothing here needs JAX or NumPy.
"""

from __future__ import annotations

from fkeax.results.comparability import NotComparableError, check_comparable, differences
from fkeax.results.difference import Difference, difference, paired_differences
from fkeax.results.flat import flat
from fkeax.results.jsonvalue import JSONValue, to_native
from fkeax.results.pairing import paired, varying_settings
from fkeax.results.result import Result
from fkeax.results.strictjson import dumps, loads

__all__ = [
    "Difference",
    "JSONValue",
    "NotComparableError",
    "Result",
    "check_comparable",
    "difference",
    "differences",
    "dumps",
    "flat",
    "loads",
    "paired",
    "paired_differences",
    "to_native",
    "varying_settings",
]
