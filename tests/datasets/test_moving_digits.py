"""Clips of moving images: nothing leaves the canvas, and motion is straight between bounces."""

from __future__ import annotations

import numpy as np
import pytest

from fkeax.datasets import moving_digits


def test_images_stay_whole_and_move_in_small_steps() -> None:
    images = np.ones((6, 3, 2), np.float32)
    clips = moving_digits(images, num_frames=30, canvas=20, seed=1)
    assert clips.shape == (6, 30, 20, 20)
    np.testing.assert_array_equal(clips.sum((2, 3)), 6)  # every frame holds every pixel of its image
    tops = clips.max(3).argmax(2)
    assert np.abs(np.diff(tops, axis=1)).max() <= 1 + 0.12 * 20
    assert all(len(np.unique(path)) > 1 for path in tops)
    assert not np.array_equal(clips, moving_digits(images, num_frames=30, canvas=20, seed=2))


def test_a_canvas_of_the_images_size_holds_them_still() -> None:
    images = np.random.default_rng(0).random((2, 4, 4), dtype=np.float32)
    clips = moving_digits(images, num_frames=3, canvas=4, seed=0)
    np.testing.assert_array_equal(clips, images[:, None].repeat(3, axis=1))
    with pytest.raises(ValueError, match="canvas must be at least 4, the side of the images; got 3"):
        moving_digits(images, num_frames=3, canvas=3, seed=0)
