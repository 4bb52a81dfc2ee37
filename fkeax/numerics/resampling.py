"""Signals at another sample rate."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float32


def resample(signal: Float32[np.ndarray, "samples"], rate: int, new_rate: int) -> Float32[np.ndarray, "new_samples"]:
    """Return a signal at a new sample rate, low-passed before by a Kaiser window (polyphase filter).

    Args:
        signal: At `rate` samples a second.
        rate: Of the signal.
        new_rate: Of the result, which has ceil(samples new_rate / rate) samples.

    Example:
        >>> resample(np.ones(441, np.float32), 44100, 16000).shape
        (160,)
    """
    if rate == new_rate:
        return signal
    from scipy.signal import resample_poly

    common = math.gcd(rate, new_rate)
    return resample_poly(signal, new_rate // common, rate // common).astype(np.float32)
