"""The `fkeax` command: `score`, `modes` and `demo`; the entry point is `fkeax.cli.main.main`."""

from __future__ import annotations

__all__: list[str] = []
