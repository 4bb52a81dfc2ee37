"""The texts that the sections on language compare: people's, and those of every model under every decoding rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.mauve.corpus import Corpus, corpus_inputs
from experiments.mauve.decoding import parse_rule
from experiments.mauve.generations import generated_rows, read_gpt2_outputs
from experiments.mauve.gpt import SHAPES
from experiments.mauve.language_models import LanguageModel, corpus_of, language_model, word_pieces_of
from experiments.mauve.params import TextParams
from experiments.mauve.text_features import check_embedding
from experiments.mauve.word_pieces import document_starts, texts_of
from experiments.schema import Config
from experiments.supported import UNUSED, checked_params

if TYPE_CHECKING:
    from tokenizers import Tokenizer

HUMAN = "people"


@dataclass(frozen=True)
class TextSet:
    """Texts of one origin.

    Attributes:
        model: Who wrote them: "people", or a model.
        rule: How they were decoded; "other texts" for people's second set.
        length: Most pieces of a text.
        rows: The pieces, (n, length).
        texts: The same as text.
    """

    model: str
    rule: str
    length: int
    rows: np.ndarray
    texts: tuple[str, ...]

    @property
    def name(self) -> str:
        """Model and rule."""
        return f"{self.model}, {self.rule}"


@dataclass(frozen=True)
class TextSets:
    """All texts of a run.

    Attributes:
        corpus: Where people's texts come from.
        tokenizer: The word pieces.
        models: By name, in the order of the run's settings.
        human: The held-out texts: P.
        ceiling: As many other texts of people: no model should do better.
        generated: The texts of models, at full length.
    """

    corpus: Corpus
    tokenizer: Tokenizer
    models: Mapping[str, LanguageModel]
    human: TextSet
    ceiling: TextSet
    generated: tuple[TextSet, ...]

    def cut(self, chosen: TextSet, length: int) -> TextSet:
        """Return the beginnings of texts: a generation of so many pieces has the same law."""
        rows = chosen.rows[:, :length]
        return TextSet(chosen.model, chosen.rule, length, rows, tuple(texts_of(self.tokenizer, rows)))


def checked_text_params(config: Config) -> TextParams:
    """Return the parameters of a run on texts.

    Raises:
        ValueError: A choice that is not heeded, or parameters that do not fit together.
    """
    params = checked_params(config, TextParams, UNUSED)
    if params.main_model not in params.models:
        raise ValueError(f"params.main_model must be one of params.models, got {params.main_model!r}.")
    unknown = sorted(set(params.models) - set(SHAPES))
    if unknown:
        raise ValueError(f"params.models must hold names of {', '.join(SHAPES)}; got {unknown[0]!r}.")
    lengths = list(params.lengths)
    longest = min(SHAPES[name].context for name in params.models)
    if not lengths or lengths != sorted(set(lengths)) or lengths[0] <= params.prompt or lengths[-1] > longest:
        raise ValueError(
            f"params.lengths must be ascending, above params.prompt = {params.prompt} and at most {longest}, "
            f"got {lengths}."
        )
    check_embedding(params.embedding)
    vocabulary = SHAPES[params.main_model].vocabulary
    for words in (*params.rules, *params.rules_of_sizes):
        parse_rule(words, vocabulary)  # before hours of training, not after
    users_texts(config, params)
    return params


def text_sets(config: Config, params: TextParams) -> TextSets:
    """Return all texts, from their stages or made now: trained models first, then generations."""
    corpus = corpus_of(config, params)
    tokenizer = word_pieces_of(config, corpus, SHAPES[params.main_model].vocabulary)
    models = {name: language_model(config, params, corpus, name) for name in params.models}
    length = params.lengths[-1]

    def people(texts: tuple[str, ...], rule: str) -> TextSet:
        rows = document_starts(tokenizer, texts, length)
        return TextSet(HUMAN, rule, length, rows, tuple(texts_of(tokenizer, rows)))

    generated = []
    for name, model in models.items():
        of_all = list(dict.fromkeys([*params.rules_of_sizes, params.length_rule]))
        rules = [*params.rules, *of_all] if name == params.main_model else of_all
        for words in dict.fromkeys(rules):
            rows = generated_rows(config, model, tokenizer, corpus.held_out, words, params.prompt)[:, :length]
            generated.append(TextSet(name, words, length, rows, tuple(texts_of(tokenizer, rows))))
    return TextSets(
        corpus=corpus,
        tokenizer=tokenizer,
        models=models,
        human=people(corpus.held_out, "held out"),
        ceiling=people(corpus.training[: len(corpus.held_out)], "other texts"),
        generated=tuple(generated),
    )


def text_inputs(config: Config) -> dict[str, str]:
    """Return names and SHA-256 of what a run on texts reads."""
    params = checked_text_params(config)
    found = corpus_inputs(params.corpus)
    if params.embedding == "all-minilm-l6-v2":
        from fkeax.assets import ALL_MINILM_L6_V2

        found |= {f"{ALL_MINILM_L6_V2.requirement}/{member.path}": member.sha256 for member in ALL_MINILM_L6_V2.members}
    from fkeax.io import sha256_of_file

    return found | {path.name: sha256_of_file(path) for path in generation_files(config)}


def generation_files(config: Config) -> list[Path]:
    """Return the user's own files of generations."""
    params = checked_text_params(config)
    return [] if params.generations is None else sorted(_users_folder(config, params.generations).glob("*.jsonl"))


def users_texts(config: Config, params: TextParams) -> dict[str, list[str]]:
    """Return the texts of the user's folder by name, people's first; nothing where none was given."""
    if params.generations is None:
        return {}
    return read_gpt2_outputs(_users_folder(config, params.generations))


def _users_folder(config: Config, generations: str) -> Path:
    folder = Path(config.origin, generations).expanduser()
    if not folder.is_dir():
        raise FileNotFoundError(f"params.generations: there is no folder {str(folder)!r}.")
    return folder


def described(params: TextParams, sets: TextSets) -> str:
    """Return what the texts are, in a few words, for titles."""
    sizes = ", ".join(f"{model.num_parameters / 1e6:.2g} M" for model in sets.models.values())
    return (
        f"stand-ins: own GPTs of {sizes} parameters for GPT-2, {sets.corpus.name}, n = {len(sets.human.texts):,}, "
        f"texts of {sets.human.length} pieces, {params.embedding}"
    )
