"""Content of files inside a page: data URIs, and figures for a light and for a dark ground."""

from __future__ import annotations

import base64
from typing import Any

from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.spines import Spine
from matplotlib.text import Text

from fkeax.report.figures import figure_bytes

INK_ON_DARK = "#e6e6e6"
_BLACK, _WHITE = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)


def data_uri(content: bytes, media_type: str) -> str:
    """Return the content of a file as an address that holds it.

    Example:
        >>> data_uri(b"abc", "text/plain")
        'data:text/plain;base64,YWJj'
    """
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"


def figure_for_both(figure: Figure) -> tuple[str, str]:
    """Return a figure as two SVG addresses: dark ink for a light ground, light ink for a dark one.

    Args:
        figure: Of the functions of this room; its ground becomes clear and its ink light.
    """
    _clear_ground(figure)
    light = data_uri(figure_bytes(figure, "svg"), "image/svg+xml")
    _lighten_ink(figure)
    return light, data_uri(figure_bytes(figure, "svg"), "image/svg+xml")


def _clear_ground(figure: Figure) -> None:
    figure.patch.set_facecolor("none")
    for axis in figure.axes:
        if to_rgb(axis.get_facecolor()) == _WHITE:
            axis.set_facecolor("none")


def _lighten_ink(figure: Figure) -> None:
    # Words within the axes stand on fields of their own colour (the rates of an audit): they stay as they are.
    within = {id(text) for axis in figure.axes for text in axis.texts}
    for artist in figure.findobj(lambda part: isinstance(part, Text | Line2D)):
        if id(artist) not in within and _is_black(artist.get_color()):  # pyright: ignore[reportAttributeAccessIssue]
            artist.set_color(INK_ON_DARK)  # pyright: ignore[reportAttributeAccessIssue]
    for artist in figure.findobj(Line2D):
        for part in ("markerfacecolor", "markeredgecolor"):
            if _is_black(getattr(artist, f"get_{part}")()):
                getattr(artist, f"set_{part}")(INK_ON_DARK)
    for spine in figure.findobj(Spine):
        if _is_black(spine.get_edgecolor()):  # pyright: ignore[reportAttributeAccessIssue]
            spine.set_edgecolor(INK_ON_DARK)  # pyright: ignore[reportAttributeAccessIssue]
    for axis in figure.axes:
        for bars in axis.containers:  # error bars
            for part in bars.lines[2] if hasattr(bars, "lines") else ():  # pyright: ignore
                if len(part.get_color()) and _is_black(part.get_color()[0]):
                    part.set_color(INK_ON_DARK)


def _is_black(colour: Any) -> bool:
    return not (isinstance(colour, str) and colour in ("none", "auto")) and to_rgb(colour) == _BLACK
