"""FKEA paper, Section 5: the error of FKEA's spectrum and scores against r, and what the bounds say of it.

The spectrum of the approximate kernel matrix of n digits is compared with the exact one at every r, over draws of the
frequencies. Beside the errors stand the bound of Theorem 2, the same without its union over pairs
(`theory.concentration_bound`), and the data-driven bound on the root mean square, sqrt(mean (1 - k^2)^2 / (2r)).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from experiments import data
from experiments.experiment import Experiment, Finding, Table
from experiments.fkea import scoring, shown
from experiments.fkea.params import ErrorParams
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import NOTHING, checked_params
from fkeax import kernels
from fkeax.diversity import theory, vendi_from_spectrum
from fkeax.features import featurize, sample_fourier_map
from fkeax.numerics import linalg
from fkeax.report.figures import STYLES
from fkeax.results import Result

SUPPORTED = {"encoder": ("pixels",), "features": ("iid",), "estimator": NOTHING, "inference": NOTHING}
SCORES = {"vendi-1": 1.0, "vendi-1.5": 1.5, "rke": 2.0}
BOUNDS = {
    "measured": "largest of the draws",
    "rms": "root mean square of the draws",
    "data-driven": "data-driven bound on it",
    "theorem": "Theorem 2",
}


def inputs(config: Config) -> Mapping[str, str]:
    """Return names and SHA-256 of what the experiment will read."""
    return data.image_source(config.data.name).inputs(config.data)


def files(config: Config) -> list[Path]:
    """Return the user's own files that the experiment reads."""
    return data.image_source(config.data.name).files(config.data)


def run(config: Config) -> Outcome:
    """Take the exact spectrum, then FKEA's at every r over the draws.

    Raises:
        ValueError: The configuration asks for what this experiment does not do.
    """
    params = checked_params(config, ErrorParams, SUPPORTED)
    digits = data.load_images(config.data)
    rows = digits.features
    bandwidth = scoring.bandwidth_of(rows, config)
    kernel = kernels.Gaussian(float(bandwidth.value))
    gram = np.asarray(kernels.gram(kernel, jnp.asarray(rows - rows.mean(axis=0))), dtype=np.float64)
    exact = np.linalg.eigvalsh(gram / len(rows))[::-1]
    scores = {name: float(vendi_from_spectrum(exact.clip(0), order=order)) for name, order in SCORES.items()}
    variance = float(np.mean((1 - gram**2) ** 2) / 2)
    results = [
        Result(name, value, None, {"estimator": "exact", "num_samples": len(rows)}, {})
        for name, value in scores.items()
    ]
    for number, r in enumerate(params.frequency_counts):
        keys = jax.random.split(jax.random.fold_in(jax.random.key(config.seed), number), params.num_draws)
        spectra = [_spectrum(key, kernel, rows, r) for key in keys]
        distances = np.array([np.linalg.norm(spectrum - exact) for spectrum in spectra])
        settings: dict[str, Any] = {"num_samples": len(rows), "num_frequencies": r, "bandwidth": float(bandwidth.value)}
        bounds = {
            "measured": distances.max(),
            "rms": np.sqrt(np.mean(distances**2)),
            "data-driven": (variance / r) ** 0.5,
            "concentration": theory.concentration_bound(r, params.delta, variance=variance),
            "theorem": theory.spectrum_bound(len(rows), r, params.delta),
        }
        results += [
            Result("spectrum-distance", float(value), None, {**settings, "kind": kind}, {"delta": params.delta})
            for kind, value in bounds.items()
        ]
        for name, order in SCORES.items():
            found = np.array([float(vendi_from_spectrum(spectrum.clip(0), order=order)) for spectrum in spectra])
            error = float(found.std(ddof=1) / len(found) ** 0.5)
            results.append(Result(name, float(found.mean()), error, {**settings, "estimator": "fkea"}, {}))
        predicted = 1 / (1 / scores["rke"] + variance / r)
        results.append(Result("rke-predicted", predicted, None, {**settings, "estimator": "fkea"}, {}))
        scoring.LOG.info("r = %d: rms distance %.3g, theorem %.3g", r, bounds["rms"], bounds["theorem"])
    what = data.image_source(config.data.name).description(config.data)
    return Outcome(
        title=f"{config.title} ({what}, n = {len(rows):,}, bandwidth {float(bandwidth.value):g}, "
        f"{params.num_draws} draws)",
        results=results,
        arrays={"exact_spectrum": exact},
        headline=results[-1].value,
        data={"source": digits.source, "licence": digits.licence},
    )


def _spectrum(key: jax.Array, kernel: kernels.Gaussian, rows: np.ndarray, r: int) -> np.ndarray:
    """Return the n eigenvalues of the approximate kernel matrix over n, descending; those beyond 2r are 0."""
    fourier_map = sample_fourier_map(key, kernel, r, jnp.asarray(rows.mean(axis=0)))
    gram = np.asarray(_approximate_gram(fourier_map, jnp.asarray(rows) - fourier_map.centre[None]), dtype=np.float64)
    return np.linalg.eigvalsh(gram / len(rows))[::-1]


@jax.jit
def _approximate_gram(fourier_map: Any, centred: Float[Array, "n d"]) -> Float[Array, "n n"]:
    features = jax.vmap(partial(featurize, fourier_map))(centred + fourier_map.centre[None])
    return jnp.matmul(features, features.T, precision=linalg.PRECISION)


def _of(run: RunFolder, kind: str) -> tuple[np.ndarray, np.ndarray]:
    found = [result for result in run.results if result.settings.get("kind") == kind]
    counts: Any = [result.settings["num_frequencies"] for result in found]
    return np.array(counts, dtype=float), np.array([float(result) for result in found])


def _scores(run: RunFolder, name: str) -> tuple[float, np.ndarray]:
    """Return the exact score and the means of FKEA's."""
    exact = [r for r in run.results if r.name == name and r.settings["estimator"] == "exact"]
    found = [r for r in run.results if r.name == name and r.settings["estimator"] == "fkea"]
    return float(exact[0]) if exact else float("nan"), np.array([float(result) for result in found])


def _slope(counts: np.ndarray, values: np.ndarray) -> float:
    return float(np.polyfit(np.log(counts), np.log(values), 1)[0])


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return distances of spectra and their bounds, and relative errors of scores, against r."""
    figure = Figure(figsize=(10.0, 4.2), dpi=110, layout="constrained")
    figure.suptitle(shown.heading(run.title), fontsize=10)
    left, right = figure.subplots(1, 2)
    for (kind, label), style in zip(BOUNDS.items(), STYLES, strict=True):
        left.loglog(*_of(run, kind), label=label, **style)
    left.set_ylabel("distance of the spectra, 2-norm")
    counts, _ = _of(run, "rms")
    for name, style in zip((*SCORES, "rke-predicted"), STYLES, strict=True):
        exact, found = _scores(run, name.removesuffix("-predicted"))
        found = found if name in SCORES else _scores(run, name)[1]
        right.semilogx(counts, 100 * (found / exact - 1), label=name, **style)
    right.axhline(0, color="#808080", linewidth=0.8)
    right.set_ylabel("mean of the draws over the exact score, %")
    for axis in (left, right):
        axis.set_xlabel("number of frequencies r")
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.grid(alpha=0.3, linewidth=0.5)
        axis.legend(frameon=False, fontsize=8)
    return {"error": figure}


def findings(run: RunFolder) -> list[Finding]:
    """Return Theorem 2's claims, and what the error is made of, beside what was measured."""
    counts, rms = _of(run, "rms")
    largest, theorem, driven = (_of(run, kind)[1] for kind in ("measured", "theorem", "data-driven"))
    exact, found = _scores(run, "rke")
    predicted = _scores(run, "rke-predicted")[1]
    norm = exact**-0.5
    vacuous = int((theorem > norm).sum())
    worst = float(np.max(np.abs(found / predicted - 1)))
    slope = _slope(counts, rms)
    return [
        Finding(
            "the distance of the spectra falls as 1 / sqrt(r)",
            f"slope of the logarithms {slope:.2f} from r = {counts[0]:.0f} to {counts[-1]:.0f}",
            "yes"
            if abs(slope + 0.5) < 0.12
            else "in trend: the mean of FKEA's spectrum is off by more than its spread",
        ),
        Finding(
            "Theorem 2 bounds the distance with probability 0.95",
            f"held in every draw: {bool((largest <= theorem).all())}; the bound is {np.min(theorem / largest):.0f} to "
            f"{np.max(theorem / largest):.0f} times the largest distance, and above ||lambda|| = {norm:.2g}, where "
            f"it says nothing, at {vacuous} of {len(theorem)} r",
            (f"yes, but vacuous at {vacuous} of {len(theorem)} r" if vacuous else "yes")
            if (largest <= theorem).all()
            else "no",
        ),
        Finding(
            "a data-driven bound says more (ours, not the paper's)",
            f"sqrt(mean (1 - k^2)^2 / (2r)) is {np.min(driven / rms):.2f} to {np.max(driven / rms):.2f} times the root "
            "mean square distance",
            "yes" if (driven >= 0.97 * rms).all() else "no",
        ),
        Finding(
            "FKEA's RKE approximates the exact one ever better",
            f"{100 * (found[0] / exact - 1):+.1f} % at r = {counts[0]:.0f}, {100 * (found[-1] / exact - 1):+.1f} % at "
            f"r = {counts[-1]:.0f}; the error is bias, predicted from mean k^2 to within {100 * worst:.1f} %",
            "yes" if abs(found[-1] - exact) < abs(found[0] - exact) else "no",
        ),
    ]


def tables(run: RunFolder) -> dict[str, Table]:
    """Return distances, bounds and scores at every r."""
    counts, _ = _of(run, "rms")
    kinds = ("rms", "measured", "data-driven", "concentration", "theorem")
    columns = [_of(run, kind)[1] for kind in kinds] + [_scores(run, name)[1] for name in (*SCORES, "rke-predicted")]
    rows: list[list[str | float | int | None]] = [
        [int(counts[place]), *(float(f"{column[place]:.4g}") for column in columns)] for place in range(len(counts))
    ]
    exact = [float(f"{_scores(run, name)[0]:.4g}") for name in SCORES]
    rows.append(["exact", *([None] * len(kinds)), *exact, None])
    header = ["r", "rms distance", "largest", "data-driven bound", "concentration bound", "Theorem 2", *SCORES]
    caption = "Distance of FKEA's spectrum from the exact one with its bounds, and mean scores over the draws."
    return {"errors": Table(caption, [*header, "RKE predicted"], rows)}


EXPERIMENT = Experiment(
    place="FKEA paper, Section 5", run=run, draw=draw, findings=findings, inputs=inputs, files=files, tables=tables
)
