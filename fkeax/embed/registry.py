"""Encoders by name. A new one is a file beside this one and an entry below."""

from __future__ import annotations

import difflib
from pathlib import Path

from fkeax.embed import aisfx, efficientnet_lite, minilm, musicnn, pixels, resemblyzer, use_multilingual
from fkeax.embed.encoder import Encoder
from fkeax.embed.onnx_model import onnx_encoder
from fkeax.embed.torch_models import TORCH_ENCODERS
from fkeax.embed.user_function import user_encoder

_LISTED = (
    pixels.PIXELS,
    efficientnet_lite.LITE0,
    efficientnet_lite.LITE2,
    minilm.MINILM,
    use_multilingual.ENCODER,
    musicnn.MTT,
    musicnn.MSD,
    musicnn.MTT_VGG,
    musicnn.MSD_VGG,
    aisfx.ENCODER,
    resemblyzer.ENCODER,
)

ENCODERS = {encoder.name: encoder for encoder in _LISTED}


def find_encoder(name: str) -> Encoder:
    """Return an encoder by its short name, from an ONNX file, or around a function of the user's.

    Args:
        name: One of `ENCODERS`, one of `TORCH_ENCODERS` ("torch:..."), "FILE.onnx", or "module:function".

    Raises:
        ValueError: There is none of that name; the message suggests a close one.
        OSError: The ONNX file does not exist.

    Example:
        >>> find_encoder("efficientnet-lite0").dimension
        1280
    """
    known = ENCODERS | TORCH_ENCODERS
    if name in known:
        return known[name]
    if name.endswith(".onnx"):
        return onnx_encoder(Path(name))
    if ":" in name and not name.lower().startswith("torch:"):
        return user_encoder(name)
    close = difflib.get_close_matches(name.lower(), known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    raise ValueError(f"model must be one of {', '.join(known)}, FILE.onnx or module:function, got {name!r}{hint}")
