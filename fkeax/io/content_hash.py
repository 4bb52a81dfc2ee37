"""The fingerprint of a file's content, and of an array's."""

from __future__ import annotations

import hashlib
import math
import os
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fkeax.numerics.row_blocks import RowBlocks

_CHUNK_BYTES = 1 << 24


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


def sha256_of_array(array: np.ndarray | RowBlocks) -> str:
    """Return the SHA-256 of what an array holds: the name of its dtype, its shape and its numbers.

    The same for the same numbers in any file format, in C or Fortran order, in any byte order, in one piece or in
    shards. Reads the array once, some megabytes at a time.

    Args:
        array: Features, or labels of rows.

    Returns:
        64 hexadecimal digits.

    Example:
        >>> x = np.arange(6.0).reshape(3, 2)
        >>> sha256_of_array(x) == sha256_of_array(np.asfortranarray(x).astype(">f8"))
        True
    """
    shape = " ".join(str(size) for size in array.shape)
    digest = hashlib.sha256(f"{array.dtype.newbyteorder('=').name} {shape}\n".encode())
    little = array.dtype.newbyteorder("<")
    row_bytes = math.prod(array.shape[1:]) * array.dtype.itemsize
    step = max(1, _CHUNK_BYTES // max(1, row_bytes))
    for start in range(0, array.shape[0], step):
        rows = np.ascontiguousarray(array[start : start + step], dtype=little)
        digest.update(rows.view(np.uint8).data)
    return digest.hexdigest()
