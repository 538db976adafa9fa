"""SARIF 2.1.0: valid against the published schema, with places, fingerprints and what the schema cannot say."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest

from report.samples import KINDS, broken, cell, finding, good, report_of
from sealtrace.checks.catalogue import CATALOGUE
from sealtrace.contract.result import Finding, Result
from sealtrace.report import sarif

SCHEMA_FILE = Path(__file__).with_name("sarif-schema-2.1.0.json")
VALIDATOR = jsonschema.Draft7Validator(json.loads(SCHEMA_FILE.read_bytes()))


def run_of(report: Result, prefix: str | None = None, exit_code: int = 1) -> dict[str, Any]:
    """The one run, checked against the schema and against what the standard says beyond it."""
    log = json.loads(sarif.render(report, exit_code=exit_code, prefix=prefix))
    assert [error.message for error in VALIDATOR.iter_errors(log)] == []
    (run,) = log["runs"]
    run = dict(run)
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        for location in (*result["locations"], *result.get("relatedLocations", ())):
            artifact = location["physicalLocation"]["artifactLocation"]
            assert artifact["uriBaseId"] in run["originalUriBaseIds"]
            parts = urlsplit(artifact["uri"])
            assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("", "", "", "")
            assert ".." not in unquote(parts.path).split("/")
            assert not parts.path.startswith("/")
            assert re.fullmatch(r"[A-Za-z0-9._~/%-]+", artifact["uri"])
        assert re.search(r"(?<!\{)\{\d+\}(?!\})|\]\(", result["message"]["text"]) is None
    prints = [result["partialFingerprints"]["sealtrace/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)
    return run


def results_of(findings: list[Finding], prefix: str | None = None) -> list[dict[str, Any]]:
    """The results of some findings."""
    results: list[dict[str, Any]] = run_of(report_of(findings, [cell()], {"score.utility": "fail"}), prefix)["results"]
    return results


def test_the_schema_is_the_published_one() -> None:
    """Kept to the byte, as its licence asks."""
    notice = SCHEMA_FILE.with_name("sarif-schema-2.1.0.NOTICE.txt").read_text()
    assert hashlib.sha256(SCHEMA_FILE.read_bytes()).hexdigest() in notice


@pytest.mark.parametrize("kind", KINDS)
def test_every_report_is_valid(kind: str) -> None:
    """A result for each finding and each missing check; a rule for each check."""
    report = KINDS[kind]()
    run = run_of(report)
    missing = sum(check.status == "missing" for check in report.checks)
    assert len(run["results"]) == len(report.findings) + missing
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [check.id for check in report.checks]
    assert run["properties"]["verdict"] == report.verdict
    assert sarif.render(report, exit_code=1) == sarif.render(report, exit_code=1)


def test_rules_say_what_they_enforce_and_what_to_do() -> None:
    """Title, source, an example of what breaks them, and the next step."""
    rule = run_of(good())["tool"]["driver"]["rules"][0]
    assert rule["shortDescription"]["text"] == CATALOGUE[0].title
    assert CATALOGUE[0].source in rule["fullDescription"]["text"]
    assert CATALOGUE[0].breaks in rule["help"]["text"]
    assert "seal the bundle anew" in rule["help"]["text"]
    assert rule["defaultConfiguration"] == {"level": "error"}


def test_a_cell_points_at_the_paper_and_names_its_record() -> None:
    """The region is the line of the LaTeX; the record is the related location."""
    results = run_of(broken("table.cells"), "artifact/")["results"]
    (wrong,) = (result for result in results if result["level"] == "error")
    place = wrong["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "rsd-poker.tex", "uriBaseId": "PAPER"},
        "region": {"startLine": 676},
    }
    record = wrong["relatedLocations"][0]["physicalLocation"]["artifactLocation"]
    assert record == {"uri": "artifact/report/table.main.json", "uriBaseId": "%SRCROOT%"}
    assert [one["name"] for one in wrong["locations"][0]["logicalLocations"]] == [
        "table=tab:main row=0.08 column=Weak EV",
        "/rows/2/cells/1",
    ]
    assert wrong["properties"] == {"expected": "4.288857504796316", "found": "4.2890"}


def test_places_of_records() -> None:
    """Lines of JSON lines, rows of Parquet as logical locations, the manifest for what names no file."""
    lines, rows, whole, outside = results_of(
        [
            finding(source="trace/a b:c?.jsonl", line=7, column=3, field="/d"),
            finding(source="trace/x.parquet", line=7),
            finding(),
            finding(source="../../etc/passwd", line=1),
        ]
    )
    assert lines["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "trace/a%20b%3Ac%3F.jsonl", "uriBaseId": "BUNDLE"},
        "region": {"startLine": 7, "startColumn": 3},
    }
    assert "region" not in rows["locations"][0]["physicalLocation"]
    assert rows["locations"][0]["logicalLocations"][0]["name"] == "row 7"
    for result in (whole, outside):
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "manifest.json"
    assert outside["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "../../etc/passwd:row 1"


def test_fingerprints_outlive_lines_and_wording() -> None:
    """They change with the check, the file, the key and the field, and with nothing else."""
    base: dict[str, Any] = {"source": "a.jsonl", "line": 3, "key": {"state": "1", "arm": "x"}, "field": "/d"}

    def print_of(check: str = "score.utility", **changes: object) -> str:
        (result,) = results_of([finding(check, **{**base, **changes})])
        value: str = result["partialFingerprints"]["sealtrace/v1"]
        return value

    assert re.fullmatch(r"[0-9a-f]{64}:1", print_of())
    same = [print_of(line=9), print_of(message="other words"), print_of(key={"arm": "x", "state": "1"})]
    assert set(same) == {print_of()}
    others = [print_of("score.delta"), print_of(source="b.jsonl"), print_of(key={"state": "2"}), print_of(field="/e")]
    assert len({*others, print_of()}) == 5
    twice = results_of([finding(**base), finding(**base)])
    assert [one["partialFingerprints"]["sealtrace/v1"][-2:] for one in twice] == [":1", ":2"]


def test_missing_skipped_and_unlisted_are_visible() -> None:
    """Silence is never taken for a pass."""
    report = report_of([finding()], None, {"join.teacher": "missing", "replay.tilt": "skipped"})
    checks = [one.model_copy(update={"findings": 4000}) if one.id == "score.utility" else one for one in report.checks]
    run = run_of(report.model_copy(update={"checks": checks}), exit_code=3)
    missing = run["results"][-1]
    assert (missing["ruleId"], missing["level"]) == ("join.teacher", "warning")
    assert missing["message"]["text"] == "missing: there is no protocol"
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (True, 3)
    assert [one["message"]["text"] for one in invocation["toolExecutionNotifications"]] == [
        "score.utility: 4000 findings, of which 1 are listed",
        "1 check skipped: the verdict covers only the others",
    ]


def test_messages_hold_no_placeholder_and_no_link() -> None:
    """Braces are doubled, as the standard asks; a link is pulled apart."""
    (result,) = results_of([finding(message="{0} [x](https://evil.example)")])
    assert result["message"]["text"] == "{{0}} [x] (https://evil.example)"
