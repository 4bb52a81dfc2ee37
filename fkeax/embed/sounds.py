"""Sound files as windows of one length and sample rate (libsndfile, through the package soundfile)."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float32

from fkeax.embed.encoder import Windows
from fkeax.numerics.resampling import resample

SUFFIXES = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".aif", ".aiff")


def num_windows(path: Path, windows: Windows) -> int:
    """Return how many whole windows a file holds; a shorter file is one window. Reads the header only.

    Raises:
        ValueError: It is no sound file; the message names it.
        ImportError: soundfile is not installed.
    """
    with _opened(path) as file:
        length = -(-file.frames * windows.sample_rate // file.samplerate)
    if length == 0:
        raise ValueError(f"{str(path)!r} holds no sound: it has no samples.")
    return max(1, length // windows.num_samples)


def read_window(path: Path, windows: Windows, number: int) -> Float32[np.ndarray, "samples"]:
    """Return one window of a file: channels averaged, resampled as a whole, zeros after the end.

    What is left after the last whole window is not used.
    """
    stat = path.stat()
    signal = _decoded(path, windows.sample_rate, stat.st_mtime_ns, stat.st_size)
    cut = signal[number * windows.num_samples : (number + 1) * windows.num_samples]
    return np.pad(cut, (0, windows.num_samples - len(cut)))


# Windows of a file are read one after the other; the file is decoded once. Time and size tell a changed file.
@functools.lru_cache(maxsize=1)
def _decoded(path: Path, sample_rate: int, _modified: int, _size: int) -> np.ndarray:
    with _opened(path) as file:
        try:
            signal = file.read(dtype="float32", always_2d=True).mean(axis=1)
        except RuntimeError as error:
            raise ValueError(f"{str(path)!r} cannot be read as a sound: {error}.") from None
        return resample(signal, file.samplerate, sample_rate)


def _opened(path: Path) -> Any:
    try:
        import soundfile
    except ImportError:
        raise ImportError(
            "sounds need the package soundfile; install it with `pip install 'fkeax[encoders]'`."
        ) from None
    if not path.is_file():
        raise FileNotFoundError(f"{str(path)!r} does not exist; expected a sound file.")
    try:
        return soundfile.SoundFile(path)
    except RuntimeError as error:  # soundfile's own error is one
        raise ValueError(f"{str(path)!r} cannot be read as a sound: {error}.") from None
