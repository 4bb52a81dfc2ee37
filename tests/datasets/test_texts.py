"""Texts with topics from the package index."""

from __future__ import annotations

import collections

import pytest

from fkeax import datasets


def test_wikipedia_extracts() -> None:
    found = datasets.load_wikipedia_extracts()
    assert (len(found.texts), len(found.titles), len(found.descriptions), len(found.labels)) == (10_033,) * 4
    topics = collections.Counter(found.label_names[label] for label in found.labels)
    assert (len(topics), topics["People"], topics["Geography"], topics["Mathematics"]) == (12, 1_828, 1_109, 256)
    france = found.titles.index("France")
    assert found.texts[france].startswith("France, officially the French Republic, is a country")
    assert found.descriptions[france].startswith("Country")
    assert "Creative Commons" in found.licence
    assert len(datasets.load_wikipedia_extracts("es").texts) == 6_239
    with pytest.raises(ValueError, match="language must be one of en, es, fr; got 'de'"):
        datasets.load_wikipedia_extracts("de")


def test_bbc_news() -> None:
    found = datasets.load_bbc_news()
    counts = collections.Counter(found.label_names[label] for label in found.labels)
    assert sorted(counts.values()) == [386, 401, 417, 510, 511]
    assert all(text.startswith(title) for text, title in zip(found.texts, found.titles, strict=True))
    assert any("£" in text for text in found.texts)
    assert not any("Â£" in text for text in found.texts)
    assert "BBC" in found.licence
