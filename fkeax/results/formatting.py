"""How the numbers of results are shown to people, on a terminal and on a page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from fkeax.results.result import Result

PLAIN_DIGITS = 5


def format_number(value: float | None, stderr: float | None = None) -> str:
    """Show a number with the digits that mean something.

    Args:
        value: The number; None is shown as a dash.
        stderr: Its standard error: two of its digits decide where the number ends. Unknown: five digits.

    Example:
        >>> format_number(7.275671, 0.0312), format_number(7.275671), format_number(123456.7), format_number(None)
        ('7.276', '7.2757', '123457', '-')
    """
    if value is None:
        return "-"
    if stderr is not None and stderr > 0 and value != 0:
        decimals = max(0, min(1 - math.floor(math.log10(stderr)), 12))
        return f"{value:.{decimals}f}"
    if value == 0 or not 1e-4 <= abs(value) < 1e9:
        return f"{value:.{PLAIN_DIGITS}g}"
    decimals = max(0, PLAIN_DIGITS - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}"


def format_stderr(stderr: float | None) -> str:
    """Show a standard error with two digits, or say that it is unknown.

    Example:
        >>> format_stderr(0.03118), format_stderr(None)
        ('+/- 0.031', 'unknown')
    """
    if stderr is None:
        return "unknown"
    if stderr == 0:
        return "+/- 0"
    decimals = 1 - math.floor(math.log10(stderr))
    return f"+/- {stderr:.{decimals}f}" if 0 <= decimals <= 6 else f"+/- {stderr:.2g}"


def format_interval(interval: Any, stderr: float | None) -> str:
    """Show an interval with the digits of its standard error, or nothing where there is none.

    Example:
        >>> format_interval([7.2134, 7.3391], 0.0312), format_interval(None, None)
        ('7.213 to 7.339', '')
    """
    if interval is None:
        return ""
    return " to ".join(format_number(end, stderr) for end in interval)


def format_share(share: float) -> str:
    """Show a share in per cent.

    Example:
        >>> format_share(0.12345), format_share(0.0000123)
        ('12.3 %', '0.0012 %')
    """
    percent = 100 * share
    return f"{percent:.1f} %" if percent >= 1 else f"{percent:.2g} %"


def warnings_of(results: Mapping[str, Result]) -> list[str]:
    """Say each warning of some results once, with the names of all that carry it, and why a value is missing."""
    notes = [
        f"note: {name} has no value: {result.diagnostics.get('reason') or 'no reason recorded'}"
        for name, result in results.items()
        if result.value is None
    ]
    warned: dict[str, list[str]] = {}
    for name, result in results.items():
        warnings = result.diagnostics.get("warnings")
        for warning in warnings if isinstance(warnings, list) else []:
            warned.setdefault(str(warning), []).append(name)
    return notes + [f"warning: {', '.join(names)}: {warning}" for warning, names in warned.items()]


def describe_settings(
    settings: Mapping[str, Any], diagnostics: Mapping[str, Any], *, along: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """Say in two or three lines what was computed, from what a result carries.

    Args:
        settings: Of one result.
        diagnostics: Of the same.
        along: For a curve, what takes the place of the setting on its axis, as in {"bandwidth": "1 to 4"}.
    """
    kernel = f"{settings['kernel']} kernel"
    if settings.get("kernel_parameters"):
        kernel += f" ({settings['kernel_parameters']})"
    if settings.get("bandwidth") is not None:
        own = f"{settings['bandwidth']:.6g} ({settings.get('bandwidth_source', 'source unknown')})"
        kernel += f", bandwidth {along.get('bandwidth', own)}"
    size = along.get("num_samples", settings["num_samples"])
    lines = [f"data: {size} samples of dimension {settings['dimension']}; {kernel}"]
    route = str(settings["estimator"])
    if settings.get("num_frequencies") is not None:
        draws = settings.get("num_draws") or 1
        scheme = "" if settings.get("features") == "iid" else f"{settings.get('features')} "
        route += f", {along.get('num_frequencies', settings['num_frequencies'])} {scheme}random frequencies"
        route += f" x {draws} draws" if draws > 1 else " (one draw)"
    if settings.get("num_landmarks") is not None:
        route += f", {settings['num_landmarks']} landmarks"
    if settings.get("num_groups") is not None:
        lines[0] += f"; {settings['num_groups']} groups"
    if diagnostics.get("plan"):
        route += f": {diagnostics['plan']['reason']}"
    lines.append(f"route: {route}; computed in {diagnostics.get('computed_in', settings['dtype'])}")
    return lines
