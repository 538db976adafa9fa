"""The audit in every format: what it says, and that nothing in a paper acts on whoever reads it."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree as Xml

import pytest
from jsonschema import Draft7Validator

from report.samples import HOSTILE
from sealtrace.contract.result import Result
from sealtrace.report import markdown as markdown_format
from sealtrace.report import text as text_format
from sealtrace.report.formats import BY_NAME, Showing
from support import ROOT, Row


def audit(text: str) -> Result:
    """An audit in which every name and every sentence is the given text."""
    number = {"id": text, "table": text, "row": text, "column": text, "source": "p.tex", "line": 7, "printed": text}
    claim: Row = {
        "id": text,
        "family": "declared",
        "grade": "contradiction",
        "says": text,
        "quote": text,
        "place": "a.relations:3",
        "readings": [text],
        "numbers": [
            {"id": text, "number": text, "printed": text, "low": "1", "high": "2", "source": "p.tex", "line": 7}
        ],
        "arithmetic": [text],
        "distance": "17/2",
        "nearest": text,
        "assumes": [text],
        "repairs": [{"says": text, "works": True}, {"says": text}],
        "proof": [text],
        "together": [text],
        "letter": text,
    }
    check = {"title": text, "inspected": 3, "unit": "relations"}
    found = {"source": "p.tex", "line": 7, "key": {"relation": text}, "message": text}
    unread = {"check": "relation.reading", "message": text}
    return Result.model_validate(
        {
            "sealtrace": "0.1.0",
            "command": "audit",
            "subject": {"name": text, "papers": ["p.tex", text]},
            "verdict": "findings",
            "summary": {},
            "checks": [
                {**check, "id": "relation.declared", "status": "fail", "findings": 2},
                {**check, "id": "relation.fine", "status": "pass", "findings": 1},
                {**check, "id": "relation.reading", "status": "missing", "reason": text, "findings": 2},
            ],
            "findings": [
                {**found, "check": "relation.declared", "severity": "error"},
                {**found, "check": "relation.declared", "severity": "warning"},
                {**found, "check": "relation.fine", "severity": "note"},
                {**unread, "severity": "warning", "source": "a.relations", "line": 1, "column": 2},
                {**unread, "severity": "note", "source": text},
            ],
            "numbers": [
                {**number, "word": "contradicts", "status": "contradicted"},
                *({**number, "id": f"{text}{place}", "word": "open", "status": status}
                  for place, status in enumerate(("constrained", "suspected", "attested"))),
            ],
            "claims": [
                claim,
                {**claim, "grade": "undecided", "reason": text},
                {**claim, "grade": "undecided", "reason": text, "family": text, "numbers": []},
                {**claim, "grade": "holds"},
                {**claim, "grade": "suggestion", "evidence": text},
            ],
            "coverage": {
                "numbers": 4,
                "words": {"follows": 0, "differs": 0, "contradicts": 1, "open": 3, "given": 0},
                "statuses": {"contradicted": 1, "constrained": 1, "attested": 1, "suspected": 1},
            },
            "not_looked_at": [{"what": text, "why": text}],
        }
    )  # fmt: skip


def outputs(found: Result) -> dict[str, str]:
    """Every rendering."""
    showing = Showing(everything=True, exit_code=1, prefix="a b/")
    return {name: known.render(found, showing) for name, known in BY_NAME.items()}


HOSTILE_OUTPUTS = outputs(audit(HOSTILE))
PLAIN_OUTPUTS = outputs(audit("fine"))


@pytest.mark.parametrize("form", HOSTILE_OUTPUTS)
def test_nothing_acts(form: str) -> None:
    """Only what prints, and no command of a build service but those that the GitHub format makes itself."""
    text = HOSTILE_OUTPUTS[form]
    assert [one for one in text if one != "\n" and not one.isprintable()] == []
    assert ("owned" in text) is (form != "badge")
    commands = [line for line in text.splitlines() if line.lstrip().startswith("::")]
    assert all(form == "github" and re.match(r"::(error|warning|notice) (file|title)=", one) for one in commands)
    assert re.findall(r"##\w*\[", text) == []


def test_markdown_shows_what_is_printed() -> None:
    """No link, no image, no HTML and no mention; outside blocks of code nothing is markup."""
    text = re.sub(r"(?ms)^(`{3,})text\n.*?^\1$", "", HOSTILE_OUTPUTS["markdown"])
    assert re.search(r"(?<!\\)\]\(", text) is None
    assert re.search(r"<(script|https)", text) is None
    assert re.search(r"(?<!\\)`", text) is None
    assert re.search(r"@\w", text) is None


def test_json_says_exactly_what_the_audit_says() -> None:
    """What is escaped in the text of JSON comes back when it is read."""
    assert Result.model_validate(json.loads(HOSTILE_OUTPUTS["json"])) == audit(HOSTILE)
    assert HOSTILE_OUTPUTS["json"].isascii()


def test_sarif_is_sarif() -> None:
    """Errors point at the paper below its directory, and problems at the relations file."""
    schema = json.loads((ROOT / "tests/report/sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
    document = json.loads(PLAIN_OUTPUTS["sarif"])
    assert list(Draft7Validator(schema).iter_errors(document)) == []
    found = [
        (result["level"], result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
        for result in document["runs"][0]["results"]
    ]
    assert found == [
        ("error", "a%20b/p.tex"),
        ("warning", "a%20b/p.tex"),
        ("note", "a%20b/p.tex"),
        ("warning", "a.relations"),
        ("note", "a%20b/fine"),
        ("warning", "a%20b/p.tex"),
    ]


def test_junit_counts_families() -> None:
    """A family with a contradiction fails; reading is an error where something could not be read."""
    cases = {
        case.get("name"): [one.tag for one in case] for case in Xml.fromstring(PLAIN_OUTPUTS["junit"]).iter("testcase")
    }
    assert cases == {
        "relation.declared": ["failure"],
        "relation.fine": ["system-out"],
        "relation.reading": ["error"],
        "fine": ["failure", "system-out"],
    }


def test_long_lists_are_cut_and_say_so() -> None:
    """A relation over a whole column, and a paper with very many contradictions."""
    found = audit("fine")
    many = found.claims[0].model_copy(update={"numbers": found.claims[0].numbers * 40})
    found = found.model_copy(update={"claims": [many] * (text_format.CLAIMS + 5)})
    text = text_format.render(found)
    assert "... and 32 more" in text
    assert "... and 5 more contradictions (--format json lists them)" in text
    markdown = markdown_format.render(found)
    assert "... and 32 more" in markdown
    assert f"... and {text_format.CLAIMS + 5 - markdown_format.LISTED} more, which the JSON lists" in markdown


def test_a_consistent_audit_is_short() -> None:
    """Nothing to worry about takes few lines."""
    found = audit("fine")
    quiet = found.model_copy(
        update={"verdict": "nothing-found", "claims": found.claims[3:4], "findings": [], "checks": []}
    )
    assert text_format.render(quiet).splitlines()[:4] == [
        "NOTHING CONTRADICTS  fine",
        "0 contradictions, 0 suspicions, 1 relation that can hold",
        "75 % of 4 printed numbers are in a relation that a wrong number could break",
        "",
    ]
