"""MAUVE paper, Section 7.4: other divergences, other summaries, and optimal transport costs in their place.

All divergences see the same buckets; the transport costs see the rows themselves.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.measured import BASE, correlations, listed, measure_figure, measure_tables, measures_of
from experiments.mauve.params import TextParams
from experiments.mauve.text_features import text_features
from experiments.mauve.text_sets import checked_text_params, described, text_inputs, text_sets
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from fkeax import frontier, quantize
from fkeax.frontier import named_generator
from fkeax.results import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOG = logging.getLogger(__name__)
# Of the frontier of each generator: area, integral, mid-point. Mid of KL is Jensen-Shannon, of chi-squared Le Cam.
FRONTIERS = ("kl", "chi2")
DIVERGENCES = ("squared-hellinger", "total-variation")
COSTS = ("squared", "euclidean")


def run(config: Config) -> Outcome:
    """Compute all summaries for all sets of texts."""
    params = checked_text_params(config)
    sets = text_sets(config, params)
    chosen = (sets.ceiling, *sets.generated)
    reference = text_features(config, params.embedding, sets.human.texts)
    results = []
    for one in chosen:
        features = text_features(config, params.embedding, one.texts)
        results += _of_buckets(config, params, reference, features, one.name)
        for cost in COSTS:
            found = frontier.frontier(reference, features, method="transport", cost=cost)
            for name, summary in (("mauve", "area"), ("mid", "mid")):
                settings = {"measure": f"transport {cost}, {summary}", "set": one.name}
                results.append(Result("summary", found[name].value, None, settings, {}))
        LOG.info("%s: done", one.name)
    title = f"{config.title} ({described(params, sets)})"
    return Outcome(title, results, {}, None, {"source": sets.corpus.source, "licence": sets.corpus.licence})


def _of_buckets(
    config: Config, params: TextParams, reference: np.ndarray, features: np.ndarray, name: str
) -> list[Result]:
    """Return the divergences and summaries of smoothed histograms, each a mean over quantizers."""
    sums: dict[str, list[float]] = {}
    for key in jax.random.split(jax.random.key(config.seed), params.num_seeds):
        buckets = quantize.quantize(reference, features, key=key)
        counts = [np.bincount(labels, minlength=buckets.num_buckets) for labels in buckets.labels]
        p, q = (quantize.smooth(side, "krichevsky-trofimov") for side in counts)
        for kind in FRONTIERS:
            generator: Any = named_generator(kind)
            found = {
                "area": frontier.mauve_from_histograms(p, q, generator=generator, like="exact"),
                "integral": frontier.fi_from_histograms(p, q, generator=generator),
                "mid": frontier.mid_from_histograms(p, q, generator=generator),
            }
            for summary, value in found.items():
                label = BASE if (kind, summary) == ("kl", "area") else f"{kind}, {summary}"
                sums.setdefault(label, []).append(float(value))
        for kind in DIVERGENCES:
            sums.setdefault(kind, []).append(float(named_generator(kind).divergence(p, q)))
    return [
        Result("summary", np.mean(values), None, {"measure": label, "set": name}, {}) for label, values in sums.items()
    ]


def _falling(run: RunFolder) -> list[str]:
    """Return the measures of which less is better: all but areas."""
    return [name for name in measures_of(run) if name != BASE and not name.endswith("area")]


def findings(run: RunFolder) -> list[Finding]:
    """Return the two claims of the abstract."""
    values = correlations(measures_of(run), _falling(run))
    of_divergences = {name: value for name, value in values.items() if not name.startswith("transport")}
    of_costs = {name: value for name, value in values.items() if name.startswith("transport")}
    perfect = all(value > 0.995 for value in of_divergences.values())
    close = min(of_divergences.values()) > 0.95
    failing = [name for name, value in of_costs.items() if value < 0.8]
    return [
        Finding(
            "all variants of f-divergences correlate perfectly with each other",
            f"Spearman with the area of KL: {listed(of_divergences)}",
            "yes" if perfect else "nearly: all above .95" if close else "no",
        ),
        Finding(
            "some optimal transport costs fail",
            f"Spearman with the area of KL: {listed(of_costs)}",
            f"yes: {', '.join(failing)}" if failing else "no: none is below .8 here",
        ),
    ]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return every measure against the area of KL."""
    return {"divergences": measure_figure(run, run.title)}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return correlations and values."""
    return measure_tables(run, _falling(run), "Summaries of texts against people's, smoothed histograms.")


EXPERIMENT = Experiment(
    place="MAUVE paper, Section 7.4", run=run, draw=draw, findings=findings, inputs=text_inputs, tables=tables
)
