"""Features of images and texts, computed once for all runs that ask for the same."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments import stages
from experiments.schema import Config

if TYPE_CHECKING:
    from fkeax.embed import Encoder, Item

LOG = logging.getLogger(__name__)
LOG_EVERY = 2000


def features(config: Config, encoder: Encoder, items: Sequence[Item], *, batch_size: int = 64) -> np.ndarray:
    """Return one row for each item, from an earlier run if it had the same items and encoder.

    Args:
        config: Of the run; says where rows are kept.
        encoder: Of `fkeax.embed`, or one of `image_encoders`.
        items: What to encode.
        batch_size: Items at a time; each batch is kept, so that a killed run goes on.

    Raises:
        AssetError: The weights are not in the cache, and there is no network.
        ValueError: An item is damaged, or its features are not finite.
    """
    content = hashlib.sha256("\n".join(item.checksum() for item in items).encode()).hexdigest()
    settings = {"encoder": encoder.identity, "items": content, "num_items": len(items)}

    def compute(folder: Path) -> dict[str, np.ndarray]:
        from fkeax.embed import embed

        done = 0

        def progress(count: int) -> None:
            nonlocal done
            done += count
            if done % LOG_EVERY < count:
                LOG.info("%s: %d of %d", encoder.name, done, len(items))

        found = embed(encoder, items, batch_size=batch_size, cache=folder / "batches", progress=progress)
        return {"rows": found.features}

    return stages.stage(config, f"features-{encoder.name}", settings, compute)["rows"]
