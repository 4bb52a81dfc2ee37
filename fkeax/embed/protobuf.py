"""Protocol buffers without their descriptions: numbers and bytes by the numbers of their fields."""

from __future__ import annotations

Fields = dict[int, list[int | bytes]]


def read_varint(content: bytes, place: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, and the place after it.

    Example:
        >>> read_varint(bytes([0xAC, 0x02]), 0)
        (300, 2)
    """
    value = shift = 0
    while True:
        byte = content[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, place


def read_message(content: bytes) -> Fields:
    """Return the fields of a message by their numbers: whole numbers, and all else as bytes.

    Raises:
        IndexError, KeyError: It is no message; callers name the file.

    Example:
        >>> read_message(bytes([0x08, 0x96, 0x01, 0x12, 0x02]) + b"hi")
        {1: [150], 2: [b'hi']}
    """
    fields: Fields = {}
    place = 0
    while place < len(content):
        tag, place = read_varint(content, place)
        kind = tag & 7
        if kind == 0:
            value, place = read_varint(content, place)
        else:
            if kind == 2:
                size, place = read_varint(content, place)
            else:
                size = {1: 8, 5: 4}[kind]
            value, place = content[place : place + size], place + size
        fields.setdefault(tag >> 3, []).append(value)
    return fields
