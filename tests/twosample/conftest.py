"""Fixtures of the comparisons' tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import pytest


@pytest.fixture
def compiled_programs() -> Iterator[list[float]]:
    """The durations of the compilations since the test began, or since the list was cleared."""
    durations: list[float] = []

    def listen(event: str, duration: float, **_: Any) -> None:
        if event.endswith("backend_compile_duration"):
            durations.append(duration)

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield durations
    jax.monitoring.unregister_event_duration_listener(listen)
