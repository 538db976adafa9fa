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
    shown = sealtrace.verify(study)._repr_markdown_()
    assert shown.startswith("## Findings: &#60;script&#62;")
    assert "<script" not in shown
    assert "stray.txt\n  The manifest does not list this file." in shown


def test_a_cell_shows_both_numbers() -> None:
    """In a report, and as the examination explains it."""
    examination = sealtrace.examine(FIXTURE, check=["table"])
    cell = next(one for one in examination.report.numbers if (one.row, one.column) == ("0.08", "Weak EV"))
    explained = examination.explain("tab:main[0.08, Weak EV]")
    for shown in (cell._repr_markdown_(), explained._repr_markdown_()):
        assert shown.startswith(r"**tab:main\[0.08, Weak EV\]** **follows** (exact)")
        assert "- printed: 4.2889\n- given: 4.288857504796316\n" in shown
