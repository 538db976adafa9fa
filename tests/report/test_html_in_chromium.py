"""The page in a real browser: opened from disk, read with pointer and keys, in the dark, on a phone and on paper."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api

from report.samples import broken_page, cell, finding, good_page, hostile, report_of
from sealtrace.contract.report import Report
from sealtrace.report import html

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("the page is not tested in a browser: apt-get install chromium", allow_module_level=True)

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@dataclass
class Opened:
    """A page, and everything that it asked for or complained of."""

    page: sync_api.Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


class Browser:
    """One browser for all tests of this file."""

    def __init__(self, context: sync_api.BrowserContext, directory: Path) -> None:
        self.context = context
        self.directory = directory

    def open(self, report: Report, *, width: int = 1280, **media: Any) -> Opened:
        """The report's page, opened from disk."""
        path = self.directory / "report.html"
        path.write_text(html.render(report), encoding="utf-8")
        opened = Opened(self.context.new_page())
        page = opened.page
        page.on("request", lambda request: opened.requests.append(request.url))
        page.on("console", lambda message: opened.complaints.append(message.text))
        page.on("pageerror", lambda error: opened.complaints.append(str(error)))
        # Nothing waits for an answer: a dialog is a complaint, and playwright dismisses those that nobody handles.
        page.add_init_script("for (const name of ['alert', 'confirm', 'prompt']) window[name] = console.log")
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(**{"color_scheme": "light", "media": "screen", **media})
        page.goto(path.as_uri())
        return opened


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium without a network's worth of habits of its own."""
    with sync_api.sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=CHROMIUM, args=FLAGS, headless=True
        )
        context.set_default_timeout(10_000)
        yield Browser(context, tmp_path_factory.mktemp("pages"))
        context.close()


def test_opens_from_disk_alone_and_without_complaint(browser: Browser) -> None:
    """One request, for the file itself; nothing in the console; the content security policy refuses nothing of ours."""
    opened = browser.open(good_page())
    assert len(opened.requests) == 1
    assert opened.requests[0].startswith("file://")
    assert opened.complaints == []
    assert opened.page.locator("h1").inner_text().endswith("Verified")
    assert opened.page.locator("#cell-count").inner_text() == "910 cells"
    opened.page.close()


def test_a_cell_opens_its_lineage(browser: Browser) -> None:
    """Formula, population, records, unrounded value, rounding and source line; Escape returns to the cell."""
    page = browser.open(broken_page("table.cells")).page
    page.locator("td.fam-differ").first.click()
    told = page.locator("#lineage").inner_text()
    for part in (
        "tab:main[0.08, Weak EV]",
        "mismatch",
        "4.2890",
        "4.288857504796316",
        "mean of E_w(pi, s)",
        "Population",
        "24, the first of them:",
        "trace/trace.calibration.jsonl",
        "rsd-poker.tex:676",
        "off by",
    ):
        assert part in told
    page.keyboard.press("Escape")
    assert not page.locator("#lineage").is_visible()
    assert page.evaluate("document.activeElement.textContent") == "4.2890"
    page.close()


def test_everything_is_reached_by_keyboard(browser: Browser) -> None:
    """Skip link first; arrows move through a table that takes one stop; Enter opens, Escape closes; focus shows."""
    page = browser.open(good_page()).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator("#table-0 td[tabindex='0']").focus()
    assert page.locator("#table-0 td[tabindex='0']").count() == 1
    first = page.evaluate("document.activeElement.dataset.p")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    moved = page.evaluate("document.activeElement.dataset.p")
    assert [int(one) + 1 for one in first.split(",")] == [int(one) for one in moved.split(",")]
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    assert page.locator("#lineage").is_visible()
    assert page.evaluate("document.getElementById('lineage').contains(document.activeElement)")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.p") == moved
    page.keyboard.press("Control+End")
    assert page.evaluate("document.activeElement.dataset.p") == "4,5"
    page.close()


def test_filters_of_cells_and_findings(browser: Browser) -> None:
    """By status, severity, check and words; counts are announced; what was found leads to its cell."""
    page = browser.open(broken_page("table.cells")).page
    page.locator("#cell-chips button", has_text="mismatch").click()
    assert page.locator("#cell-count").inner_text() == "1 of 910 cells"
    assert page.locator("section.paper:visible").count() == 1
    assert page.locator("#tables tbody tr").count() == 1
    page.locator("#cell-chips button", has_text="mismatch").click()
    page.locator("#cell-search").fill("weak ev residual (0.08)")
    sync_api.expect(page.locator("#cell-count")).to_have_text("1 of 910 cells")
    assert page.locator("#cell-count").get_attribute("aria-live") == "polite"

    total = page.locator("#finding-list li").count()
    page.locator("#finding-chips button", has_text="error").click()
    assert page.locator("#finding-list li").count() == 1
    assert page.locator("#finding-count").inner_text() == f"1 of {total} findings"
    page.locator("#finding-list button").click()
    assert page.locator("#lineage-title").inner_text() == "tab:main[0.08, Weak EV]"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "Show the cell"
    page.locator("#finding-chips button", has_text="error").click()
    page.locator("#finding-search").fill("does not state kl clip")
    sync_api.expect(page.locator("#finding-list li")).to_have_count(1)
    page.locator("#finding-search").fill("")
    page.locator("a[data-check='table.cells']").click()
    assert page.locator("#finding-check option:checked").inner_text().startswith("table.cells")
    page.close()


def test_dark_and_light(browser: Browser) -> None:
    """As the system says, and as the reader says; text keeps its contrast."""
    ground = "getComputedStyle(document.body).backgroundColor"
    page = browser.open(good_page(), color_scheme="dark").page
    dark = page.evaluate(ground)
    page.locator("#theme").click()
    light = page.evaluate(ground)
    assert dark != light
    assert max(channels(dark)) < 60
    assert min(channels(light)) > 200
    for scheme in ("dark", "light"):
        page.evaluate("(theme) => { document.documentElement.dataset.theme = theme }", scheme)
        assert page.evaluate(CONTRAST) >= 4.5
    page.close()


def channels(colour: str) -> list[float]:
    """Red, green and blue."""
    return [float(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]


CONTRAST = """() => {
  const parsed = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (colour) => colour.slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const colour = parsed(getComputedStyle(element).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
  };
  let least = 21;
  for (const element of document.querySelectorAll("h1, h2, .soft, .count, .tally, td[data-c], output, summary")) {
    const [one, other] = [light(parsed(getComputedStyle(element).color)), light(ground(element))];
    least = Math.min(least, (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05));
  }
  return least;
}"""


@pytest.mark.parametrize("width", [390, 768])
def test_nothing_is_wider_than_the_window(browser: Browser, width: int) -> None:
    """Wide tables scroll inside their own boxes."""
    page = browser.open(broken_page("table.cells"), width=width).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    page.locator("#table-6").scroll_into_view_if_needed()
    sync_api.expect(page.locator("#table-6 table")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator("#table-6 .grid-box").evaluate("(box) => box.scrollWidth > box.clientWidth") is True
    page.locator("#table-6 td[data-c]").first.click()
    assert page.locator("#lineage").evaluate("(panel) => panel.getBoundingClientRect().width") <= width
    page.close()


def test_on_paper_everything_stands_open(browser: Browser) -> None:
    """All rows of all tables, all families of checks, no controls; afterwards the page is as it was."""
    page = browser.open(big(3000)).page
    before = page.locator("#tables tbody tr").count()
    page.evaluate("window.counted = null; addEventListener('beforeprint', () => { window.counted = "
                  "document.querySelectorAll('#tables td[data-c]').length })")  # fmt: skip
    assert page.pdf(format="A4", page_ranges="1-2").startswith(b"%PDF")
    assert page.evaluate("window.counted") == 3000
    page.evaluate(FRAME)
    assert page.locator("#table-0 tbody tr").count() < 100
    assert page.locator("#tables tbody tr").count() >= before
    page.emulate_media(media="print")
    for control in (".bar", ".tools", "#theme", ".skip"):
        assert not page.locator(control).first.is_visible()
    page.close()


def test_a_hostile_bundle_does_nothing(browser: Browser) -> None:
    """No request, no script, no dialog, no link out of the page, no element that the page did not make."""
    opened = browser.open(hostile())
    page = opened.page
    page.locator("#table-0").scroll_into_view_if_needed()
    page.locator("td[data-c]").first.click()
    assert "owned" in page.locator("#lineage").inner_text()
    page.keyboard.press("Escape")
    assert len(opened.requests) == 1
    assert opened.complaints == []
    assert page.locator("a:not([href^='#'])").count() == 0
    assert page.locator("script").count() == 2
    assert page.locator("img, iframe, object, embed, form").count() == 0
    assert (
        page.evaluate("/[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\ufeff\\u001b]/.test(document.body.textContent)")
        is False
    )
    page.close()


def big(count: int) -> Report:
    """So many cells: one very long table, and ordinary ones; twenty thousand findings."""
    statuses = [*["exact"] * 40, "mismatch", "double-rounded", "missing", "input", "constrained"]
    cells = [
        cell(
            table="tab:long" if number < count * 3 // 5 else f"tab:{number // 500}",
            row=f"row {number // 10}",
            column=f"column {number % 10}",
            reported=f"{number / 1000:.3f}",
            status=statuses[number % len(statuses)],
            sentence=f"{number / 1000:.3f} is {number / 1000:.6f} rounded; exact",
        )
        for number in range(count)
    ]
    findings = [finding("table.cells", source="report/table.json", row=number) for number in range(20_000)]
    report = report_of(findings, [], {"table.cells": "fail"})
    counts = dict(Counter(one.status for one in cells))
    coverage = report.coverage.model_copy(update={"cells": count, "recomputed": count, "statuses": counts})
    return report.model_copy(update={"cells": cells, "coverage": coverage})


def test_fifty_thousand_cells_stay_smooth(browser: Browser, record_property: Any) -> None:
    """Ready soon; a filter, a search and a jump each within a few frames; the page holds few elements."""
    page = browser.open(big(50_000)).page
    figures = {"ready": float(page.evaluate("document.documentElement.dataset.ready"))}
    figures["elements"] = page.evaluate("document.querySelectorAll('*').length")
    figures["filter"] = page.evaluate(
        f"""async () => {{ const from = performance.now();
        document.querySelector('[data-status=mismatch]').click(); await {FRAME}; return performance.now() - from }}"""
    )
    assert page.locator("#cell-count").inner_text() == "1,111 of 50,000 cells"
    page.locator("#cell-chips [data-status=mismatch]").click()
    for name in ("first search", "search"):
        figures[name] = page.evaluate(
            f"""async () => {{ const from = performance.now(), input = document.getElementById('cell-search');
            input.value = input.value === '' ? 'row 29' : 'row 2999'; input.dispatchEvent(new Event('input'));
            await {FRAME}; return performance.now() - from }}"""
        )
    assert page.locator("#cell-count").inner_text() == "10 of 50,000 cells"
    page.locator("#cell-search").fill("")
    sync_api.expect(page.locator("#cell-count")).to_have_text("50,000 cells")
    frames = sorted(
        page.evaluate(
            """async () => { const box = document.querySelector('#table-0 .grid-box'), frames = [];
            for (let step = 1; step <= 40; step++) { const from = performance.now(); box.scrollTop = step * 2100;
              await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
              frames.push(performance.now() - from); } return frames }"""
        )
    )
    figures["median frame"], figures["worst frame"] = frames[20], frames[-1]
    assert page.evaluate("document.querySelector('#table-0 tbody tr:not(.space)').getAttribute('aria-rowindex')") > "2"
    page.locator("#table-0 td[tabindex='0']").first.focus()
    page.keyboard.press("Control+End")
    assert page.evaluate("document.activeElement.textContent") == "29.999"
    for name, value in figures.items():
        record_property(name, value)
    print({name: round(value) for name, value in figures.items()})
    # What keeps the page quick on any machine: only what is seen is drawn. Times are recorded, not judged.
    assert figures["elements"] < 12_000
    page.close()
