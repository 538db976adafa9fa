"""The documentation is what the code does: generated pages are fresh, links lead somewhere, commands run."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
import yaml

import sealtrace
from shown import commands
from support import ROOT

pytestmark = pytest.mark.usefixtures("kept_examinations")

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


ELSEWHERE = {"certify-your-policies.md", "from-results-to-verdict.md"}
"""Followed by tests of their own, which look at what the commands wrote, too."""
FOLLOWED = [page for page in sorted((ROOT / "docs").rglob("*.md")) if commands(page) and page.name not in ELSEWHERE]


@pytest.mark.parametrize("page", FOLLOWED, ids=lambda page: page.name)
def test_page_is_followed(page: Path, tmp_path: Path) -> None:
    """Every command of every page runs in a checkout as it stands, and prints what the page shows."""
    for room in ("bundles", "examples"):
        (tmp_path / room).symlink_to(ROOT / room)
    for command in commands(page):
        command.run(tmp_path)


def test_pages_that_are_followed() -> None:
    """Those for newcomers, reviewers and authors are among them."""
    assert {"author.md", "check-a-paper.md", "reviewer.md"} <= {page.name for page in FOLLOWED}


def test_no_placeholders() -> None:
    """What a page says to type or to paste can be typed and pasted."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r"OWNER|@VERSION|<your-|TODO|FIXME|XXX|example\.com", text), page.name


def test_gallery_is_what_its_script_writes() -> None:
    """Each kind of finding has its picture, and all pictures together stay small."""
    gallery = runpy.run_path(str(ROOT / "docs" / "gallery.py"))
    assert (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8") == gallery["text"](), "run `make gallery`"
    pictures = {path.stem: path.stat().st_size for path in (ROOT / "docs/images/gallery").iterdir()}
    assert set(pictures) == {one.name for one in gallery["SHOWN"]}
    assert min(pictures.values()) > 1_000
    assert sum(pictures.values()) < 400_000


def test_changelog_names_the_format() -> None:
    """Every version says which format of bundles it writes."""
    newest = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1]
    manifest = json.loads((ROOT / "bundles/leduc/bundle/manifest.json").read_text(encoding="utf-8"))
    assert f"Bundles have format {manifest['sealtrace']} (" in newest


def test_citation_names_this_version() -> None:
    """Who cites it names what gave the verdict."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["cff-version"], citation["version"]) == ("1.2.0", sealtrace.__version__)
    assert {"title", "authors", "license", "message"} <= set(citation)
