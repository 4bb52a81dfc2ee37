"""Curves of diversity scores: against samples, bandwidth, frequencies or order, each point with all its errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack, cast

import numpy as np

from fkeax.diversity.evidence import evidence, fkea_evidence, with_groups
from fkeax.diversity.moments import fkea_sums
from fkeax.diversity.request import Request, ScoreOptions, request
from fkeax.diversity.samples import Rows
from fkeax.diversity.scores import DEFAULT_METRICS, ORDERS, checked_metrics, needs_spectrum, results_of, wanted
from fkeax.kernels import SpectralKernel, given_bandwidth, with_bandwidth
from fkeax.numerics import batching, checks
from fkeax.results import Result

AXES = ("num_samples", "bandwidth", "num_frequencies", "order")


@dataclass(frozen=True)
class DiversityCurve:
    """Scores along one setting.

    Attributes:
        over: Which setting: "num_samples", "bandwidth", "num_frequencies" or "order".
        values: Its values, one a point.
        points: The results of each point by name; along the order, names go without it: ``vendi``,
            ``vendi-debiased``.
    """

    over: str
    values: tuple[float, ...]
    points: tuple[dict[str, Result], ...]

    @property
    def names(self) -> list[str]:
        """Names of the scores that any point has, in the order of the results."""
        return list(dict.fromkeys(name for point in self.points for name in point))

    def results(self) -> list[Result]:
        """Return all results, point by point, each knowing its own value of the setting."""
        return [result for point in self.points for result in point.values()]


def curve(
    x: Rows,
    *,
    over: str,
    values: Sequence[float],
    metrics: Sequence[str] = DEFAULT_METRICS,
    orders: Sequence[float] = ORDERS,
    num_kept: int | None = None,
    **options: Unpack[ScoreOptions],
) -> DiversityCurve:
    """Return diversity scores along one setting, all else equal: one data set, one route, one key.

    * "num_samples": nested random subsets, so that points differ by added samples only. The route is that of the
      largest.
    * "bandwidth": the same frequencies up to their scale; compiled once for all values.
    * "num_frequencies": the first r of the largest number of independent frequencies, from one pass over the samples
      (other schemes draw anew for every r).
    * "order": one spectrum for all.

    Args:
        x: Samples as rows, an (n, d) array.
        over: Which setting, as above.
        values: Its values, at least one.
        metrics: As in :func:`score`; along the order, RKE is left out, being of order 2.
        orders: Orders of VENDI, except along the order.
        num_kept: Eigenvalues that "vendi-truncated" keeps.
        options: Keyword arguments of :func:`score`, as for :func:`vendi`; ``intervals=True`` gives every point an
            interval.

    Raises:
        ValueError: If a value is out of range, x is a stream, or an option contradicts ``over``.

    Cost:
        A score at each value; along "num_frequencies" one pass, along "order" one score.

    Example:
        >>> import numpy as np
        >>> x = np.repeat(np.eye(4) * 100, 5, axis=0)
        >>> found = curve(x, over="order", values=(0, 1, 2), metrics=("vendi",), bandwidth=1.0)
        >>> [round(float(point["vendi"]), 3) for point in found.points]
        [4.0, 4.0, 4.0]
    """
    checks.choice(over, "over", AXES)
    grid = [float(value) for value in np.asarray(values, np.float64).ravel()]
    if not grid:
        raise ValueError("values must hold at least one value.")
    if over == "order":
        return _over_orders(x, grid, [m for m in metrics if m != "rke"], num_kept, options)
    if over in options:
        raise ValueError(f"{over} is what the curve goes over; leave the argument out.")
    names, alphas = checked_metrics(metrics, orders, num_kept)
    asked = _request(x, over, grid, options, names)
    spectra = wanted(names, alphas)
    points = []
    if over == "num_frequencies" and asked.scheme == "iid":
        sums = fkea_sums(asked, blocks=asked.intervals and bool(spectra.orders))
        for value in grid:
            point = replace(asked, num_frequencies=int(value))
            found = with_groups(fkea_evidence(point, spectra, sums.with_frequencies(int(value))), point)
            points.append(results_of(point, found, names, alphas, num_kept))
    else:
        for value in grid:
            point = _at(asked, over, value)
            points.append(results_of(point, evidence(point, spectra), names, alphas, num_kept))
    return DiversityCurve(over, tuple(grid), tuple(points))


def _over_orders(
    x: Rows, orders: Sequence[float], metrics: Sequence[str], num_kept: int | None, options: ScoreOptions
) -> DiversityCurve:
    names, alphas = checked_metrics(metrics, orders, num_kept)
    asked = request(x, options, spectrum=True)
    found = results_of(asked, evidence(asked, wanted(names, alphas)), names, alphas, num_kept)
    points: list[dict[str, Result]] = []
    for order in alphas:
        prefix = f"vendi-{order:.12g}"
        kept = {name: result for name, result in found.items() if name == prefix or name.startswith(f"{prefix}-")}
        points.append({f"vendi{name.removeprefix(prefix)}": result for name, result in kept.items()})
    return DiversityCurve("order", tuple(alphas), tuple(points))


def _request(x: Rows, over: str, grid: Sequence[float], options: ScoreOptions, metrics: Sequence[str]) -> Request:
    """Return the request of the largest point, which decides the route and the memory of all."""
    own: ScoreOptions = {}
    if over == "bandwidth":
        own = {"bandwidth": max(grid)}
    elif over == "num_frequencies":
        for value in grid:
            checks.count(int(value) if value.is_integer() else value, "values")
        if options.get("method", "fkea") not in ("auto", "fkea"):
            raise ValueError(f"method must be 'fkea' along num_frequencies; got {options.get('method')!r}.")
        own = {"num_frequencies": int(max(grid)), "method": "fkea"}
    asked = request(x, cast("ScoreOptions", {**options, **own}), spectrum=needs_spectrum(metrics))
    if asked.data.matrix is None or asked.data.num_samples is None:
        raise ValueError("a curve reads the samples more than once; x is a stream of batches: pass an (n, d) array.")
    if over == "num_samples":
        for value in grid:
            if not (value.is_integer() and 2 <= value <= asked.data.num_samples):
                raise ValueError(
                    f"values must be whole numbers from 2 to {asked.data.num_samples}, the number of samples; "
                    f"got {value:g}."
                )
    return asked


def _at(asked: Request, over: str, value: float) -> Request:
    """Return the request of one point."""
    if over == "bandwidth":
        if not isinstance(asked.kernel, SpectralKernel):
            raise AssertionError("a kernel without a bandwidth reached a curve over bandwidths")
        given = given_bandwidth(value)
        return replace(asked, kernel=with_bandwidth(asked.kernel, given.value), bandwidth=given)
    if over == "num_frequencies":
        return replace(asked, num_frequencies=int(value))
    seed = [0] if asked.key is None else batching.key_seed(asked.key).tolist()
    size = asked.data.num_samples or 0
    if asked.groups is None:
        order = np.random.default_rng(seed).permutation(size)
    else:  # whole groups one after the other, in random order; only the last may be cut
        places = np.random.default_rng(seed).permutation(int(asked.groups.max()) + 1)
        order = np.argsort(places[asked.groups], kind="stable")
    rows = np.sort(order[: int(value)])
    groups = None if asked.groups is None else np.unique(asked.groups[rows], return_inverse=True)[1]
    weights = None if asked.weights is None else asked.weights[rows]
    landmarks = None if asked.num_landmarks is None else min(asked.num_landmarks, rows.size)
    return replace(asked, data=asked.data.subset(rows), groups=groups, weights=weights, num_landmarks=landmarks)
