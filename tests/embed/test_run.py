"""Batches, the cache, and encoders of the user's: functions and ONNX files."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from fkeax.embed import ENCODERS, Encoder, embed, find_encoder, open_source

PIXELS = ENCODERS["pixels"]


def counting(calls: list[int]) -> Encoder:
    def load():
        encode = PIXELS.load()

        def counted(batch: Sequence[np.ndarray]) -> np.ndarray:
            calls.append(len(batch))
            return encode(batch)

        return counted

    return dataclasses.replace(PIXELS, load=load)


def test_any_batch_size_gives_the_same(photos: Path) -> None:
    items = open_source(photos).items
    whole = embed(PIXELS, items).features
    assert whole.shape == (4, 72)
    for size in (1, 3):
        np.testing.assert_array_equal(embed(PIXELS, items, batch_size=size).features, whole)


def test_only_what_changed_is_computed(photos: Path, tmp_path: Path) -> None:
    calls: list[int] = []
    encoder, cache = counting(calls), tmp_path / "cache"
    first = embed(encoder, open_source(photos).items, batch_size=2, cache=cache)
    again = embed(encoder, open_source(photos).items, batch_size=2, cache=cache)
    np.testing.assert_array_equal(first.features, again.features)
    # The two folders hold the same pictures, so that the second batch was kept from the first.
    assert (first.num_kept, again.num_kept) == (2, 4)
    assert calls == [2]
    (photos / "dog" / "x_2.png").write_bytes((photos / "cat" / "x_10.png").read_bytes())
    assert embed(encoder, open_source(photos).items, batch_size=2, cache=cache).num_kept == 2
    assert calls == [2, 2]


def test_a_damaged_entry_is_computed_again(photos: Path, tmp_path: Path) -> None:
    calls: list[int] = []
    encoder, items = counting(calls), open_source(photos).items
    first = embed(encoder, items, cache=tmp_path / "cache")
    (entry,) = (tmp_path / "cache").iterdir()
    content = bytearray(entry.read_bytes())
    content[len(content) // 2] ^= 1
    entry.write_bytes(bytes(content))
    np.testing.assert_array_equal(embed(encoder, items, cache=tmp_path / "cache").features, first.features)
    assert calls == [4, 4]


def test_rows_that_are_not_finite_are_named(photos: Path) -> None:
    encoder = dataclasses.replace(PIXELS, load=lambda: lambda batch: np.full((len(batch), 2), np.nan, np.float32))
    with pytest.raises(ValueError, match=r"not finite for 'cat/x_2\.png'"):
        embed(encoder, open_source(photos).items)


def test_a_function_of_the_user(photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own_encoder.py").write_text(
        "import numpy as np\n"
        "def brightness(images): return [[image.mean()] for image in images]\n"
        "def wrong(images): return np.zeros(3)\n"
        "number = 3\n"
    )
    try:
        items = open_source(photos).items
        rows = embed(find_encoder("own_encoder:brightness"), items, cache=tmp_path / "cache")
        np.testing.assert_allclose(rows.features[0], items[0].read().mean(), rtol=1e-6)
        assert not (tmp_path / "cache").exists()  # nothing says when the function changes
        for name, message in {
            "own_encoder:wrong": r"must return a row of numbers for each of 4 items, got shape \(3,\)",
            "own_encoder:missing": r"has no function 'missing'",
            "own_encoder:number": r"is not a function but of type int",
            "no_such_module:embed": r"there is no module 'no_such_module'",
        }.items():
            with pytest.raises(ValueError, match=message):
                embed(find_encoder(name), items)
    finally:
        sys.modules.pop("own_encoder", None)


def field(number: int, content: bytes | int | str) -> bytes:
    """One field of a protocol buffer."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def model_of_means(side: int) -> bytes:
    """An ONNX model that averages each channel: images (b, 3, side, side) to (b, 3, 1, 1)."""

    def value(name: str, sizes: list[str | int]) -> bytes:
        axes = b"".join(field(1, field(1 if isinstance(size, int) else 2, size)) for size in sizes)
        return field(1, name) + field(2, field(1, field(1, 1) + field(2, axes)))

    node = field(1, "images") + field(2, "rows") + field(4, "GlobalAveragePool")
    graph = field(1, node) + field(2, "means") + field(11, value("images", ["b", 3, side, side]))
    graph += field(12, value("rows", ["b", 3, 1, 1]))
    return field(1, 8) + field(8, field(2, 13)) + field(7, graph)


def test_an_onnx_model(photos: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    path = tmp_path / "means.onnx"
    path.write_bytes(model_of_means(4))
    encoder = find_encoder(str(path))
    items = open_source(photos).items
    centre = np.stack([item.read() for item in items])[:, :, 1:5]  # 4 of 6 columns; no resizing
    expected = centre.mean((1, 2)) / 255
    np.testing.assert_allclose(embed(encoder, items).features, expected, atol=1e-6)
    path.write_bytes(b"no model")
    with pytest.raises(ValueError, match="no ONNX model that onnxruntime can run"):
        embed(find_encoder(str(path)), items)


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match=r"model must be one of pixels, .*, got 'minilm'"):
        find_encoder("minilm")
    with pytest.raises(FileNotFoundError, match=r"'nowhere\.onnx' does not exist"):
        find_encoder("nowhere.onnx")


def test_every_encoder_says_what_it_is() -> None:
    for name, encoder in ENCODERS.items():
        assert encoder.name == name
        assert encoder.modality in ("images", "texts", "sounds")
        assert (encoder.windows is not None) == (encoder.modality == "sounds")
        assert encoder.preprocessing.endswith(".")
        assert encoder.licence.endswith(".")
    assert len({encoder.identity for encoder in ENCODERS.values()}) == len(ENCODERS)
