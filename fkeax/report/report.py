"""The page of a report, from result files."""

from __future__ import annotations

from collections.abc import Sequence

from fkeax.report import sections
from fkeax.report.documents import Document
from fkeax.report.exhibits import Media, Room, galleries
from fkeax.report.page import render_page

SCORES = ("score", "frontier")


def report_page(documents: Sequence[Document], *, title: str = "fkeax report", media: Sequence[Media] = ()) -> str:
    """Return one HTML page of results, complete in itself: no network, no scripts, any width, light and dark.

    Sections are there where a document gives them: scores, four questions, two-sample tests, frontiers, curves,
    spectrum and modes, audits, and always where the numbers came from. The same documents give the same page.

    Args:
        documents: Of :func:`fkeax.report.read_document`, in the order in which they shall stand.
        title: Of the page.
        media: What the modes' features were made of, one for each document of `fkeax modes`, in their order; or none.

    Raises:
        OSError: Media cannot be read.
        ValueError: There is no document, or media do not fit the modes.
        ImportError: Sounds need the package soundfile.

    Cost:
        Some 0.2 seconds a figure; pictures and sounds as long as they take to read. At most 10 MB of media in a page.

    Example:
        >>> from fkeax.results import Result
        >>> scores = Document("a.json", "score", (Result("rke", 7.2, 0.1, {"num_samples": 500}, {}),), {})
        >>> page = report_page([scores], title="Scores of A")
        >>> "<h1>Scores of A</h1>" in page, "± 0.10" in page, "http" in page.replace("http-equiv", "")
        (True, True, False)
    """
    if not documents:
        raise ValueError("documents must hold at least one result file.")
    of_modes = [document for document in documents if document.kind == "modes"]
    if media and len(media) != len(of_modes):
        raise ValueError(
            f"media must be given once for each result of `fkeax modes`, in their order; got {len(media)} of "
            f"{media[0].modality} for {len(of_modes)}."
        )
    room = Room()
    shown = [block for document, one in zip(of_modes, media, strict=False) for block in galleries(document, one, room)]

    def of_kind(*kinds: str) -> list[Document]:
        return [document for document in documents if document.kind in kinds]

    parts = [
        sections.score_section(of_kind(*SCORES)),
        sections.comparison_section(of_kind("compare")),
        sections.test_section(of_kind("test")),
        sections.frontier_section(of_kind("frontier")),
        sections.curve_section(of_kind("curve")),
        sections.mode_section(of_modes, shown),
        sections.audit_section(of_kind("audit")),
        sections.provenance_section(documents),
    ]
    files = "one result file" if len(documents) == 1 else f"{len(documents)} result files"
    return render_page(title, parts, subtitle=f"From {files}: {', '.join(document.name for document in documents)}.")
