"""Texts of language models by every decoding rule, kept as stages, and users' own generations from files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from experiments.mauve.corpus import content_of
from experiments.mauve.decoding import generate, parse_rule
from experiments.mauve.gpt import END, GPT
from experiments.mauve.language_models import LanguageModel
from experiments.mauve.word_pieces import document_starts
from experiments.schema import Config
from experiments.stages import stage

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BATCH = 250  # documents at a time: their kept keys and values are 130 MB for the medium model


def generated_rows(
    config: Config, model: LanguageModel, tokenizer: Tokenizer, texts: Sequence[str], words: str, prompt: int
) -> np.ndarray:
    """Return documents of pieces, (n, context), that a model made of the beginnings of texts, from their stage or now.

    Args:
        config: Of the run.
        model: The model.
        tokenizer: Its word pieces.
        texts: Whose first pieces are the prompts: one document each.
        words: A decoding rule.
        prompt: Number of pieces of a prompt.

    Raises:
        ValueError: No such rule.
    """
    rule = parse_rule(words, model.shape.vocabulary)
    prompts = document_starts(tokenizer, texts, prompt)
    settings = {
        "weights": model.content,
        "texts": content_of(tuple(texts)),
        "pieces": tokenizer.get_vocab_size(),
        "rule": words,
        "prompt": prompt,
        "seed": config.seed,
        "version": 1,
    }

    def compute(_: Path) -> dict[str, np.ndarray]:
        key = jax.random.fold_in(jax.random.key(config.seed), int(model.content[:7], 16))
        parts = []
        for number, start in enumerate(range(0, len(prompts), BATCH)):
            part = prompts[start : start + BATCH]
            filled = np.full((min(BATCH, len(prompts)), prompt), END, np.int32)
            filled[: len(part)] = part
            rows = generate(
                jax.random.fold_in(key, number),
                rule,
                model.weights,
                jnp.asarray(filled),
                model=GPT(model.shape),
                length=model.shape.context,
            )
            parts.append(np.asarray(rows)[: len(part)])
        return {"rows": np.concatenate(parts)}

    return stage(config, f"mauve-generations-{model.name}", settings, compute)["rows"]


def read_generations(path: Path) -> list[str]:
    """Return the texts of a file of generations: one JSON object a line, with the text under "text".

    That is the form of the public GPT-2 output dataset too; other entries of an object are ignored.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: A line is no JSON object with a text; the message names the line.
    """
    texts = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
            except json.JSONDecodeError as error:
                raise ValueError(f"{str(path)!r}, line {number}: not JSON ({error.msg}).") from None
            text = entry.get("text") if isinstance(entry, dict) else None
            if not isinstance(text, str) or not text.strip():
                raise ValueError(f'{str(path)!r}, line {number}: expected an object with a non-empty "text".')
            texts.append(text)
    if not texts:
        raise ValueError(f"{str(path)!r} holds no texts.")
    return texts


def read_gpt2_outputs(folder: Path, human: str = "webtext", split: str = "test") -> dict[str, list[str]]:
    """Return the texts of a folder of GPT-2 outputs by the name of what wrote them, the human ones first.

    Files are named as in the public GPT-2 output dataset: webtext.test.jsonl, small-117M.test.jsonl,
    xl-1542M-nucleus.test.jsonl ...

    Args:
        folder: Where the files lie.
        human: Name of the human texts.
        split: "train", "valid" or "test".

    Raises:
        FileNotFoundError: The folder has no file of human texts, or no other of that split.
        ValueError: A file is damaged.
    """
    ending = f".{split}.jsonl"
    found = {path.name.removesuffix(ending): path for path in sorted(folder.glob(f"*{ending}"))}
    if human not in found:
        raise FileNotFoundError(f"{str(folder)!r} holds no {human}{ending}, the human texts.")
    if len(found) < 2:
        raise FileNotFoundError(f"{str(folder)!r} holds no generations beside {human}{ending}.")
    names = [human, *(name for name in found if name != human)]
    return {name: read_generations(found[name]) for name in names}
