"""MAUVE paper, Fig. 4: a law on the plane, its quantization over a k-means partition, and what that loses.

The laws are known on a fine grid, so that the loss is that of the partition alone.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import jax
import numpy as np

import fkeax
from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.laws import exact_frontier_integral
from experiments.mauve.panels import Line, Panel, draw_panels
from experiments.mauve.params import QuantizationParams
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import UNUSED, checked_params
from fkeax import quantize

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEANS = ((-1.5, 0.0), (1.5, 0.8), (0.3, -1.6))
SHARES = ((0.5, 0.3, 0.2), (0.2, 0.3, 0.5))


def run(config: Config) -> Outcome:
    """Quantize two mixtures of three Gaussians by k-means on samples of both."""
    params = checked_params(config, QuantizationParams, UNUSED)
    axis = np.linspace(-4.5, 4.5, params.grid_side)
    points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    p, q = (_law(points, shares) for shares in SHARES)
    full = exact_frontier_integral(p, q)
    results = [fkeax.Result("fi", full, None, {"num_buckets": "all"}, {})]
    generator = np.random.default_rng(config.seed)
    places = [generator.choice(len(points), params.num_samples, p=law) for law in (p, q)]
    samples = points[np.concatenate(places)].astype(np.float32)
    samples += generator.uniform(-0.5, 0.5, samples.shape).astype(np.float32) * np.float32(axis[1] - axis[0])
    masses = np.zeros((2, 0))
    cells = np.zeros(len(points), np.int32)
    for number in params.bucket_counts:
        cells = _cells(jax.random.key(config.seed), samples, points, number)
        masses = np.stack([np.bincount(cells, law, number) for law in (p, q)])
        value = exact_frontier_integral(*masses)
        results.append(fkeax.Result("fi", value, None, {"num_buckets": number}, {}))
    arrays = {"p": p, "cells": cells, "masses": masses, "axis": axis}
    return Outcome(config.title, results, arrays, full, {"source": "Drawn here.", "licence": "None."})


def _law(points: np.ndarray, shares: tuple[float, ...]) -> np.ndarray:
    law = np.zeros(len(points))
    for mean, share in zip(MEANS, shares, strict=True):
        part = np.exp(-0.5 * np.sum((points - np.array(mean)) ** 2, axis=1))
        law += share * part / part.sum()
    return law


def _cells(key: jax.Array, samples: np.ndarray, points: np.ndarray, number: int) -> np.ndarray:
    """Return the bucket of every grid point: its nearest k-means centre."""
    found = quantize.kmeans(samples, num_clusters=number, key=key)
    centres = np.asarray(found.centres, np.float64)
    distances = ((points[:, None] - centres[None]) ** 2).sum(axis=2)
    return np.argmin(distances, axis=1)


def findings(run: RunFolder) -> list[Finding]:
    """Return what quantization keeps."""
    full, *parts = [float(result) for result in run.results]
    counts = [result.settings["num_buckets"] for result in run.results[1:]]
    ours = ", ".join(f"k = {k}: {100 * part / full:.1f} %" for k, part in zip(counts, parts, strict=True))
    below = all(part <= full * (1 + 1e-9) for part in parts)
    rising = all(first <= second for first, second in pairwise(parts))
    return [
        Finding(
            "the quantized laws are piecewise constant approximations of P and Q, similar to histograms",
            f"share of the frontier integral of the full laws that is kept: {ours}",
            "yes" if below and rising else "in trend, not at every k" if below and parts[-1] > parts[0] else "no",
        )
    ]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the law, its quantization as a picture, and the loss."""
    side = len(run.arrays["axis"])
    law, cells, masses = run.arrays["p"], run.arrays["cells"], run.arrays["masses"]
    sizes = np.maximum(np.bincount(cells, minlength=_num_buckets(cells, masses)), 1)
    flat = (masses[0] / sizes)[cells]
    full, *parts = [float(result) for result in run.results]
    counts = [int(str(result.settings["num_buckets"])) for result in run.results[1:]]
    loss = Panel("what is kept", "number of buckets k", "FI of the quantized laws", [Line("", counts, parts)], True)
    loss.levels["all of it"] = full
    figure = draw_panels([Panel("P", "", "", []), Panel("P quantized", "", "", []), loss], run.title)
    for axis, values in zip(figure.axes, (law, flat), strict=False):
        axis.imshow(values.reshape(side, side), origin="lower", cmap="Greys")
        axis.set_axis_off()
    return {"quantization": figure}


def _num_buckets(cells: np.ndarray, masses: np.ndarray) -> int:
    """Return how many buckets there are, empty ones among them."""
    return max(int(cells.max()) + 1, masses.shape[1])


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the frontier integral by number of buckets."""
    rows = [[str(result.settings["num_buckets"]), float(result)] for result in run.results]
    return {"loss": Table("Frontier integral of the quantized laws.", ["buckets k", "FI"], rows)}


EXPERIMENT = Experiment(place="MAUVE paper, Fig. 4", run=run, draw=draw, findings=findings, tables=tables)
