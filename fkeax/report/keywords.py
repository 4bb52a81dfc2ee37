"""Keywords of texts by YAKE, which looks at the texts alone."""

from __future__ import annotations

from collections.abc import Sequence

NEEDS = "keywords of texts are left out: they need the package yake; install it with `pip install 'fkeax[texts]'`."


def can_find_keywords() -> bool:
    """Return whether the package yake is installed."""
    import importlib.util

    return importlib.util.find_spec("yake") is not None


def keywords(texts: Sequence[str], *, num_keywords: int = 8, language: str = "en") -> list[str]:
    """Return the words and pairs of words that stand out in some texts, the most telling first.

    YAKE (Campos et al., 2020) ranks by casing, position, frequency, context and spread within the texts themselves,
    with a list of stop words of the language; nothing is trained, and other modes are not looked at: a word that all
    modes share is named for all of them.

    Args:
        texts: Read as one text.
        num_keywords: At most so many.
        language: Two letters.

    Raises:
        ImportError: yake is not installed.
    """
    try:
        from yake import KeywordExtractor
    except ImportError:
        raise ImportError(NEEDS) from None
    found = KeywordExtractor(lan=language, n=2, top=num_keywords).extract_keywords("\n".join(texts))
    return [word for word, _ in found]
