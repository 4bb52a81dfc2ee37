"""What an experiment looks at: items to encode, with classes where they have some, and what they stand for."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fkeax.embed import Item
from fkeax.io import sha256_of_array

if TYPE_CHECKING:
    from jaxtyping import Int64, UInt8


@dataclass(frozen=True)
class Samples:
    """Images or texts, not encoded yet.

    Attributes:
        items: One per sample.
        labels: The class of each; None where they have none.
        label_names: Name of each class.
        description: What they are, in a few words.
        source: Where they come from.
        licence: Under which licence they may be used.
        label_groups: What each class belongs to, such as a country's continent; empty where nothing is known.
    """

    items: tuple[Item, ...]
    labels: Int64[np.ndarray, " n"] | None
    label_names: tuple[str, ...]
    description: str
    source: str
    licence: str
    label_groups: tuple[str, ...] = ()

    def chosen(self, rows: Sequence[int] | np.ndarray) -> Samples:
        """Return some of the samples, in the order of their numbers."""
        return dataclasses.replace(
            self,
            items=tuple(self.items[row] for row in rows),
            labels=None if self.labels is None else self.labels[np.asarray(rows, dtype=np.int64)],
        )


def items_of_pictures(pictures: UInt8[np.ndarray, "n height width 3"]) -> tuple[Item, ...]:
    """Return pictures in memory as items."""
    return tuple(
        Item(str(row), functools.partial(pictures.__getitem__, row), functools.partial(_checksum, pictures, row))
        for row in range(len(pictures))
    )


def _checksum(pictures: np.ndarray, row: int) -> str:
    return sha256_of_array(pictures[row])


def items_of_texts(texts: Sequence[str], names: Sequence[str]) -> tuple[Item, ...]:
    """Return texts in memory as items."""
    return tuple(
        Item(name, functools.partial(str, text), functools.partial(_checksum_of_text, text))
        for name, text in zip(names, texts, strict=True)
    )


def _checksum_of_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
