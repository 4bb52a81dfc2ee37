"""A page as tests read it: its elements in order, with their attributes and their words."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = ("meta", "link", "img", "source", "br")


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    parents: tuple[str, ...]
    words: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


class Page(HTMLParser):
    """Every element of a page; an end tag without its start tag is an error."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        parents = tuple(element.tag for element in self._open)
        element = Element(tag, {name: value or "" for name, value in attrs}, parents)
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.words.append(data)

    def all(self, *tags: str) -> list[Element]:
        return [element for element in self.elements if element.tag in tags]

    def texts(self, *tags: str) -> list[str]:
        return [element.text for element in self.all(*tags)]

    def addresses(self) -> list[str]:
        """Return all that a browser might load or go to."""
        names = ("src", "srcset", "href", "action", "data", "poster")
        return [element.attributes[name] for element in self.elements for name in names if name in element.attributes]
