"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

KERNEL_FOLDERS = ("/proc/", "/sys/")


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Check that a file may be created at `path`, before an hour of computing is spent on its content.

    Args:
        path: Where a file shall be written.

    Returns:
        The path.

    Raises:
        OSError: The path is a folder, its folder is missing, or it may not be written.
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"cannot write {str(target)!r}: it is a folder; expected the name of a file.")
    folder = target.parent
    if str(target.absolute()).startswith(KERNEL_FOLDERS) and not _is_special(target):
        raise OSError(f"cannot write {str(target)!r}: {str(folder)!r} is the kernel's; name a place for files.")
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise FileNotFoundError(f"cannot write {str(target)!r}: {str(folder)!r} {what}.")
    if not _is_special(target) and not os.access(os.path.dirname(os.path.realpath(target)), os.W_OK | os.X_OK):
        raise PermissionError(f"cannot write {str(target)!r}: no permission to create files in {str(folder)!r}.")
    return target


@contextmanager
def open_atomic(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a binary file for writing that takes the place of `path` only when the block ends well.

    The bytes go to a temporary file in the same folder, are flushed to the disk, and the file is renamed. On an
    exception, Ctrl-C included, the temporary file is removed and an older file at `path` stays as it was. A process
    that is killed leaves at most a hidden file that ends in ".tmp". The mode of the file follows the umask.

    Args:
        path: The file to write; a symbolic link is followed. A device or a pipe is written directly.

    Yields:
        The open file.

    Raises:
        OSError: The folder is missing or not writable, or the disk is full.
    """
    target = check_writable(path)
    if _is_special(target):
        with open(target, "wb") as stream:
            yield stream
        return
    target = Path(os.path.realpath(target))
    # os.open rather than tempfile, whose files have mode 0600 whatever the umask says; a name of bounded length.
    temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666)
        with open(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to `path`, whole or not at all.

    Args:
        path: The file to write.
        data: Its content.

    Raises:
        OSError: As `open_atomic`.
    """
    with open_atomic(path) as stream:
        stream.write(data)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` as UTF-8 to `path`, whole or not at all.

    Args:
        path: The file to write.
        text: Its content.

    Raises:
        OSError: As `open_atomic`.
    """
    write_bytes(path, text.encode("utf-8"))


def write_npz(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> None:
    """Write named arrays as an uncompressed .npz file, whole or not at all.

    Args:
        path: The file to write; its name is used as it is.
        arrays: Names and arrays; no object arrays, which would have to be pickled.

    Raises:
        OSError: As `open_atomic`.
        TypeError: An array holds Python objects.
    """
    import numpy as np

    plain = {name: np.asarray(array) for name, array in arrays.items()}
    for name, array in plain.items():
        if array.dtype.hasobject:
            raise TypeError(f"array {name!r} holds Python objects; expected numbers, bools or strings.")
    with open_atomic(path) as stream:
        np.savez(stream, **plain)  # pyright: ignore[reportArgumentType]


def _is_special(path: Path) -> bool:
    # /dev/stdout may lead to a regular file, which belongs to whoever redirected it: written to, never replaced.
    if re.match(r"/dev/(stdout|stderr|fd/)|/proc/[^/]+/fd/", str(path)):
        return True
    return path.exists() and not path.is_file()
