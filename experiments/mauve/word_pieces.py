"""Byte-pair encoding: texts into numbers of word pieces and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from experiments.mauve.gpt import END

if TYPE_CHECKING:
    from tokenizers import Tokenizer

END_WORD = "<end>"


def train_word_pieces(texts: Sequence[str], vocabulary: int) -> str:
    """Return a byte-level byte-pair encoding of so many pieces, trained on texts, as JSON."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # type: ignore[assignment]
    tokenizer.decoder = decoders.ByteLevel()  # type: ignore[assignment]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=vocabulary, special_tokens=[END_WORD], initial_alphabet=alphabet)
    tokenizer.train_from_iterator(texts, trainer)
    if tokenizer.token_to_id(END_WORD) != END:
        raise RuntimeError(f"the tokenizer gave {END_WORD} the number {tokenizer.token_to_id(END_WORD)}, not {END}.")
    return tokenizer.to_str()


def read_word_pieces(text: str) -> Tokenizer:
    """Return the encoding that `train_word_pieces` wrote."""
    from tokenizers import Tokenizer

    return Tokenizer.from_str(text)


def document_starts(tokenizer: Tokenizer, texts: Sequence[str], length: int) -> np.ndarray:
    """Return the first pieces of each text, (n, length), filled up with `END` behind its end."""
    rows = np.full((len(texts), length), END, np.int32)
    for row, encoding in zip(rows, tokenizer.encode_batch(list(texts)), strict=True):
        found = encoding.ids[:length]
        row[: len(found)] = found
    return rows


def stream_windows(tokenizer: Tokenizer, texts: Sequence[str], length: int) -> np.ndarray:
    """Return windows of length + 1 pieces of all texts one after the other, a window beginning before each text.

    Every window starts with `END` and runs on into the next text (the last into the first), so that training meets
    documents where a generated one begins too, and never a filler.
    """
    stream: list[int] = []
    starts = []
    for encoding in tokenizer.encode_batch(list(texts)):
        starts.append(len(stream))
        stream += [END, *encoding.ids]
    pieces = np.resize(np.array(stream, np.int32), len(stream) + length + 1)
    return pieces[np.array(starts)[:, None] + np.arange(length + 1)]


def texts_of(tokenizer: Tokenizer, rows: np.ndarray) -> list[str]:
    """Return the texts of rows of pieces, each up to its first `END`."""
    ended = [row[: int(np.argmax(row == END))] if (row == END).any() else row for row in rows]
    return tokenizer.decode_batch([row.tolist() for row in ended])
