"""Importing fkeax does nothing: no heavy module, no backend, no flag, no log handler."""

from __future__ import annotations

from collections.abc import Callable

import pytest

HEAVY = ("jax", "jaxlib", "numpy", "scipy", "matplotlib", "sklearn", "typer", "rich", "hydra")

IMPORT_ALL = """
import importlib, pkgutil
import fkeax
for module in pkgutil.walk_packages(fkeax.__path__, "fkeax."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
for name in dir(fkeax):
    getattr(fkeax, name)
"""


@pytest.mark.parametrize("module", ["fkeax", "fkeax.results"])
def test_import_loads_nothing_heavy(module: str, run_python: Callable[..., str]) -> None:
    code = f"import sys, {module}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    assert run_python(code).split() == []


def test_files_are_read_without_jax(run_python: Callable[..., str]) -> None:
    """An experiment settles what JAX reads on import after it has read files of its own."""
    assert run_python("import sys, fkeax.io; print('jax' in sys.modules)") == "False\n"


def test_importing_every_module_starts_no_backend(run_python: Callable[..., str]) -> None:
    # With a platform that does not exist, JAX imports, and fails at the first array or device query.
    control = """
import jax
try:
    jax.numpy.zeros(())
except RuntimeError:
    print("the first array fails")
"""
    output = run_python(IMPORT_ALL + control, JAX_PLATFORMS="nonesuch")
    assert output.strip() == "the first array fails"


def test_importing_every_module_sets_no_flag(run_python: Callable[..., str]) -> None:
    before = """
import logging, os
import jax
def state():
    environment = {name: value for name, value in os.environ.items() if name.startswith(("JAX_", "XLA_", "TF_"))}
    return dict(jax.config.values), environment, list(logging.getLogger().handlers)
before = state()
"""
    after = """
print(state() == before)
jax.config.update("jax_enable_x64", not jax.config.jax_enable_x64)
print(state() == before)
"""
    assert run_python(before + IMPORT_ALL + after).split() == ["True", "False"]
