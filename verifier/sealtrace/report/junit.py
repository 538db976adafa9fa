"""JUnit XML for build services: a test case per check, and a test case per table.

A failed check is a failure. A missing one is an error, because what it needs is not there; skipped and not applicable
are skipped. A table fails for a cell that differs, and is an error for cells that are missing, waived or unclassified.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from xml.etree import ElementTree as Xml

from sealtrace.contract.report import Cell, CheckResult, Finding, Report
from sealtrace.report.diff import judged_table
from sealtrace.report.findings import finding_lines, times
from sealtrace.report.inert import harmless

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def render(report: Report) -> str:
    """ASCII only; what XML 1.0 does not allow was written as escapes before."""
    seconds = sum(check.seconds for check in report.checks)
    suites = [_suite(report, "checks", [_check(report, check) for check in report.checks], seconds)]
    tables: dict[str, list[Cell]] = {}
    for cell in report.cells:
        tables.setdefault(cell.table, []).append(cell)
    if tables:
        suites.append(_suite(report, "tables", [_table(label, cells) for label, cells in tables.items()]))
    root = Xml.Element("testsuites", {"name": "sealtrace"})
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    root.set("time", _seconds(seconds))
    root.extend(suites)
    Xml.indent(root)
    body: bytes = Xml.tostring(root, encoding="us-ascii")
    return f"{_DECLARATION}{body.decode('ascii')}\n"


def _suite(report: Report, name: str, cases: list[Xml.Element], seconds: float = 0.0) -> Xml.Element:
    suite = Xml.Element("testsuite", {"name": f"{harmless(report.bundle.name) or 'unnamed bundle'}: {name}"})
    suite.set("tests", str(len(cases)))
    for attribute, outcome in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(case.find(outcome) is not None for case in cases)))
    suite.set("time", _seconds(seconds))
    properties = Xml.SubElement(suite, "properties")
    for key, value in (
        ("sealtrace", report.sealtrace),
        ("verdict", report.as_draft(report.verdict)),
        ("root_sha256", report.bundle.root_sha256 or ""),
    ):
        Xml.SubElement(properties, "property", {"name": key, "value": harmless(value)})
    suite.extend(cases)
    return suite


def _seconds(value: float) -> str:
    """A plain decimal: readers of this format take no exponents, and the schema of Jenkins three decimals."""
    return f"{value:.3f}"


def _case(family: str, name: str, seconds: float = 0.0) -> Xml.Element:
    return Xml.Element("testcase", {"classname": harmless(family), "name": harmless(name), "time": _seconds(seconds)})


def _outcome(case: Xml.Element, kind: str, message: str, reason: str, lines: Iterable[str] = ()) -> None:
    outcome = Xml.SubElement(case, kind, {"message": harmless(message), "type": reason})
    outcome.text = "\n".join(map(harmless, lines)) or None


def _check(report: Report, check: CheckResult) -> Xml.Element:
    case = _case(check.id.partition(".")[0], check.id, check.seconds)
    findings = [finding for finding in report.findings if finding.check == check.id]
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


def _table(label: str, cells: list[Cell]) -> Xml.Element:
    case = _case("tables", label)
    status, lines = judged_table(cells)
    if lines:
        kind, reason = ("failure", "mismatch") if status == "fail" else ("error", "missing")
        _outcome(case, kind, lines[0], reason, lines[1:])
    counts = Counter(cell.status for cell in cells)
    summary = ", ".join(f"{count} {status}" for status, count in counts.items())
    Xml.SubElement(case, "system-out").text = harmless(summary)
    return case
