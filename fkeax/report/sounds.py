"""Short sounds for a page: mono, MP3 where libsndfile can write that, else WAV of 16 bits."""

from __future__ import annotations

import io

import numpy as np
from jaxtyping import Float

LONGEST_SECONDS = 10.0
MP3_RATES = (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000)


def encode_sound(signal: Float[np.ndarray, "samples"], sample_rate: int) -> tuple[bytes, str]:
    """Return the beginning of a sound as the content of a file, and its media type.

    Args:
        signal: One channel, in [-1, 1]; louder samples are cut off. At most ten seconds are kept.
        sample_rate: Samples a second.

    Raises:
        ImportError: soundfile is not installed.
        ValueError: A sample is not finite.
    """
    try:
        import soundfile
    except ImportError:
        raise ImportError(
            "sounds need the package soundfile; install it with `pip install 'fkeax[encoders]'`."
        ) from None
    if not np.isfinite(signal).all():
        raise ValueError("signal must be finite; it holds NaN or infinity.")
    kept = np.clip(signal[: round(LONGEST_SECONDS * sample_rate)], -1, 1)
    buffer = io.BytesIO()
    if sample_rate in MP3_RATES and "MP3" in soundfile.available_formats():
        soundfile.write(buffer, kept, sample_rate, format="MP3")
        return buffer.getvalue(), "audio/mpeg"
    soundfile.write(buffer, kept, sample_rate, format="WAV", subtype="PCM_16")
    return buffer.getvalue(), "audio/wav"
