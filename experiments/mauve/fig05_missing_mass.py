"""MAUVE paper, Fig. 5: the mass of bins that a sample misses, and the mass that add-constant smoothing gives them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

import fkeax
from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.laws import zipf
from experiments.mauve.panels import Line, Panel, draw_panels
from experiments.mauve.params import MissingMassParams
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import UNUSED, checked_params
from fkeax import quantize

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run(config: Config) -> Outcome:
    """Draw samples of a long-tailed law and compare what they miss with its expectation."""
    params = checked_params(config, MissingMassParams, UNUSED)
    law = zipf(params.num_buckets, params.exponent)
    generator = np.random.default_rng(config.seed)
    results = []
    counts = np.zeros(params.num_buckets, np.int64)
    for size in params.sample_sizes:
        missed, smoothed = [], []
        for _ in range(params.repeats):
            counts = generator.multinomial(size, law)
            missed.append(float(law[counts == 0].sum()))
            estimate = np.asarray(quantize.smooth(counts, "krichevsky-trofimov"), np.float64)
            smoothed.append(float(estimate[counts == 0].sum()))
        expected = float(np.sum(law * (1 - law) ** size))
        settings = {"num_samples": size, "num_buckets": params.num_buckets, "exponent": params.exponent}
        for name, values in (("missing-mass", missed), ("smoothed-mass", smoothed)):
            error = float(np.std(values, ddof=1) / np.sqrt(len(values)))
            results.append(fkeax.Result(name, np.mean(values), error, settings, {"expected": expected}))
    arrays = {"law": law, "counts": counts}
    return Outcome(config.title, results, arrays, None, {"source": "Drawn here.", "licence": "None."})


def findings(run: RunFolder) -> list[Finding]:
    """Return what the figure shows."""
    missed = [result for result in run.results if result.name == "missing-mass"]
    smoothed = [result for result in run.results if result.name == "smoothed-mass"]
    scores = [(float(r) - float(str(r.diagnostics["expected"]))) / max(r.stderr or 0, 1e-12) for r in missed]
    listed = ", ".join(f"n = {r.settings['num_samples']}: {float(r):.3f}" for r in missed)
    given = ", ".join(f"{float(r):.3f}" for r in smoothed)
    falling = all(float(a) > float(b) for a, b in pairwise(missed))
    return [
        Finding(
            "a sample misses part of a long-tailed law",
            f"missing mass {listed}; at most {max(map(abs, scores)):.1f} standard errors from its expectation "
            "sum P (1 - P)^n",
            "yes" if falling and max(map(abs, scores)) < 4 else "no",
        ),
        Finding(
            "add-constant smoothing adds a constant to bins that do not appear too (Krichevsky-Trofimov: 1/2)",
            f"mass given to the bins that were missed: {given}",
            "yes" if all(float(r) > 0 for r in smoothed) else "no",
        ),
    ]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return one sample with its smoothed law, and the missing mass by sample size."""
    law, counts = run.arrays["law"], run.arrays["counts"]
    shown = min(60, len(law))
    ranks = np.arange(1, shown + 1)
    smoothed = np.asarray(quantize.smooth(counts, "krichevsky-trofimov"), np.float64)
    sample = [
        Line("law", ranks, law[:shown]),
        Line("sample", ranks, counts[:shown] / counts.sum(), joined=False),
        Line("Krichevsky-Trofimov", ranks, smoothed[:shown], joined=False),
    ]
    lines = []
    for name, label in (("missing-mass", "missed"), ("smoothed-mass", "given to them by smoothing")):
        found = [result for result in run.results if result.name == name]
        sizes = [int(str(result.settings["num_samples"])) for result in found]
        lines.append(Line(label, sizes, [float(r) for r in found], [r.stderr or 0.0 for r in found]))
    panels = [
        Panel("the largest sample", "bin", "mass", sample, log_y=True),
        Panel("mass of the bins that do not appear", "sample size n", "mass", lines, log_x=True),
    ]
    return {"mass": draw_panels(panels, run.title)}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the masses."""
    rows = []
    for missed, smoothed in zip(run.results[::2], run.results[1::2], strict=True):
        size, expected = int(str(missed.settings["num_samples"])), float(str(missed.diagnostics["expected"]))
        rows.append([size, float(missed), missed.stderr, expected, float(smoothed)])
    header = ["n", "missing mass", "standard error", "expected", "given by smoothing"]
    return {"mass": Table("Mass of the bins that do not appear in a sample.", header, rows)}


EXPERIMENT = Experiment(place="MAUVE paper, Fig. 5", run=run, draw=draw, findings=findings, tables=tables)
