"""One cell of a power grid: one test on one draw of one change; its name is its random key."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import jax

_WORDS = 4  # of 32 bits: names collide with probability 2^-128


def named_key(key: jax.Array, *name: object) -> jax.Array:
    """Return the key that belongs to a name: the same in every process and order, another one for another name.

    The SHA-256 of the words is folded into the key, 128 bits of it.

    Args:
        key: The root.
        name: Words and numbers; a number is read as Python writes it in full.

    Example:
        >>> import jax
        >>> root = jax.random.key(0)
        >>> bool(named_key(root, "shift", 0.1) == named_key(root, "shift", 0.1))
        True
        >>> bool(named_key(root, "shift", 0.1) == named_key(root, "shift", 0.5))
        False
    """
    digest = hashlib.sha256("\x1f".join(map(repr, name)).encode()).digest()
    for word in range(_WORDS):
        key = jax.random.fold_in(key, int.from_bytes(digest[4 * word : 4 * word + 4], "big"))
    return key


@dataclass(frozen=True)
class CellName:
    """Which cell.

    Attributes:
        test: A name of :data:`fkeax.sensitivity.DETECTORS`.
        change: A name of :data:`fkeax.sensitivity.CHANGES`.
        strength: Of the change.
        num_samples: Rows asked for on either side.
        draw: Number of the draw, from 0.
    """

    test: str
    change: str
    strength: float
    num_samples: int
    draw: int

    def __str__(self) -> str:
        """Return the name as it stands in file names: ``kid_shift_0.1_n780_draw003``."""
        return f"{self.test}_{self.change}_{self.strength!r}_n{self.num_samples}_draw{self.draw:03d}"

    def key(self, root: jax.Array) -> jax.Array:
        """Return the key of the test's own randomness: its relabellings."""
        return named_key(root, "test", self.test, self.change, self.strength, self.num_samples, self.draw)


@dataclass(frozen=True)
class Cell:
    """What one test found on one changed draw.

    Attributes:
        name: Which cell.
        reject: Whether the test rejects; None where the change could not be made.
        p_value: Its p-value.
        z: Its statistic over its null distribution; None where that is constant.
        bandwidth: Of its kernel; None without one, or with several.
        w2: Transport distance between the draw and what became of it, as the change reports it.
        w2_kind: "exact", "lower bound" or "upper bound".
        infeasible: Why the change could not be made at that strength; None where it was.
    """

    name: CellName
    reject: bool | None
    p_value: float | None
    z: float | None
    bandwidth: float | None
    w2: float | None
    w2_kind: str | None
    infeasible: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the cell as plain Python, ready for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Cell:
        """Read what :meth:`to_dict` wrote.

        Raises:
            ValueError: If fields are missing or unknown.
        """
        expected = {field.name for field in fields(cls)}
        named = {field.name for field in fields(CellName)}
        name = data.get("name")
        if set(data) != expected or not isinstance(name, Mapping) or set(name) != named:
            raise ValueError(
                f"a cell must have the fields {', '.join(sorted(expected))}, name with {', '.join(sorted(named))}; "
                f"got {', '.join(map(str, data))}."
            )
        return cls(**{**data, "name": CellName(**name)})
