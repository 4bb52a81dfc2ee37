"""What is embedded: names, labels, groups and faults of folders and files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PIL import Image

from fkeax.embed import Windows, open_source
from fkeax.embed.images import read_image
from fkeax.embed.sounds import read_window

WINDOWS = Windows(sample_rate=100, num_samples=50)


def test_folder_of_images(photos: Path) -> None:
    source = open_source(photos)
    assert source.modality == "images"
    assert source.ids.tolist() == ["cat/x_2.png", "cat/x_10.png", "dog/x_2.png", "dog/x_10.png"]
    assert source.labels is not None
    assert source.labels.tolist() == ["cat", "cat", "dog", "dog"]
    assert source.groups is None
    assert source.items[0].read().shape == (4, 6, 3)
    assert source.items[0].checksum() == source.items[2].checksum() != source.items[1].checksum()


def test_folder_of_sounds_in_windows(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "long.wav", np.arange(300) / 1000, 200, subtype="FLOAT")  # 1.5 s: three windows
    soundfile.write(tmp_path / "short.wav", np.full((30, 2), [0.2, 0.4]), 100, subtype="FLOAT")
    source = open_source(tmp_path, "sounds", windows=WINDOWS)
    assert source.ids.tolist() == ["long.wav#0", "long.wav#1", "long.wav#2", "short.wav"]
    assert source.groups is not None
    assert source.groups.tolist() == [0, 0, 0, 1]
    assert source.labels is None
    second, last = source.items[1].read(), source.items[3].read()
    np.testing.assert_allclose(second[5:-5], np.arange(100, 200, 2)[5:-5] / 1000, atol=2e-3)  # resampled from 200 Hz
    np.testing.assert_allclose(last, np.r_[np.full(30, 0.3), np.zeros(20)], atol=1e-7)  # channels averaged


def test_a_changed_sound_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    for level in (0.25, 0.5):
        soundfile.write(path, np.full(int(200 * level), level), 100, subtype="FLOAT")
        assert read_window(path, WINDOWS, 0)[0] == level


def test_texts(tmp_path: Path) -> None:
    lines = tmp_path / "a.txt"
    lines.write_text("one\ntwö\n", encoding="utf-8")
    assert [item.read() for item in open_source(lines).items] == ["one", "twö"]
    objects = tmp_path / "a.jsonl"
    entries = [{"id": "a", "text": "one", "label": 3}, {"id": "b", "text": "two\nlines", "label": 4}]
    objects.write_text("\n".join(map(json.dumps, entries)))
    source = open_source(objects, "texts")
    assert source.ids.tolist() == ["a", "b"]
    assert source.labels is not None
    assert source.labels.tolist() == ["3", "4"]
    assert source.items[1].read() == "two\nlines"
    objects.unlink()
    assert open_source(tmp_path).items[0].read() == "one\ntwö"  # a folder: one text a file


@pytest.mark.parametrize(
    ("array", "shape", "expected"),
    [
        (np.full((2, 2, 3), 255, np.uint8), None, 255),
        (np.full((2, 2, 3, 3), 7, np.uint8), None, 7),
        (np.full((2, 6), 0.5, np.float64), (2, 3), 128),
    ],
)
def test_arrays_of_images(tmp_path: Path, array: np.ndarray, shape: tuple[int, ...] | None, expected: int) -> None:
    np.save(tmp_path / "a.npy", array)
    source = open_source(tmp_path / "a.npy", image_shape=shape)
    assert len(source.items) == 2
    np.testing.assert_array_equal(source.items[1].read(), np.full((2, 3, 3), expected))


def test_transparent_and_turned_images(tmp_path: Path) -> None:
    clear = tmp_path / "clear.png"
    Image.new("RGBA", (2, 1), (255, 0, 0, 0)).save(clear)
    np.testing.assert_array_equal(read_image(clear), np.full((1, 2, 3), 255))
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    Image.new("RGB", (20, 10)).save(tmp_path / "turned.jpg", exif=exif)
    assert read_image(tmp_path / "turned.jpg").shape == (20, 10, 3)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"one\n\nthree\n", r"line 2: the line is empty"),
        ("a.txt", b"", r"holds no text"),
        ("a.txt", b"\xff\xfe\x00", r"no text in UTF-8"),
        ("a.jsonl", b"[1]\n", r"line 1: expected an object .* got list"),
        ("a.jsonl", b'{"body": "x"}\n', r"expected a text as 'text'; it holds 'body'"),
        ("a.jsonl", b'{"id": 1, "text": "x"}\n\n{"id": "1", "text": "y"}\n', r"line 3: the id '1' is that of line 1"),
        ("a.jsonl", rb'{"text": "\ud800 a"}', r"line 1: it holds half of a surrogate pair"),
        ("a.jsonl", b'{"text": "a", "id": 1' + 5000 * b"0" + b"}", r"line 1: it is no JSON: Exceeds the limit"),
        ("a.jsonl", b'{"text": "a", "x": ' + 100_000 * b"[", r"line 1: it is no JSON"),
        ("a.jsonl", b"{oops\n", r"line 1: it is no JSON"),
        ("a.npy", b"\x93NUMPY", r"no \.npy file of numbers"),
        ("a.bin", b"", r"no folder, text \(\.txt, \.jsonl\)"),
        ("a.wav", b"RIFF", r"cannot be read as a sound"),
    ],
)
def test_faults(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        open_source(tmp_path / name)


def test_faults_of_images(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"no picture")
    with pytest.raises(ValueError, match=r"a\.png' cannot be read as an image"):
        open_source(tmp_path).items[0].read()
    Image.fromarray(np.full((2, 2), 40000, np.uint16)).save(tmp_path / "deep.png")
    with pytest.raises(ValueError, match=r"deep\.png' has pixels of mode I"):
        open_source(tmp_path).items[1].read()
    np.save(tmp_path / "b.npy", np.full((1, 2, 2), 3.0))
    with pytest.raises(ValueError, match=r"image 0: values from 3 to 3; floats must lie in \[0, 1\]"):
        open_source(tmp_path / "b.npy").items[0].read()


def test_faults_of_folders(photos: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"holds no sounds \(4 images\)"):
        open_source(photos, "sounds")
    (photos / "a.txt").write_text("a text")
    with pytest.raises(ValueError, match=r"holds 4 images and 1 texts; expected files of one kind"):
        open_source(photos)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"holds no files of a known kind"):
        open_source(tmp_path / "empty")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        open_source(tmp_path / "nowhere")
