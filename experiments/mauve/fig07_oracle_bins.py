"""MAUVE paper, Fig. 7: bins of similar likelihood ratio, and how little of a divergence they lose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import fkeax
from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.laws import exact_frontier_integral
from experiments.mauve.panels import Line, Panel, draw_panels
from experiments.mauve.params import OracleParams
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import UNUSED, checked_params
from fkeax.frontier import IntegralKL, oracle_partition, quantization_bound

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 20


def run(config: Config) -> Outcome:
    """Bin two laws on a line by their likelihood ratio and by position, at several numbers of bins."""
    params = checked_params(config, OracleParams, UNUSED)
    grid = np.linspace(-5, 6, params.num_atoms)
    p = np.exp(-(grid**2) / 2) + 0.5 * np.exp(-((grid - 3) ** 2) / 0.5)
    q = np.exp(-((grid - 1) ** 2) / 3)
    p, q = p / p.sum(), q / q.sum()
    full = exact_frontier_integral(p, q)
    results = [fkeax.Result("fi", full, None, {"bins": "all", "num_buckets": params.num_atoms}, {})]
    bins = np.zeros(len(grid), np.int32)
    for number in params.bucket_counts:
        bins = oracle_partition(p, q, IntegralKL(), number)
        equal = np.minimum(np.arange(len(grid)) * number // len(grid), number - 1)
        for name, partition in (("oracle", bins), ("equal widths", equal)):
            masses = [np.bincount(partition, law, number) for law in (p, q)]
            loss = full - exact_frontier_integral(*masses)
            settings = {"bins": name, "num_buckets": number}
            bound = quantization_bound(IntegralKL(), number)
            results.append(fkeax.Result("loss", loss, None, settings, {"bound": bound}))
    shown = oracle_partition(p, q, IntegralKL(), SHOWN)
    arrays = {"grid": grid, "p": p, "q": q, "bins": shown}
    return Outcome(config.title, results, arrays, full, {"source": "Drawn here.", "licence": "None."})


def _losses(run: RunFolder, name: str) -> list[fkeax.Result]:
    return [r for r in run.results if r.name == "loss" and r.settings["bins"] == name]


def findings(run: RunFolder) -> list[Finding]:
    """Return Proposition 13 beside what was lost."""
    oracle, equal = _losses(run, "oracle"), _losses(run, "equal widths")
    kept = all(float(r) <= float(str(r.diagnostics["bound"])) for r in oracle)
    listed = ", ".join(
        f"k = {r.settings['num_buckets']}: {float(r):.2g} of at most {float(str(r.diagnostics['bound'])):.2g}"
        for r in oracle
    )
    better = sum(float(a) < float(b) for a, b in zip(oracle, equal, strict=True))
    return [
        Finding(
            "Proposition 13: bins of similar likelihood ratio lose at most (f(0) + f*(0)) / k with 2k bins",
            listed,
            "yes" if kept else "no",
        ),
        Finding(
            "the oracle bins follow f(p/q), not position",
            f"they lose less than bins of equal width at {better} of {len(oracle)} numbers of bins",
            "yes" if better == len(oracle) else "in trend, not at every k" if better > len(oracle) / 2 else "no",
        ),
    ]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return densities with their bins, and losses with the bound."""
    arrays = run.arrays
    lines = [Line("P", arrays["grid"], arrays["p"]), Line("Q", arrays["grid"], arrays["q"])]
    counts = [int(str(r.settings["num_buckets"])) for r in _losses(run, "oracle")]
    losses = [
        Line("oracle bins", counts, [float(r) for r in _losses(run, "oracle")]),
        Line("equal widths", counts, [float(r) for r in _losses(run, "equal widths")]),
        Line("bound", counts, [float(str(r.diagnostics["bound"])) for r in _losses(run, "oracle")]),
    ]
    panels = [
        Panel(f"two densities and {SHOWN} oracle bins", "x", "mass", lines),
        Panel("what quantization loses of FI", "number of bins", "loss", losses, log_x=True, log_y=True),
    ]
    figure = draw_panels(panels, run.title)
    axis, bins = figure.axes[0], arrays["bins"]
    for number in np.unique(bins):
        inside = bins == number
        colour = f"C{number}"
        axis.fill_between(arrays["grid"], 0, np.where(inside, arrays["p"], 0), color=colour, alpha=0.25, step="mid")
    return {"bins": figure}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the losses."""
    rows = [
        [int(str(a.settings["num_buckets"])), float(a), float(b), float(str(a.diagnostics["bound"]))]
        for a, b in zip(_losses(run, "oracle"), _losses(run, "equal widths"), strict=True)
    ]
    header = ["bins", "loss, oracle", "loss, equal widths", "bound"]
    caption = f"What bins lose of the frontier integral, which is {float(run.results[0]):.4f}."
    return {"loss": Table(caption, header, rows)}


EXPERIMENT = Experiment(place="MAUVE paper, Fig. 7", run=run, draw=draw, findings=findings, tables=tables)
