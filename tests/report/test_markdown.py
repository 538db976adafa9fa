"""Markdown: the verdict and what to do first, then what does not hold; rendered, nothing of a bundle is markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from report.samples import HOSTILE, KINDS, broken, cell, finding, good, report_of
from sealtrace.checks.catalogue import CATALOGUE
from sealtrace.contract.result import StageCoverage, Status
from sealtrace.report import inert, markdown

LIVE = re.compile(r"@\w|#\d|\bGH-\d|https?://|www\.")
"""What GitHub turns into mentions, references and links in rendered text."""
TAGS = {"h2", "h3", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "pre", "code",
        "ul", "li"}  # fmt: skip


class Rendered(HTMLParser):
    """The tags of a page, and its text outside blocks of code."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.outside = ""
        self.comments: list[str] = []
        self.feed(MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough").render(text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert attrs == [] or tag in ("code", "th", "td")
        self.tags.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "pre" not in self.open:
            self.outside += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


@pytest.mark.parametrize("kind", KINDS)
def test_only_our_own_markup_is_rendered(kind: str) -> None:
    """No link, image, script or comment; tables keep their columns; nothing that a service would link."""
    report = KINDS[kind]()
    for text in (markdown.render(report), markdown.render(report, everything=True)):
        page = Rendered(text)
        assert set(page.tags) <= TAGS
        assert (page.open, page.comments) == ([], [])
        assert LIVE.findall(page.outside) == []
        rows = [line for line in text.splitlines() if line.startswith("| ")]
        assert page.tags.count("tr") == len(rows)
        assert page.tags.count("table") == text.count("|---|\n")


def test_hostile_text_is_shown_as_it_was_written() -> None:
    """What is rendered is the text itself, but for spaces without width."""
    page = Rendered(f"| a |\n|---|\n| {inert.markdown(HOSTILE)} |\n")
    shown = page.outside.replace("\u200b", "")
    assert " ".join(inert.harmless(HOSTILE).split()) in " ".join(shown.split())


def test_a_block_of_code_cannot_be_ended_from_inside() -> None:
    """The fence is longer than every run of backticks in it."""
    page = Rendered(inert.fenced("a\n`````\n<b>x</b>\n```"))
    assert page.tags == ["pre", "code"]


def test_what_to_do_first() -> None:
    """A cause before its consequences; what is missing by its reason; what was skipped."""
    tilt = markdown.render(broken("replay.tilt"))
    assert tilt.startswith(
        "## Findings: rsd-fixture\n\nRSD-Poker: exact replay of the 24-state fixture\n\n"
        "24 states, 9 policies, 216 traces\n\n"
        "**Start with replay.tilt**, at trace/trace.calibration.jsonl:59"
    )
    assert "4 other failed checks may follow from it." in tilt
    assert "Nothing is left to do" in markdown.render(good())
    missing = report_of(statuses={"join.teacher": "missing", "replay.tilt": "missing"})
    assert "**Start with what is missing**: there is no protocol (join.teacher)" in markdown.render(missing)
    assert "| join.teacher, replay.tilt | missing | | there is no protocol |" in markdown.render(missing)
    assert "**Run the skipped checks, too**" in markdown.render(report_of(statuses={"replay.tilt": "skipped"}))


def test_cells_and_coverage() -> None:
    """Reported beside recomputed, and how many cells there are of each status."""
    text = markdown.render(broken("table.cells"))
    assert "| 0.08, Weak EV | 4.2890 | 4.288857504796316 | differs | mismatch | rsd-poker.tex:676 |" in text
    counts = "699 exact, 2 double-rounded, 1 mismatch, 208 input"
    assert f"Numbers: 910: 701 follow, 1 differs, 208 given ({counts})." in text
    assert "table.cells: 1 error</summary>" in text


def test_it_fits_a_comment() -> None:
    """However much is wrong, GitHub's limit of 65,536 characters is kept, and what is left out is counted."""
    long = {"source": HOSTILE * 9, "expected": HOSTILE * 9, "found": HOSTILE * 9, "message": HOSTILE * 9}
    findings = [finding(check.id, **long) for check in CATALOGUE for _ in range(20)]
    statuses: dict[str, Status] = {check.id: "fail" for check in CATALOGUE}
    cells = [cell(row=HOSTILE * 9, column=str(number), printed=HOSTILE * 9) for number in range(300)]
    text = markdown.render(report_of(findings, cells, statuses, name=HOSTILE * 9))
    assert len(text) < 65_536
    assert "... and 17 more" in text
    assert "... and 275 more" in text
    assert f"The findings of {len(CATALOGUE) - 8} other failed checks" in text


def test_who_saw_what_is_said() -> None:
    """Stages by their witnesses, and tables that nobody read again from a manuscript."""
    report = good()
    assert "Stages: 8 of 8 sealed; the order is the authors' word" in Rendered(markdown.render(report)).outside
    covered = [
        StageCoverage(stage="declare", witnesses=["root.tsr"], vouched=True, since="2026-01-02T03:04:05Z"),
        StageCoverage(stage="report", witnesses=[], vouched=False, since=None),
    ]
    chain = report.summary.chain.model_copy(update={"timestamps": 1, "coverage": covered})
    seen = report.model_copy(update={"summary": report.summary.model_copy(update={"chain": chain})})
    page = Rendered(markdown.render(seen)).outside
    assert "declare: sealed by 2026-01-02T03:04:05Z (root.tsr)" in page
    assert "report: when is the authors' word (no witness)" in page
    assert "Tables: as the authors transcribed them" in page
