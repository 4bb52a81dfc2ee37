"""The fingerprint of a file's content."""

from __future__ import annotations

import hashlib
import os


def sha256_of_file(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of the bytes of a file, read as a stream.

    Args:
        path: A file.

    Returns:
        64 hexadecimal digits, as `sha256sum` prints them.

    Raises:
        OSError: The file cannot be read.
    """
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
