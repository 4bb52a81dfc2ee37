"""Texts that the language models learn, and those held out as the human law P."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

WIKIPEDIA, GRAMMAR = "wikipedia", "grammar"
_WORDS = {
    "who": ["a sailor", "the baker", "my neighbour", "an old teacher", "the queen", "her brother", "the last train"],
    "did": ["found", "lost", "painted", "sold", "remembered", "followed", "hid", "carried"],
    "what": ["a red lamp", "the longest letter", "two silver coins", "a map of the coast", "the broken clock", "bread"],
    "where": ["in the harbour", "behind the mill", "under a bridge", "near the market", "on a hill", "by the river"],
    "when": ["last winter", "at noon", "before the rain", "one evening", "after the fair", "every spring"],
}
_FORMS = ("{who} {did} {what} {where} .", "{when} {who} {did} {what} .", "{who} {did} {what} {when} {where} .")


@dataclass(frozen=True)
class Corpus:
    """Texts, some of them held out.

    Attributes:
        name: In a few words, for titles.
        training: What models learn.
        held_out: The human texts of comparisons.
        source: Where they come from.
        licence: Under which licence they may be used.
    """

    name: str
    training: tuple[str, ...]
    held_out: tuple[str, ...]
    source: str
    licence: str


def load_corpus(name: str, num_held_out: int, seed: int) -> Corpus:
    """Return a corpus, its texts in an order drawn from the seed, the first of them held out.

    Args:
        name: "wikipedia", the extracts of 10,033 articles; or "grammar", 1,200 texts drawn here, for tests.
        num_held_out: How many are held out.
        seed: Of the order.

    Raises:
        ValueError: No such corpus, or it has too few texts.
        AssetError: The texts could not be fetched.
    """
    if name == WIKIPEDIA:
        from fkeax.datasets import load_wikipedia_extracts

        found = load_wikipedia_extracts()
        texts, source, licence = found.texts, found.source, found.licence
        words = "extracts of Wikipedia's vital articles"
    elif name == GRAMMAR:
        texts, source, licence = _drawn_texts(), "Texts drawn from a small grammar.", "None needed."
        words = "texts drawn from a small grammar"
    else:
        raise ValueError(f"params.corpus must be {WIKIPEDIA!r} or {GRAMMAR!r}, got {name!r}.")
    if not 1 <= num_held_out < len(texts):
        raise ValueError(f"params.num_documents must be at least 1 and below {len(texts)}, got {num_held_out}.")
    order = np.random.default_rng([seed, len(texts)]).permutation(len(texts))
    mixed = tuple(texts[place] for place in order)
    return Corpus(words, mixed[num_held_out:], mixed[:num_held_out], source, licence)


def corpus_inputs(name: str) -> dict[str, str]:
    """Return names and SHA-256 of what `load_corpus` reads."""
    if name != WIKIPEDIA:
        return {}
    from fkeax.assets import WIKIPEDIA_EXTRACTS

    return {f"{WIKIPEDIA_EXTRACTS.requirement}/{member.path}": member.sha256 for member in WIKIPEDIA_EXTRACTS.members}


def content_of(texts: tuple[str, ...]) -> str:
    """Return the SHA-256 of texts and of their order."""
    digest = hashlib.sha256()
    for text in texts:
        encoded = text.encode()
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return digest.hexdigest()


def _drawn_texts(count: int = 1200) -> tuple[str, ...]:
    generator = np.random.default_rng(7)

    def sentence() -> str:
        words = {part: options[int(generator.integers(len(options)))] for part, options in _WORDS.items()}
        return _FORMS[int(generator.integers(len(_FORMS)))].format(**words)

    return tuple(" ".join(sentence() for _ in range(int(generator.integers(2, 6)))) for _ in range(count))
