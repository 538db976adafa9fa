"""How notebooks show a report and a cell."""

from __future__ import annotations

from pathlib import Path

import sealtrace
from small_study import small_study
from support import FIXTURE


def test_a_report_shows_its_verdict_and_what_differs(tmp_path: Path) -> None:
    """Findings of a bundle's own words cannot act on the page."""
    study = small_study(tmp_path / "study", "<script>alert(1)</script>")
    (study / "stray.txt").write_text("not listed")
    shown = sealtrace.verify(study)._repr_html_()
    assert "FINDINGS</b> &lt;script&gt;" in shown
    assert "<script" not in shown
    assert "stray.txt</td><td style='text-align:left'>The manifest does not list this file." in shown


def test_a_cell_shows_both_numbers() -> None:
    """In a report, and as the examination explains it."""
    examination = sealtrace.examine(FIXTURE, check=["table"])
    cell = next(one for one in examination.report.numbers if (one.row, one.column) == ("0.08", "Weak EV"))
    explained = examination.explain("tab:main[0.08, Weak EV]")
    for shown in (cell._repr_html_(), explained._repr_html_()):
        assert "tab:main[0.08, Weak EV]</b> <b style='color:#1a7f37'>follows</b> (exact)" in shown
        assert "4.2889</td>" in shown
        assert "4.288857504796316</td>" in shown
