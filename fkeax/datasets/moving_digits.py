"""Clips of digits that move and bounce, after Srivastava et al. (2015), from any grey images."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float32

GREATEST_SPEED = 0.12  # of the canvas, a frame


def moving_digits(
    images: Float32[np.ndarray, "n height width"], *, num_frames: int, canvas: int, seed: int
) -> Float32[np.ndarray, "n t side side"]:
    """Return one clip for each image: it moves in a straight line on a square canvas and bounces off its edges.

    Args:
        images: Values in [0, 1], on black.
        num_frames: Length of a clip.
        canvas: Side of the frames, at least that of the images.
        seed: Of starting points and velocities, which are uniform.

    Raises:
        ValueError: The canvas is smaller than the images.

    Example:
        >>> clips = moving_digits(np.ones((2, 3, 3), np.float32), num_frames=4, canvas=9, seed=0)
        >>> clips.shape, clips.sum((2, 3)).tolist()[0]
        ((2, 4, 9, 9), [9.0, 9.0, 9.0, 9.0])
    """
    height, width = images.shape[1:]
    room = np.array([canvas - height, canvas - width])
    if room.min() < 0:
        raise ValueError(f"canvas must be at least {max(height, width)}, the side of the images; got {canvas}.")
    random = np.random.default_rng(seed)
    start = random.uniform(0, 1, (len(images), 1, 2)) * room
    velocity = random.uniform(-1, 1, (len(images), 1, 2)) * GREATEST_SPEED * canvas
    unfolded = start + velocity * np.arange(num_frames)[None, :, None]
    period = np.maximum(2 * room, 1)
    places = np.mod(unfolded, period)
    corners = np.rint(np.minimum(places, period - places)).astype(int)
    corners = np.minimum(corners, room)
    clips = np.zeros((len(images), num_frames, canvas, canvas), np.float32)
    for clip, image, path in zip(clips, images, corners, strict=True):
        for frame, (top, left) in zip(clip, path, strict=True):
            frame[top : top + height, left : left + width] = image
    return clips
