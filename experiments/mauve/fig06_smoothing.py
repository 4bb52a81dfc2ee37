"""MAUVE paper, Fig. 6: errors of the frontier integral under five ways of smoothing, on four pairs of laws.

P and then Q are drawn anew for every repeat; the points are means over the repeats of |FI^ - FI| with their standard
errors. The paper prints neither the numbers of its curves nor how many repeats it took.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import fkeax
from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.panels import Line, Panel, draw_panels
from experiments.mauve.params import SmoothingParams
from experiments.mauve.smoothing_errors import TITLES, absolute_errors, drawn_counts, points_of
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import UNUSED, checked_params

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANELS = {
    "a": ("(a) Zipf(0) and Dir(1/2)", "sample size n", True),
    "b": ("(b) Zipf(0) and Dir(1/2)", "number of bins k", True),
    "c": ("(c) Dir(1) and Zipf(r)", "r", False),
    "d": ("(d) Zipf(2) and Zipf(r)", "r", False),
}
NEAR = 1.2  # times the best error
CLOSE = 2.0  # standard errors within which a curve shares the first place


def run(config: Config) -> Outcome:
    """Compute all points."""
    params = checked_params(config, SmoothingParams, UNUSED)
    results = []
    for number, point in enumerate(points_of(params)):
        laws, counts = drawn_counts(point, params.repeats, np.random.default_rng([config.seed, number]))
        for method, errors in absolute_errors(laws, counts, tuple(TITLES)).items():
            settings = point.settings() | {"smoothing": method, "repeats": params.repeats}
            stderr = float(errors.std(ddof=1) / np.sqrt(len(errors)))
            results.append(fkeax.Result("absolute-error", errors.mean(), stderr, settings, {}))
    headline = float(np.mean([float(r) for r in results if r.settings["smoothing"] == "krichevsky-trofimov"]))
    return Outcome(config.title, results, {}, headline, {"source": "Drawn here.", "licence": "None."})


def curve(run: RunFolder, panel: str, method: str) -> list[fkeax.Result]:
    """Return the points of one curve, from left to right."""
    return [r for r in run.results if r.settings["panel"] == panel and r.settings["smoothing"] == method]


def _values(run: RunFolder, panel: str) -> dict[str, np.ndarray]:
    return {method: np.array([float(r) for r in curve(run, panel, method)]) for method in TITLES}


def _wins(run: RunFolder, panel: str) -> dict[str, int]:
    """Return at how many points each method is the best, or within two joint standard errors of it."""
    wins = dict.fromkeys(TITLES, 0)
    for place in zip(*(curve(run, panel, method) for method in TITLES), strict=True):
        best = min(place, key=float)
        for method, result in zip(TITLES, place, strict=True):
            joint = np.hypot(result.stderr or 0.0, best.stderr or 0.0)
            wins[method] += float(result) - float(best) <= CLOSE * joint
    return wins


def findings(run: RunFolder) -> list[Finding]:
    """Return the four statements of Section 4.1.1 about the figure."""
    return [_smoothing_helps(run), _best_in_a_and_b(run), _adapted(run), _regimes(run), _rule_of_thumb(run)]


def _smoothing_helps(run: RunFolder) -> Finding:
    values = _values(run, "b")
    ratios = {m: values[m] / values["empirical"] for m in TITLES if m != "empirical"}
    last = ", ".join(f"{TITLES[m]} {ratio[-1]:.2f}" for m, ratio in ratios.items())
    first = ", ".join(f"{TITLES[m]} {ratio[0]:.2f}" for m, ratio in ratios.items())
    marked = all(ratio[-1] < 0.8 for ratio in ratios.values())
    return Finding(
        "smoothing reduces the absolute error, markedly when k/n is large",
        f"error over that of the empirical law in (b), at the largest k: {last}; at the smallest: {first}",
        "yes" if marked else "not by every estimator",
    )


def _best_in_a_and_b(run: RunFolder) -> Finding:
    wins = {panel: _wins(run, panel) for panel in "ab"}
    size = len(curve(run, "a", "empirical"))
    listed = "; ".join(
        f"({panel}) " + ", ".join(f"{TITLES[m]} {count}" for m, count in counts.items() if count)
        for panel, counts in wins.items()
    )
    named = ("good-turing", "krichevsky-trofimov")
    total = sum(wins[panel][m] for panel in "ab" for m in named)
    others = sum(wins[panel][m] for panel in "ab" for m in TITLES if m not in named)
    led = [all(max(wins[panel][m] for m in named) >= wins[panel][m] for m in TITLES) for panel in "ab"]
    agrees = "yes" if all(led) and total > others else "in part: see the counts" if any(led) else "no"
    return Finding(
        "(a), (b): Good-Turing and Krichevsky-Trofimov have the best absolute error",
        f"points of {size} at which each is best, or within two standard errors of the best: {listed}",
        agrees,
    )


def _adapted(run: RunFolder) -> Finding:
    parts, below = [], []
    for panel in "cd":
        values = _values(run, panel)
        lower = int(np.sum(values["good-turing"] < values["empirical"]))
        below.append(lower / len(values["empirical"]))
        parts.append(f"({panel}) at {lower} of {len(values['empirical'])} points")
    agrees = "yes" if min(below) == 1 else "in trend, not everywhere" if min(below) >= 0.6 else "no"
    return Finding(
        "(c), (d): Good-Turing is adapted to various decays and outperforms the empirical estimator",
        f"its error is the smaller one {', '.join(parts)}",
        agrees,
    )


def _regimes(run: RunFolder) -> Finding:
    parts, found = [], []
    for method in ("krichevsky-trofimov", "braess-sauer"):
        for panel in "cd":
            values = _values(run, panel)
            best = np.min(np.stack(list(values.values())), axis=0)
            share = values[method] / best
            places = [float(str(r.settings["x"])) for r in curve(run, panel, method)]
            near = [x for x, ratio in zip(places, share, strict=True) if ratio < NEAR]
            far = float(share.max())
            found.append(bool(near) and far > 2)
            where = f"r from {min(near):.2g} to {max(near):.2g}" if near else "no r"
            near_best = f"within {100 * (NEAR - 1):.0f} % of the best at {where}"
            parts.append(f"{TITLES[method]} ({panel}) {near_best}, at worst {far:.1f} times it")
    return Finding(
        "(c), (d): Krichevsky-Trofimov and Braess-Sauer have small errors for particular decays",
        "; ".join(parts),
        "yes" if all(found) else "in part: see where" if any(found) else "no",
    )


def _rule_of_thumb(run: RunFolder) -> Finding:
    values = _values(run, "b")
    best = np.min(np.stack(list(values.values())), axis=0)
    ratio = values["krichevsky-trofimov"] / best
    first, last = float(ratio[: len(ratio) // 2].max()), float(ratio[-1])
    return Finding(
        "rule of thumb: Krichevsky-Trofimov works well at large k/n and is still competitive at small k/n",
        f"(b): its error over the best one is {last:.2f} at the largest k and at most {first:.2f} in the lower half",
        "yes" if last < 1.5 and first < 1.5 else "in part: see the ratios" if min(last, first) < 1.5 else "no",
    )


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the four panels."""
    panels = []
    for panel, (title, label, log_x) in PANELS.items():
        lines = []
        for method, name in TITLES.items():
            found = curve(run, panel, method)
            places = [float(str(r.settings["x"])) for r in found]
            lines.append(Line(name, places, [float(r) for r in found], [r.stderr or 0.0 for r in found]))
        panels.append(Panel(title, label, "mean absolute error of FI", lines, log_x=log_x, log_y=True))
    return {"errors": draw_panels(panels, run.title, columns=2)}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the points of every panel."""
    found = {}
    for panel, (title, label, _) in PANELS.items():
        rows = []
        for place in zip(*(curve(run, panel, method) for method in TITLES), strict=True):
            cells = [f"{float(r):.5f} ({r.stderr or 0:.5f})" for r in place]
            rows.append([round(float(str(place[0].settings["x"])), 4), *cells])
        caption = f"{title}: mean |FI^ - FI| over {run.results[0].settings['repeats']} repeats (standard error)."
        found[panel] = Table(caption, [label, *TITLES.values()], rows)
    return found


EXPERIMENT = Experiment(place="MAUVE paper, Fig. 6", run=run, draw=draw, findings=findings, tables=tables)
