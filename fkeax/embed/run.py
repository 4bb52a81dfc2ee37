"""Items through an encoder, in batches, each kept by the content it was computed from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np
from jaxtyping import Float32

from fkeax.embed.encoder import EncodeBatch, Encoder
from fkeax.embed.sources import Item
from fkeax.io import write_npz
from fkeax.results import dumps

PACKAGES = ("jax", "jaxlib", "numpy", "pillow", "scipy", "soundfile", "tokenizers", "onnxruntime")
MEMBER = "rows"


@dataclass(frozen=True)
class Embedded:
    """Features, and how they came about.

    Attributes:
        features: One row for each item.
        num_kept: How many of the rows were in the cache.
        checksums: Of the content of each item.
    """

    features: Float32[np.ndarray, "n d"]
    num_kept: int
    checksums: tuple[str, ...]

    @property
    def content(self) -> str:
        """SHA-256 of the checksums of the items, in order."""
        return hashlib.sha256("\n".join(self.checksums).encode()).hexdigest()


def embed(
    encoder: Encoder,
    items: Sequence[Item],
    *,
    batch_size: int = 32,
    cache: Path | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Embedded:
    """Return the features of items, computed batch by batch.

    A batch whose items have the same content as before, by the same encoder and versions on the same kind of device,
    comes from the cache; the weights are read only when a batch has to be computed. Encoders that cannot say when their
    numbers change (functions of the user's) are always run.

    Args:
        encoder: Of `find_encoder`.
        items: Of `open_source`; at least one.
        batch_size: Items at a time; memory and time only, up to rounding.
        cache: The folder of kept batches; None keeps nothing.
        progress: Called after each batch with the number of its items.

    Raises:
        OSError: An item, or the cache, cannot be read or written.
        ValueError: An item is damaged, or its features are not finite; the message names it.
    """
    settings = None if cache is None or encoder.identity is None else _settings(encoder)
    encode: EncodeBatch | None = None
    parts, checksums, num_kept = [], [], 0
    for start in range(0, len(items), batch_size):
        batch = items[start : start + batch_size]
        contents = [item.checksum() for item in batch]
        path = None if cache is None or settings is None else cache / f"{_key(settings, contents)}.npz"
        rows = None if path is None else _kept(path, len(batch))
        if rows is None:
            encode = encoder.load() if encode is None else encode
            rows = encode([item.read() for item in batch])
            _check_finite(rows, batch, encoder)
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_npz(path, {MEMBER: rows})
        else:
            num_kept += len(batch)
        if parts and rows.shape[1] != parts[0].shape[1]:
            raise ValueError(
                f"{encoder.name}: items have {parts[0].shape[1]} features, and those from {batch[0].id!r} on "
                f"{rows.shape[1]}; images of one size are needed for pixels."
            )
        parts.append(rows)
        checksums += contents
        progress(len(batch))
    return Embedded(np.concatenate(parts), num_kept, tuple(checksums))


def _settings(encoder: Encoder) -> dict[str, object]:
    import jax

    import fkeax

    versions = {"fkeax": fkeax.__version__} | {name: _version(name) for name in PACKAGES}
    return {"encoder": encoder.identity, "versions": versions, "device": jax.default_backend()}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _key(settings: dict[str, object], contents: list[str]) -> str:
    return hashlib.sha256(dumps({**settings, "items": contents}, indent=None).encode()).hexdigest()


def _kept(path: Path, num_rows: int) -> np.ndarray | None:
    """Return the rows of a batch; None where they are not there, or not whole."""
    try:
        with np.load(path, allow_pickle=False) as archive:  # the archive's checksum is compared
            rows = archive[MEMBER]
    except Exception:  # a damaged archive fails in many ways; it is written again
        return None
    return rows if rows.ndim == 2 and len(rows) == num_rows and rows.dtype == np.float32 else None


def _check_finite(rows: np.ndarray, batch: Sequence[Item], encoder: Encoder) -> None:
    bad = [item.id for item, row in zip(batch, rows, strict=True) if not np.isfinite(row).all()]
    if bad:
        raise ValueError(f"{encoder.name} gives features that are not finite for {', '.join(map(repr, bad[:3]))}.")
