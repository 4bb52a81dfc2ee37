"""How many programs XLA compiled in this process."""

from __future__ import annotations

from typing import Any

_durations: list[float] = []
_listening = False


def listen() -> None:
    """Begin to count; may be called again."""
    global _listening
    import jax

    if not _listening:
        jax.monitoring.register_event_duration_secs_listener(_record)
        _listening = True


def _record(event: str, duration_secs: float, **_: Any) -> None:
    if event.endswith("backend_compile_duration"):
        _durations.append(duration_secs)


def so_far() -> tuple[int, float]:
    """Return how many programs were compiled since `listen`, and in how many seconds."""
    return len(_durations), sum(_durations)
