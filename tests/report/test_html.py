"""The page as text: structure for screen readers, a policy that fits, and nothing of a bundle as markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cli.runner import sealtrace
from report.samples import HOSTILE, broken_page, cell, good, good_page, hostile, report_of
from sealtrace import verify
from sealtrace.contract.details import (
    CandidateBound,
    ChosenMap,
    Details,
    Frontier,
    GroupBounds,
    Mixture,
    PartitionBounds,
    Reached,
    StageLink,
)
from sealtrace.contract.report import Report
from sealtrace.report import html, inert
from sealtrace.report import json as json_format
from sealtrace.report.html.data import STRIDE
from sealtrace.report.html.frontier import best_of
from sealtrace.report.html.svg import Axis, apart, around
from studies.certified_study import certified_study
from support import read_rows

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

    def __init__(self, report: Report) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.open: list[Element] = []
        self.source = html.render(report)
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


def certified() -> Report:
    """A report of a study that certifies, with hostile names: every plot is drawn."""
    name = HOSTILE
    bounds = [
        CandidateBound(
            candidate=f"{name}@{place}",
            crossings=place,
            risk_upper=0.05 * (place + 1),
            utility_mean=0.7,
            utility_lower=0.6,
            certified=place == 0,
        )
        for place in range(3)
    ]
    reached = [
        Reached(name=f"{name}{place}", family=name, utility=4.0 + place, crossings=place, states=9) for place in (0, 1)
    ]
    mixtures = [Mixture(radius=place / 20, risk_upper=0.05 + place / 1000, utility_lower=0.5) for place in range(41)]
    details = Details(
        lineages=[],
        tables=[],
        stages=[
            StageLink(
                stage="declare", sealed=True, files=2, bytes=5_000_000, kinds={name: 2}, digest="a" * 64, linked=True
            ),
            StageLink(
                stage="bank", sealed=True, files=0, bytes=0, kinds={}, digest="b" * 64, linked=False, empty_reason=name
            ),
            StageLink(stage="structure", sealed=False, files=0, bytes=0, kinds={}, linked=False),
        ],
        certificates=[
            PartitionBounds(
                partition=name, declared=True, budget="0.10", groups=[GroupBounds(group=name, states=9, bounds=bounds)]
            )
        ],
        frontier=Frontier(split=name, evaluator=name, candidates=reached, chosen=[reached[0]]),
        maps=[
            ChosenMap(
                selector=name, rule="robust", partition=name, assigned={name: name}, reason=name, mixtures=mixtures
            )
        ],
        budget="1e999",
        radius="0.10",
    )
    return hostile().model_copy(update={"details": details})


PAGES = {
    "good": good_page(),
    "without details": good(),
    "broken": broken_page("replay.tilt"),
    "nothing but a verdict": report_of(),
    "missing": report_of(statuses={"join.teacher": "missing", "replay.tilt": "skipped"}),
    "hostile": hostile(),
    "certified": certified(),
}


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest) -> Parsed:
    """Every kind of page."""
    return Parsed(PAGES[request.param])


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
            assert (one.attributes.get("href") or "").removeprefix("#") in ids
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
    known = {one.tag for one in Parsed(good_page()).elements} | {"li", "ol", "ul", "code", "strong", "path"}
    for report in (hostile(), certified()):
        parsed = Parsed(report)
        assert {one.tag for one in parsed.elements} <= known
        assert parsed.of("h1")[0].text == "✗Findings"
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
    row, column, status, recomputed, sentence, source, line, recipe, formula, *rest = main["cells"][
        13 * STRIDE : 14 * STRIDE
    ]
    assert (row, column, data["statuses"][status][0], line) == (2, 1, "exact", 676)
    assert text[recomputed] == "4.288857504796316"
    assert text[sentence].endswith(", the same.")
    assert (text[source], text[recipe]) == ("rsd-poker.tex", "weak_ev(policy=residual@0.08)")
    assert text[formula] == "mean of E_w(pi, s)"
    _, population, count, records, _ = rest
    assert (text[population], count, len(text[records].split("\n"))) == ("all", 24, 3)


def test_labels_that_stand_twice_are_filled_in_order() -> None:
    """A table with two rows of one name still shows each cell at a place of its own."""
    twice = [cell(row="a", column="x", reported="1"), cell(row="b", column="x", reported="2")]
    data = Parsed(report_of(cells=[*twice, cell(table="tab:other", row="a", column="x")])).data
    assert [table["label"] for table in data["tables"]] == ["tab:main", "tab:other"]
    assert [data["tables"][0]["cells"][at] for at in (0, STRIDE)] == [0, 1]


def test_verdict_and_what_to_do_come_first() -> None:
    """A cause with its place, then what is missing; a good study has nothing to do but look at warnings."""
    first = Parsed(broken_page("replay.tilt")).of("li")[0].text
    assert first.startswith("Correct replay.tilt: 3 findings trace/trace.calibration.jsonl:59")
    assert "4 other failed checks may follow from it." in first
    assert "Look at the warnings" in Parsed(good_page()).of("li")[0].text
    assert "there is no protocol. Undecided: join.teacher." in Parsed(PAGES["missing"]).source
    assert "Nothing is left to do." in Parsed(report_of()).source


def test_the_chain_tells_where_it_is_broken() -> None:
    """In words too, for those who do not see the picture."""
    whole = [one.text for one in Parsed(good_page()).of("desc")]
    assert any(text.startswith("8 of 8 stages are sealed") and "No link is broken." in text for text in whole)
    broken = [one.text for one in Parsed(certified()).of("desc")]
    assert any("The chain is broken before bank. Not sealed: structure." in text for text in broken)


def test_details_only_where_they_are_asked_for() -> None:
    """Other formats neither pay for them nor show them."""
    assert good().details is None
    assert {check.largest for check in good().checks} == {None}
    report = good_page()
    assert report.details is not None
    assert len(report.details.lineages) == len(report.cells)
    assert [one.linked for one in report.details.stages] == [True] * 8
    assert report.details.frontier is not None
    assert {one.name: one.crossings for one in report.details.frontier.candidates}["residual@0.16"] == 3
    largest = max((check.largest.value for check in report.checks if check.largest), default=None)
    assert report.summary.max_discrepancy is not None
    assert largest == report.summary.max_discrepancy.value
    assert json.loads(json_format.render(report)).keys() == json.loads(json_format.render(good())).keys()
    assert '"largest"' not in json_format.render(report)


def test_details_of_a_study_that_certifies(tmp_path: Path) -> None:
    """The plots show what was recomputed: the sealed certificates and maps say the same."""
    report = verify(certified_study(tmp_path / "bundle"), details=True)
    assert report.verdict == "verified"
    details = report.details
    assert details is not None
    drawn = {
        (partition.partition, group.group, one.candidate): (group.states, one.crossings, one.certified)
        for partition in details.certificates
        for group in partition.groups
        for one in group.bounds
    }
    sealed = read_rows(tmp_path / "bundle" / "calibrate" / "certificate.jsonl")
    assert drawn == {
        (one["partition"], one["group"], f"{one['arm']}@{one['scale']}"): (
            one["states"],
            one["crossings"],
            one["certified"],
        )
        for one in sealed
    }
    for one in details.maps:
        record = json.loads((tmp_path / "bundle" / "select" / f"map.{one.selector}.json").read_text())
        for name, sign in (("risk_upper", 1), ("utility_lower", -1)):
            bounds = [getattr(mixture, name) for mixture in one.mixtures]
            if record.get(name) is None:
                assert set(bounds) <= {None}
            else:
                # More room for the mixture never makes a bound better, and the sealed radius lies within the range.
                assert all(sign * (later - earlier) >= -1e-12 for earlier, later in pairwise(bounds))
                assert min(bounds) - 1e-9 <= record[name] <= max(bounds) + 1e-9
    assert details.frontier is not None
    assert {one.name for one in details.frontier.chosen} == {one.selector for one in details.maps}
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
    policies = [Reached(name=name, utility=utility, crossings=crossings, states=9) for name, utility, crossings in (
        ("worse", 1.0, 1), ("least", 2.0, 0), ("same", 2.0, 0), ("most", 3.0, 4))]  # fmt: skip
    assert [one.name for one in best_of(policies)] == ["least", "most"]
