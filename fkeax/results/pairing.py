"""Results that share a name told apart by the settings that differ between them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from fkeax.results.comparability import NEVER_MATTERS
from fkeax.results.result import Result

# A name of a file says which samples a result is of; the rest of these never tells two results apart.
_NO_LABEL = NEVER_MATTERS - {"generated"}


def varying_settings(results: Sequence[Result]) -> list[str]:
    """Return the settings that differ between results, in the order in which they first stand.

    Args:
        results: At least one.

    Example:
        >>> varying_settings([Result("rke", 3.0, None, {"bandwidth": 1.0, "num_samples": n}, {}) for n in (10, 20)])
        ['num_samples']
    """
    keys = dict.fromkeys(key for result in results for key in result.settings if key not in _NO_LABEL)
    return [key for key in keys if len({_frozen(result, key) for result in results}) > 1]


def paired(first: Iterable[Result], second: Iterable[Result]) -> list[tuple[str, Result | None, Result | None]]:
    """Pair the results of two sets by name and, where a name comes more than once, by the settings that vary.

    Args:
        first: Results, such as those of one file.
        second: Others.

    Returns:
        A label with the two results, or with None for one that has no counterpart, in the order of `first`.

    Example:
        >>> sizes = [Result("rke", float(n), None, {"num_samples": n}, {}) for n in (10, 20)]
        >>> [(label, a is not None, b is not None) for label, a, b in paired(sizes, sizes[1:])]
        [('rke (num_samples 10)', True, False), ('rke (num_samples 20)', True, True)]
    """
    left, right = _by_name(first), _by_name(second)
    found: list[tuple[str, Result | None, Result | None]] = []
    for name in [*left, *(name for name in right if name not in left)]:
        ours, theirs = left.get(name, []), right.get(name, [])
        if len(ours) <= 1 and len(theirs) <= 1:
            found.append((name, ours[0] if ours else None, theirs[0] if theirs else None))
            continue
        # Only what varies within one set tells its members apart; what differs between the sets is to be compared.
        keys = list(dict.fromkeys(key for group in (ours, theirs) if group for key in varying_settings(group)))
        waiting: dict[str, list[Result]] = {}
        for result in theirs:
            waiting.setdefault(_label(result, keys), []).append(result)
        for result in ours:
            label = _label(result, keys)
            partners = waiting.get(label)
            found.append((label, result, partners.pop(0) if partners else None))
        found += [(label, None, result) for label, rest in waiting.items() for result in rest]
    return found


def _by_name(results: Iterable[Result]) -> dict[str, list[Result]]:
    grouped: dict[str, list[Result]] = {}
    for result in results:
        grouped.setdefault(result.name, []).append(result)
    return grouped


def _label(result: Result, keys: Sequence[str]) -> str:
    told = ", ".join(f"{key} {result.settings[key]}" for key in keys if result.settings.get(key) is not None)
    return f"{result.name} ({told})" if told else result.name


def _frozen(result: Result, key: str) -> str:
    return json.dumps(result.settings.get(key), sort_keys=True)
