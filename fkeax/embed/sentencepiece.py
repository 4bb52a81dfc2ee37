"""SentencePiece models of the unigram kind (Kudo 2018) as tokenizers of the package tokenizers."""

from __future__ import annotations

import re
import struct
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fkeax.embed.protobuf import read_message

TokenIds = Callable[[Sequence[str]], list[list[int]]]

UNKNOWN, CONTROL = 2, 3  # kinds of pieces that no text may spell
SPACE = "\u2581"
HALF_WIDTH_KATAKANA = re.compile("[\uff61-\uff9f]+")


def read_sentencepiece(path: Path) -> TokenIds:
    """Return a function from texts to the numbers of their pieces, without marks of begin and end.

    Texts are normalised by the table that the model holds, runs of spaces become one, a space is put in front, and the
    pieces of the most probable segmentation are taken (Viterbi). A run of characters that the model does not know is
    one unknown piece, as in SentencePiece itself.

    Args:
        path: A file `.model` of SentencePiece, of the unigram kind.

    Raises:
        ValueError: It is no such model.
        ImportError: The package tokenizers is not installed.
    """
    try:
        from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
    except ImportError:
        raise ImportError(
            "SentencePiece models need the package tokenizers; install it with `pip install 'fkeax[encoders]'`."
        ) from None
    vocabulary, unknown, table = _parts(path)
    tokenizer = Tokenizer(models.Unigram(vocabulary, unknown, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Precompiled(table), normalizers.Replace(Regex(" {2,}"), " "), normalizers.Strip()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme="always", split=False)

    def encode(texts: Sequence[str]) -> list[list[int]]:
        encoded = tokenizer.encode_batch([_composed(text) for text in texts], add_special_tokens=False)
        return [entry.ids for entry in encoded]

    return encode


def _parts(path: Path) -> tuple[list[tuple[str, float]], int, bytes]:
    """Return the pieces with their log probabilities, the number of the unknown piece, and the table of characters."""
    try:
        model: dict[int, list[Any]] = read_message(path.read_bytes())  # type: ignore[assignment]
        vocabulary, unknown = [], None
        for number, content in enumerate(model[1]):
            piece: dict[int, list[Any]] = read_message(content)  # type: ignore[assignment]
            (score,) = struct.unpack("<f", piece[2][0])
            kind = piece.get(3, [1])[0]
            text = piece[1][0].decode("utf-8")
            # Normalised texts hold no spaces: with one, a piece cannot be found in a text that spells "<s>".
            vocabulary.append((f" {text}" if kind in (UNKNOWN, CONTROL) else text, score))
            unknown = number if kind == UNKNOWN else unknown
        table: dict[int, list[Any]] = read_message(model[3][0])  # type: ignore[assignment]
        if unknown is None:
            raise ValueError("it has no unknown piece")
        return vocabulary, unknown, table[2][0]
    except (IndexError, KeyError, TypeError, ValueError, struct.error) as error:
        raise ValueError(f"{str(path)!r} is no SentencePiece model of the unigram kind: {error}.") from None


def _composed(text: str) -> str:
    """Join letters and their marks, which the library's normaliser misses in Korean and in half-width katakana."""
    joined = HALF_WIDTH_KATAKANA.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    return unicodedata.normalize("NFC", joined)
