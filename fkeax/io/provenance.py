"""Where a number came from: versions, machine, command, seed, inputs and time."""

from __future__ import annotations

import os
import platform
import shlex
import sys
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from fkeax.io.content_hash import sha256_of_file

PACKAGES = ("fkeax", "jax", "jaxlib", "numpy", "scipy")


def describe_run(
    *,
    command: Sequence[str],
    seed: int | None,
    inputs: Iterable[str | os.PathLike[str]],
    started: float,
    packages: Sequence[str] = PACKAGES,
) -> dict[str, Any]:
    """Describe a run well enough to repeat it.

    Reads every input once for its hash and asks JAX for its device, which starts JAX's backend.

    Args:
        command: The words of the command line.
        seed: The seed, or None where nothing is random.
        inputs: The files that were read.
        started: `time.time()` at the start of the run; the seconds are counted up to this call.
        packages: The packages whose versions matter.

    Returns:
        A dictionary for JSON with the keys command, seed, inputs (path, bytes, sha256), started (UTC), seconds,
        packages, python, platform and device.

    Raises:
        OSError: An input cannot be read.
    """
    seconds = time.time() - started
    return {
        "command": shlex.join(_printable(word) for word in command),
        "seed": seed,
        "inputs": [_describe_file(path) for path in inputs],
        "started": datetime.fromtimestamp(started, UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "packages": {name: _version(name) for name in packages},
        "python": platform.python_version(),
        "platform": platform.platform(),
        "device": _describe_device(),
    }


def _describe_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    return {
        "path": _printable(os.fspath(path)),
        "bytes": os.path.getsize(path),
        "sha256": sha256_of_file(path),
    }


def _printable(text: str) -> str:
    # Names of files need not be valid Unicode; what cannot be decoded is shown as an escape.
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        # A checkout on the path without an installation still knows its own version.
        module = sys.modules.get(name)
        version = getattr(module, "__version__", None)
        return version if isinstance(version, str) else None


def _describe_device() -> dict[str, Any]:
    import jax

    devices = jax.devices()
    return {"platform": devices[0].platform, "kind": devices[0].device_kind, "count": len(devices)}
