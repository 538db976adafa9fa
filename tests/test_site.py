"""The documentation as a site: built strictly, searched, with live pages, and asking nobody else for anything."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from support import ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `make site` builds it."""
    made = tmp_path_factory.mktemp("site")
    # Not quietly: then no warning would be counted, and strictness counts warnings.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(made)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return made


def test_every_page_is_there_and_found(site: Path) -> None:
    """Each page of docs/ has its place; the index of the search holds them, and what docstrings say."""
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs").with_suffix(".html")).exists()
    assert not [path for path in site.rglob("*") if path.name == "__pycache__" or path.suffix in (".py", ".pyc")]
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    words = " ".join(entry["text"] for entry in index["docs"])
    for text in ("statcheck", "Verify a bundle and say what was found"):
        assert text in words


def test_live_pages_are_the_reports(site: Path) -> None:
    """To the byte, each with its link."""
    listed = (site / "demos.html").read_text(encoding="utf-8")
    reports = list((ROOT / "reports").glob("*/report.html"))
    assert reports
    for live in reports:
        copy = site / "demos" / f"{live.parent.name}-report.html"
        assert copy.read_bytes() == live.read_bytes()
        assert f'href="demos/{copy.name}"' in listed


def test_links_within_the_site_lead_somewhere(site: Path) -> None:
    """From every page, the generated ones too."""
    for page in site.rglob("*.html"):
        if page.parent.name == "demos" or page.name == "404.html":
            continue
        for target in re.findall(r'(?:href|src)="([^":#?]+)[#"]', page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.relative_to(site)} links to {target}"


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    """The site, served to this machine alone."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


PHONE = 390
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.mark.skipif(CHROMIUM is None, reason="the site is not tested in a browser: apt-get install chromium")
def test_search_in_a_browser(address: str) -> None:
    """What is typed is found; nothing is asked of anybody else; no page is wider than a phone."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        asked: list[str] = []
        for width in (1280, PHONE):
            page = browser.new_page(viewport={"width": width, "height": 844})
            page.set_default_timeout(180_000)  # a busy machine is slow, and not wrong
            page.on("request", lambda request: asked.append(request.url))
            page.goto(f"{address}/index.html")
            if width == PHONE:
                page.locator(".md-header__button[for=__search]").click()
            page.locator(".md-search__input").press_sequentially("statcheck")
            page.locator(".md-search-result__item").first.wait_for()
            assert "sealtrace and" in page.locator(".md-search-result__item").first.inner_text()
        for name in ("gallery", "comparison", "demos", "reference/api"):
            page.goto(f"{address}/{name}.html")
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
        assert [one for one in asked if not one.startswith((address, "data:", "blob:"))] == []
        browser.close()
