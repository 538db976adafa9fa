"""JUnit XML for build services: a test case per check, and a test case per table.

A failed check is a failure. A missing one is an error, because what it needs is not there; skipped and not applicable
are skipped. A table fails for a number that differs or contradicts, and is an error for those that are open or waived.
Nothing in it depends on how fast the machine is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from xml.etree import ElementTree as Xml

from sealtrace.contract.result import CheckResult, Finding, NumberResult, Result
from sealtrace.report.findings import NO_PAPERS, as_in_workspace, finding_lines, times
from sealtrace.report.inert import harmless
from sealtrace.report.numbers import by_table, judged_table, tally

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def render(result: Result, *, prefix: str | None = None, papers: Mapping[str, str] = NO_PAPERS) -> str:
    """ASCII only; what XML 1.0 does not allow was written as escapes before. Files are as the workspace has them."""
    result = as_in_workspace(result, prefix, papers)
    suites = [_suite(result, "checks", [_check(result, check) for check in result.checks])]
    if result.numbers:
        cases = [_table(label, members) for label, members in by_table(result.numbers).items()]
        suites.append(_suite(result, "tables", cases))
    root = Xml.Element("testsuites", {"name": "sealtrace"})
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    root.extend(suites)
    Xml.indent(root)
    body: bytes = Xml.tostring(root, encoding="us-ascii")
    return f"{_DECLARATION}{body.decode('ascii')}\n"


def _suite(result: Result, name: str, cases: list[Xml.Element]) -> Xml.Element:
    suite = Xml.Element("testsuite", {"name": f"{harmless(result.subject.name) or 'unnamed bundle'}: {name}"})
    suite.set("tests", str(len(cases)))
    for attribute, outcome in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(case.find(outcome) is not None for case in cases)))
    properties = Xml.SubElement(suite, "properties")
    for key, value in (
        ("sealtrace", result.sealtrace),
        ("verdict", result.as_draft(result.verdict)),
        ("root_sha256", result.subject.root_sha256 or ""),
    ):
        Xml.SubElement(properties, "property", {"name": key, "value": harmless(value)})
    suite.extend(cases)
    return suite


def _case(family: str, name: str) -> Xml.Element:
    return Xml.Element("testcase", {"classname": harmless(family), "name": harmless(name)})


def _outcome(case: Xml.Element, kind: str, message: str, reason: str, lines: Iterable[str] = ()) -> None:
    outcome = Xml.SubElement(case, kind, {"message": harmless(message), "type": reason})
    outcome.text = "\n".join(map(harmless, lines)) or None


def _check(result: Result, check: CheckResult) -> Xml.Element:
    case = _case(check.id.partition(".")[0], check.id)
    findings = [finding for finding in result.findings if finding.check == check.id]
    message = f"{check.title}: {check.reason or times(check.findings, 'finding')}"
    if check.status == "fail":
        _outcome(case, "failure", message, "finding", _listed(check, findings))
    elif check.status == "missing":
        _outcome(case, "error", message, "missing", _listed(check, findings))
    elif check.status in ("skipped", "not-applicable"):
        _outcome(case, "skipped", message, check.status)
    elif findings:
        Xml.SubElement(case, "system-out").text = "\n".join(map(harmless, _listed(check, findings)))
    return case


def _listed(check: CheckResult, findings: list[Finding]) -> Iterable[str]:
    for finding in findings:
        place, *rest = finding_lines(finding)
        yield f"{finding.severity}: {place}"
        yield from (f"  {line}" for line in rest)
    if check.findings > len(findings):
        yield f"and {check.findings - len(findings)} more, which the report does not list"


def _table(label: str, numbers: list[NumberResult]) -> Xml.Element:
    case = _case("tables", label)
    status, lines = judged_table(numbers)
    if lines:
        kind, reason = ("failure", "differs") if status == "fail" else ("error", "open")
        _outcome(case, kind, lines[0], reason, lines[1:])
    Xml.SubElement(case, "system-out").text = harmless(tally(numbers))
    return case
