"""MAUVE paper, Fig. 1: the divergence frontier of two laws, and that every other law lies above it.

Two Gaussians on a line, binned; `R_l = l P + (1 - l) Q` make the frontier, Gaussians and random mixtures stand for the
arbitrary `R'`. A law R lies above the frontier if no point of the frontier has both divergences larger than R has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import fkeax
from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.panels import Line, Panel, draw_panels
from experiments.mauve.params import FrontierParams
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import UNUSED, checked_params

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHIFT = 1.5
SLACK = 1e-9


def run(config: Config) -> Outcome:
    """Compute the frontier and the points of other laws."""
    params = checked_params(config, FrontierParams, UNUSED)
    grid = np.linspace(-6, 6 + SHIFT, params.num_atoms)
    p, q = _binned(grid, 0.0, 1.0), _binned(grid, SHIFT, 1.0)
    weights = np.linspace(0.0, 1.0, params.num_mixtures + 2)[1:-1]
    frontier = np.array([_costs(p, q, weight * p + (1 - weight) * q) for weight in weights])
    generator = np.random.default_rng(config.seed)
    others = np.array([_costs(p, q, _other(grid, p, q, generator)) for _ in range(params.num_others)])
    below = sum(_is_below(point, p, q, weights) for point in others)
    results = [
        fkeax.Result("share-below", below / len(others), None, {"num_others": len(others)}, {"num_below": below}),
        fkeax.Result("smallest-distance", _nearest(others, frontier), None, {"num_others": len(others)}, {}),
    ]
    arrays = {"p": p, "q": q, "grid": grid, "frontier": frontier, "others": others}
    return Outcome(config.title, results, arrays, below / len(others), {"source": "Drawn here.", "licence": "None."})


def _binned(grid: np.ndarray, mean: float, deviation: float) -> np.ndarray:
    law = np.exp(-((grid - mean) ** 2) / (2 * deviation**2))
    return law / law.sum()


def _costs(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> tuple[float, float]:
    """Return KL(Q||R) and KL(P||R)."""
    return float(np.sum(q * np.log(q / r))), float(np.sum(p * np.log(p / r)))


def _other(grid: np.ndarray, p: np.ndarray, q: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    weight = generator.uniform()
    law = _binned(grid, generator.normal(SHIFT / 2, 1.0), generator.uniform(0.6, 2.5))
    share = generator.uniform(0.02, 1.0)
    return share * law + (1 - share) * (weight * p + (1 - weight) * q)


def _is_below(point: np.ndarray, p: np.ndarray, q: np.ndarray, weights: np.ndarray) -> bool:
    """Whether a point beats some mixture in both divergences."""
    costs = np.array([_costs(p, q, weight * p + (1 - weight) * q) for weight in weights])
    return bool(np.any((costs - point > SLACK).all(axis=1)))


def _nearest(others: np.ndarray, frontier: np.ndarray) -> float:
    return float(np.min(np.linalg.norm(others[:, None] - frontier[None], axis=2)))


def findings(run: RunFolder) -> list[Finding]:
    """Return the figure's claim beside what was seen."""
    share = run.results[0]
    count, below = share.settings["num_others"], share.diagnostics["num_below"]
    ours = f"{below} of {count} other laws lie below it; the nearest is {float(run.results[1]):.2g} away"
    frontier = run.arrays["frontier"]
    falling = bool(np.all(np.diff(frontier[:, 0]) > 0) and np.all(np.diff(frontier[:, 1]) < 0))
    return [
        Finding("the mixtures of P and Q make up the frontier, all other laws lie above it", ours, _yes(below == 0)),
        Finding(
            "the frontier trades one divergence for the other",
            "KL(Q||R) rises and KL(P||R) falls at every step of the mixture"
            if falling
            else "the two divergences do not move against each other at every step",
            _yes(falling),
        ),
    ]


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the laws and the frontier."""
    arrays = run.arrays
    laws = [Line("P", arrays["grid"], arrays["p"]), Line("Q", arrays["grid"], arrays["q"])]
    laws.append(Line("R at 1/2", arrays["grid"], (arrays["p"] + arrays["q"]) / 2))
    frontier, others = arrays["frontier"], arrays["others"]
    points = [Line("mixtures R", frontier[:, 0], frontier[:, 1])]
    points.append(Line("other laws R'", others[:, 0], others[:, 1], joined=False))
    panels = [
        Panel("two laws", "x", "mass of a bin", laws),
        Panel("their frontier", "KL(Q||R)", "KL(P||R)", points),
    ]
    return {"frontier": draw_panels(panels, run.title)}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return some points of the frontier."""
    frontier = run.arrays["frontier"]
    chosen = np.linspace(0, len(frontier) - 1, 5).round().astype(int)
    weights = np.linspace(0.0, 1.0, len(frontier) + 2)[1:-1]
    rows = [[float(weights[i]), float(frontier[i, 0]), float(frontier[i, 1])] for i in chosen]
    return {
        "points": Table("Points of the frontier, by the weight l of P.", ["l", "KL(Q to R_l)", "KL(P to R_l)"], rows)
    }


EXPERIMENT = Experiment(place="MAUVE paper, Fig. 1", run=run, draw=draw, findings=findings, tables=tables)
