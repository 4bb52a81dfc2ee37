"""Diversity scores of every class of labelled samples, and their mean."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax.diversity.request import ScoreOptions, kernel_choice
from fkeax.diversity.samples import Rows, Samples
from fkeax.diversity.scores import DEFAULT_METRICS, ORDERS, score
from fkeax.diversity.two_sets import matrix_samples
from fkeax.numerics import checks
from fkeax.results import Result

MIN_ROWS = 2
NAMED_CLASSES = 5
NOT_PER_CLASS = ("weights", "groups")


@dataclass(frozen=True)
class ClassScores:
    """Scores of every class, and over classes.

    Attributes:
        classes: For each label, as a string, in sorted order, its results by name, as from :func:`fkeax.score`; the
            label is the setting "class".
        mean: The plain mean over classes of each score, named "vendi-1-class-mean" and so on.
    """

    classes: dict[str, dict[str, Result]]
    mean: dict[str, Result]

    def results(self) -> list[Result]:
        """Return all results in one list, the means last, those of classes named like "vendi-1[cat]"."""
        named = [
            replace(result, name=f"{name}[{label}]")
            for label, found in self.classes.items()
            for name, result in found.items()
        ]
        return [*named, *self.mean.values()]


def per_class(
    x: Rows,
    labels: ArrayLike,
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    orders: Sequence[float] = ORDERS,
    **options: Unpack[ScoreOptions],
) -> ClassScores:
    """Return the scores of :func:`score` of every class, and their plain mean over classes: diversity within classes.

    Each class counts the same in the mean, whatever its size. All classes share one bandwidth: a rule looks at all rows
    together. A score of n samples cannot exceed n, so classes of different sizes compare only where scores are far
    below them. Each class has frequencies of its own, so that their noise averages out in the mean.

    Args:
        x: (n, d) rows of all classes.
        labels: A label for each row, whole numbers or words.
        metrics: As in :func:`score`.
        orders: Orders of VENDI.
        options: Keyword arguments of :func:`score`, but for ``weights`` and ``groups``.

    Returns:
        Results of every class, and the means. A mean has a standard error where every class has one, over independent
        classes: the error of the mean of these classes' scores, not of a mean over further classes. Where a class has
        no value, neither has the mean.

    Raises:
        ValueError: If a class has fewer than 2 rows (it names them), or labels do not match the rows.
        ValueError, TypeError: As :func:`score`.

    Cost:
        That of :func:`score` for every class. Classes of one size share compiled programs on the exact route; on
        features, all classes do whose sizes have one next power of two.

    Example:
        >>> import numpy as np
        >>> x = 100 * np.eye(4)[[0, 0, 1, 1, 2, 3]]
        >>> found = per_class(x, ["a", "a", "b", "b", "c", "c"], metrics=("rke",), bandwidth=1.0)
        >>> {label: round(float(scores["rke"]), 3) for label, scores in found.classes.items()}
        {'a': 1.0, 'b': 1.0, 'c': 2.0}
        >>> round(float(found.mean["rke-class-mean"]), 4)
        1.3333
    """
    given = [name for name in NOT_PER_CLASS if options.get(name) is not None]
    if given:
        raise ValueError(f"{given[0]} have no meaning for scores of classes; leave them out.")
    data = matrix_samples(x, "x", checks.count(options.get("batch_size", 4096), "batch_size"))
    rows_of = class_rows(labels, data.num_samples or 0)
    key = options.get("key")
    key_bandwidth, key_classes = (None, None)
    if key is not None:
        key_bandwidth, key_classes = jax.random.split(checks.typed_key(key, "this score"))
    kernel = options.get("kernel", "gaussian")
    choice = kernel_choice(kernel, options.get("bandwidth"))
    _, bandwidth = choice.resolve(data, key_bandwidth)
    keys = [None] * len(rows_of) if key_classes is None else jax.random.split(key_classes, len(rows_of))
    shared = options.copy()
    if isinstance(kernel, str):  # a kernel that was given with its bandwidth refuses another one
        shared["bandwidth"] = bandwidth
    classes = {}
    for (label, rows), class_key in zip(rows_of.items(), keys, strict=True):
        shared["key"] = class_key
        found = score(_rows_of(data, rows), metrics=metrics, orders=orders, **shared)
        classes[label] = {
            name: replace(result, settings={**result.settings, "class": label}) for name, result in found.items()
        }
    return ClassScores(classes, _means(classes))


def _rows_of(data: Samples, rows: np.ndarray) -> np.ndarray:
    return np.asarray(data.subset(rows).matrix)


def class_rows(labels: ArrayLike, num_samples: int) -> dict[str, np.ndarray]:
    """Return the row numbers of every class, by label in sorted order, after checking that each has enough of them."""
    array = np.asarray(checks.own_array(labels, "labels"))
    if array.shape != (num_samples,) or array.dtype.kind not in "iubUS":
        raise ValueError(
            f"labels must be {num_samples} whole numbers or words, one for each row; got shape {array.shape}, dtype "
            f"{array.dtype}."
        )
    found, places = np.unique(array, return_inverse=True)
    order = np.argsort(places, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(places))[:-1])
    names = [label.decode() if isinstance(label, bytes) else str(label) for label in found.tolist()]
    small = [name for name, rows in zip(names, parts, strict=True) if rows.size < MIN_ROWS]
    if small:
        shown = ", ".join(repr(name) for name in small[:NAMED_CLASSES])
        more = f" and {len(small) - NAMED_CLASSES} more" if len(small) > NAMED_CLASSES else ""
        raise ValueError(f"labels must give every class at least {MIN_ROWS} rows; class {shown}{more} has fewer.")
    return dict(zip(names, parts, strict=True))


def _means(classes: Mapping[str, Mapping[str, Result]]) -> dict[str, Result]:
    """Return the mean over classes of every score that any class has."""
    names = list(dict.fromkeys(name for found in classes.values() for name in found))
    means = {}
    for name in names:
        present = [found[name] for found in classes.values() if name in found]
        values = [result.value for result in present if result.value is not None]
        errors = [result.stderr for result in present if result.stderr is not None]
        whole, known = len(values) == len(classes), len(errors) == len(classes)
        diagnostics: dict[str, object] = {
            "smallest_class": min(_count(result) for result in present),
            "largest_class": max(_count(result) for result in present),
            "computed_in": present[0].diagnostics.get("computed_in", present[0].settings["dtype"]),
            "warnings": sorted({str(w) for result in present for w in _warnings(result)}),
        }
        if whole and len(values) > 1:
            diagnostics["std_over_classes"] = float(np.std(values, ddof=1))
        if not whole:
            diagnostics["reason"] = f"{len(classes) - len(values)} of {len(classes)} classes have no value"
        if known:
            diagnostics["stderr_method"] = "errors of independent classes, in quadrature"
        settings = {key: value for key, value in present[0].settings.items() if key not in ("class", "num_samples")}
        settings |= {"num_classes": len(classes), "num_samples": sum(_count(result) for result in present)}
        means[f"{name}-class-mean"] = Result(
            name=f"{name}-class-mean",
            value=float(np.mean(values)) if whole else None,
            stderr=math.hypot(*errors) / len(classes) if whole and known else None,
            settings=settings,
            diagnostics=diagnostics,
        )
    return means


def _count(result: Result) -> int:
    count = result.settings["num_samples"]
    return count if isinstance(count, int) else 0


def _warnings(result: Result) -> list[object]:
    warnings = result.diagnostics.get("warnings")
    return warnings if isinstance(warnings, list) else []
