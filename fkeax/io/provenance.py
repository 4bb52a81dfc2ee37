"""Where a number came from: versions, machine, command, seed, inputs and time."""

from __future__ import annotations

import os
import platform
import shlex
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
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
    references: Iterable[str | os.PathLike[str]] = (),
    packages: Sequence[str] = PACKAGES,
) -> dict[str, Any]:
    """Describe a run well enough to repeat it.

    Reads every input once for its hash and asks JAX for its device, which starts JAX's backend.

    Args:
        command: The words of the command line.
        seed: The seed, or None where nothing is random.
        inputs: The files that were read.
        started: `time.time()` at the start of the run; the seconds are counted up to this call.
        references: Those of the inputs that the others were compared with.
        packages: The packages whose versions matter.

    Returns:
        A dictionary for JSON with the keys command, cwd, seed, inputs (path, bytes, sha256, and the role "reference"
        of those that were compared with), started (UTC), seconds, packages, python, platform and device.

    Raises:
        OSError: An input cannot be read.
    """
    seconds = time.time() - started
    compared = {os.fspath(path) for path in references}
    return {
        "command": shlex.join(_printable(word) for word in command),
        "cwd": _printable(os.getcwd()),
        "seed": seed,
        "inputs": [
            describe_file(path) | ({"role": "reference"} if os.fspath(path) in compared else {}) for path in inputs
        ],
        "started": datetime.fromtimestamp(started, UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        **describe_environment(packages),
    }


def describe_environment(packages: Sequence[str] = PACKAGES) -> dict[str, Any]:
    """Return what computes: the versions of packages, of Python and of the system, and the device.

    Asks JAX for its device, which starts JAX's backend.

    Args:
        packages: The packages whose versions matter.
    """
    return {
        "packages": {name: _version(name) for name in packages},
        "python": platform.python_version(),
        "platform": platform.platform(),
        "device": _describe_device(),
    }


def check_inputs(provenance: Mapping[str, Any], folder: str | os.PathLike[str]) -> None:
    """Check that the inputs of a run still are what they were.

    Args:
        provenance: What :func:`describe_run` returned.
        folder: Where relative paths start.

    Raises:
        OSError: An input is missing or cannot be read.
        ValueError: The content of an input has changed.
    """
    entries = provenance.get("inputs", [])
    if not isinstance(entries, list) or not all(_names_a_file(entry) for entry in entries):
        raise ValueError("provenance.inputs must be a list of files, each with its path and sha256 as text.")
    for entry in entries:
        path = os.path.join(folder, entry["path"])
        if not os.path.exists(path):
            raise FileNotFoundError(f"the input {path!r} does not exist; the result was computed from it.")
        digest = describe_file(path)["sha256"]
        if digest != entry["sha256"]:
            raise ValueError(
                f"the input {path!r} has changed since the result was computed: its SHA-256 was "
                f"{entry['sha256'][:12]}... and is {digest[:12]}...."
            )


def _names_a_file(entry: object) -> bool:
    return isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in ("path", "sha256"))


def describe_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the path, the size and the SHA-256 of a file.

    Args:
        path: A file.

    Raises:
        OSError: The file cannot be read.
    """
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
