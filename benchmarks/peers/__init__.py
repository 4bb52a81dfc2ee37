"""Whom fkeax is compared with, one file a peer: packages by their own calls, formulas as a careful user writes them."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable

from benchmarks.timing import Absent, Contender, Values


def contender(
    name: str, package: str, call: Callable[[], Values], *, compiles: bool = False, compared: bool = True
) -> Contender | Absent:
    """Return a contender that needs a module, imported now, or, where that is not installed, that it is absent."""
    top = package.partition(".")[0]
    if importlib.util.find_spec(top) is None:
        return Absent(name, f"{top} is not installed")
    importlib.import_module(package)  # or the first round would pay for it
    return Contender(name, call, compiles=compiles, compared=compared)
