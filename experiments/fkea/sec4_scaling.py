"""FKEA paper, Section 4: time and memory against n of exact VENDI, exact RKE and FKEA, and Theorem 1 as a table.

Times are processor seconds of the whole process, which a busy machine distorts less than the clock; each is the least
of several calls after one that compiles. Slopes are of a line through the logarithms at the larger half of the sizes.
Memory is what the plan of each score takes, which bounds it; it was not measured.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from matplotlib.figure import Figure

import fkeax
from experiments.experiment import Experiment, Finding, Table
from experiments.fkea import scoring, shown
from experiments.fkea.params import ScalingParams
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import NOTHING, checked_params
from fkeax.diversity import plan
from fkeax.report.figures import STYLES
from fkeax.results import Result

SUPPORTED = {"data": NOTHING, "encoder": NOTHING, "estimator": NOTHING, "inference": NOTHING}
ORDER = 1.0
# Operations and memory as functions of n and r; what Section 4 and 5 state, and what of it is a lower bound.
THEOREM = {
    "vendi-exact": (
        "VENDI of an order other than 2, exact",
        "n^3 (eigenvalues); not below n^2.367, that of a matrix product (Theorem 1)",
        "n^2",
    ),
    "rke-exact": ("RKE, exact", "n^2", "n (pairs by blocks)"),
    "vendi-fkea": ("FKEA, any order", "n r^2 + r^3", "r^2"),
    "rke-fkea": ("FKEA, RKE alone", "n r^2", "r^2"),
}


def run(config: Config) -> Outcome:
    """Time every score at every n up to which it is asked for.

    Raises:
        ValueError: The configuration asks for what this experiment does not do.
    """
    params = checked_params(config, ScalingParams, SUPPORTED)
    counts = params.sample_counts
    if len(counts) < 2 or list(counts) != sorted(set(counts)) or counts[0] < 2:
        raise ValueError(f"params.sample_counts must be two or more ascending numbers from 2 on, got {list(counts)}.")
    largest = np.random.default_rng(config.seed).normal(size=(counts[-1], params.dimension)).astype(np.float32)
    bandwidth = scoring.bandwidth_of(largest[:2], config)
    results = []
    for name, method, metric, most in _cases(params):
        for count in (count for count in counts if count <= most):
            call = _call(largest[:count], config, bandwidth, method, metric)
            found = call()  # compiles
            seconds = min(_processor_seconds(call) for _ in range(params.repeats))
            planned = plan(
                count,
                params.dimension,
                method=method,
                num_frequencies=config.features.num_frequencies,
                batch_size=config.features.batch_size,
                spectrum=metric == "vendi",
            )
            settings: dict[str, Any] = {
                "case": name,
                "num_samples": count,
                "dimension": params.dimension,
                "num_frequencies": config.features.num_frequencies if method == "fkea" else None,
            }
            diagnostics: dict[str, Any] = {"score": found, "planned_bytes": planned.total_bytes}
            results.append(Result("seconds", seconds, None, settings, diagnostics))
            scoring.LOG.info("%s, n = %d: %.3g s, %.3g MB", name, count, seconds, planned.total_bytes / 1e6)
    return Outcome(
        title=f"{config.title} (normal samples, d = {params.dimension}, r = {config.features.num_frequencies})",
        results=results,
        arrays={},
        headline=results[-1].value,
        data={"source": "drawn by the experiment", "licence": "none needed"},
    )


def _cases(params: ScalingParams) -> Sequence[tuple[str, str, str, int]]:
    return (
        ("vendi-exact", "exact", "vendi", params.most_for_eigenvalues),
        ("rke-exact", "exact", "rke", params.most_for_pairs),
        ("vendi-fkea", "fkea", "vendi", params.sample_counts[-1]),
        ("rke-fkea", "fkea", "rke", params.sample_counts[-1]),
    )


def _call(rows: np.ndarray, config: Config, bandwidth: Any, method: str, metric: str) -> Callable[[], float | None]:
    def call() -> float | None:
        found = fkeax.score(
            rows,
            metrics=(metric,),
            orders=(ORDER,),
            bandwidth=bandwidth,
            method=method,
            features=config.features.name,
            num_frequencies=config.features.num_frequencies,
            batch_size=config.features.batch_size,
            key=jax.random.key(config.seed),
        )
        return next(iter(found.values())).value

    return call


def _processor_seconds(call: Callable[[], object]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started


def _curve(run: RunFolder, case: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return n, seconds and bytes of a case."""
    found = [result for result in run.results if result.settings["case"] == case]
    counts = np.array([result.settings["num_samples"] for result in found], dtype=float)
    planned: Any = [result.diagnostics["planned_bytes"] for result in found]
    return counts, np.array([float(result) for result in found]), np.array(planned, dtype=float)


def _slope(counts: np.ndarray, values: np.ndarray) -> float:
    """Return the slope of the logarithms over the larger half of the sizes."""
    kept = slice(len(counts) // 2 - (len(counts) == 2), None)
    if len(counts[kept]) < 2:
        return math.nan
    return float(np.polyfit(np.log(counts[kept]), np.log(np.maximum(values[kept], 1e-9)), 1)[0])


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return time and memory against n, both axes logarithmic."""
    figure = Figure(figsize=(10.0, 4.2), dpi=110, layout="constrained")
    figure.suptitle(shown.heading(run.title), fontsize=10)
    time_axis, memory_axis = figure.subplots(1, 2)
    for (case, (label, *_)), style in zip(THEOREM.items(), STYLES, strict=True):
        counts, seconds, planned = _curve(run, case)
        if len(counts):
            time_axis.loglog(counts, seconds, label=f"{label}: slope {_slope(counts, seconds):.2f}", **style)
            memory_axis.loglog(counts, planned / 1e6, label=f"{label}: slope {_slope(counts, planned):.2f}", **style)
    for axis, words in ((time_axis, "processor seconds"), (memory_axis, "planned memory, MB")):
        axis.set_xlabel("number of samples n")
        axis.set_ylabel(words)
        axis.grid(alpha=0.3, linewidth=0.5)
        axis.legend(frameon=False, fontsize=7)
    return {"scaling": figure}


def findings(run: RunFolder) -> list[Finding]:
    """Return the claims of Sections 4 and 5 about cost beside the slopes."""
    slopes = {case: _slope(*_curve(run, case)[:2]) for case in THEOREM}
    memory = {case: _slope(_curve(run, case)[0], _curve(run, case)[2]) for case in THEOREM}
    _, seconds, _ = _curve(run, "vendi-fkea")
    return [
        Finding(
            "exact VENDI costs more than quadratic time (at least n^2.367, n^3 by eigenvalues)",
            f"slope {slopes['vendi-exact']:.2f} at the sizes measured, memory {memory['vendi-exact']:.2f}",
            "yes"
            if slopes["vendi-exact"] > 2.2
            else "cannot be judged: at these sizes the n^2 of the kernel matrix still counts",
        ),
        Finding(
            "exact RKE costs quadratic time",
            f"slope {slopes['rke-exact']:.2f}",
            _verdict(abs(slopes["rke-exact"] - 2) < 0.3, "the fixed cost of a call still counts"),
        ),
        Finding(
            "FKEA costs time linear in n, and memory that does not grow with it",
            f"RKE alone: slope {slopes['rke-fkea']:.2f}, memory {memory['rke-fkea']:.2f}; with the eigenvalues of the "
            f"2r x 2r matrix, a fixed cost: slope {slopes['vendi-fkea']:.2f}, {seconds[0]:.2g} to {seconds[-1]:.2g} s",
            _verdict(
                0.7 < slopes["rke-fkea"] < 1.25 and abs(memory["rke-fkea"]) < 0.1 and slopes["vendi-fkea"] < 1.25,
                "the fixed cost of a call still counts",
            ),
        ),
    ]


def _verdict(holds: bool, otherwise: str) -> str:
    return "yes" if holds else f"no at these sizes: {otherwise}"


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the costs that theory gives beside the measured slopes, and the times."""
    costs, times = [], []
    for case, (label, operations, memory) in THEOREM.items():
        counts, seconds, planned = _curve(run, case)
        slopes = [round(_slope(counts, values), 2) for values in (seconds, planned)]
        span = f"{counts[0]:,.0f} to {counts[-1]:,.0f}"
        costs.append([label, operations, memory, *(None if math.isnan(s) else s for s in slopes), span])
        times += [
            [label, int(n), float(f"{s:.3g}"), float(f"{b / 1e6:.3g}")]
            for n, s, b in zip(counts, seconds, planned, strict=True)
        ]
    header = ["score", "operations", "memory", "slope of time", "slope of memory", "n measured"]
    return {
        "costs": Table("Costs by theory (Theorem 1, Section 5), and slopes measured.", header, costs),
        "times": Table("Times and planned memory.", ["score", "n", "processor seconds", "MB"], times),
    }


def inputs(config: Config) -> Mapping[str, str]:
    """Return nothing: the samples are drawn."""
    return {}


EXPERIMENT = Experiment(
    place="FKEA paper, Section 4", run=run, draw=draw, findings=findings, inputs=inputs, tables=tables
)
