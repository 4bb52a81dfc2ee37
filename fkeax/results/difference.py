"""How far two results differ, and whether that is beyond their errors."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from fkeax.results.comparability import differences
from fkeax.results.pairing import paired
from fkeax.results.result import Result

# The two-sided 5 % point of the normal law.
BEYOND = 1.959963984540054


@dataclass(frozen=True)
class Difference:
    """Two results side by side.

    Attributes:
        name: Of the results; with the settings that tell results of one name apart.
        first: The value of the first; None where it has none.
        second: That of the second.
        difference: ``second - first``; None where they are not compared.
        stderr: Of the difference, ``sqrt(s1^2 + s2^2)``: the two errors are taken to be independent. None where one
            of them is unknown.
        z: ``difference / stderr``; None without an error, or where the error is 0.
        reason: Why the two are not compared; None where they are.
    """

    name: str
    first: float | None
    second: float | None
    difference: float | None
    stderr: float | None
    z: float | None
    reason: str | None

    @property
    def beyond(self) -> bool | None:
        """Whether the difference is beyond the errors, ``|z| > 1.96``; None where nothing is known of them."""
        if self.difference is None or self.stderr is None:
            return None
        return self.difference != 0 if self.z is None else abs(self.z) > BEYOND


def difference(first: Result, second: Result, *, ignoring: Iterable[str] = (), name: str | None = None) -> Difference:
    """Return how far two results differ.

    The errors are taken to be independent. Where two results share samples or frequencies their errors move together,
    and their difference is known better than this says; the rule then errs towards "within the errors". A standard
    error says only what its method covers (`diagnostics["stderr_method"]`): the chance of the frequencies, say, and
    not that of the samples.

    Args:
        first: One result.
        second: The other.
        ignoring: Names of settings that may differ, as in :func:`fkeax.results.differences`.
        name: How to call the pair; the name of the first unless given.

    Example:
        >>> a, b = (Result("rke", value, 0.3, {"bandwidth": 7.0}, {}) for value in (8.0, 9.0))
        >>> found = difference(a, b)
        >>> found.difference, round(found.z, 3), found.beyond
        (1.0, 2.357, True)
        >>> difference(a, Result("rke", 9.0, None, {"bandwidth": 5.0}, {})).reason
        'bandwidth is 7.0 and 5.0'
    """
    label = first.name if name is None else name
    apart = differences(first, second, ignoring=ignoring)
    reasons = [f"{key} is {_shown(left)} and {_shown(right)}" for key, (left, right) in apart.items()]
    for which, result in (("first", first), ("second", second)):
        if result.value is None:
            reasons.append(f"the {which} has no value: {result.diagnostics.get('reason') or 'no reason recorded'}")
    if reasons or first.value is None or second.value is None:
        return Difference(label, first.value, second.value, None, None, None, "; ".join(reasons))
    gap = second.value - first.value
    if first.stderr is None or second.stderr is None:
        return Difference(label, first.value, second.value, gap, None, None, None)
    error = math.hypot(first.stderr, second.stderr)
    return Difference(label, first.value, second.value, gap, error, gap / error if error > 0 else None, None)


def paired_differences(
    first: Iterable[Result], second: Iterable[Result], *, ignoring: Iterable[str] = ()
) -> list[Difference]:
    """Pair the results of two sets and return how far each pair differs.

    Args:
        first: Results, such as those of one file.
        second: Others.
        ignoring: Names of settings that may differ.

    Returns:
        One entry per pair; a result without a counterpart has a reason in place of a difference.

    Example:
        >>> a, b = (Result("rke", value, None, {}, {}) for value in (8.0, 9.0))
        >>> [(found.name, found.difference, found.reason) for found in paired_differences([a], [b])]
        [('rke', 1.0, None)]
        >>> paired_differences([a], [])[0].reason
        'only the first has it'
    """
    skipped = tuple(ignoring)
    found = []
    for label, left, right in paired(first, second):
        if left is not None and right is not None:
            found.append(difference(left, right, ignoring=skipped, name=label))
        elif left is not None:
            found.append(Difference(label, left.value, None, None, None, None, "only the first has it"))
        elif right is not None:
            found.append(Difference(label, None, right.value, None, None, None, "only the second has it"))
    return found


def _shown(value: object) -> str:
    return "not set" if value is None else str(value)
