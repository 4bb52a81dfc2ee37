"""MAUVE paper, Section 7.5: what MAUVE says in other embeddings of the same texts.

Two sentence encoders (all-MiniLM-L6-v2 and the multilingual Universal Sentence Encoder), the hidden states of the
largest language model here, and how often each byte and each frequent word occur. The reference is the first encoder,
in place of the GPT-2 features of the paper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import numpy as np

from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.comparisons import compared
from experiments.mauve.measured import BASE, correlations, listed, measure_figure, measure_tables, measures_of
from experiments.mauve.params import EmbeddingsParams
from experiments.mauve.text_features import CHARACTERS, check_embedding, hidden_states, text_features
from experiments.mauve.text_sets import HUMAN, TextSet, checked_text_params, described, text_inputs, text_sets
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OWN, BYTES, WORDS = "hidden states", "bytes", "frequent words"
NUM_WORDS = 300


def run(config: Config) -> Outcome:
    """Compute MAUVE of all sets in all embeddings."""
    params = checked_text_params(config)
    if not isinstance(params, EmbeddingsParams):
        raise ValueError(f"params must be those of {config.name}; give params=mauve_sec75_embeddings.")
    if params.second_embedding is not None:
        check_embedding(params.second_embedding, "params.second_embedding")
    sets = text_sets(config, params)
    model = max(sets.models.values(), key=lambda one: one.num_parameters)
    words = frequent_words(sets.corpus.training)

    def embedded(one: TextSet) -> dict[str, np.ndarray]:
        second = params.second_embedding
        return {
            BASE: text_features(config, params.embedding, one.texts),
            **({} if second is None else {second: text_features(config, second, one.texts)}),
            OWN: hidden_states(model, one.rows),
            BYTES: text_features(config, CHARACTERS, one.texts),
            WORDS: word_frequencies(one.texts, words),
        }

    reference = embedded(sets.human)
    results = []
    for one in (sets.ceiling, *sets.generated):
        for name, rows in embedded(one).items():
            settings = {"measure": name, "set": one.name, "embedding": params.embedding if name == BASE else name}
            key = jax.random.key(config.seed)
            results += compared(key, reference[name], rows, settings, names=("mauve",), num_seeds=params.num_seeds)
    title = f"{config.title} ({described(params, sets)})"
    return Outcome(title, results, {}, None, {"source": sets.corpus.source, "licence": sets.corpus.licence})


def frequent_words(texts: tuple[str, ...], number: int = NUM_WORDS) -> tuple[str, ...]:
    """Return the most frequent words of texts, in lower case, ties in alphabetical order."""
    counts: dict[str, int] = {}
    for text in texts:
        for word in text.lower().split():
            counts[word] = counts.get(word, 0) + 1
    return tuple(sorted(counts, key=lambda word: (-counts[word], word))[:number])


def word_frequencies(texts: tuple[str, ...], words: tuple[str, ...]) -> np.ndarray:
    """Return how often each word occurs in each text, as a share of its words; the last column is all other words."""
    place = {word: number for number, word in enumerate(words)}
    rows = np.zeros((len(texts), len(words) + 1), np.float32)
    for row, text in zip(rows, texts, strict=True):
        found = text.lower().split() or ["."]
        np.add.at(row, [place.get(word, len(words)) for word in found], 1 / len(found))
    return rows


def findings(run: RunFolder) -> list[Finding]:
    """Return the abstract's claims beside the correlations."""
    values = correlations(measures_of(run))
    first = next(iter(run.results)).settings["embedding"]
    simple = {name: values[name] for name in (BYTES, WORDS)}
    models = {name: value for name, value in values.items() if name not in simple}
    least = min(models.values())
    best = []
    for name, by_set in measures_of(run).items():
        made = [one for one in by_set if not one.startswith(HUMAN)]
        best.append(f"{first if name == BASE else name}: {max(made, key=lambda one, by_set=by_set: by_set[one])}")
    return [
        Finding(
            "MAUVE is much the same in other embeddings of language models: RoBERTa against GPT-2 .993",
            f"Spearman with {first}: {listed(models)}; {OWN} are those of the own GPT; the best texts of models by "
            f"{'; '.join(best)}",
            "yes"
            if least > 0.9
            else "in trend"
            if least > 0.7
            else "no: every embedding prefers another rule, for it sees other faults of texts of models this small",
        ),
        Finding(
            "even GloVe works; string kernels and embedding-free estimates fail",
            f"bags of bytes and of the {NUM_WORDS} most frequent words are what is near to those here, Spearman with "
            f"{first}: {listed(simple)}",
            "cannot be judged: neither GloVe nor string kernels are at hand",
        ),
    ]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return MAUVE in each embedding against that of the sentence encoder."""
    return {"embeddings": measure_figure(run, run.title, columns=3)}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return correlations and values."""
    first = next(iter(run.results)).settings["embedding"]
    caption = f"MAUVE of texts against people's, in each embedding; the column {BASE} is {first}."
    return measure_tables(run, (), caption)


EXPERIMENT = Experiment(
    place="MAUVE paper, Section 7.5", run=run, draw=draw, findings=findings, inputs=text_inputs, tables=tables
)
