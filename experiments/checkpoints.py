"""Training that goes on after a kill: states kept by orbax, the newest only."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any, TypeVar

LOG = logging.getLogger(__name__)
T = TypeVar("T")


def restore(folder: Path, start: T) -> tuple[T, int]:
    """Return the newest state of a folder and how many steps it has behind it, or the start and 0.

    Args:
        folder: Of `save`; need not exist.
        start: A tree of arrays of the same form as the saved ones.
    """
    import orbax.checkpoint as ocp

    if not folder.is_dir():
        return start, 0
    with _manager(folder) as manager:
        step = manager.latest_step()
        if step is None:
            return start, 0
        LOG.info("going on from step %d in %s", step, folder)
        return manager.restore(step, args=ocp.args.StandardRestore(start)), int(step)


def save(folder: Path, step: int, state: Any) -> None:
    """Keep a state, whole or not at all, in place of the one before.

    Raises:
        OSError: The folder cannot be written.
    """
    import orbax.checkpoint as ocp

    with _manager(folder) as manager:
        manager.save(step, args=ocp.args.StandardSave(state))


def _manager(folder: Path) -> Any:
    import orbax.checkpoint as ocp

    options = ocp.CheckpointManagerOptions(max_to_keep=1, enable_async_checkpointing=False)
    return ocp.CheckpointManager(folder.absolute(), options=options)
