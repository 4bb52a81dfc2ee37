"""Texts with classes: Wikipedia's extracts, extracts about one country, BBC news, and a small bundled set."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.fkea.samples import Samples, items_of_texts
from experiments.schema import Data
from fkeax.assets import BBC_NEWS, WIKIPEDIA_EXTRACTS, Asset
from fkeax.io import sha256_of_file

if TYPE_CHECKING:
    from fkeax.datasets import LabelledTexts

SEED = 0  # of the choice among all extracts; a part of the data, not of the run
MOST_PER_COUNTRY = 40
_CONTINENT = re.compile("Africa|America|Asia|Europe|Eurasia|Oceania")
_COUNTRY = re.compile(
    r"^((island|landlocked|archipelagic|african island) )?country (in|primarily in|of)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class TextSet:
    """A set of texts.

    Attributes:
        load: Reads it, with the number of samples that are wanted in all (None: every one).
        inputs: Names and SHA-256 of what `load` reads.
        files: The user's own files among them.
    """

    load: Callable[[Data, int | None], Samples]
    inputs: Callable[[Data], dict[str, str]]
    files: Callable[[Data], list[Path]]


def text_set(name: str) -> TextSet:
    """Return a set of texts by its name.

    Raises:
        ValueError: There is none of that name.
    """
    if name not in TEXTS:
        raise ValueError(f"data.name must be one of {', '.join(TEXTS)}; got {name!r}.")
    return TEXTS[name]


def _wikipedia(data: Data, num_samples: int | None) -> Samples:
    from fkeax.datasets import load_wikipedia_extracts

    found = load_wikipedia_extracts()
    rows = np.arange(len(found.texts))
    if num_samples is not None and num_samples < len(rows):
        rows = np.sort(np.random.default_rng(SEED).choice(rows, num_samples, replace=False))
    return _chosen(found, rows, found.labels[rows], found.label_names, f"{len(rows):,} extracts of English Wikipedia")


def _countries(data: Data, num_samples: int | None) -> Samples:
    """Return the extracts that mention one country only, of the countries with the most of them.

    The label is the country, in descending order of mentions; `data.samples_per_class` is how many of each.
    """
    from fkeax.datasets import load_wikipedia_extracts

    found = load_wikipedia_extracts()
    mentioned = countries_mentioned(found)
    per_country = data.samples_per_class or MOST_PER_COUNTRY
    names, counts = np.unique([name for name in mentioned if name], return_counts=True)
    order = np.lexsort((names, -counts))
    kept = [str(names[place]) for place in order if counts[place] >= per_country]
    if not kept:
        raise ValueError(f"data.samples_per_class is {per_country}, but no country is mentioned so often.")
    rows = [[row for row, name in enumerate(mentioned) if name == country][:per_country] for country in kept]
    flat = np.concatenate(rows)
    labels = np.repeat(np.arange(len(kept)), per_country)
    what = f"{len(flat):,} extracts of Wikipedia that mention one of {len(kept)} countries"
    continents = country_continents(found)
    chosen = _chosen(found, flat, labels, tuple(kept), what)
    return dataclasses.replace(chosen, label_groups=tuple(continents[country] for country in kept))


def countries_mentioned(found: LabelledTexts) -> list[str | None]:
    """Return for each extract the one country that it or its title names; None where it names none or several."""
    names = [
        re.sub(r" \(.*", "", title)
        for title, description in zip(found.titles, found.descriptions, strict=True)
        if _COUNTRY.match(description)
    ]
    pattern = re.compile(r"\b(" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + r")\b")
    mentions = (set(pattern.findall(f"{title} {text}")) for title, text in zip(found.titles, found.texts, strict=True))
    return [next(iter(named)) if len(named) == 1 else None for named in mentions]


def country_continents(found: LabelledTexts) -> dict[str, str]:
    """Return the continent of every country, the last that its article's description names, or "none named".

    South and Central America and the Caribbean count as "Latin America".
    """
    continents = {}
    for title, description in zip(found.titles, found.descriptions, strict=True):
        if _COUNTRY.match(description):
            named = _CONTINENT.findall(description)
            latin = title == "Mexico" or re.search("South America|Central America|Caribbean|Antilles", description)
            name = re.sub(r" \(.*", "", title)
            continents[name] = "Latin America" if latin else named[-1] if named else "none named"
    return continents


def _bbc(data: Data, num_samples: int | None) -> Samples:
    from fkeax.datasets import load_bbc_news

    found = load_bbc_news()
    per_topic = data.samples_per_class or len(found.texts)
    topics = range(len(found.label_names))
    rows = np.concatenate([np.flatnonzero(found.labels == topic)[:per_topic] for topic in topics])
    return _chosen(found, rows, found.labels[rows], found.label_names, f"{len(rows):,} news articles of the BBC")


def _descriptions(data: Data, num_samples: int | None) -> Samples:
    """Return the paragraphs of the descriptions of data sets that scikit-learn ships; the data set is the class."""
    files = _description_files()
    texts, labels = [], []
    for label, path in enumerate(files):
        parts = re.split(r"\n\s*\n", path.read_text(encoding="utf-8"))
        parts = [" ".join(part.split()) for part in parts]
        parts = [part for part in parts if len(part.split()) >= 12][: data.samples_per_class]
        texts += parts
        labels += [label] * len(parts)
    names = tuple(path.stem for path in files)
    return Samples(
        items=items_of_texts(
            texts, [f"{names[label]}: {text[:30]}" for text, label in zip(texts, labels, strict=True)]
        ),
        labels=np.array(labels),
        label_names=names,
        description="paragraphs of scikit-learn's descriptions of data sets",
        source="The descriptions of data sets in scikit-learn.",
        licence="BSD 3-Clause.",
    )


def _description_files() -> list[Path]:
    import sklearn.datasets

    folder = Path(str(sklearn.datasets.__file__)).parent / "descr"
    return sorted(folder.glob("*.rst"))


def _lines(data: Data, num_samples: int | None) -> Samples:
    """Return the user's own texts: a folder of files, in folders of classes or not, or a .txt or .jsonl file."""
    from fkeax.embed import open_source

    if data.path is None:
        raise ValueError("data.path is not set: data=texts reads the user's own; give data.path=FOLDER or FILE.")
    found = open_source(data.path, "texts")
    names = () if found.labels is None else tuple(np.unique(found.labels).tolist())
    labels = None if found.labels is None else np.searchsorted(np.array(names), found.labels)
    whole = Samples(found.items, labels, names, f"{len(found.items):,} texts", "The user's own texts.", "The user's.")
    return whole if num_samples is None else whole.chosen(np.arange(min(num_samples, len(found.items))))


def _chosen(
    found: LabelledTexts, rows: np.ndarray, labels: np.ndarray, names: tuple[str, ...], description: str
) -> Samples:
    return Samples(
        items=items_of_texts([found.texts[row] for row in rows], [found.titles[row] for row in rows]),
        labels=labels,
        label_names=names,
        description=description,
        source=found.source,
        licence=found.licence,
    )


def _of_asset(asset: Asset) -> Callable[[Data], dict[str, str]]:
    return lambda data: {asset.requirement: asset.sha256}


def _own_files(data: Data) -> list[Path]:
    return [Path(data.path)] if data.path is not None and Path(data.path).is_file() else []


TEXTS = {
    "descriptions": TextSet(
        _descriptions, lambda data: {path.name: sha256_of_file(path) for path in _description_files()}, lambda data: []
    ),
    "wikipedia": TextSet(_wikipedia, _of_asset(WIKIPEDIA_EXTRACTS), lambda data: []),
    "countries": TextSet(_countries, _of_asset(WIKIPEDIA_EXTRACTS), lambda data: []),
    "bbc": TextSet(_bbc, _of_asset(BBC_NEWS), lambda data: []),
    "texts": TextSet(_lines, lambda data: {path.name: sha256_of_file(path) for path in _own_files(data)}, _own_files),
}
