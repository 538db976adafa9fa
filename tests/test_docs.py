"""The documentation is what the code does: generated pages are fresh, links lead somewhere, commands run."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support import ROOT

GENERATE: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "generate.py"))
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("bundles/*/README.md")])


@pytest.mark.parametrize("name", GENERATE["PAGES"])
def test_reference_is_up_to_date(name: str) -> None:
    """`make reference` writes these pages."""
    committed = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
    assert committed == GENERATE["rendered"]()[name], f"docs/reference/{name}: run `make reference`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    """Links within the repository name files that are there."""
    for target in re.findall(r"\]\(([^)#:\s]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"


def test_reviewer_commands() -> None:
    """A reviewer may type the page's commands in a checkout."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    page = (ROOT / "docs" / "reviewer.md").read_text(encoding="utf-8")
    lines = [line[2:] for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL) for line in block.splitlines()]
    assert len(lines) >= 5
    for line in lines:
        done = subprocess.run(line, shell=True, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert (line, done.returncode, done.stderr) == (line, 0, "")
