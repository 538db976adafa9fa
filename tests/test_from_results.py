"""The page from results to a verdict is followed to the letter."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from support import ROOT

PAGE = ROOT / "docs" / "from-results-to-verdict.md"
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


def commands(page: str) -> list[tuple[str, str]]:
    """Each command of a page, and the output that follows it."""
    parts = [part for block in BLOCK.findall(page) for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(line, shown) for line, _, shown in (part.partition("\n") for part in parts)]


def test_page(tmp_path: Path) -> None:
    """Every command ends well and prints what the page says; the bundle is verified, and then attested."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    page = commands(PAGE.read_text(encoding="utf-8"))
    for line, shown in page:
        done = subprocess.run(
            line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert (line, done.returncode, done.stderr) == (line, 0, "")
        if shown:
            assert done.stdout == shown, line
    study = tmp_path / "my-study"
    assert "SEALTRACE_VERIFIED" in (study / "statement.json").read_text()
    assert (study / "reports" / "report.txt").read_text().startswith("VERIFIED  my-study")
    # The README of the new study says the same in its own directory.
    short = [line for line, _ in commands((study / "README.md").read_text(encoding="utf-8"))]
    assert [line.split()[1] for line in short] == ["import", "extract", "seal", "verify"]
    assert set(short) <= {line.replace("my-study/", "") for line, _ in page}


def test_the_way_is_short() -> None:
    """Five commands lead to the verdict, and the recipes have at most twenty lines."""
    before, _, _ = PAGE.read_text(encoding="utf-8").partition("## Along the way")
    used = [line.split()[1] for line, _ in commands(before) if line.startswith("sealtrace ")]
    assert used == ["init", "import", "extract", "seal", "verify"]
    template = ROOT / "verifier" / "sealtrace" / "templates" / "results" / "recipes.json"
    assert len(template.read_text(encoding="utf-8").splitlines()) <= 20
