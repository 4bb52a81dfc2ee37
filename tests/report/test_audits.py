"""The figure of an audit: one field a test and change, in the order given."""

from __future__ import annotations

from pathlib import Path

from fkeax.report import AuditCell, audit_grid, save_figure


def test_audit_grid(tmp_path: Path):
    cells = [
        AuditCell("kid", "shift 0.1", 1.0, (0.69, 1.0), "10/10"),
        AuditCell("kad", "shift 0.1", 0.2, (0.03, 0.56), "2/10"),
        AuditCell("kid", "rotation 9", None, (0.0, 1.0), "0/0"),
        AuditCell("kad", "rotation 9", None, (0.0, 1.0), "0/0"),
    ]
    figure = audit_grid(cells, title="Draws rejected")
    axis = figure.axes[0]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["kid", "kad"]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["shift 0.1", "rotation 9"]
    texts = [text.get_text() for text in axis.texts]
    assert texts == ["10/10\n0.69 to 1.00", "2/10\n0.03 to 0.56", "not possible", "not possible"]
    assert axis.texts[0].get_color() == "white"
    save_figure(figure, tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 1000
