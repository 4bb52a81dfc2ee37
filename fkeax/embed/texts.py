"""Texts from files: a line each, a JSON object a line, or a file each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Text:
    """A text, its name, and its label if it has one."""

    text: str
    id: str
    label: str | None


def read_lines(path: Path) -> list[Text]:
    """Return the lines of a text file, named by their numbers from 1.

    Raises:
        ValueError: A line is empty, or it is not UTF-8.
    """
    found = []
    for number, line in enumerate(_decode(path).splitlines(), start=1):
        if not line.strip():
            raise ValueError(f"{str(path)!r}, line {number}: the line is empty; expected one text a line.")
        found.append(Text(line.strip(), str(number), None))
    return found


def read_json_lines(path: Path, field: str) -> list[Text]:
    """Return the texts of a file of JSON objects, one a line; "id" and "label" are taken where they are there.

    Raises:
        ValueError: A line is no object, has no text of that name, or an id that another line has.
    """
    found: list[Text] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(_decode(path).splitlines(), start=1):
        if not line.strip():
            continue
        place = f"{str(path)!r}, line {number}"
        try:
            entry = json.loads(line)
            json.dumps(
                entry, ensure_ascii=False
            ).encode()  # half a surrogate pair is no character, and no file takes it
        except UnicodeEncodeError:
            raise ValueError(f"{place}: it holds half of a surrogate pair, which is no character.") from None
        except (ValueError, RecursionError) as error:  # too long a number, too deep a nest
            raise ValueError(f"{place}: it is no JSON: {str(error).rstrip('.')}.") from None
        if not isinstance(entry, dict):
            raise ValueError(f"{place}: expected an object such as {{{field!r}: ...}}, got {type(entry).__name__}.")
        text = entry.get(field)
        if not isinstance(text, str) or not text.strip():
            came = f"it holds {', '.join(map(repr, entry)) or 'nothing'}" if field not in entry else f"got {text!r}"
            raise ValueError(f"{place}: expected a text as {field!r}; {came}.")
        label, name = entry.get("label"), str(entry.get("id", number))
        if name in lines:
            raise ValueError(f"{place}: the id {name!r} is that of line {lines[name]}; expected one of its own.")
        lines[name] = number
        found.append(Text(text, name, None if label is None else str(label)))
    return found


def read_whole(path: Path) -> str:
    """Return the text of a file.

    Raises:
        ValueError: It is empty, or not UTF-8.
    """
    text = _decode(path).strip()
    if not text:
        raise ValueError(f"{str(path)!r} is empty; expected a text.")
    return text


def _decode(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{str(path)!r} is no text in UTF-8: {error}.") from None
