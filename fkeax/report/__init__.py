"""Pictures of scores and modes, drawn without a display and without global state."""

from __future__ import annotations

from fkeax.report.figures import Curve, ModePanel, mode_grid, save_figure, score_curves
from fkeax.report.thumbnails import check_image_shape, image_montage, thumbnails_from_files, thumbnails_from_rows

__all__ = [
    "Curve",
    "ModePanel",
    "check_image_shape",
    "image_montage",
    "mode_grid",
    "save_figure",
    "score_curves",
    "thumbnails_from_files",
    "thumbnails_from_rows",
]
