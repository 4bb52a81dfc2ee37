"""MAUVE paper, Section 7.6: precision and recall of generative models beside MAUVE.

Of this section only the title is known; both families are compared: k-nearest-neighbour precision, recall, density and
coverage on the rows, and the precision-recall curve of Sajjadi et al. (2018) on the same buckets as MAUVE.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import numpy as np

import fkeax
from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.comparisons import compared
from experiments.mauve.measured import BASE, correlations, listed, measure_figure, measure_tables, measures_of
from experiments.mauve.text_features import text_features
from experiments.mauve.text_sets import checked_text_params, described, text_inputs, text_sets
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from fkeax import frontier, quantize
from fkeax.results import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BY_NEIGHBOURS = ("precision", "recall", "density", "coverage")
BETAS = {"F 8 (recall)": 8.0, "F 1/8 (precision)": 1 / 8}


def run(config: Config) -> Outcome:
    """Compute all measures for all sets of texts."""
    params = checked_text_params(config)
    sets = text_sets(config, params)
    reference = text_features(config, params.embedding, sets.human.texts)
    key = jax.random.key(config.seed)
    results = []
    for one in (sets.ceiling, *sets.generated):
        features = text_features(config, params.embedding, one.texts)
        settings = {"measure": BASE, "set": one.name}
        results += compared(key, reference, features, settings, names=("mauve",), num_seeds=params.num_seeds)
        found = fkeax.prdc(reference, features)
        for name in BY_NEIGHBOURS:
            results.append(Result(name, found[name].value, None, {"measure": name, "set": one.name}, {}))
        buckets = quantize.quantize(reference, features, key=key)
        counts = [np.bincount(labels, minlength=buckets.num_buckets) for labels in buckets.labels]
        curve = frontier.precision_recall_curve(*(quantize.smooth(side, "empirical") for side in counts))
        for name, beta in BETAS.items():
            value = float(frontier.f_beta(curve, beta))
            results.append(Result("f-beta", value, None, {"measure": name, "set": one.name}, {}))
    title = f"{config.title} ({described(params, sets)})"
    return Outcome(title, results, {}, None, {"source": sets.corpus.source, "licence": sets.corpus.licence})


def findings(run: RunFolder) -> list[Finding]:
    """Return how the measures go with MAUVE, and what truncated decoding does to precision and recall."""
    found = measures_of(run)
    values = correlations(found)
    claim = "MAUVE against precision and recall (of the section only the title is known)"
    first = Finding(claim, f"Spearman with MAUVE: {listed(values)}", "cannot be judged: the claim is not at hand")
    main = str(run.config["params"]["main_model"])
    sharp, plain = f"{main}, nucleus=0.5", f"{main}, ancestral"
    if sharp not in found["precision"] or plain not in found["precision"]:
        return [first]
    gap = {name: found[name][sharp] - found[name][plain] for name in ("precision", "recall")}
    ours = ", ".join(
        f"{name} {found[name][plain]:.3f} under ancestral sampling, {found[name][sharp]:.3f} at p = .5" for name in gap
    )
    traded = gap["precision"] > 0 and gap["recall"] < 0
    return [first, Finding("truncation trades recall for precision", ours, "yes" if traded else "no: not both ways")]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return every measure against MAUVE."""
    return {"measures": measure_figure(run, run.title, columns=3)}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return correlations and values."""
    return measure_tables(run, (), "Texts against people's.")


EXPERIMENT = Experiment(
    place="MAUVE paper, Section 7.6", run=run, draw=draw, findings=findings, inputs=text_inputs, tables=tables
)
