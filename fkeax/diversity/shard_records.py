"""What a state of shards says of itself: the settings that all must share, and the rows it has seen."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class ShardSettings:
    """What all shards of one score must share.

    Attributes:
        kernel: Its name, with parameters as in ``rational-quadratic:alpha=1``.
        bandwidth: In the units of the data.
        bandwidth_source: Where it came from.
        features: How the frequencies were drawn.
        num_frequencies: r.
        dimension: d.
        seed: Data of the key that was given.
        halving_seed: Of the halvings of the frequencies, a child of that key.
        dtype: Of the sums.
    """

    kernel: str
    bandwidth: float
    bandwidth_source: str
    features: str
    num_frequencies: int
    dimension: int
    seed: tuple[int, ...]
    halving_seed: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Shard:
    """Rows that a state has seen.

    Attributes:
        name: Of the file or whatever held them.
        first_row: Where they begin in it, from 0.
        num_rows: How many they are.
        file_rows: How many rows it has in all.
        sha256: Of the rows' dtype, dimension and bytes.
    """

    name: str
    first_row: int
    num_rows: int
    file_rows: int
    sha256: str

    def __str__(self) -> str:
        if self.num_rows == self.file_rows:
            return repr(self.name)
        return f"rows {self.first_row} to {self.first_row + self.num_rows - 1} of {self.name!r}"


def check_same_settings(a: ShardSettings, b: ShardSettings, names: str) -> None:
    """Raise if two states differ in what all shards must share; the sentence says in what."""
    shared = [field.name for field in fields(ShardSettings) if field.name != "halving_seed"]
    pairs = [(name, getattr(a, name), getattr(b, name)) for name in shared]
    different = [f"{name} is {left!r} and {right!r}" for name, left, right in pairs if left != right]
    if different:
        raise ValueError(f"the states of {names} do not merge: {'; '.join(different)}.")


def check_new_rows(old: Sequence[Shard], new: Sequence[Shard]) -> None:
    """Raise if rows would be counted twice: shards of equal content, or ranges of one file that overlap."""
    by_hash = {shard.sha256: shard for shard in old}
    for shard in new:
        if shard.sha256 in by_hash:
            raise ValueError(
                f"{shard} was counted already: its rows are those of {by_hash[shard.sha256]}, byte by byte."
            )
    for shard, other in itertools.product(new, old):
        # Files of one name on different machines may differ; ranges that someone cut do not come by chance.
        cut = shard.num_rows < shard.file_rows or other.num_rows < other.file_rows
        first = max(shard.first_row, other.first_row)
        stop = min(shard.first_row + shard.num_rows, other.first_row + other.num_rows)
        if cut and (shard.name, shard.file_rows) == (other.name, other.file_rows) and first < stop:
            raise ValueError(f"rows {first} to {stop - 1} of {shard.name!r} were counted already.")


def check_complete(shards: Sequence[Shard], *, num_shards: int | None = None, num_samples: int | None = None) -> None:
    """Raise if rows are missing: between ranges of a file that was cut, or of what was announced.

    Args:
        shards: All, after the last merge.
        num_shards: How many shards there must be.
        num_samples: How many rows there must be.

    Raises:
        ValueError: One sentence with what is missing.
    """
    cut: dict[tuple[str, int], list[Shard]] = {}
    for shard in shards:
        if shard.num_rows < shard.file_rows:
            cut.setdefault((shard.name, shard.file_rows), []).append(shard)
    for (name, file_rows), parts in cut.items():
        reached = 0
        for part in sorted(parts, key=lambda shard: shard.first_row):
            if part.first_row > reached:
                break
            reached = part.first_row + part.num_rows
        if reached < file_rows:
            stop = min((part.first_row for part in parts if part.first_row > reached), default=file_rows)
            raise ValueError(f"rows {reached} to {stop - 1} of {name!r} are missing: no state has seen them.")
    for what, expected, found in (
        ("shards", num_shards, len(shards)),
        ("samples", num_samples, sum(shard.num_rows for shard in shards)),
    ):
        if expected is not None and found != expected:
            off = abs(expected - found)
            fault = f"{off:,} {'is' if off == 1 else 'are'} {'missing' if found < expected else 'too many'}"
            raise ValueError(f"the state must hold {expected:,} {what}; it holds {found:,}: {fault}.")
