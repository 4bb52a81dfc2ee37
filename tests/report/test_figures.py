from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
from PIL import Image

from fkeax.report import (
    Curve,
    FrontierLine,
    ModePanel,
    check_figure_path,
    check_image_shape,
    frontier_curves,
    image_montage,
    mode_grid,
    save_figure,
    score_curves,
    thumbnails_from_files,
    thumbnails_from_rows,
)


def test_curves_are_drawn_without_values_that_are_unknown(tmp_path: Path) -> None:
    curves = [
        Curve("exact", [1, 2, 3], [1.0, 2.0, 3.0], [None] * 3),
        Curve("debiased", [1, 2, 3], [1.1, None, 3.1], [0.1, None, 0.1]),
    ]
    figure = score_curves({"RKE": curves, "VENDI": curves[:1]}, x_label="classes", title="digits")
    assert [axis.get_title() for axis in figure.axes] == ["RKE", "VENDI"]
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["exact", "debiased"]
    save_figure(figure, tmp_path / "scores.png")
    picture = matplotlib.image.imread(tmp_path / "scores.png")
    assert picture.shape[0] > 300
    assert picture.std() > 0.01
    assert list(tmp_path.iterdir()) == [tmp_path / "scores.png"]


@pytest.mark.parametrize("count", [1, 4, 7])
def test_one_panel_per_mode(tmp_path: Path, count: int) -> None:
    panel = ModePanel("mode", list(np.random.default_rng(1).random((6, 8, 8, 1))))
    figure = mode_grid([panel] * count, title="modes")
    assert sum(axis.get_title() == "mode" for axis in figure.axes) == count
    save_figure(figure, tmp_path / "modes.png")
    assert (tmp_path / "modes.png").stat().st_size > 1000


def test_no_global_state() -> None:
    code = "import sys, fkeax.report; assert 'matplotlib.pyplot' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_rows_share_one_scale() -> None:
    rows = np.array([[0, 50, 50, 50], [50, 50, 50, 100]], dtype=np.uint8)
    pictures = thumbnails_from_rows(rows, (2, 2, 1))
    assert pictures[0, 0, 0, 0] == 0
    assert pictures[1, 1, 1, 0] == 1
    assert np.sum(pictures == 0.5) == 6
    assert np.all(thumbnails_from_rows(np.ones((2, 12)), (2, 2, 3)) == 0)


@pytest.mark.parametrize(
    ("shape", "sentence"),
    [
        ((28,), "must be H,W or H,W,C"),
        ((7, 7, 4), "C of 1 or 3"),
        ((0, 196), "must be H,W"),
        ((14, 13), "image shape 14,13 holds 182 values, but every row has 196"),
    ],
)
def test_wrong_shapes_are_refused(shape: tuple[int, ...], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        check_image_shape(shape, 196)


def test_montage_centres_pictures_of_any_size() -> None:
    canvas = image_montage([np.zeros((4, 4, 3)), np.zeros((2, 2, 1)), np.zeros((4, 4, 1))], num_columns=2)
    assert canvas.shape == (9, 9, 3)
    assert np.sum(canvas == 0) == 3 * (16 + 4 + 16)
    assert np.all(canvas[1:3, 6:8] == 0)


def test_image_files_of_many_kinds(tmp_path: Path) -> None:
    ramp = np.linspace(0, 65535, 256).reshape(16, 16)
    Image.fromarray(ramp.astype(np.uint16)).save(tmp_path / "a16.png")
    Image.fromarray((ramp / 257).astype(np.uint8)).save(tmp_path / "grey.png")
    Image.fromarray(np.full((300, 200, 3), (255, 0, 0), dtype=np.uint8)).save(tmp_path / "red.jpg")
    Image.new("P", (5, 5)).save(tmp_path / "palette.gif")
    deep, grey, red, palette = thumbnails_from_files(
        tmp_path / name for name in ("a16.png", "grey.png", "red.jpg", "palette.gif")
    )
    np.testing.assert_allclose(deep, grey, atol=1.5 / 255)
    assert deep.max() > 0.99
    assert max(red.shape) <= 128
    assert red[..., 0].min() > 0.9
    assert palette.shape == (5, 5, 3)


def test_files_that_are_no_images_are_named(tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_text("hello")
    with pytest.raises(ValueError, match=r"bad.png' cannot be read as an image"):
        thumbnails_from_files([tmp_path / "bad.png"])
    with pytest.raises(FileNotFoundError, match=r"none.png' does not exist"):
        thumbnails_from_files([tmp_path / "none.png"])


@pytest.mark.parametrize(("suffix", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_the_name_chooses_the_format(tmp_path: Path, suffix: str, start: bytes) -> None:
    lines = [FrontierLine("model", np.asarray([0.5, 1.0]), np.asarray([1.0, 0.5]))]
    save_figure(frontier_curves(lines, title="two points"), tmp_path / f"f.{suffix}")
    assert (tmp_path / f"f.{suffix}").read_bytes().startswith(start)


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"a figure must be a \.png, \.svg, \.pdf file"):
        check_figure_path(tmp_path / "f.jpg")
