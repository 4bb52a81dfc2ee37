"""Where fetched files are kept."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "FKEAX_CACHE"


def cache_folder() -> Path:
    """Return the folder of fetched files: $FKEAX_CACHE, or fkeax in the user's cache folder; it need not exist yet.

    Example:
        >>> os.environ["FKEAX_CACHE"] = "/scratch/fkeax"
        >>> str(cache_folder())
        '/scratch/fkeax'
        >>> del os.environ["FKEAX_CACHE"]
    """
    given = os.environ.get(VARIABLE)
    if given:
        return Path(given).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "fkeax"
