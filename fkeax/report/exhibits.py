"""Samples of modes as what they are: pictures, texts, sounds; from the folder or file that was embedded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fkeax.embed import Encoder, Item, Source, find_encoder, open_source
from fkeax.embed.encoder import DEFAULT_WINDOWS
from fkeax.report.documents import Document, Sample
from fkeax.report.inline import data_uri
from fkeax.report.keywords import NEEDS, can_find_keywords, keywords
from fkeax.report.page import Block, Exhibit, Gallery, Notes
from fkeax.report.sounds import encode_sound
from fkeax.report.thumbnails import encode_thumbnail
from fkeax.results.formatting import format_share

MOST_CHARACTERS = 10_000_000  # of pictures and sounds in a page, as they stand there
LONGEST_TEXT = 300
_WINDOW = "#"


@dataclass(frozen=True)
class Media:
    """What was embedded.

    Attributes:
        modality: "images", "texts" or "sounds".
        path: As for `fkeax embed`.
        model: The encoder of sounds, which says how they were cut; None where every file was one window.
    """

    modality: str
    path: str
    model: str | None = None


@dataclass
class Room:
    """How much more a page may hold.

    Attributes:
        left: Characters.
        num_left_out: Samples that had no place.
    """

    left: int = MOST_CHARACTERS
    num_left_out: int = 0

    def takes(self, exhibit: Exhibit) -> bool:
        """Return whether there is a place for an exhibit, and take it."""
        fits = len(exhibit.content) <= self.left
        self.left -= len(exhibit.content) if fits else 0
        self.num_left_out += 0 if fits else 1
        return fits


def galleries(document: Document, media: Media, room: Room) -> list[Block]:
    """Return the modes of a document, each with its top samples.

    Args:
        document: Of `fkeax modes`.
        media: What its features were made of: the i-th item is row i, or items have the names that rows have.
        room: Of the page; the best samples of all modes come before the second best.

    Raises:
        OSError: The media cannot be read.
        ValueError: They are not what the features were made of, or an item is damaged.
        ImportError: Sounds need soundfile.
    """
    encoder = None if media.model is None else find_encoder(media.model)
    items = _Items(document, _open(media, encoder), media)
    shown: dict[int, list[Exhibit]] = {mode.rank: [] for mode in document.modes}
    before = room.num_left_out
    for place in range(max((len(mode.samples) for mode in document.modes), default=0)):
        for mode in document.modes:
            if place < len(mode.samples):
                exhibit = _exhibit(items.find(mode.samples[place]), media.modality, encoder)
                if room.takes(exhibit):
                    shown[mode.rank].append(exhibit)
    with_keywords = media.modality == "texts" and can_find_keywords()
    found: list[Block] = []
    for mode in document.modes:
        texts = [items.find(sample).read() for sample in mode.samples] if with_keywords else []
        title = f"{document.data or document.name}: mode {mode.rank}, share {format_share(mode.share)}"
        found.append(Gallery(title, shown[mode.rank], keywords(texts) if texts else ()))
    notes = [NEEDS] if media.modality == "texts" and not with_keywords else []
    left_out = room.num_left_out - before
    if left_out:
        notes.append(
            f"{left_out} samples were left out: a page holds {MOST_CHARACTERS // 1_000_000} MB of pictures and sounds."
        )
    return [*found, *([Notes(notes)] if notes else [])]


def _open(media: Media, encoder: Encoder | None) -> Source:
    windows = None if encoder is None else encoder.windows
    return open_source(media.path, media.modality, windows=windows or DEFAULT_WINDOWS)


class _Items:
    """Items by the rows of the features."""

    def __init__(self, document: Document, source: Source, media: Media) -> None:
        self.items = source.items
        self.by_id: Mapping[str, Item] = {item.id: item for item in source.items}
        self.where = f"--{media.modality} {media.path!r}"
        self.name = document.name
        samples = [sample for mode in document.modes for sample in mode.samples]
        self._check_windows(samples, media)
        size = document.settings.get("num_samples")
        if any(sample.id is None for sample in samples) and size != len(self.items):
            hint = " (--model NAME says how sounds were cut)" if media.modality == "sounds" else ""
            raise ValueError(
                f"{self.where} holds {len(self.items)} {media.modality}, but the features of {self.name!r} have {size} "
                f"rows without names; expected one for each row, in the order of their names{hint}."
            )

    def _check_windows(self, samples: Sequence[Sample], media: Media) -> None:
        cut = next((s.id for s in samples if s.id is not None and s.id.rpartition(_WINDOW)[2].isdecimal()), None)
        if media.modality == "sounds" and media.model is None and cut is not None and _WINDOW in cut:
            raise ValueError(
                f"--model NAME is needed: {cut!r} of {self.name!r} is a window of a sound, and the encoder says where "
                "it begins."
            )

    def find(self, sample: Sample) -> Item:
        item = self._named(sample)
        if sample.sha256 is not None and item.checksum() != sample.sha256:
            raise ValueError(
                f"{self.where} has another {item.id!r} than the one that row {sample.index} of the features of "
                f"{self.name!r} was made of; expected the folder or file that was embedded."
            )
        return item

    def _named(self, sample: Sample) -> Item:
        if sample.id is None:
            if not 0 <= sample.index < len(self.items):
                raise ValueError(
                    f"{self.name!r} names row {sample.index} of {len(self.items)}; it is no result of fkeax."
                )
            return self.items[sample.index]
        if sample.id not in self.by_id:
            raise ValueError(
                f"{self.where} has no {sample.id!r}, which is row {sample.index} of the features of {self.name!r}; "
                "expected the folder or file that was embedded."
            )
        return self.by_id[sample.id]


def _exhibit(item: Item, modality: str, encoder: Encoder | None) -> Exhibit:
    if modality == "images":
        content, kind, (width, height) = encode_thumbnail(np.ascontiguousarray(item.read()))
        return Exhibit("image", data_uri(content, kind), item.id, width, height)
    if modality == "sounds":
        windows = DEFAULT_WINDOWS if encoder is None or encoder.windows is None else encoder.windows
        signal = np.trim_zeros(np.asarray(item.read(), np.float64), "b")  # zeros fill a window after the end
        return Exhibit("sound", data_uri(*encode_sound(signal, windows.sample_rate)), item.id)
    text = " ".join(item.read().split())
    shortened = text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT].rstrip()} ..."
    return Exhibit("text", shortened, item.id)
