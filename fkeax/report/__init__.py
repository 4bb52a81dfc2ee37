"""Pictures of scores and modes, drawn without a display and without global state."""

from __future__ import annotations

from fkeax.report.audits import AuditCell, audit_grid
from fkeax.report.figures import Curve, ModePanel, check_figure_path, mode_grid, save_figure, score_curves
from fkeax.report.frontiers import FrontierLine, frontier_curves
from fkeax.report.thumbnails import check_image_shape, image_montage, thumbnails_from_files, thumbnails_from_rows

__all__ = [
    "AuditCell",
    "Curve",
    "FrontierLine",
    "ModePanel",
    "audit_grid",
    "check_figure_path",
    "check_image_shape",
    "frontier_curves",
    "image_montage",
    "mode_grid",
    "save_figure",
    "score_curves",
    "thumbnails_from_files",
    "thumbnails_from_rows",
]
