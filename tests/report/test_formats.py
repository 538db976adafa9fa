"""The list of output formats: every command, page and file that names formats names those of the list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.runner import sealtrace
from report.samples import good, good_page, hostile
from sealtrace.cli import audit, cells, check, report, verify
from sealtrace.contract.result import Result
from sealtrace.relations.auditing import audit as audited
from sealtrace.relations.subjects import read_subject
from sealtrace.report.formats import BY_NAME, FORMATS, Showing
from support import ROOT

PAPER = ROOT / "tests" / "relations" / "papers" / "planted.tex"


def test_names_and_endings_differ() -> None:
    """No two formats could be confused, and no two files of one directory would be the same."""
    endings = [one.extension for one in FORMATS if one.extension]
    assert len(BY_NAME) == len(FORMATS)
    assert len(set(endings)) == len(endings)


def test_every_format_shows_something_and_says_for_whom() -> None:
    """An entry without a renderer or without a description helps nobody."""
    for one in FORMATS:
        assert one.description
        assert one.description[-1] != "."


@pytest.mark.parametrize("form", BY_NAME)
def test_results_of_verify(form: str) -> None:
    """A good result and one with hostile names can be shown; more width or colour never changes a machine's format."""
    known = BY_NAME[form]
    good_one = good_page() if known.details else good()
    shown = known.render(good_one, Showing())
    assert shown
    assert known.render(hostile(), Showing(exit_code=1, prefix="somewhere/"))
    assert len(known.render(good_one, Showing(everything=True))) >= len(shown)
    if form != "text":
        assert known.render(good_one, Showing(width=40, paint=lambda text, _: f"<{text}>")) == shown


@pytest.fixture(scope="module")
def found() -> Result:
    """What is found in a paper with planted contradictions."""
    return audited(read_subject([PAPER])[0])


@pytest.mark.parametrize("form", BY_NAME)
def test_results_of_audit(form: str, found: Result) -> None:
    """The numbers of a paper with planted contradictions show in every format."""
    assert found.verdict == "findings"
    shown = BY_NAME[form].render(found, Showing(exit_code=1, prefix="", everything=True))
    assert "planted.tex" in shown or form in ("latex", "badge")
    assert "contradict" in shown or form == "sarif"


@pytest.mark.parametrize("command", [verify.verify, cells.diff, audit.audit, check.check])
def test_commands_offer_what_there_is(command: Any) -> None:
    """`--format` takes every format, in every command that has a result."""
    (option,) = (one for one in command.params if one.name == "forms")
    assert list(option.type.choices) == list(BY_NAME)
    for name in BY_NAME:
        assert name in command.help


def test_report_command_says_what_it_writes(tmp_path: Path) -> None:
    """One file for each format of reports that can be a file; its help lists them all."""
    assert set(report.FILES.values()) == {one.name for one in FORMATS if one.extension and one.in_report}
    assert sealtrace("report", ROOT / "bundles/rsd-fixture/bundle", "-o", tmp_path / "all").code == 0
    written = {path.name for path in (tmp_path / "all").iterdir()}
    assert written == set(report.FILES)
    for name in written:
        assert name in (report.report.help or "")


def test_action_offers_what_there_is() -> None:
    """Its description and its outputs, which a runner reads before anything is installed, name every file format."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    files = set(report.FILES.values())
    described = action["inputs"]["formats"]["description"].partition(" of ")[2].rstrip(".")
    assert set(described.replace(" and ", ", ").split(", ")) == files
    assert set(action["inputs"]["formats"]["default"].split()) <= files
    assert set(action["outputs"]) - {"verdict", "root"} == files
