"""What every test runs under: checked annotations, strict promotion, its own random key, no window."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from pathlib import Path

# Before anything imports matplotlib, here or in a child process: tests open no window.
os.environ.setdefault("MPLBACKEND", "Agg")

# Before anything imports fkeax: every annotated function checks the shapes and dtypes it is given.
if not os.environ.get("FKEAX_NO_TYPECHECK"):
    from jaxtyping import install_import_hook

    from tests import typecheck  # the hook looks it up, but does not import it

    install_import_hook("fkeax", f"{typecheck.__name__}.check")

import jax
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put every test without a tier into the fast one, so that `-m fast` selects it."""
    for item in items:
        if not any(item.get_closest_marker(tier) for tier in ("slow", "gpu", "needs_data")):
            item.add_marker("fast")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what this machine cannot run, with the reason."""
    if item.get_closest_marker("gpu") and jax.default_backend() != "gpu":
        pytest.skip("JAX sees no GPU")
    if item.get_closest_marker("needs_data") and not os.environ.get("FKEAX_DATA"):
        pytest.skip("FKEAX_DATA names no folder with data")


@pytest.fixture(autouse=True)
def strict_promotion() -> Iterator[None]:
    """Refuse implicit dtype and rank promotion; a test that calls third-party JAX code overrides it in a `with`."""
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        yield


@pytest.fixture
def key(request: pytest.FixtureRequest) -> jax.Array:
    """A random key of this test's own, the same in every run and whatever else is selected."""
    return jax.random.key(zlib.crc32(request.node.nodeid.encode()))


@pytest.fixture
def x64() -> Iterator[None]:
    """Double precision while the test runs."""
    with jax.enable_x64(True):
        yield


@pytest.fixture
def data_dir() -> Path:
    """The folder of the files that do not ship; for tests marked `needs_data`."""
    return Path(os.environ["FKEAX_DATA"])
