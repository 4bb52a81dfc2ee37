"""Images, texts and clips as the experiments take them in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.fkea import clips, image_samples, text_samples
from experiments.fkea.params import VideoParams
from experiments.schema import Data
from fkeax.datasets.texts import LabelledTexts

CLIPS = VideoParams(clips_per_class=3, num_frames=4, canvas=12, class_counts=[1, 10])


def test_classes_join_in_the_order_that_is_asked_for() -> None:
    found = image_samples.load(Data("digits", samples_per_class=4), ["7", "2"])
    assert found.label_names == ("7", "2")
    assert found.labels is not None
    assert found.labels.tolist() == [0] * 4 + [1] * 4
    assert found.items[0].read().shape == (8, 8, 3)
    with pytest.raises(ValueError, match=r"params.classes must be among 0, 1"):
        image_samples.load(Data("digits"), ["cat"])
    with pytest.raises(ValueError, match="more than the class '8' has"):
        image_samples.load(Data("digits", samples_per_class=175))


def test_features_of_a_file_with_labels(tmp_path: Path) -> None:
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    path = tmp_path / "features.npz"
    np.savez(path, rows=rows, labels=np.array(["b", "a", "b", "a"]))
    found = image_samples.load(Data("features", path=str(path)))
    np.testing.assert_array_equal(np.stack([item.read() for item in found.items]), rows)
    assert found.label_names == ("a", "b")
    assert found.labels is not None
    assert found.labels.tolist() == [1, 0, 1, 0]
    with pytest.raises(ValueError, match=r"data.path is not set: data=features reads the user's own files"):
        image_samples.load(Data("features"))


def texts() -> LabelledTexts:
    entries = [
        ("Chad", "Country in Central Africa", "Chad is large."),
        ("Georgia (country)", "Country in Eastern Europe and West Asia", "Georgia has mountains."),
        ("Niger", "Landlocked country in West Africa", "Niger borders Chad."),
        ("Lake", "Body of water", "It lies in Chad."),
        ("Prague", "City", "Nothing is named."),
        ("Nigeria", "Country in West Africa", "Nigeria is populous."),
    ]
    titles, descriptions, bodies = zip(*entries, strict=True)
    return LabelledTexts(bodies, titles, descriptions, np.zeros(6, np.int64), ("all",), "none", "none")


def test_countries_are_named_by_themselves_only() -> None:
    """Niger is not found inside Nigeria, and two countries are none."""
    assert text_samples.countries_mentioned(texts()) == ["Chad", "Georgia", None, "Chad", None, "Nigeria"]
    assert text_samples.country_continents(texts())["Georgia"] == "Asia"


def test_bundled_texts_have_classes() -> None:
    found = text_samples.text_set("descriptions").load(Data("descriptions", samples_per_class=5), None)
    assert found.labels is not None
    assert np.bincount(found.labels).max() == 5
    assert "iris" in found.label_names
    with pytest.raises(ValueError, match=r"data.name must be one of descriptions, wikipedia, countries, bbc, texts"):
        text_samples.text_set("news")


def test_pooled_clips_say_what_is_seen_and_what_changes() -> None:
    frames = np.array([[[0.0, 5.0], [4.0, 5.0]]])
    assert clips.pooled(frames).tolist() == [[2.0, 5.0, 2.0, 0.0]]


def test_moving_digits_and_film_strips() -> None:
    found = clips.load(Data("digits"), CLIPS, seed=0)
    assert found.frames.shape == (30, 4, 66)
    assert found.pictures is not None
    strips = clips.film_strips(found.pictures, np.array([[0, 1], [2, 3]]))
    assert strips.shape == (2, 2, 12, 48, 1)


@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        ({"x": np.zeros((2, 3, 4)), "y": np.zeros(2)}, "must hold one array of features"),
        ({"x": np.zeros(3)}, r"holds features of shape \(3,\); expected finite"),
        ({"x": np.zeros((2, 3, 4)), "labels": np.zeros(3)}, r"have shape \(3,\); expected \(2,\)"),
    ],
)
def test_clip_features_that_are_none(tmp_path: Path, arrays: dict[str, Any], expected: str) -> None:
    np.savez(tmp_path / "clips.npz", **arrays)
    with pytest.raises(ValueError, match=expected):
        clips.load(Data("clip_features", path=str(tmp_path / "clips.npz")), CLIPS, seed=0)


def test_clip_features_of_the_user(tmp_path: Path) -> None:
    np.savez(tmp_path / "clips.npz", rows=np.ones((2, 3, 4)), labels=np.array(["run", "jump"]))
    found = clips.load(Data("clip_features", path=str(tmp_path / "clips.npz")), CLIPS, seed=0)
    assert found.frames.shape == (2, 3, 4)
    assert found.label_names == ("jump", "run")
    with pytest.raises(FileNotFoundError, match=r"expected a .npy or .npz file of features of clips"):
        clips.load(Data("clip_features", path=str(tmp_path / "none.npz")), CLIPS, seed=0)
