"""Clips as rows: features of frames pooled over time, of moving digits or of the user's own clips."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments import data as labelled_images
from experiments.fkea.params import VideoParams
from experiments.schema import Data

LOWEST = 8  # frequencies along each axis by which a frame of moving digits is encoded
FRAMES_SHOWN = 6


@dataclass(frozen=True)
class Clips:
    """Clips as features of their frames.

    Attributes:
        frames: Features of each frame of each clip, (n, t, d).
        labels: The class of each clip; None where they have none.
        label_names: Name of each class.
        pictures: The frames themselves, (n, t, height, width) in [0, 1]; None where there are only features.
        description: What they are, in a few words.
        source: Where they come from.
        licence: Under which licence they may be used.
    """

    frames: np.ndarray
    labels: np.ndarray | None
    label_names: tuple[str, ...]
    pictures: np.ndarray | None
    description: str
    source: str
    licence: str


def pooled(frames: np.ndarray) -> np.ndarray:
    """Return one row a clip: mean and standard deviation of its frames' features over time.

    The mean says what is to be seen, the deviation how much of it changes. An encoder of clips, such as the paper's
    I3D, sees the order of the frames too.

    Example:
        >>> pooled(np.array([[[1.0], [3.0]]])).tolist()
        [[2.0, 1.0]]
    """
    return np.concatenate([frames.mean(axis=1), frames.std(axis=1)], axis=1)


def spectra(frames: np.ndarray) -> np.ndarray:
    """Return the magnitudes of the lowest spatial frequencies of every frame, (t, d).

    They show a shape wherever it is in the frame: a shift changes phases only. Means of pixels would mostly show where.

    Example:
        >>> frames = np.zeros((2, 8, 8))
        >>> frames[0, 1, 2] = frames[1, 5, 0] = 1
        >>> bool(np.allclose(*spectra(frames)))
        True
    """
    count = min(LOWEST, frames.shape[1] // 2)
    whole = np.abs(np.fft.rfft2(frames, norm="ortho"))
    kept = np.concatenate([whole[:, :count, :count], whole[:, 1 - count :, :count]], axis=1)
    return kept.reshape(len(frames), -1).astype(np.float32)


def load(data: Data, params: VideoParams, seed: int) -> Clips:
    """Return the clips that the configuration asks for.

    Raises:
        ValueError: A file of clip features is not of that form, or a class has too few clips.
        OSError: data.path cannot be read.
    """
    return _own(data, params) if data.name == "clip_features" else _moving(data, params, seed)


def _moving(data: Data, params: VideoParams, seed: int) -> Clips:
    from fkeax.datasets import moving_digits

    digits = labelled_images.load_images(data)
    chosen = [np.flatnonzero(digits.labels == label)[: params.clips_per_class] for label in range(10)]
    rows = np.concatenate(chosen)
    clips = moving_digits(digits.images[rows], num_frames=params.num_frames, canvas=params.canvas, seed=seed)
    what = labelled_images.image_source(data.name).description(data)
    return Clips(
        frames=np.stack([spectra(clip) for clip in clips]),
        labels=digits.labels[rows],
        label_names=tuple(str(digit) for digit in range(10)),
        pictures=clips,
        description=f"moving digits of {what}, {params.num_frames} frames of {params.canvas} x {params.canvas}, "
        f"magnitudes of their lowest {LOWEST} x {LOWEST} frequencies",
        source=digits.source,
        licence=digits.licence,
    )


def _own(data: Data, params: VideoParams) -> Clips:
    """Return the user's features of clips: (n, t, d), or (n, d) of an encoder of clips; with labels in an .npz."""
    if data.path is None:
        raise ValueError("data.path is not set: data=clip_features reads the user's own; give data.path=FILE.npz.")
    path = Path(data.path)
    frames, labels = _read(path)
    frames = frames[:, None] if frames.ndim == 2 else frames
    if frames.ndim != 3 or not np.isfinite(frames).all():
        raise ValueError(
            f"{str(path)!r} holds features of shape {frames.shape}; expected finite (clips, frames, d) or (clips, d)."
        )
    if labels is not None and labels.shape != (len(frames),):
        raise ValueError(f"labels in {str(path)!r} have shape {labels.shape}; expected ({len(frames)},), one a clip.")
    names, numbers = (np.array([]), None) if labels is None else np.unique(labels, return_inverse=True)
    what = f"{len(frames):,} clips of {frames.shape[1]} frames"
    return Clips(frames, numbers, tuple(names.astype(str).tolist()), None, what, "The user's own.", "The user's own.")


def _read(path: Path) -> tuple[np.ndarray, np.ndarray | None]:
    if not path.is_file():
        raise FileNotFoundError(f"{str(path)!r} does not exist; expected a .npy or .npz file of features of clips.")
    found = np.load(path, allow_pickle=False)
    if isinstance(found, np.ndarray):
        return found, None
    with found:
        arrays = {name: found[name] for name in found.files}
    labels = arrays.pop("labels", None)
    if len(arrays) != 1:
        raise ValueError(
            f"{str(path)!r} must hold one array of features (and labels, if there are classes); it holds "
            f"{', '.join(arrays) or 'none'}."
        )
    return next(iter(arrays.values())), labels


def film_strips(pictures: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return film strips (modes, clips, height, width x frames, 1) of clips of these numbers, bytes."""
    places = np.linspace(0, pictures.shape[1] - 1, min(FRAMES_SHOWN, pictures.shape[1])).astype(int)
    shown = pictures[rows][:, :, places]  # (modes, clips, t, height, width)
    shown[..., :, -1] = 0.5  # a grey line ends every frame
    strips = np.moveaxis(shown, 2, 3).reshape(*rows.shape, pictures.shape[2], -1)
    return np.rint(strips[..., None] * 255).astype(np.uint8)
