"""Encoders: from images, texts and sounds to rows of features, with real weights and without torch or TensorFlow.

Weights come from packages of the package index (`fkeax.assets`), read as files; nothing of the packages is imported and
nothing is unpickled. A new encoder is one file: an :class:`Encoder`, listed in `registry.py`.

Example:
    >>> import numpy as np
    >>> encoder = find_encoder("pixels")
    >>> encode = encoder.load()
    >>> encode([np.full((1, 2, 3), 255, np.uint8)]).tolist()
    [[1.0, 1.0, 1.0, 1.0, 1.0, 1.0]]
"""

from __future__ import annotations

from fkeax.embed.encoder import Encoder, Windows
from fkeax.embed.registry import ENCODERS, find_encoder
from fkeax.embed.run import Embedded, embed
from fkeax.embed.sources import Item, Source, open_source
from fkeax.embed.torch_models import TORCH_ENCODERS

__all__ = [
    "ENCODERS",
    "TORCH_ENCODERS",
    "Embedded",
    "Encoder",
    "Item",
    "Source",
    "Windows",
    "embed",
    "find_encoder",
    "open_source",
]
