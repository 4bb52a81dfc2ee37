"""MAUVE paper, Section 7.3: estimators of the frontier compared, on Gaussians with known truth and on texts.

The truth of a shift between two Gaussians is that of a line: along all other axes they agree. On texts there is none;
there it is how an estimator ranks the models and decoding rules, against the ranking by quantization.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.comparisons import kept
from experiments.mauve.panels import Line, Panel, draw_panels
from experiments.mauve.params import EstimatorParams
from experiments.mauve.ranks import spearman
from experiments.mauve.text_features import text_features
from experiments.mauve.text_sets import checked_text_params, described, text_inputs, text_sets
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from fkeax import frontier
from fkeax.results import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOG = logging.getLogger(__name__)
# Method of fkeax.frontier and principal components, by the label it has here.
METHODS: dict[str, tuple[str, int | None]] = {
    "quantized": ("quantized", None),
    "nearest": ("nearest", 49),
    "kde": ("kde", 49),
    "classifier": ("classifier", 49),
    "gaussian": ("gaussian", 49),
    "gaussian-reduced": ("gaussian", 5),
}
VARIANTS = {"quantized": ("mauve", "mauve-smoothed", "mauve-debiased")}
TITLES = {
    "quantized": "quantization",
    "quantized-smoothed": "quantization, smoothed",
    "quantized-debiased": "quantization, debiased",
    "nearest": "nearest neighbours",
    "kde": "kernel density",
    "classifier": "classifier",
    "gaussian": "Gaussian",
    "gaussian-reduced": "Gaussian, 5 components",
}


def run(config: Config) -> Outcome:
    """Run all estimators on all pairs."""
    params = checked_text_params(config)
    if not isinstance(params, EstimatorParams):
        raise ValueError("params must be those of mauve/sec73_estimators; give params=mauve_sec73_estimators.")
    results = _on_gaussians(config, params)
    sets = text_sets(config, params)
    reference = text_features(config, params.embedding, sets.human.texts)
    for chosen in (sets.ceiling, *sets.generated):
        features = text_features(config, params.embedding, chosen.texts)
        settings = {"data": "texts", "pair": chosen.name}
        results += _all_methods(jax.random.key(config.seed), reference, features, settings)
        LOG.info("%s: done", chosen.name)
    title = f"{config.title} ({described(params, sets)})"
    return Outcome(title, results, {}, None, {"source": sets.corpus.source, "licence": sets.corpus.licence})


def _on_gaussians(config: Config, params: EstimatorParams) -> list[Result]:
    results = []
    for dimension in params.dimensions:
        for shift in params.shifts:
            truth = true_mauve(shift)
            for repeat in range(params.repeats):
                generator = np.random.default_rng([config.seed, dimension, repeat])
                p = generator.standard_normal((params.num_samples, dimension)).astype(np.float32)
                q = generator.standard_normal((params.num_samples, dimension)).astype(np.float32)
                q[:, 0] += np.float32(shift)
                settings: dict[str, Any] = {
                    "data": f"Gaussians, d = {dimension}", "pair": shift, "repeat": repeat, "truth": truth
                }  # fmt: skip
                # The default of unit rows is for embeddings: on a Gaussian it would throw the length away.
                results += _all_methods(jax.random.key(repeat), p, q, settings, unit_rows=False)
        LOG.info("Gaussians in %d dimensions: done", dimension)
    return results


def true_mauve(shift: float, scale: float = 5.0) -> float:
    """Return MAUVE between N(0, I) and a shift of it, on mauve-text's grid, from a fine histogram of the one axis."""
    edge = np.linspace(-9.0, 9.0 + shift, 20_001)
    p, q = (np.exp(-((edge - mean) ** 2) / 2) for mean in (0.0, shift))
    return float(frontier.mauve_from_histograms(p / p.sum(), q / q.sum(), scale=scale))


def _all_methods(
    key: jax.Array, p: np.ndarray, q: np.ndarray, settings: dict[str, Any], *, unit_rows: bool = True
) -> list[Result]:
    results = []
    for label, (method, components) in METHODS.items():
        options: dict[str, Any] = {}
        if method == "quantized":
            options = {"unit_rows": unit_rows, "num_seeds": 3, "explained_variance": 0.9 if unit_rows else None}
        elif components is not None:
            options = {"num_components": min(components, p.shape[1])}
        names = VARIANTS.get(label, ("mauve",))
        started = time.perf_counter()
        try:
            found = frontier.frontier(p, q, method=method, key=key, **options)
        except ValueError as error:  # densities of rows that do not vary in all directions, such as greedy decoding's
            found = {name: Result("mauve", None, None, {}, {"reason": str(error)}) for name in names}
        seconds = time.perf_counter() - started
        for name in names:
            result = kept(found[name], settings | {"method": label + name.removeprefix("mauve")})
            more = result.diagnostics | {"seconds": seconds}
            results.append(Result("mauve", result.value, result.stderr, result.settings, more))
    return results


def _of(run: RunFolder, data: str, method: str) -> list[Result]:
    """Return the results of an estimator that has a value."""
    chosen = (r for r in run.results if r.settings["data"] == data and r.settings["method"] == method)
    return [r for r in chosen if r.value is not None]


def _data(run: RunFolder) -> list[str]:
    return list(dict.fromkeys(str(r.settings["data"]) for r in run.results))


def _means(found: list[Result]) -> dict[str, float]:
    """Return the mean value of each pair."""
    pairs = dict.fromkeys(str(r.settings["pair"]) for r in found)
    return {pair: float(np.mean([float(r) for r in found if str(r.settings["pair"]) == pair])) for pair in pairs}


def _rank_agreement(run: RunFolder, data: str, method: str) -> float:
    """Return the rank correlation with the truth, or with quantization where there is none."""
    own = _means(_of(run, data, method))
    if data == "texts":
        other = _means(_of(run, data, "quantized"))
        pairs = [pair for pair in other if pair in own]
        return spearman([own[pair] for pair in pairs], [other[pair] for pair in pairs])
    truths = {str(r.settings["pair"]): float(str(r.settings["truth"])) for r in _of(run, data, method)}
    return spearman([own[pair] for pair in truths], list(truths.values()))


def _errors(run: RunFolder, data: str, method: str) -> tuple[float, float]:
    """Return bias and spread on Gaussians, each a mean over the shifts."""
    found = _of(run, data, method)
    biases, spreads = [], []
    for pair in dict.fromkeys(str(r.settings["pair"]) for r in found):
        values = [float(r) for r in found if str(r.settings["pair"]) == pair]
        truth = next(float(str(r.settings["truth"])) for r in found if str(r.settings["pair"]) == pair)
        biases.append(float(np.mean(values)) - truth)
        spreads.append(float(np.std(values, ddof=1)) if len(values) > 1 else 0.0)
    return (float(np.mean(biases)), float(np.mean(spreads))) if biases else (0.0, 0.0)


def findings(run: RunFolder) -> list[Finding]:
    """Return what the abstract says of estimators beside what was seen."""
    agreement = {method: _rank_agreement(run, "texts", method) for method in TITLES}
    listed = ", ".join(f"{TITLES[method]} {value:.2f}" for method, value in agreement.items())
    low = [TITLES[method] for method, value in agreement.items() if value < 0.8]
    count = len(_means(_of(run, "texts", "quantized")))
    trends = Finding(
        "all estimators find the trends",
        f"rank correlation with quantization over {count} sets of texts: {listed}",
        "yes" if not low else f"not: {', '.join(low)}",
    )
    best = {method: _best_pair(run, method) for method in TITLES}
    same = [method for method in TITLES if best[method] == best["quantized"]]
    picks = "; ".join(f"{TITLES[method]}: {pair}" for method, pair in best.items())
    worse = [method for method in ("nearest", "classifier") if method not in same]
    tuning = Finding(
        "nearest neighbours and classifiers are slightly worse at picking hyper-parameters",
        f"the best texts of models by each: {picks}",
        "yes: they pick others than quantization"
        if len(worse) == 2
        else "in part"
        if worse
        else "no: they pick the same",
    )
    return [trends, tuning, _gaussian(run), _bias(run)]


def _best_pair(run: RunFolder, method: str) -> str:
    means = {pair: v for pair, v in _means(_of(run, "texts", method)).items() if not pair.startswith("people")}
    return max(means, key=lambda pair: means[pair]) if means else "none"


def _gaussian(run: RunFolder) -> Finding:
    parts, errors = [], []
    for data in _data(run):
        if data != "texts":
            bias, spread = _errors(run, data, "gaussian")
            errors.append(abs(bias))
            parts.append(f"{data}: bias {bias:+.3f}, spread {spread:.3f}")
    whole, reduced = (_rank_agreement(run, "texts", method) for method in ("gaussian", "gaussian-reduced"))
    grows = len(errors) > 1 and errors[-1] > errors[0] + 0.02
    ours = f"{'; '.join(parts)} (at most 49 components); rank correlation on texts {whole:.2f}, of 5 components "
    ours += f"{reduced:.2f}"
    agrees = "yes" if grows and reduced > whole else "in part" if grows or reduced > whole else "no"
    return Finding("the Gaussian estimator needs strong dimension reduction", ours, agrees)


def _bias(run: RunFolder) -> Finding:
    parts, gains = [], []
    for data in _data(run):
        if data == "texts":
            continue
        cells = {method: _errors(run, data, method) for method in TITLES}
        listed = ", ".join(f"{TITLES[m]} {bias:+.3f} ({spread:.3f})" for m, (bias, spread) in cells.items())
        parts.append(f"{data}: {listed}")
        gains.append(abs(cells["quantized-debiased"][0]) < abs(cells["quantized"][0]))
    claim = "the debiased value is nearer to the truth than the plug-in (no claim of the paper); bias (spread) of all"
    return Finding(claim, "; ".join(parts), "yes" if all(gains) else "in part" if any(gains) else "no")


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return estimates against the truth, and the estimates on texts."""
    panels = []
    for data in _data(run):
        if data == "texts":
            continue
        lines = []
        for method, title in TITLES.items():
            means = _means(_of(run, data, method))
            lines.append(Line(title, [float(pair) for pair in means], list(means.values())))
        truths = {float(str(r.settings["pair"])): float(str(r.settings["truth"])) for r in _of(run, data, "kde")}
        lines.append(Line("truth", list(truths), list(truths.values())))
        panels.append(Panel(data, "shift", "MAUVE", lines))
    base = _means(_of(run, "texts", "quantized"))
    order = sorted(base, key=lambda pair: base[pair])
    lines = [
        Line(title, places, [_means(_of(run, "texts", method))[order[place]] for place in places])
        for method, title in TITLES.items()
        if (places := [i for i, pair in enumerate(order) if pair in _means(_of(run, "texts", method))])
    ]
    panels.append(Panel("texts", "rank by quantization", "MAUVE", lines))
    return {"estimators": draw_panels(panels, run.title)}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return agreement, bias, spread and time by estimator, and all values on texts."""
    rows: list[list[str | float | int | None]] = []
    for data in _data(run):
        for method, title in TITLES.items():
            found = _of(run, data, method)
            bias, spread = (None, None) if data == "texts" else _errors(run, data, method)
            if found:
                seconds = float(np.median([float(str(r.diagnostics["seconds"])) for r in found]))
                agreement = round(_rank_agreement(run, data, method), 3)
                rows.append([data, title, agreement, bias, spread, round(seconds, 3)])
    header = ["data", "estimator", "rank correlation", "bias", "spread", "seconds (median)"]
    caption = "Estimators of MAUVE; ranks against the truth, on texts against quantization."
    by_pair = _means(_of(run, "texts", "quantized"))
    of_texts = [_means(_of(run, "texts", method)) for method in TITLES]
    values = [[pair, *(round(means[pair], 4) if pair in means else None for means in of_texts)] for pair in by_pair]
    return {
        "estimators": Table(caption, header, rows),
        "texts": Table("MAUVE of texts against people's.", ["texts", *TITLES.values()], values),
    }


EXPERIMENT = Experiment(
    place="MAUVE paper, Section 7.3",
    run=run,
    draw=draw,
    findings=findings,
    inputs=text_inputs,
    tables=tables,
)
