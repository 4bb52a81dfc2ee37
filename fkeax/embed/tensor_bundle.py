"""A checkpoint of TensorFlow (tensor bundle: an index and a file of numbers), read without TensorFlow.

The index is a sorted table of LevelDB's format without compression, its values small protocol buffers. Only numbers are
read; nothing in the files can run.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from fkeax.embed.protobuf import Fields, read_message, read_varint

_DTYPES = {1: "<f4", 2: "<f8", 3: "<i4", 9: "<i8", 10: "?"}
_FOOTER_BYTES = 48


def read_tensor_bundle(index: Path, data: Path) -> dict[str, np.ndarray]:
    """Return the tensors of a checkpoint of one data file, by name; kinds other than numbers are passed over.

    Args:
        index: The file that ends in .index.
        data: The file that ends in .data-00000-of-00001.

    Raises:
        ValueError: A file is damaged; the message names the index.
    """
    numbers = data.read_bytes()
    try:
        return _tensors(index.read_bytes(), numbers)
    except (IndexError, KeyError, ValueError, struct.error, TypeError) as error:
        raise ValueError(f"{str(index)!r} is no index of a TensorFlow checkpoint, or is damaged: {error}.") from None


def _tensors(table: bytes, numbers: bytes) -> dict[str, np.ndarray]:
    footer = table[-_FOOTER_BYTES:]
    place = 0
    for _ in range(2):  # where the index of filters is: there are none
        _, place = read_varint(footer, place)
    offset, place = read_varint(footer, place)
    size, place = read_varint(footer, place)
    found = {}
    for _, handle in _block(table, offset, size):
        block_offset, place = read_varint(handle, 0)
        block_size, _ = read_varint(handle, place)
        for name, entry in _block(table, block_offset, block_size):
            tensor = _tensor(read_message(entry), numbers) if name else None  # the empty name describes the bundle
            if tensor is not None:
                found[name.decode()] = tensor
    return found


def _tensor(entry: Fields, numbers: bytes) -> np.ndarray | None:
    dtype = _DTYPES.get(_number(entry, 1))
    if dtype is None:
        return None
    shape = []
    for described in entry.get(2, []):
        shape += [_number(read_message(bytes(axis)), 1) for axis in read_message(bytes(described)).get(2, [])]  # type: ignore[arg-type]
    offset, size = _number(entry, 4), _number(entry, 5)
    if offset + size > len(numbers):
        raise ValueError("it points beyond the end of the numbers")
    return np.frombuffer(numbers[offset : offset + size], dtype).reshape(shape)


def _number(fields: Fields, key: int) -> int:
    value = fields.get(key, [0])[0]
    if not isinstance(value, int):
        raise ValueError("a number is missing")
    return value


def _block(table: bytes, offset: int, size: int) -> list[tuple[bytes, bytes]]:
    """Return the keys and values of one block; each key says how much of the one before it shares."""
    if table[offset + size] != 0:
        raise ValueError("a block is compressed")
    content = table[offset : offset + size]
    (num_restarts,) = struct.unpack("<I", content[-4:])
    end, place, key, found = size - 4 - 4 * num_restarts, 0, b"", []
    while place < end:
        shared, place = read_varint(content, place)
        own, place = read_varint(content, place)
        length, place = read_varint(content, place)
        key = key[:shared] + content[place : place + own]
        place += own
        found.append((key, content[place : place + length]))
        place += length
    return found
