"""MAUVE paper, Section 7.2: MAUVE against decoding, model size and length of the text.

Prompts are the first pieces of the held-out texts, as in the paper; a text is its prompt and what follows. Beside MAUVE
stand what it is not: perplexity of the generations under the largest model, copying from the training texts, and how
many runs of four words are different.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import jax

from experiments.experiment import Experiment
from experiments.mauve import sec72_findings
from experiments.mauve.comparisons import compared, frechet_distance
from experiments.mauve.params import TextParams
from experiments.mauve.text_features import text_features
from experiments.mauve.text_measures import copying_rate, distinct_share, known_runs, perplexity
from experiments.mauve.text_sets import (
    HUMAN,
    TextSet,
    TextSets,
    checked_text_params,
    described,
    generation_files,
    text_inputs,
    text_sets,
    users_texts,
)
from experiments.outcome import Outcome
from experiments.schema import Config
from fkeax.results import Result

if TYPE_CHECKING:
    import numpy as np

LOG = logging.getLogger(__name__)


def run(config: Config) -> Outcome:
    """Compare all texts of models, and a second set of people's, with the held-out ones."""
    params = checked_text_params(config)
    sets = text_sets(config, params)
    key = jax.random.key(config.seed)
    results: list[Result] = []
    for length in reversed(params.lengths):
        human = sets.cut(sets.human, length)
        reference = text_features(config, params.embedding, human.texts)
        for chosen in (sets.ceiling, *sets.generated):
            full = length == params.lengths[-1]
            if not full and chosen.model != HUMAN and chosen.rule != params.length_rule:
                continue
            cut = sets.cut(chosen, length)
            settings = {"model": cut.model, "rule": cut.rule, "length": length, "num_texts": len(cut.texts)}
            features = text_features(config, params.embedding, cut.texts)
            results += compared(key, reference, features, settings, num_seeds=params.num_seeds)
            results.append(frechet_distance(reference, features, settings))
            LOG.info("%s, %d pieces: MAUVE %.3f", cut.name, length, float(results[-4]))
    results += _beside(sets, params)
    results += _users(config, params, key)
    title = f"{config.title} ({described(params, sets)})"
    data = {"source": sets.corpus.source, "licence": sets.corpus.licence}
    best = max(float(r) for r in results if r.name == "mauve" and r.settings["model"] != HUMAN)
    return Outcome(title, results, {}, best, data)


def _beside(sets: TextSets, params: TextParams) -> list[Result]:
    """Return the models' losses, and perplexity, copying and distinct runs of all texts, people's too."""
    known = known_runs(sets.corpus.training)
    judge = max(sets.models.values(), key=lambda model: model.num_parameters)
    own = {"rule": sec72_findings.HELD_OUT, "length": params.lengths[-1]}
    results = [
        Result("loss", model.loss, None, {"model": model.name, **own}, {"num_pieces": model.num_pieces})
        for model in sets.models.values()
    ]
    lengths = {length: sets.generated for length in params.lengths[-1:]}
    for length in params.lengths[:-1]:
        lengths[length] = tuple(one for one in sets.generated if one.rule == params.length_rule)
    for length, generated in lengths.items():
        for chosen in (sets.human, *generated):
            cut: TextSet = sets.cut(chosen, length)
            settings: dict[str, Any] = {"model": cut.model, "rule": cut.rule, "length": length}
            results.append(
                Result(
                    "perplexity", perplexity(judge, cut.rows, params.prompt), None, settings | {"by": judge.name}, {}
                )
            )
            if length == params.lengths[-1]:
                results.append(Result("copying-rate", copying_rate(cut.texts, known), None, settings, {}))
                results.append(Result("distinct-4", distinct_share(cut.texts), None, settings, {}))
    return results


def _users(config: Config, params: TextParams, key: jax.Array) -> list[Result]:
    """Return MAUVE of the files in the user's folder, each against its human texts."""
    found = users_texts(config, params)
    if not found:
        return []
    human, *others = found
    reference = text_features(config, params.embedding, found[human])
    results = []
    for name in others:
        features: np.ndarray = text_features(config, params.embedding, found[name])
        settings = {"model": name, "rule": "the user's file", "length": None, "num_texts": len(found[name])}
        results += compared(key, reference, features, settings, num_seeds=params.num_seeds)
    return results


EXPERIMENT = Experiment(
    place="MAUVE paper, Section 7.2",
    run=run,
    draw=sec72_findings.draw,
    findings=sec72_findings.findings,
    inputs=text_inputs,
    files=generation_files,
    tables=sec72_findings.tables,
)
