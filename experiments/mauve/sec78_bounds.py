"""MAUVE paper, Section 7.8: how tight the bounds of Theorems 10 and 12 are on the laws of Fig. 6.

The text at hand ends before that section; what is compared here is the mean error seen with the bounds of eqs. (10),
(11), (15) and (16), for the empirical and the Krichevsky-Trofimov estimate of the frontier integral.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import fkeax
from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.fig06_smoothing import PANELS
from experiments.mauve.panels import Line, Panel, draw_panels
from experiments.mauve.params import SmoothingParams
from experiments.mauve.ranks import spearman
from experiments.mauve.smoothing_errors import Point, absolute_errors, drawn_counts, points_of
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import UNUSED, checked_params
from fkeax.frontier import (
    IntegralKL,
    smoothed_bound,
    smoothed_bound_for_size,
    statistical_bound,
    statistical_bound_for_size,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HALF = 0.5  # of Krichevsky and Trofimov
METHODS = {"empirical": "Empirical", "krichevsky-trofimov": "Krichevsky-Trofimov"}
BOUNDS = ("of-the-laws", "of-the-size")


def run(config: Config) -> Outcome:
    """Compute errors and bounds at all points."""
    params = checked_params(config, SmoothingParams, UNUSED)
    results = []
    for number, point in enumerate(points_of(params)):
        laws, counts = drawn_counts(point, params.repeats, np.random.default_rng([config.seed, number]))
        for method, errors in absolute_errors(laws, counts, tuple(METHODS)).items():
            bounds = _bounds(point, laws, method)
            settings = point.settings() | {"smoothing": method, "repeats": params.repeats}
            stderr = float(errors.std(ddof=1) / np.sqrt(len(errors)))
            results.append(fkeax.Result("absolute-error", errors.mean(), stderr, settings, bounds))
    return Outcome(config.title, results, {}, None, {"source": "Drawn here.", "licence": "None."})


def _bounds(point: Point, laws: np.ndarray, method: str) -> dict[str, float]:
    """Return both bounds; that of the laws is a mean over the first draws of them."""
    generator, n, k = IntegralKL(), point.num_samples, point.num_buckets
    pairs = list(zip(*laws, strict=True))[:10]
    if method == "empirical":
        of_laws = [statistical_bound(generator, p, q, n) for p, q in pairs]
        return {BOUNDS[0]: float(np.mean(of_laws)), BOUNDS[1]: statistical_bound_for_size(generator, k, n)}
    of_laws = [smoothed_bound(generator, p, q, n, constant=HALF) for p, q in pairs]
    return {BOUNDS[0]: float(np.mean(of_laws)), BOUNDS[1]: smoothed_bound_for_size(generator, k, n, constant=HALF)}


def _curve(run: RunFolder, panel: str, method: str) -> list[fkeax.Result]:
    return [r for r in run.results if r.settings["panel"] == panel and r.settings["smoothing"] == method]


def _ratios(found: list[fkeax.Result], bound: str) -> np.ndarray:
    return np.array([float(str(r.diagnostics[bound])) / float(r) for r in found])


def findings(run: RunFolder) -> list[Finding]:
    """Return whether the bounds hold, how far off they are, and whether they follow the errors."""
    ratios = {bound: _ratios(run.results, bound) for bound in BOUNDS}
    holds = all(np.all(ratio >= 1) for ratio in ratios.values())
    spans = ", ".join(
        f"{bound.replace('-', ' ')}: {ratio.min():.0f} to {ratio.max():.0f} times" for bound, ratio in ratios.items()
    )
    smaller = int(np.sum(ratios[BOUNDS[0]] < ratios[BOUNDS[1]]))
    parts, correlations = [], []
    for method, name in METHODS.items():
        for panel in PANELS:
            found = _curve(run, panel, method)
            bounds = [float(str(r.diagnostics[BOUNDS[0]])) for r in found]
            correlations.append(spearman([float(r) for r in found], bounds))
            parts.append(f"{name} ({panel}) {correlations[-1]:.2f}")
    slow = min(correlations)
    return [
        Finding("Theorems 10 and 12 bound the mean error", f"bound over error, {spans}", "yes" if holds else "no"),
        Finding(
            "the bounds of the laws adapt to their tails, those of the size do not",
            f"the bound of the laws is the smaller one at {smaller} of {len(run.results)} points",
            "yes" if smaller > 0.9 * len(run.results) else "not at most points",
        ),
        Finding(
            "the bounds follow the errors from setting to setting (the section's own words are not at hand)",
            f"rank correlation of the bound of the laws and the error along each curve: {', '.join(parts)}",
            "yes" if slow > 0.9 else "in part: see the curves" if max(correlations) > 0.9 else "no",
        ),
    ]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return errors and bounds in the four panels."""
    panels = []
    for panel, (title, label, log_x) in PANELS.items():
        lines = []
        for method, name in METHODS.items():
            found = _curve(run, panel, method)
            places = [float(str(r.settings["x"])) for r in found]
            lines.append(Line(f"{name}: error", places, [float(r) for r in found]))
            for bound in BOUNDS:
                heights = [float(str(r.diagnostics[bound])) for r in found]
                lines.append(Line(f"{name}: bound {bound.replace('-', ' ')}", places, heights))
        panels.append(Panel(title, label, "mean absolute error of FI, and bounds", lines, log_x=log_x, log_y=True))
    return {"bounds": draw_panels(panels, run.title, columns=2)}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return how far the bounds are from the errors, by curve."""
    rows = []
    for panel in PANELS:
        for method, name in METHODS.items():
            found = _curve(run, panel, method)
            spans = [f"{_ratios(found, bound).min():.1f} to {_ratios(found, bound).max():.1f}" for bound in BOUNDS]
            rows.append([f"({panel})", name, *spans])
    header = ["panel", "estimator", "bound of the laws / error", "bound of the size / error"]
    return {"ratios": Table("Bound over mean error along the curves of Fig. 6.", header, rows)}


EXPERIMENT = Experiment(place="MAUVE paper, Section 7.8", run=run, draw=draw, findings=findings, tables=tables)
