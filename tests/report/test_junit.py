"""JUnit XML: a case per check and per table, counted rightly, and in the form that build services read."""

from __future__ import annotations

from xml.etree import ElementTree as Xml

import pytest

from report.samples import KINDS, broken, cell, finding, good, report_of
from sealtrace.contract.result import Result
from sealtrace.report import junit

ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped"},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"classname", "name"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message", "type"},
    "system-out": set(),
}
"""The elements and attributes that the schemas of Jenkins and of Ant have in common."""
CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase"],
    "properties": ["property"],
    "testcase": ["skipped", "error", "failure", "system-out"],
}


def parsed(report: Result) -> Xml.Element:
    """The document, checked against the conventions."""
    root = Xml.fromstring(junit.render(report))
    assert root.tag == "testsuites"
    for element in root.iter():
        assert set(element.attrib) == ATTRIBUTES[element.tag]
        tags = [child.tag for child in element]
        assert tags == sorted(tags, key=CHILDREN.get(element.tag, []).index)
    for suite in root:
        cases = suite.findall("testcase")
        assert int(suite.attrib["tests"]) == len(cases)
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.attrib[attribute]) == len(suite.findall(f"testcase/{tag}"))
        assert all(len([one for one in case if one.tag != "system-out"]) <= 1 for case in cases)
    for attribute in ("tests", "failures", "errors"):
        assert int(root.attrib[attribute]) == sum(int(suite.attrib[attribute]) for suite in root)
    return root


def case(root: Xml.Element, name: str) -> Xml.Element:
    """A test case by its name."""
    found = root.find(f"testsuite/testcase[@name='{name}']")
    assert found is not None
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_the_form(kind: str) -> None:
    """Every report keeps to the conventions, and every check and table has its case, in order."""
    report = KINDS[kind]()
    root = parsed(report)
    assert [one.get("name") for one in root[0].findall("testcase")] == [check.id for check in report.checks]
    families = {check.id.partition(".")[0] for check in report.checks}
    assert {one.get("classname") for one in root[0].findall("testcase")} == families
    assert len(root[1].findall("testcase")) == len({one.table for one in report.numbers})
    assert junit.render(report) == junit.render(report)


def test_a_verified_study_is_green() -> None:
    """No failure and no error; warnings stand in the case's output."""
    root = parsed(good())
    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    assert "double-rounded" not in Xml.tostring(case(root, "table.recipes"), encoding="unicode")
    assert "warning: report/table.rows-ev.json" in (case(root, "table.cells").findtext("system-out") or "")


def test_a_failure_lists_its_findings() -> None:
    """With place, key, field, expected and found; the table that holds the cell fails too."""
    root = parsed(broken("table.cells"))
    text = case(root, "table.cells").findtext("failure") or ""
    assert "error: report/table.main.json  table=tab:main row=0.08 column=Weak EV" in text
    assert "The paper prints 4.2890; the records give 4.288858" in text
    assert "differs (mismatch): 0.08, Weak EV at rsd-poker.tex:676: printed 4.2890" in (
        case(root, "tab:main").findtext("failure") or ""
    )
    assert (root.get("failures"), root.get("errors")) == ("2", "0")


def test_missing_is_an_error_and_never_a_pass() -> None:
    """Spoilt records: the checks that need them are errors with the reason; tables that do not are judged."""
    report = broken("join.unique-key")
    root = parsed(report)
    error = case(root, "score.delta").find("error")
    assert error is not None
    assert "needs join.unique-key, which failed" in error.attrib["message"]
    assert root[0].get("errors") == str(sum(check.status == "missing" for check in report.checks))
    assert root[1].get("errors") == "0"


def test_skipped_and_not_applicable() -> None:
    """Both are skipped, and say which they are."""
    root = parsed(report_of(statuses={"replay.tilt": "skipped", "replay.anchor": "not-applicable"}))
    for name, kind in (("replay.tilt", "skipped"), ("replay.anchor", "not-applicable")):
        skipped = case(root, name).find("skipped")
        assert skipped is not None
        assert skipped.attrib["type"] == kind


def test_unclassified_cells_and_findings_that_are_not_listed() -> None:
    """A cell that nobody classified is an error; what a check did not list is counted."""
    report = report_of([finding()], [cell(status="unclassified", given=None)], {"score.utility": "fail"})
    check = next(one for one in report.checks if one.id == "score.utility")
    more = check.model_copy(update={"findings": 4000})
    root = parsed(report.model_copy(update={"checks": [more]}))
    assert "and 3999 more" in (case(root, "score.utility").findtext("failure") or "")
    assert "given nothing" in (case(root, "tab:main").findtext("error") or "")
