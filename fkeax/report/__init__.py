"""Pictures of scores and modes, drawn without a display and without global state; and the page of a report."""

from __future__ import annotations

from fkeax.report.audits import AuditCell, audit_grid
from fkeax.report.documents import Document, read_document
from fkeax.report.exhibits import Media
from fkeax.report.figures import (
    Curve,
    ModePanel,
    check_figure_path,
    mode_grid,
    save_figure,
    score_curves,
    score_panels,
)
from fkeax.report.frontiers import FrontierLine, frontier_curves, frontier_line
from fkeax.report.report import report_page
from fkeax.report.spectra import SpectrumLine, spectrum_curves
from fkeax.report.thumbnails import check_image_shape, image_montage, thumbnails_from_files, thumbnails_from_rows

__all__ = [
    "AuditCell",
    "Curve",
    "Document",
    "FrontierLine",
    "Media",
    "ModePanel",
    "SpectrumLine",
    "audit_grid",
    "check_figure_path",
    "check_image_shape",
    "frontier_curves",
    "frontier_line",
    "image_montage",
    "mode_grid",
    "read_document",
    "report_page",
    "save_figure",
    "score_curves",
    "score_panels",
    "spectrum_curves",
    "thumbnails_from_files",
    "thumbnails_from_rows",
]
