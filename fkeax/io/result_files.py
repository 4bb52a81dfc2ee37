"""Result files: strict JSON with the results and where they came from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fkeax.io.atomic import write_text
from fkeax.results import JSONValue, Result, dumps, loads


@dataclass(frozen=True)
class ResultFile:
    """The content of a result file.

    Attributes:
        results: The results, in the order of the file.
        provenance: Versions, command, seed, input hashes, time; empty when the file has none.
    """

    results: list[Result]
    provenance: dict[str, Any]


def write_json(path: str | os.PathLike[str], document: Any) -> None:
    """Write any document as strict JSON, whole or not at all.

    Args:
        path: The file to write.
        document: Plain values, NumPy and JAX numbers and arrays.

    Raises:
        OSError: The file cannot be written.
        ValueError: A number is not finite; the message names where, and no file is written.
        TypeError: A value has no JSON form.
    """
    write_text(path, dumps(document) + "\n")


def write_results(path: str | os.PathLike[str], results: Iterable[Result], provenance: Mapping[str, Any]) -> None:
    """Write results and their provenance as strict JSON, whole or not at all.

    Args:
        path: The file to write.
        results: The results, in the order in which they shall stand.
        provenance: What `describe_run` returns, or any other dictionary.

    Raises:
        OSError: The file cannot be written.
        ValueError: A number is not finite.

    Example:
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "out.json")
        ...     write_results(path, [Result("rke", 7.25, None, {"bandwidth": 16.0}, {})], {"seed": 0})
        ...     read_results(path).results[0].value
        7.25
    """
    write_json(path, {"results": [result.to_dict() for result in results], "provenance": dict(provenance)})


def read_json(path: str | os.PathLike[str]) -> JSONValue:
    """Read a file of strict JSON, such as `write_json` writes.

    Args:
        path: The file.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not strict JSON; the sentence names the file and the fault.
    """
    try:
        with open(path, encoding="utf-8") as stream:
            return loads(stream.read())
    except ValueError as error:  # UnicodeDecodeError and JSONDecodeError among them
        raise ValueError(f"{os.fspath(path)!r} is not a strict JSON file: {error}") from None


def read_results(path: str | os.PathLike[str]) -> ResultFile:
    """Read a result file and check it.

    Args:
        path: A file that `write_results` or `fkeax score --json` wrote.

    Returns:
        The results and their provenance.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is not strict JSON or not a result file; one sentence names the file and the fault.
    """
    name, document = repr(os.fspath(path)), read_json(path)
    if not isinstance(document, dict) or not isinstance(document.get("results"), list):
        raise ValueError(f'{name} is not a result file; expected {{"results": [...], "provenance": {{...}}}}.')
    provenance = document.get("provenance", {})
    if not isinstance(provenance, dict):
        raise ValueError(f"{name} has a provenance that is no object; expected a JSON object.")
    results = []
    for position, entry in enumerate(document["results"]):
        try:
            results.append(Result.from_dict(entry))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} has a bad entry results[{position}]: {error}") from None
    return ResultFile(results, provenance)
