"""`fkeax report`: result files as one HTML page that needs nothing else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from fkeax.cli import options, tables

if TYPE_CHECKING:
    from fkeax.report import Media

SUFFIXES = (".html", ".htm")


def report(
    results: Annotated[
        list[str],
        typer.Argument(
            metavar="RESULT.json...",
            help="What score, modes, frontier, curve, test, compare and audit write with --json, in any order.",
        ),
    ],
    out: Annotated[str, typer.Option("--out", "-o", metavar="PAGE.html", help="The page to write.")],
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title of the page.")] = "fkeax report",
    images: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FOLDER|FILE.npy",
            help="What the features of a result of 'fkeax modes' were made of, to show its top samples; once for each "
            "such result, in their order.",
        ),
    ] = None,
    texts: Annotated[
        list[str] | None, typer.Option(metavar="FILE.jsonl|FILE.txt|FOLDER", help="The same for texts.")
    ] = None,
    sounds: Annotated[list[str] | None, typer.Option(metavar="FOLDER", help="The same for sounds.")] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The encoder of the sounds, which says how they were cut into windows."),
    ] = None,
) -> None:
    """Make one page of results: tables, figures, modes with their samples, and where every number came from.

    The page holds all that it shows, loads nothing and runs nothing.

    Example: fkeax report scores.json -o report.html --title "Scores of my model"
    """
    target = options.check_output("--out", out, None, *results)
    if target is None or target.suffix.lower() not in SUFFIXES:
        raise ValueError(f"--out must name an {SUFFIXES[0]} file, got {out!r}.")
    if len({os.path.realpath(path) for path in results}) < len(results):
        raise ValueError("RESULT.json... names one file twice; name each result once.")
    shown = _media(images, texts, sounds, model)

    from fkeax.io import write_text
    from fkeax.report import read_document, report_page

    documents = [read_document(path) for path in results]
    of_modes = [path for path, document in zip(results, documents, strict=True) if document.kind == "modes"]
    if shown and len(shown) != len(of_modes):
        raise ValueError(
            f"--{shown[0].modality} must be given once for each result of 'fkeax modes', in their order; it was given "
            f"{len(shown)} times for {len(of_modes)} of them ({', '.join(of_modes) or 'none'})."
        )
    page = report_page(documents, title=title, media=shown)
    write_text(target, page)
    print(f"written: {out}: {tables.format_bytes(len(page.encode()))}, to be opened in a browser")


def _media(
    images: list[str] | None, texts: list[str] | None, sounds: list[str] | None, model: str | None
) -> list[Media]:
    """Return what samples are made of: of one kind, as modes and media go together by their order."""
    given = {"images": images, "texts": texts, "sounds": sounds}
    named = [modality for modality, paths in given.items() if paths]
    if len(named) > 1:
        raise ValueError(f"--{named[0]} and --{named[1]} were given; a page shows samples of one kind.")
    if model is not None and named != ["sounds"]:
        raise ValueError("--model is the encoder of sounds; give it with --sounds.")
    if not named:
        return []

    from fkeax.report import Media

    return [Media(named[0], path, model) for path in given[named[0]] or []]
