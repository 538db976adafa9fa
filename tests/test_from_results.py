"""The page from results to a verdict is followed to the letter."""

from __future__ import annotations

from pathlib import Path

from shown import commands
from support import ROOT

PAGE = ROOT / "docs" / "from-results-to-verdict.md"


def test_page(tmp_path: Path) -> None:
    """Every command ends well and prints what the page says; the bundle is verified, and then attested."""
    page = commands(PAGE)
    for command in page:
        command.run(tmp_path)
    study = tmp_path / "my-study"
    assert "SEALTRACE_VERIFIED" in (study / "statement.json").read_text()
    assert (study / "reports" / "report.txt").read_text().startswith("VERIFIED  my-study")
    # The README of the new study says the same in its own directory.
    short = [command.line for command in commands(study / "README.md")]
    assert [line.split()[1] for line in short] == ["import", "extract", "seal", "verify"]
    assert set(short) <= {command.line.replace("my-study/", "") for command in page}


def test_the_way_is_short() -> None:
    """Five commands lead to the verdict, and the recipes have at most twenty lines."""
    used = [command.line.split()[1] for command in commands(PAGE) if command.line.startswith("sealtrace ")]
    assert used[:5] == ["init", "import", "extract", "seal", "verify"]
    template = ROOT / "verifier" / "sealtrace" / "templates" / "results" / "recipes.json"
    assert len(template.read_text(encoding="utf-8").splitlines()) <= 20
