"""Results as one flat dictionary of plain floats, the form that experiment trackers log."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from fkeax.results.pairing import paired
from fkeax.results.result import Result

# What the strictest of the common trackers (MLflow) takes in the name of a metric.
_FORBIDDEN = re.compile(r"[^A-Za-z0-9_\-. :/]")


def flat(results: Result | Mapping[str, Result] | Iterable[Result], *, prefix: str = "") -> dict[str, float]:
    """Return the values and standard errors of results as a flat dictionary of floats.

    The dictionary goes as it is to ``wandb.log``, ``mlflow.log_metrics`` or, item by item, to TensorBoard's
    ``add_scalar``; none of them is needed here. A value or an error that is unknown is left out: trackers know no
    null, and 0 or NaN would lie.

    Args:
        results: What an estimator returns: one result, a mapping of them by name, or a list as in a result file.
        prefix: Put before every name, as in "eval/".

    Returns:
        ``{"vendi-1": 3.2, "vendi-1/stderr": 0.1, "vendi-1/low": 3.0, "vendi-1/high": 3.4}``; the last two where the
        result has an interval. Where a name comes more than once, the settings that vary are added, as in
        "vendi-1/num_samples 100". Characters that MLflow refuses become "_".

    Raises:
        TypeError: An entry is no result.
        ValueError: Two results cannot be told apart by name and settings.

    Example:
        >>> flat([Result("rke", 3.25, 0.5, {}, {}), Result("vendi-1", None, None, {}, {"reason": "no samples"})])
        {'rke': 3.25, 'rke/stderr': 0.5}
        >>> flat((Result("rke", float(n), None, {"num_samples": n}, {}) for n in (10, 20)), prefix="eval/")
        {'eval/rke/num_samples 10': 10.0, 'eval/rke/num_samples 20': 20.0}
    """
    listed = [results] if isinstance(results, Result) else list(_values(results))
    for entry in listed:
        if not isinstance(entry, Result):
            raise TypeError(f"results must be results, got an entry of type {type(entry).__name__}.")
    numbers: dict[str, float] = {}
    for label, result, _ in paired(listed, []):
        if result is None or result.value is None:
            continue
        name = prefix + _name(label)
        if name in numbers:
            raise ValueError(f"results holds two of the name {name!r} with equal settings; log one of them.")
        numbers[name] = result.value
        if result.stderr is not None:
            numbers[f"{name}/stderr"] = result.stderr
        interval = result.diagnostics.get("interval")
        if isinstance(interval, list) and len(interval) == 2:
            numbers |= {f"{name}/low": float(interval[0]), f"{name}/high": float(interval[1])}
    return numbers


def _values(results: Mapping[str, Result] | Iterable[Result]) -> Iterable[Result]:
    return results.values() if isinstance(results, Mapping) else results


def _name(label: str) -> str:
    # "rke (num_samples 10)" and "rke[cat]" become paths, which trackers group by.
    path = label.replace(" (", "/").removesuffix(")").replace("[", "/").replace("]", "")
    return _FORBIDDEN.sub("_", path)
