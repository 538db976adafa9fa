"""The audit in every format: what it says, and that nothing in a paper acts on whoever reads it."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree as Xml

import pytest
from jsonschema import Draft7Validator

from report.samples import HOSTILE
from sealtrace.contract.audit import Audit
from sealtrace.report import audit_text, github, junit, sarif
from sealtrace.report import markdown as markdown_format
from sealtrace.report.audit_report import as_report
from sealtrace.report.formats import OF_AUDITS, Showing
from support import ROOT, Row


def audit(text: str) -> Audit:
    """An audit in which every name and every sentence is the given text."""
    counts = {"cells": 3, "constrained": 2, "contradicted": 1, "unconstrained": 1, "text": 1, "text_constrained": 1}
    decision: Row = {
        "relation": text,
        "family": "declared",
        "status": "contradiction",
        "sentence": text,
        "source": text,
        "place": "a.relations:3",
        "formula": text,
        "facts": [text],
        "arithmetic": text,
        "distance": "17/2",
        "nearest": text,
        "assumes": [text],
        "repairs": [{"says": text, "works": True}, {"says": text}],
        "proof": [text],
        "together": [text],
        "letter": text,
    }
    return Audit.model_validate(
        {
            "sealtrace": "0.1.0",
            "paper": text,
            "verdict": "contradiction",
            "tallies": [
                {"family": "declared", "holds": 1, "contradiction": 1, "undecided": 1},
                {"family": text, "holds": 1, "contradiction": 0, "undecided": 1},
            ],
            "coverage": counts,
            "tables": [{"table": text, **counts}],
            "decisions": [
                decision,
                {**decision, "status": "undecided", "reason": text},
                {**decision, "status": "undecided", "reason": text, "family": text, "facts": []},
                {**decision, "status": "holds"},
            ],
            "facts": [{"address": text, "printed": text, "low": "1", "high": "2", "source": "p.tex", "line": 7}],
            "problems": [
                {"message": text, "severity": "error", "source": "a.relations", "line": 1, "column": 2},
                {"message": text, "severity": "warning", "source": text},
            ],
            "left_out": [{"message": text, "severity": "warning", "source": text}],
            "suggestions": [{"name": text, "sentence": text, "text": text, "score": 3.5, "facts": [text]}],
        }
    )


def outputs(found: Audit) -> dict[str, str]:
    """Every rendering."""
    return {
        "text": audit_text.render(found, everything=True),
        "json": OF_AUDITS["json"](found, Showing()),
        "markdown": markdown_format.render_audit(found, everything=True),
        "junit": junit.render(as_report(found, absent=True)),
        "sarif": sarif.render(as_report(found, prefix="a b/"), exit_code=1, prefix=""),
        "github": github.render(as_report(found, prefix="a b/"), prefix=""),
    }


HOSTILE_OUTPUTS = outputs(audit(HOSTILE))
PLAIN_OUTPUTS = outputs(audit("fine"))


@pytest.mark.parametrize("form", HOSTILE_OUTPUTS)
def test_nothing_acts(form: str) -> None:
    """Only what prints, and no command of a build service but those that the GitHub format makes itself."""
    text = HOSTILE_OUTPUTS[form]
    assert [one for one in text if one != "\n" and not one.isprintable()] == []
    assert "owned" in text
    commands = [line for line in text.splitlines() if line.lstrip().startswith("::")]
    assert all(form == "github" and re.match(r"::(error|warning|notice) (file|title)=", one) for one in commands)
    assert re.findall(r"##\w*\[", text) == []


def test_markdown_shows_what_is_printed() -> None:
    """No link, no image, no HTML and no mention; outside blocks of code nothing is markup."""
    text = re.sub(r"(?ms)^(`{3,})text\n.*?^\1$", "", HOSTILE_OUTPUTS["markdown"])
    assert re.search(r"(?<!\\)\]\(", text) is None
    assert re.search(r"<(script|summary|https)", text) is None
    assert re.search(r"(?<!\\)`", text) is None
    assert re.search(r"@\w", text) is None


def test_json_says_exactly_what_the_audit_says() -> None:
    """What is escaped in the text of JSON comes back when it is read."""
    assert Audit.model_validate(json.loads(HOSTILE_OUTPUTS["json"])) == audit(HOSTILE)
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
        ("error", "a.relations"),
        ("warning", "a%20b/fine"),
    ]


def test_junit_counts_families() -> None:
    """A family with a contradiction fails; reading fails where something could not be read."""
    cases = {
        case.get("name"): [one.tag for one in case] for case in Xml.fromstring(PLAIN_OUTPUTS["junit"]).iter("testcase")
    }
    assert cases == {"relation.declared": ["failure"], "relation.fine": ["system-out"], "relation.reading": ["failure"]}


def test_declared_relations_that_are_undecided_are_missing() -> None:
    """Only for formats that count outcomes."""
    found = audit("fine").model_copy(update={"decisions": [], "problems": []})
    tallies = [one.model_copy(update={"contradiction": 0}) for one in found.tallies]
    found = found.model_copy(update={"tallies": tallies})
    assert [one.status for one in as_report(found, absent=True).checks] == ["missing", "pass", "pass"]
    assert [one.status for one in as_report(found).checks] == ["pass", "pass", "pass"]


def test_long_lists_are_cut_and_say_so() -> None:
    """A relation over a whole column, and a paper with very many contradictions."""
    found = audit("fine")
    many = found.decisions[0].model_copy(update={"facts": ["fine"] * 40})
    found = found.model_copy(update={"decisions": [many] * (audit_text.CONTRADICTIONS + 5)})
    text = audit_text.render(found)
    assert "... and 32 more" in text
    assert "... and 5 more contradictions (--format json lists them)" in text
    markdown = markdown_format.render_audit(found)
    assert "... and 28 more" in markdown
    assert f"... and {audit_text.CONTRADICTIONS + 5 - markdown_format.LISTED} more, which the JSON lists" in markdown


def test_a_consistent_audit_is_short() -> None:
    """Nothing to worry about takes few lines."""
    found = audit("fine")
    quiet = found.model_copy(
        update={"verdict": "nothing-found", "decisions": found.decisions[3:], "problems": [], "suggestions": []}
    )
    assert audit_text.render(quiet).splitlines()[:4] == [
        "NOTHING FOUND  fine",
        "0 contradictions, 0 suspicions, 1 relation that can hold",
        "75 % of 4 printed numbers are in a relation that a wrong number could break",
        "",
    ]
