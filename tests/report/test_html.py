"""The page as text: structure for screen readers, a policy that fits, and nothing of a bundle as markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cli.runner import sealtrace
from report.samples import HOSTILE, broken_page, cell, finding, good, good_page, hostile, report_of
from report.test_audit import audit
from sealtrace import verify
from sealtrace.contract.details import Details, DrawnTable, Plot, PlotLimit, PlotPoint, PlotSeries, StageLink
from sealtrace.contract.result import Result
from sealtrace.paper.model import Table
from sealtrace.report import inert, machine
from sealtrace.report.html import render
from sealtrace.report.html.of_result import FIELDS
from sealtrace.report.html.svg import Axis, apart, around
from sealtrace.studies.policies.overview import unsurpassed
from studies.certified_study import certified_study
from support import read_rows

BEFORE_FIELDS = 6
"""Row, column, status, given, file and line."""
STRIDE = BEFORE_FIELDS + len(FIELDS)
VOID = {"meta", "input", "br", "link", "img"}


@dataclass
class Element:
    """One element of a page."""

    tag: str
    attributes: dict[str, str | None]
    text: str = ""
    parents: list[str] = field(default_factory=list)


class Parsed(HTMLParser):
    """The elements of a page in order; fails where they are not nested."""

    def __init__(self, report: Result | str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.open: list[Element] = []
        self.source = report if isinstance(report, str) else render.render(report)
        self.feed(self.source)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        element = Element(tag, dict(attrs), parents=[one.tag for one in self.open])
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def of(self, tag: str) -> list[Element]:
        """All elements of a kind."""
        return [element for element in self.elements if element.tag == tag]

    @property
    def data(self) -> dict[str, Any]:
        """What the script draws."""
        document: dict[str, Any] = json.loads(
            next(one.text for one in self.of("script") if one.attributes.get("id") == "data")
        )
        return document


def certified() -> Result:
    """A report with hostile names in every kind of plot."""
    name = HOSTILE
    points = [
        PlotPoint(label=name, y=0.05 * place, low=0.0, high=0.1, note=name, hollow=place > 1) for place in range(3)
    ]
    curve = [PlotPoint(label=name, x=place + 1.0, y=0.5 + place) for place in range(3)]
    intervals = Plot(title=name, caption=name, across=name, series=[PlotSeries(name=name, points=points)])
    details = Details(
        stages=[
            StageLink(
                stage="declare", sealed=True, files=2, bytes=5_000_000, kinds={name: 2}, digest="a" * 64, linked=True
            ),
            StageLink(
                stage="bank", sealed=True, files=0, bytes=0, kinds={}, digest="b" * 64, linked=False, empty_reason=name
            ),
            StageLink(stage="structure", sealed=False, files=0, bytes=0, kinds={}, linked=False),
        ],
        plots=[
            intervals.model_copy(update={"title": "1", "section": name, "limits": [PlotLimit(name=name, value=0.07)]}),
            intervals.model_copy(update={"title": "2", "section": name, "folded": True}),
            Plot(
                title=name + "3",
                caption=name,
                across=name,
                up=name,
                series=[
                    PlotSeries(name=name, points=curve, named=True),
                    PlotSeries(name="b", points=curve, line=False),
                ],
                limits=[PlotLimit(name=name, value=2.0), PlotLimit(name=name, value=1.0, upright=False)],
            ),
        ],
    )
    return hostile().model_copy(update={"details": details})


def checked(name: str) -> Result:
    """A check in which every name and every sentence is the given text."""
    place = {"table": name, "source": name, "line": 3, "row": name, "formulas": ["b1"]}
    texts = dict.fromkeys(("table", "subject", "formula", "measure", "statistic", "transformation", "apart"), name)
    rule = {**texts, "id": "b1", "kind": "column", "files": [name], "bits": 12.5, "agrees": 1, "numbers": 2}
    number = {"id": "n", "printed": name, "word": "differs", "status": "off", "given": name, "says": name}
    found = audit(name)
    told = {"severity": "error", "check": "results.numbers", "message": name, "key": {"number": "n", name: name}}
    return Result.model_validate(
        {
            **found.model_dump(exclude_none=True),
            "command": "check",
            "subject": {"name": name, "papers": [name], "results": name},
            "summary": {"inspected": [name, name]},
            "checks": [{"id": "results.numbers", "title": name, "status": "fail", "inspected": 2, "unit": "numbers",
                        "findings": 1}],
            "findings": [told, *(one.model_dump(exclude_none=True) for one in found.findings)],
            "formulas": [{**rule, "ambiguous": [name]}],
            "numbers": [
                {**number, **place, "column": "c", "records": [name], "count": 9},
                {**number, **place, "column": "d", "printed": "1", "word": "follows", "status": "explained"},
                {**number, "sentence": name, "source": name, "line": 1},
            ],
        }
    )  # fmt: skip


def audited(name: str) -> Result:
    """An audit in which every name and every sentence is the given text, with the table that it is of."""
    table = {"label": name, "caption": name, "columns": [{"label": name}], "rows": [{"label": name, "cells": ["1.5"]}]}
    return audit(name).model_copy(update={"details": Details(tables=[DrawnTable.of(Table.of(table))])})


PAGES: dict[str, Callable[[], Result | str]] = {
    "good": good_page,
    "without details": good,
    "broken": lambda: broken_page("replay.tilt"),
    "nothing but a verdict": report_of,
    "missing": lambda: report_of(statuses={"join.teacher": "missing", "replay.tilt": "skipped"}),
    "hostile": hostile,
    "certified": certified,
    "audit": lambda: audited("fine"),
    "hostile audit": lambda: audited(HOSTILE),
    "check": lambda: checked("fine"),
    "hostile check": lambda: checked(HOSTILE),
}


@pytest.fixture(params=PAGES, scope="module")
def page(request: pytest.FixtureRequest) -> Parsed:
    """Every kind of page."""
    return Parsed(PAGES[request.param]())


def test_structure_that_a_screen_reader_follows(page: Parsed) -> None:
    """Landmarks, one first heading, no level left out, unique ids, labels that lead somewhere."""
    for landmark in ("header", "nav", "main", "footer", "h1"):
        assert len([one for one in page.of(landmark) if "dialog" not in one.parents]) == 1
    levels = [int(one.tag[1]) for one in page.elements if re.fullmatch("h[1-6]", one.tag)]
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    ids = [one.attributes["id"] for one in page.elements if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    for one in page.elements:
        for name in (one.attributes.get("aria-labelledby") or "").split():
            assert name in ids
        if one.tag == "a":
            target = (one.attributes.get("href") or "").removeprefix("#")
            # Cells are drawn by the script, which follows their addresses.
            assert target in ids or target.startswith("cell=")
        if one.tag in ("input", "select"):
            assert "label" in one.parents
        if one.tag == "button":
            assert one.attributes["type"] == "button"
        if one.tag == "th":
            assert one.attributes["scope"] in ("row", "col")
    for picture in page.of("svg"):
        assert picture.attributes.get("aria-hidden") == "true" or picture.attributes["role"] == "img"
    assert page.of("html")[0].attributes["lang"] == "en"


def test_only_its_own_script_and_styles_may_act(page: Parsed) -> None:
    """The policy names them by digest; no attribute is a script or a style; nothing is fetched."""
    policy = next(one for one in page.of("meta") if "http-equiv" in one.attributes).attributes["content"] or ""
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'")
    scripts = [one for one in page.of("script") if "type" not in one.attributes]
    for elements, kind in ((scripts, "script-src"), (page.of("style"), "style-src")):
        (element,) = elements
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    for one in page.elements:
        assert not {"style", "src", "srcset", "action", "background", "ping"} & set(one.attributes)
        assert not [name for name in one.attributes if name.startswith("on")]
    assert not re.search(r"url\(|@import|innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", page.source)


def test_the_island_ends_where_it_should(page: Parsed) -> None:
    """In ASCII, without a character that HTML or a script takes for more than text."""
    island = next(one.text for one in page.of("script") if one.attributes.get("id") == "data")
    assert island.isascii()
    assert not set("<>&") & set(island)
    assert [one.attributes.get("type") for one in page.of("script")] == ["application/json", None]


def test_a_bundle_adds_no_markup() -> None:
    """A hostile page has the kinds of elements that a good one has."""
    known = {one.tag for one in Parsed(good_page()).elements} | {"li", "ol", "ul", "code", "strong", "path", "circle"}
    for report in (hostile(), certified(), audited(HOSTILE), checked(HOSTILE)):
        parsed = Parsed(report)
        assert {one.tag for one in parsed.elements} <= known
        assert parsed.of("h1")[0].text.startswith("✗")
        assert inert.harmless(HOSTILE) in next(one.text for one in parsed.of("title") if "head" in one.parents)


def test_tables_stand_as_in_the_paper() -> None:
    """Rows and columns in order, with cells that hold no number; every cell has its lineage."""
    data = Parsed(good_page()).data
    assert [table["label"] for table in data["tables"]][:3] == ["tab:controls", "tab:costs", "tab:main"]
    main, text = data["tables"][2], data["text"]
    assert main["columns"] == ["Scale", "Weak EV", "Strong Δ", "C count", "H count", "H Δ"]
    assert [text[row] for row in main["rows"]] == ["0.00", "0.04", "0.08", "0.12", "0.16"]
    controls = data["tables"][0]
    assert (controls["columns"][0], text[controls["texts"][0]]) == ("Policy", "Top-1")
    assert len(main["cells"]) == 30 * STRIDE
    row, column, status, recomputed, source, line, *fields = main["cells"][13 * STRIDE : 14 * STRIDE]
    assert (row, column, data["statuses"][status][0], line) == (2, 1, "exact", 676)
    assert text[recomputed] == "4.288857504796316"
    known = dict(zip(data["fields"], (text[one] for one in fields), strict=True))
    assert known["Says"].endswith(", the same.")
    assert (text[source], known["Recipe"]) == ("rsd-poker.tex", "weak_ev(policy=residual@0.08)")
    assert known["Formula"].startswith("mean of E_w(pi, s)")
    assert (known["Population"], known["Printed at"]) == ("all", "rsd-poker.tex:676")
    assert known["Records"].startswith("24, the first of them:\n")
    assert known["Records"].count("\n") == 3


def test_a_table_without_numbers_agrees_with_nothing(tmp_path: Path) -> None:
    """Nothing of it was looked at, so that it has no tick."""
    (tmp_path / "paper.md").write_text(
        "| Name | Kind |\n|---|---|\n| a | b |\n\n| Model | Score |\n|---|---|\n| x | 0.5 |\n"
    )
    sealtrace("audit", tmp_path / "paper.md", "-o", f"html={tmp_path / 'audit.html'}")
    page = (tmp_path / "audit.html").read_text("utf-8")
    assert '<p class="tally fam-unproven">no numbers</p>' in page


def test_labels_that_stand_twice_are_filled_in_order() -> None:
    """A table with two rows of one name still shows each cell at a place of its own."""
    twice = [cell(row="a", column="x", printed="1"), cell(row="b", column="x", printed="2")]
    data = Parsed(report_of(cells=[*twice, cell(table="tab:other", row="a", column="x")])).data
    assert [table["label"] for table in data["tables"]] == ["tab:main", "tab:other"]
    assert [data["tables"][0]["cells"][at] for at in (0, STRIDE)] == [0, 1]


def test_what_to_do_for_reviewers_and_for_authors() -> None:
    """A cause with its place and what may follow from it, then what is missing; a good study leaves some to do."""
    parsed = Parsed(broken_page("replay.tilt"))
    steps = [one.text for one in parsed.of("li") if one.parents[-1] == "ol" and "section" in one.parents]
    asked, corrected = (next(one for one in steps if one.startswith(word)) for word in ("Ask about", "Correct"))
    for step in (asked, corrected):
        assert "replay.tilt: 3 findings trace/trace.calibration.jsonl:59" in step
        assert "other findings of 4 checks may follow from it." in step
    assert [one.text for one in parsed.of("h3")][:2] == ["If you review this", "If you wrote this"]
    good_steps = Parsed(good_page()).source
    assert "Look at the warnings" in good_steps
    assert "Print the root digest in the paper" in good_steps
    assert "There is no protocol. Undecided: join.teacher." in Parsed(PAGES["missing"]()).source


def test_findings_come_before_tables_and_limits_on_every_page(page: Parsed) -> None:
    """A reader meets what is wrong first, and what even a green verdict does not prove."""
    ids = [one.attributes["id"] for one in page.elements if one.tag == "section" and "id" in one.attributes]
    assert "limits" in ids
    assert page.source.count("What this does not prove") == 1
    if "findings" in ids and "tables" in ids:
        assert ids.index("findings") < ids.index("limits") < ids.index("tables")
    assert ("findings" in ids) == bool(page.data["findings"])


def test_consequences_are_folded_under_their_cause() -> None:
    """Whatever was found in files that are not those that were sealed has one cause; so has one record's damage."""
    found = [
        finding("identity.bytes", source="trace/a.jsonl"),
        finding("score.utility", source="b.jsonl", line=3),
        *(finding("table.cells", source="report/table.json", line=row) for row in range(107)),
    ]
    failed: dict[str, Any] = {one.check: "fail" for one in found}
    data = Parsed(report_of(found, [], failed)).data
    names = [(data["text"][check], parent) for check, _, parent, _ in data["causes"]]
    assert names[0] == ("identity.bytes", -1)
    assert {name for name, parent in names if parent == 0} == {"score.utility", "table.cells"}
    assert "108 other findings of 2 checks may follow from it" in Parsed(report_of(found, [], failed)).source
    same = [finding("probability.normalized", source="t", line=2), finding("replay.anchor", source="t", line=2)]
    causes = Parsed(report_of(same, [], {"probability.normalized": "fail", "replay.anchor": "fail"})).data["causes"]
    assert [parent for _, _, parent, _ in causes] == [-1, 0]
    apart = [same[0], same[1].model_copy(update={"line": 3})]
    causes = Parsed(report_of(apart, [], {"probability.normalized": "fail", "replay.anchor": "fail"})).data["causes"]
    assert [parent for _, _, parent, _ in causes] == [-1, -1]


def test_waived_findings_stay_on_the_page() -> None:
    """With their reason, under a verdict that is not green; a draft says that nothing is sealed."""
    waived = finding("score.utility", severity="warning", waived="known until the next release")
    report = report_of([waived], [], {"score.utility": "missing"})
    parsed = Parsed(report)
    assert parsed.of("h1")[0].text == "?Waived"
    (found,) = parsed.data["findings"]
    assert "known until the next release" in [parsed.data["text"][one] for one in found[4]]
    draft = Parsed(report_of().model_copy(update={"draft": True}))
    assert draft.of("h1")[0].text == "✓Draft, which would be Verified"


def test_undecided_checks_wait_for_the_cause_that_keeps_them_so() -> None:
    """A duplicate key leaves forty checks undecided: that is one thing to do."""
    report = report_of([finding("join.unique-key")], [], {"join.unique-key": "fail", "join.teacher": "missing"})
    parsed = Parsed(report)
    assert parsed.data["causes"][0][3] == 1
    assert "1 check cannot be decided before it is corrected" in " ".join(parsed.source.split())
    assert "Supply what is missing" not in parsed.source


def test_the_chain_tells_where_it_is_broken() -> None:
    """In a sentence above the table of its links."""
    whole = [one.text for one in Parsed(good_page()).of("figcaption")]
    assert any(text.startswith("8 of 8 stages are sealed. No link is broken.") for text in whole)
    broken = [one.text for one in Parsed(certified()).of("figcaption")]
    assert any("The chain is broken before bank. Not sealed: structure." in text for text in broken)


def test_details_only_where_they_are_asked_for() -> None:
    """Other formats neither pay for them nor show them."""
    assert good().details is None
    assert {check.largest for check in good().checks} == {None}
    report = good_page()
    assert report.details is not None
    assert [one.linked for one in report.details.stages] == [True] * 8
    frontier = next(one for one in report.details.plots if one.up == "mean weak EV")
    reached = {point.label: point.note for series in frontier.series for point in series.points}
    assert reached["residual@0.16"] == "3 of 12 cross"
    largest = max((check.largest.value for check in report.checks if check.largest), default=None)
    assert report.summary.max_discrepancy is not None
    assert largest == report.summary.max_discrepancy.value
    assert machine.render(report) == machine.render(good())


def test_details_of_a_study_that_certifies(tmp_path: Path) -> None:
    """The plots show what was recomputed: the sealed certificates and maps say the same."""
    report = verify(certified_study(tmp_path / "bundle"), details=True)
    assert report.verdict == "verified"
    details = report.details
    assert details is not None
    drawn = {
        (plot.section.removeprefix("Risk bounds in "), plot.title.rpartition(",")[0], point.label): (
            point.note,
            not point.hollow,
        )
        for plot in details.plots
        if plot.section.startswith("Risk bounds")
        for point in plot.series[0].points
    }
    sealed = read_rows(tmp_path / "bundle" / "calibrate" / "certificate.jsonl")
    assert drawn == {
        (one["partition"], one["group"], f"{one['arm']}@{one['scale']}"): (
            f"{one['crossings']} of {one['states']} cross",
            one["certified"],
        )
        for one in sealed
    }
    chosen = {one.selector for one in report.summary.selected}
    for title, name, sign in (("Worst risk bound", "risk_upper", 1), ("Worst utility bound", "utility_lower", -1)):
        curves = {
            name: one
            for plot in details.plots
            if plot.title == title
            for one in plot.series
            for name in one.name.split(", ")
        }
        assert set(curves) <= chosen
        for path in (tmp_path / "bundle" / "select").glob("map.*.json"):
            record = json.loads(path.read_text())
            assert (record.get(name) is not None) == (record["selector"] in curves)
            if record["selector"] in curves:
                bounds = [point.y for point in curves[record["selector"]].points]
                # More room for the mixture never makes a bound better, and the sealed radius lies within the range.
                assert all(sign * (later - earlier) >= -1e-12 for earlier, later in pairwise(bounds))
                assert min(bounds) - 1e-9 <= record[name] <= max(bounds) + 1e-9
    frontier = next(one for one in details.plots if (one.up or "").endswith("EV"))
    assert {one.label for one in frontier.series[-1].points} == chosen
    Parsed(report)


def test_command_line_writes_the_page(tmp_path: Path) -> None:
    """Beside other formats, with the evidence behind the verdict; the JSON stays as it is without a page."""
    page, other = tmp_path / "report.html", tmp_path / "report.json"
    run = sealtrace("verify", "-o", f"html={page}", "-o", f"json={other}")
    assert (run.code, run.errors) == (0, "")
    assert page.read_text().startswith("<!doctype html>")
    assert "Stage chain" in page.read_text()
    assert "details" not in json.loads(other.read_text())


def test_axes_and_labels() -> None:
    """Round ticks; labels that keep apart; numbers near the end of doubles draw something rather than fail."""
    assert Axis(0.0, 2.0, 0, 100).ticks() == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert apart([5.0, 5.0, 5.0], 10, 0, 100) == [5.0, 15.0, 25.0]
    assert apart([99.0, 99.0], 10, 0, 100) == [90.0, 100.0]
    huge = around([-1.7e308, 1.7e308], 0, 100)
    assert huge.ticks() == []
    assert huge.at(0.0) == 0
    assert around([1.0], 0, 100).at(1.0) == pytest.approx(50)


def test_unsurpassed_policies() -> None:
    """More utility at no more violation surpasses; equals count once."""
    points = [PlotPoint(label=name, y=utility, x=crossings / 9) for name, utility, crossings in (
        ("worse", 1.0, 1), ("least", 2.0, 0), ("same", 2.0, 0), ("most", 3.0, 4))]  # fmt: skip
    assert [one.label for one in unsurpassed(points)] == ["least", "most"]
