"""One HTML page that needs nothing else: sections made of tables, figures, galleries and facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeAlias

if TYPE_CHECKING:
    from jinja2 import Template

TEMPLATE = "page.html.jinja"


@dataclass(frozen=True)
class Table:
    """A table with a heading for every column and every row.

    Attributes:
        caption: What it shows.
        header: One heading a column.
        rows: The cells; the first is the heading of its row.
        notes: Sentences below.
        wordy: Columns that hold words, counted from 0; the others are set as numbers.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    wordy: frozenset[int] = frozenset()
    kind: ClassVar[str] = "table"


@dataclass(frozen=True)
class Figure:
    """A drawing, for a light and for a dark ground, and what is drawn as a table.

    Attributes:
        light: Address of the drawing in dark ink.
        dark: Address of the drawing in light ink.
        width: In CSS pixels.
        height: In CSS pixels.
        alt: What it shows, for those who do not see it.
        caption: Below it.
        table: The numbers.
    """

    light: str
    dark: str
    width: int
    height: int
    alt: str
    caption: str
    table: Table | None
    kind: ClassVar[str] = "figure"


@dataclass(frozen=True)
class Exhibit:
    """A sample that can be looked at, read, or heard.

    Attributes:
        medium: "image", "text" or "sound".
        content: The address of an image or a sound; a text itself.
        name: Its name.
        width: Of an image, in pixels.
        height: Of an image, in pixels.
    """

    medium: str
    content: str
    name: str
    width: int = 0
    height: int = 0


@dataclass(frozen=True)
class Gallery:
    """The top samples of one mode.

    Attributes:
        title: Of the mode.
        exhibits: Best first.
        keywords: Of its texts.
    """

    title: str
    exhibits: Sequence[Exhibit]
    keywords: Sequence[str] = ()
    kind: ClassVar[str] = "gallery"


@dataclass(frozen=True)
class Facts:
    """Names and what they are, such as where a file came from.

    Attributes:
        title: A heading.
        entries: Pairs of a name and one or several lines.
    """

    title: str
    entries: Sequence[tuple[str, Sequence[str]]]
    kind: ClassVar[str] = "facts"


@dataclass(frozen=True)
class Notes:
    """Sentences of their own.

    Attributes:
        sentences: One a line.
    """

    sentences: Sequence[str]
    kind: ClassVar[str] = "notes"


Block: TypeAlias = Table | Figure | Gallery | Facts | Notes


@dataclass(frozen=True)
class Section:
    """A part of the page.

    Attributes:
        id: Its address within the page.
        title: Its heading.
        lead: A sentence that says how to read it.
        blocks: What it holds.
    """

    id: str
    title: str
    lead: str
    blocks: Sequence[Block]


def render_page(title: str, sections: Sequence[Section], *, subtitle: str = "") -> str:
    """Return a page as HTML: complete in itself, without scripts, for screens of any width, light and dark.

    Everything that is not markup of this room is escaped. The page forbids the browser to load anything but what it
    holds, and to run anything.

    Args:
        title: Of the page.
        sections: In order; those without blocks are left out.
        subtitle: A line below the title.

    Example:
        >>> table = Table("Scores", ("score", "value"), [("rke", "7.2")])
        >>> page = render_page("A < B", [Section("scores", "Scores", "", [table])])
        >>> "<title>A &lt; B</title>" in page, "<td>7.2</td>" in page
        (True, True)
    """
    shown = [section for section in sections if section.blocks]
    return _template().render(title=title, subtitle=subtitle, sections=shown)


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(TEMPLATE)
