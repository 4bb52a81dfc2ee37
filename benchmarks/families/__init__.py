"""The families of benchmarks by name; each module defines ``FAMILY``."""

from __future__ import annotations

import importlib

from benchmarks.case import Family

FAMILIES = (
    "fkea",
    "streaming",
    "quadrature",
    "exact",
    "modes",
    "mauve",
    "neighbours",
    "mmd_test",
    "mmdagg",
    "frechet",
    "prdc",
    "power",
    "compiling",
    "start",
)


def family(name: str) -> Family:
    """Return a family; its module is loaded now, its peers when a case is measured."""
    return importlib.import_module(f"benchmarks.families.{name}").FAMILY
