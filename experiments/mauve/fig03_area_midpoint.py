"""MAUVE paper, Fig. 3: the area under the frontier beside the rectangle that the mid-point summary spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import fkeax
from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.panels import Line, Panel, draw_panels
from experiments.mauve.params import FrontierParams
from experiments.mauve.ranks import spearman
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import UNUSED, checked_params
from fkeax import frontier

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCALE = 5.0


def run(config: Config) -> Outcome:
    """Compute area, mid-point and rectangle of pairs of laws that move apart."""
    params = checked_params(config, FrontierParams, UNUSED)
    generator = np.random.default_rng(config.seed)
    results, curves = [], []
    for number in range(params.num_others):
        strength = 0.02 * 100 ** (number / max(params.num_others - 1, 1))
        p = generator.dirichlet(np.full(params.num_atoms, 2.0))
        tilted = p * np.exp(strength * generator.standard_normal(params.num_atoms))
        q = tilted / tilted.sum()
        area = float(frontier.mauve_from_histograms(p, q, like="exact", scale=SCALE))
        mid = float(frontier.mid_from_histograms(p, q))
        half = [float(np.sum(side * np.log(side / ((p + q) / 2)))) for side in (p, q)]
        settings = {"pair": number, "strength": strength, "scale": SCALE}
        results.append(fkeax.Result("area", area, None, settings, {}))
        results.append(fkeax.Result("mid", mid, None, settings, {}))
        # exp(-c D(P||R)) exp(-c D(Q||R)) at the middle is exp(-2 c Mid): the rectangle below the curve.
        results.append(fkeax.Result("rectangle", float(np.exp(-SCALE * sum(half))), None, settings, {}))
        curve = frontier.frontier_from_histograms(p, q, mixtures=frontier.uniform_mixtures(200))
        curves.append(np.exp(-SCALE * np.stack([curve.divergence_q, curve.divergence_p])))
    arrays = {"curves": np.stack(curves)}
    return Outcome(config.title, results, arrays, None, {"source": "Laws drawn here.", "licence": "None."})


def _column(run: RunFolder, name: str) -> np.ndarray:
    return np.array([float(r) for r in run.results if r.name == name])


def findings(run: RunFolder) -> list[Finding]:
    """Return the relation that the figure shows."""
    area, mid, rectangle = (_column(run, name) for name in ("area", "mid", "rectangle"))
    identity = float(np.max(np.abs(rectangle - np.exp(-2 * SCALE * mid))))
    correlation = spearman(area, -mid)
    return [
        Finding(
            "the mid-point summary is related to the area of the rectangle under the curve",
            f"rectangle = exp(-2 c Mid) to {identity:.1g}; it lies below the area in "
            f"{int(np.sum(rectangle <= area + 1e-6))} of {len(area)} pairs",
            "yes" if identity < 1e-5 and np.all(rectangle <= area + 1e-6) else "no",
        ),
        Finding(
            "the mid-point is intuitively close to the area summary",
            f"rank correlation of the area and minus the mid-point over {len(area)} pairs of laws: {correlation:.3f}",
            "yes" if correlation > 0.99 else "in trend, not in every order" if correlation > 0.9 else "no",
        ),
    ]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return one curve with its rectangle, and area against mid-point."""
    area, mid = _column(run, "area"), _column(run, "mid")
    number = int(np.argmin(np.abs(area - 0.6)))
    x, y = run.arrays["curves"][number]
    middle = len(x) // 2
    corner = Line("mid-point rectangle", [0, x[middle], x[middle]], [y[middle], y[middle], 0])
    grid = np.linspace(0, float(mid.max()), 100)
    panels = [
        Panel("one pair of laws", "exp(-c D(Q||R))", "exp(-c D(P||R))", [Line("frontier", x, y), corner]),
        Panel(
            "all pairs", "mid-point", "area",
            [Line("area", mid, area, joined=False), Line("rectangle exp(-2 c Mid)", grid, np.exp(-2 * SCALE * grid))],
        ),
    ]  # fmt: skip
    return {"curve": draw_panels(panels, run.title)}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the pairs."""
    columns = [_column(run, name) for name in ("area", "mid", "rectangle")]
    strengths = [float(str(r.settings["strength"])) for r in run.results if r.name == "area"]
    rows = [list(map(float, row)) for row in zip(strengths, *columns, strict=True)]
    header = ["tilt", "MAUVE (area)", "mid-point", "rectangle"]
    return {"pairs": Table("Pairs of laws that move apart.", header, rows[:: max(1, len(rows) // 10)])}


EXPERIMENT = Experiment(place="MAUVE paper, Fig. 3", run=run, draw=draw, findings=findings, tables=tables)
