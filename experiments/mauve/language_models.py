"""The language models of the sections on texts: trained once, kept by their settings, a longer run going on.

GPTs of about 0.3, 1 and 3 million parameters (`SHAPES`) stand in for GPT-2 of 117 to 1,542 million.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from experiments.mauve import training
from experiments.mauve.corpus import Corpus, content_of, load_corpus
from experiments.mauve.gpt import GPT, SHAPES, Shape
from experiments.mauve.params import LanguageModelParams
from experiments.mauve.word_pieces import document_starts, read_word_pieces, stream_windows, train_word_pieces
from experiments.schema import Config
from experiments.stages import stage, stage_folder

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@dataclass(frozen=True)
class LanguageModel:
    """A trained model.

    Attributes:
        name: Of its shape.
        shape: Sizes.
        weights: Of its layers.
        epochs: How often it saw every training text.
        num_windows: How many texts an epoch has.
        num_parameters: How many numbers `weights` holds.
        loss: Mean of -log p of a piece of the held-out texts, in nats.
        num_pieces: How many pieces that is over.
        content: SHA-256 of the weights.
    """

    name: str
    shape: Shape
    weights: Mapping[str, Any]
    epochs: int
    num_windows: int
    num_parameters: int
    loss: float
    num_pieces: int
    content: str


def corpus_of(config: Config, params: LanguageModelParams) -> Corpus:
    """Return the texts of the run; the order, and with it what is held out, follows from the run's seed."""
    return load_corpus(params.corpus, params.num_documents, config.seed)


def word_pieces_of(config: Config, corpus: Corpus, vocabulary: int) -> Tokenizer:
    """Return the encoding that was trained on the training texts, kept as a stage."""
    settings = {"texts": content_of(corpus.training), "vocabulary": vocabulary, "version": 1}
    kept = stage(
        config,
        "mauve-word-pieces",
        settings,
        lambda folder: {
            "json": np.frombuffer(train_word_pieces(corpus.training, vocabulary).encode(), np.uint8),
        },
    )
    return read_word_pieces(kept["json"].tobytes().decode())


def language_model(config: Config, params: LanguageModelParams, corpus: Corpus, name: str) -> LanguageModel:
    """Return a trained model of a shape by its name, from its stage or trained now.

    Raises:
        ValueError: No shape of that name, or no number of epochs for it.
    """
    shape, epochs = _asked(params, name)
    settings = {
        "texts": content_of(corpus.training),
        "shape": dataclasses.asdict(shape),
        "training": training.SETTINGS,
        "seed": config.seed,
    }
    tokenizer = word_pieces_of(config, corpus, shape.vocabulary)
    folder = stage_folder(config, f"mauve-gpt-{name}-training", settings)

    def compute(_: Any) -> dict[str, np.ndarray]:
        windows = stream_windows(tokenizer, corpus.training, shape.context)
        leaves = jax.tree.leaves(training.train(folder / "checkpoints", shape, windows, epochs, config.seed))
        return {f"leaf_{place:03d}": np.asarray(leaf) for place, leaf in enumerate(leaves)}

    kept = stage(config, f"mauve-gpt-{name}", settings | {"epochs": epochs}, compute)
    like = jax.eval_shape(GPT(shape).init, jax.random.key(0), np.zeros((1, shape.context), np.int32))
    weights = jax.tree.unflatten(jax.tree.structure(like), [kept[leaf] for leaf in sorted(kept)])
    rows = document_starts(tokenizer, corpus.held_out, shape.context)
    losses, real = training.piece_losses(shape, weights, rows)
    return LanguageModel(
        name=name,
        shape=shape,
        weights=weights,
        epochs=epochs,
        num_windows=len(corpus.training),
        num_parameters=sum(leaf.size for leaf in kept.values()),
        loss=float(losses[real].mean(dtype=np.float64)),
        num_pieces=int(real.sum()),
        content=hashlib.sha256(b"".join(kept[leaf].tobytes() for leaf in sorted(kept))).hexdigest(),
    )


def _asked(params: LanguageModelParams, name: str) -> tuple[Shape, int]:
    if name not in SHAPES:
        raise ValueError(f"params.models must be some of {', '.join(SHAPES)}; got {name!r}.")
    if len(params.epochs) != len(params.models):
        raise ValueError(
            f"params.epochs must have a number for each of the {len(params.models)} params.models, "
            f"got {len(params.epochs)}."
        )
    epochs = params.epochs[params.models.index(name)]
    if epochs < 1:
        raise ValueError(f"params.epochs must be at least 1, got {epochs} for {name!r}.")
    return SHAPES[name], epochs
