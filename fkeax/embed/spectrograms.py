"""Mel spectrograms as librosa makes them, of windows of one length: frames centred, zeros beyond the ends."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float32


def slaney_mel_filters(sample_rate: int, num_fft: int, num_filters: int) -> Float32[np.ndarray, "bins filters"]:
    """Return triangular filters on Slaney's scale of pitch, of unit area: librosa's default."""
    step, knee, log_step = 200.0 / 3, 1000.0, np.log(6.4) / 27
    top = 15 + np.log(sample_rate / 2 / knee) / log_step
    mels = np.linspace(0, top, num_filters + 2)
    edges = np.where(mels < 15, mels * step, knee * np.exp(log_step * (mels - 15)))
    filters = _triangles(edges, sample_rate, num_fft)
    return (filters * (2 / (edges[2:] - edges[:-2]))).astype(np.float32)


def htk_mel_filters(sample_rate: int, num_fft: int, num_filters: int) -> Float32[np.ndarray, "bins filters"]:
    """Return triangular filters on HTK's scale of pitch, each of sum 1."""
    mels = np.linspace(0, 2595 * np.log10(1 + sample_rate / 2 / 700), num_filters + 2)
    filters = _triangles(700 * (10 ** (mels / 2595) - 1), sample_rate, num_fft)
    return (filters / np.maximum(filters.sum(axis=0), 1e-9)).astype(np.float32)


def _triangles(edges: np.ndarray, sample_rate: int, num_fft: int) -> np.ndarray:
    bins = np.linspace(0, sample_rate / 2, num_fft // 2 + 1)[:, None]
    rising = (bins - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - bins) / (edges[2:] - edges[1:-1])
    return np.maximum(0, np.minimum(rising, falling))


def mel_powers(
    signals: Float32[np.ndarray, "b samples"],
    filters: Float32[np.ndarray, "bins filters"],
    *,
    hop: int,
    num_frames: int,
) -> Float32[np.ndarray, "b frames filters"]:
    """Return the power of each signal in mel bands: periodic Hann window, frames centred at multiples of `hop`."""
    num_fft = 2 * (len(filters) - 1)
    window = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(num_fft) / num_fft)).astype(np.float32)
    padded = np.pad(signals, ((0, 0), (num_fft // 2, num_fft // 2)))
    frames = np.lib.stride_tricks.sliding_window_view(padded, num_fft, axis=1)[:, ::hop][:, :num_frames]
    # A signal at a time: the frames overlap, and all of a batch would be many times its size.
    powers = [np.abs(np.fft.rfft(part * window, axis=1)).astype(np.float32) ** 2 @ filters for part in frames]
    return np.stack(powers)
