"""The status of a run: a small file that is true at any moment, also after a kill."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from experiments.outcome import RESULT, STATUS

RUNNING, FINISHED, FAILED, SKIPPED, INTERRUPTED = "running", "finished", "failed", "skipped", "interrupted"


@dataclass(frozen=True)
class Status:
    """What is known about one run.

    Attributes:
        status: running, finished, failed, skipped or interrupted.
        experiment: Its name; None where none was chosen.
        overrides: The words of the command line that this job got.
        run_hash: Of configuration and inputs; None until it is known.
        started: UTC.
        host: The machine.
        pid: The process.
        error: Type, message and traceback; None unless failed.
        finished_in: For a skipped run, the folder of the finished one.
    """

    status: str
    experiment: str | None
    overrides: list[str]
    run_hash: str | None = None
    started: str = ""
    host: str = ""
    pid: int = 0
    error: dict[str, str] | None = None
    finished_in: str | None = None


def begin(folder: Path, experiment: str | None, overrides: list[str]) -> Status:
    """Write and return the status of a run that begins now in this process."""
    status = Status(
        status=RUNNING,
        experiment=experiment,
        overrides=overrides,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        host=socket.gethostname(),
        pid=os.getpid(),
    )
    write(folder, status)
    return status


def write(folder: Path, status: Status) -> None:
    """Write the status of a run, whole or not at all."""
    from fkeax.io import write_json

    write_json(folder / STATUS, asdict(status))


def read(folder: Path) -> Status:
    """Read the status of a run and correct it by what can be seen.

    A run counts as finished only where its result is. One that says it is running, on this machine, but whose process
    is gone, was interrupted.

    Raises:
        OSError, ValueError: The file is missing or damaged.
    """
    from fkeax.results import loads

    document: Any = loads((folder / STATUS).read_text(encoding="utf-8"))
    try:
        status = Status(**document)
    except TypeError:
        raise ValueError(f"{str(folder / STATUS)!r} is not the status of a run.") from None
    has_result = (folder / RESULT).is_file()
    if has_result and status.status != SKIPPED:
        return replace(status, status=FINISHED)
    if status.status == FINISHED or (status.status == RUNNING and _is_gone(status)):
        return replace(status, status=INTERRUPTED)
    return status


def _is_gone(status: Status) -> bool:
    if status.host != socket.gethostname():
        return False
    try:
        os.kill(status.pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def all_runs(root: Path) -> Iterator[tuple[Path, Status]]:
    """Yield the folder and the status of every run below a folder, in the order of their paths."""
    folders = sorted((path.parent for path in root.glob(f"**/{STATUS}")), key=_natural)
    for folder in folders:
        try:
            yield folder, read(folder)
        except (OSError, ValueError):
            continue  # not a run of ours, or gone since it was listed


def _natural(folder: Path) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in folder.parts]
