"""Reports to render: of the fixture, of broken copies, and one in which every name and value is hostile."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from checks.mutations import MUTATIONS
from sealtrace import Result, verify
from sealtrace.checks.catalogue import CATALOGUE
from sealtrace.contract.result import (
    WORDS,
    Chain,
    CheckResult,
    Coverage,
    Finding,
    NumberResult,
    Place,
    SelectorResult,
    Status,
    Subject,
    Summary,
)
from support import FIXTURE, copy_of_fixture

HOSTILE = (
    "\x1b[31m\x1b]0;t\x07\x00\x85\r\n::error file=x::owned\u2028 ::add-mask::x ##[stop-commands]x ###vso[task] "
    "\u202e\u2066\u200b\ufeff\ufffe <script>alert(1)</script><!-- --> ]]> &amp; \"q\" 'q' \\| || `c` ```` ~~~ *b* _i_ "
    "@team a@evil.example #123 o/r#9 GH-7 https://evil.example www.evil.example ![i](https://evil.example/i.png) "
    "[l](javascript:alert(1)) <https://evil.example> </summary></details> {0} $x$ \\input{/etc/passwd} \\\\[1cm] "
    "^^5cinput %25 %0A ~ -- --- Δ é é 中 ζ"
)
"""What a bundle may say of itself: terminals, logs, XML, HTML, Markdown, SARIF and LaTeX find something to obey."""


@cache
def broken(check: str, details: bool = False) -> Result:
    """What the verifier says of a copy that breaks one check."""
    with tempfile.TemporaryDirectory() as directory:
        bundle = copy_of_fixture(Path(directory))
        MUTATIONS[check].break_bundle(bundle)
        return verify(bundle, details=details)


def broken_page(check: str) -> Result:
    """The same with the evidence that a page shows."""
    return broken(check, details=True)


@cache
def good_page() -> Result:
    """What the verifier says of the fixture, with the evidence that a page shows."""
    return verify(FIXTURE, details=True)


@cache
def good() -> Result:
    """What the verifier says of the fixture."""
    return verify(FIXTURE)


KINDS: dict[str, Callable[[], Result]] = {
    "good": good,
    "a wrong policy": lambda: broken("replay.tilt"),
    "a wrong cell": lambda: broken("table.cells"),
    "a key twice": lambda: broken("join.unique-key"),
    "hostile": lambda: hostile(),
}
"""Every kind of report, made when a test asks."""


def finding(check: str = "score.utility", **fields: object) -> Finding:
    """A finding of few words."""
    return Finding.model_validate({"check": check, "severity": "error", "message": "wrong", **fields})


def cell(**fields: object) -> NumberResult:
    """A cell that differs."""
    base = {
        "table": "tab:main",
        "row": "a",
        "column": "b",
        "printed": "-0.5",
        "given": "-0.25",
        "status": "mismatch",
        "says": "-0.5 is not -0.25",
        "source": "paper.tex",
        "line": 7,
    }
    known = {**base, **fields}
    named = {"id": f"{known['table']}[{known['row']}, {known['column']}]", "word": WORDS[str(known["status"])]}
    return NumberResult.model_validate({**named, **known})


def report_of(
    findings: list[Finding] | None = None,
    cells: list[NumberResult] | None = None,
    statuses: dict[str, Status] | None = None,
    name: str = "study",
    reason: str = "there is no protocol",
) -> Result:
    """A report in which every check passes but those named."""
    findings, cells, statuses = findings or [], cells or [], statuses or {}
    checks = [
        CheckResult(
            id=entry.id,
            title=entry.title,
            status=statuses.get(entry.id, "pass"),
            reason=reason if statuses.get(entry.id, "pass") not in ("pass", "fail") else None,
            inspected=10,
            unit="rows",
            findings=sum(one.check == entry.id for one in findings),
        )
        for entry in CATALOGUE
    ]
    found = set(statuses.values())
    return Result(
        sealtrace="0.1.0",
        command="verify",
        subject=Subject(name=name, title=name, root_sha256="0" * 64),
        verdict="findings" if "fail" in found else "incomplete" if found & {"missing", "skipped"} else "verified",
        summary=Summary(
            states=1,
            policies=1,
            traces=1,
            tolerance=name,
            max_discrepancy=Place(value=0.5, check="score.utility", source=name, line=1, key={name: name}, field=name),
            selected=[SelectorResult(selector=name, recomputed=name, reported=name)],
            chain=Chain(seals=1, stages=8, signatures=0, timestamps=0),
        ),
        checks=checks,
        findings=findings,
        numbers=cells,
        coverage=Coverage.of(one.status for one in cells),
    )


def hostile() -> Result:
    """Every name and every value that a bundle can put into a report."""
    fields: dict[str, Any] = {
        "line": 3,
        "column": 2,
        "key": {HOSTILE: HOSTILE},
        "field": HOSTILE,
        "expected": HOSTILE,
        "found": HOSTILE,
        "message": HOSTILE,
    }
    findings = [
        finding(source=HOSTILE, **fields),
        finding(source=f"../{HOSTILE}", **fields),
        finding(source="/etc/passwd", severity="warning", **fields),
        finding("table.cells", source=HOSTILE, **{**fields, "key": {"table": HOSTILE, "row": "r", "column": "c"}}),
    ]
    cells = [
        cell(table=HOSTILE, row="r", column="c", printed=HOSTILE, given=HOSTILE, says=HOSTILE, source="a,b:c"),
        cell(table=HOSTILE, row=HOSTILE, column=HOSTILE, source=HOSTILE, status="missing", recipe=HOSTILE),
        cell(table="[1cm]", row="*", column=HOSTILE, source=HOSTILE),
    ]
    statuses: dict[str, Status] = {
        "score.utility": "fail",
        "table.cells": "fail",
        "join.teacher": "missing",
        "replay.tilt": "not-applicable",
        "replay.anchor": "skipped",
    }
    return report_of(findings, cells, statuses, name=HOSTILE, reason=HOSTILE)
