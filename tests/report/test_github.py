"""Annotations: the documented escaping, errors first, places that GitHub can open."""

from __future__ import annotations

import re
from urllib.parse import unquote

from report.samples import broken, cell, finding, good, hostile, report_of
from sealtrace.contract.result import Result
from sealtrace.report import github
from sealtrace.report.formats import BY_NAME, Showing

LINE = re.compile(r"::(error|warning|notice) ((?:\w+=[^:,\r\n]*,?)+)::([^\r\n]*)")


def annotated(report: Result, prefix: str | None = None) -> list[tuple[str, dict[str, str], str]]:
    """Command, properties and message of each line."""
    found = []
    for line in github.render(report, prefix=prefix).splitlines():
        match = LINE.fullmatch(line)
        assert match is not None, line
        assert re.findall(r"%(?!25|0A|0D|3A|2C)", line) == []
        properties = dict(pair.split("=", 1) for pair in match.group(2).split(","))
        found.append(
            (match.group(1), {key: unquote(value) for key, value in properties.items()}, unquote(match.group(3)))
        )
    return found


def test_errors_come_first_and_the_verdict_last() -> None:
    """GitHub shows the first few; nothing is left out."""
    report = broken("replay.tilt")
    found = annotated(report)
    levels = [level for level, _, _ in found[:-1]]
    assert levels == sorted(levels, key=["error", "warning", "notice"].index)
    assert len(found) == len(report.findings) + 1
    assert found[-1][1] == {"title": "sealtrace: Findings"}
    assert annotated(good())[-1][2].startswith("rsd-fixture: Verified with 2 warnings; 0 errors, 2 warnings,")


def test_places() -> None:
    """The paper's line for a cell; the record's line below the repository; rows of Parquet have none."""
    report = report_of(
        [
            finding("table.cells", source="report/t.json", key={"table": "tab:main", "row": "a", "column": "b"}),
            finding(source="trace/a,b:c%.jsonl", line=7, column=3),
            finding(source="trace/x.parquet", line=7),
            finding(),
        ],
        [cell()],
        {"table.cells": "fail"},
    )
    assert [properties for _, properties, _ in annotated(report, "studies/a/")[:4]] == [
        {"file": "paper.tex", "line": "7", "title": "table.cells"},
        {"file": "studies/a/trace/a,b:c%.jsonl", "line": "7", "col": "3", "title": "score.utility"},
        {"file": "studies/a/trace/x.parquet", "title": "score.utility"},
        {"title": "score.utility"},
    ]
    # The files of an archive are not in the repository; the message names the place all the same.
    _, properties, message = annotated(report)[1]
    assert properties == {"title": "score.utility"}
    assert message.endswith("\ntrace/a,b:c%.jsonl:7:3")


def test_missing_is_said_once_for_each_reason() -> None:
    """Checks that wait for the same record are one annotation."""
    report = broken("join.unique-key")
    found = annotated(report)
    missing = [message for level, _, message in found if level == "warning" and message.startswith("missing")]
    assert len(missing) == len({check.reason for check in report.checks if check.status == "missing"})
    assert any("score.utility, score.delta, threshold.recomputed" in message for message in missing)


def test_hostile_values_stay_in_their_place() -> None:
    """One line for each annotation, and no path that leads out of the bundle."""
    report = hostile()
    found = annotated(report, "")
    assert len(found) == len(report.findings) + 2
    assert [properties.get("file") for level, properties, _ in found if level == "error"][1:] == [None, "a,b:c"]


def test_a_paper_at_hand_is_where_the_workspace_has_it() -> None:
    """Its name in a finding is not that of a file beside the bundle, nor where the sealed table was read from."""
    key = {"table": "tab:main", "row": "a", "column": "b"}
    found = finding("table.reported", source="main.tex", line=9, key=key)
    report = report_of([found], [cell()], {"table.reported": "fail"})
    papers = {"main.tex": "paper/main.tex"}
    places = {"github": "file=paper/main.tex,line=9", "sarif": '"paper/main.tex"', "junit": "paper/main.tex:9"}
    for form, place in places.items():
        for prefix in ("artifact/", None):
            shown = BY_NAME[form].render(report, Showing(exit_code=1, prefix=prefix, papers=papers))
            assert place in shown, (form, prefix)
            assert "artifact/main.tex" not in shown
