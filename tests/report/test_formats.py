"""The list of output formats: every command, page and file that names formats names those of the list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.runner import sealtrace
from report.samples import good, good_page, hostile
from sealtrace.cli import audit, cells, report, verify
from sealtrace.contract.audit import Audit
from sealtrace.relations.auditing import audit as audited
from sealtrace.relations.subjects import read_subject
from sealtrace.report.formats import BY_NAME, FORMATS, OF_AUDITS, OF_CELLS, OF_REPORTS, Showing
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
        assert one.report or one.cells or one.audit
        assert one.description
        assert one.description[-1] != "."


@pytest.mark.parametrize("form", OF_REPORTS)
def test_reports(form: str) -> None:
    """A good report and one with hostile names can be shown; more width or colour never changes a machine's format."""
    shown = OF_REPORTS[form](good_page() if BY_NAME[form].details else good(), Showing())
    assert shown
    assert OF_REPORTS[form](hostile(), Showing(exit_code=1, prefix="somewhere/"))
    if form != "text":
        painted = Showing(width=40, paint=lambda text, _: f"<{text}>")
        assert OF_REPORTS[form](good_page() if BY_NAME[form].details else good(), painted) == shown


@pytest.mark.parametrize("form", OF_CELLS)
def test_cells(form: str) -> None:
    """A report is cells with their coverage, so that whatever can show cells can show its."""
    brief, whole = (OF_CELLS[form](good(), Showing(everything=everything)) for everything in (False, True))
    assert "0.4419" in brief
    assert len(whole) >= len(brief)


@pytest.fixture(scope="module")
def found() -> Audit:
    """What is found in a paper with planted contradictions."""
    return audited(read_subject(PAPER)[0], version="0")


@pytest.mark.parametrize("form", OF_AUDITS)
def test_audits(form: str, found: Audit) -> None:
    """The contradictions of a paper with planted ones show in every format."""
    assert found.verdict == "contradiction"
    assert "planted.tex" in OF_AUDITS[form](found, Showing(exit_code=1, prefix=""))


@pytest.mark.parametrize(
    ("command", "known"),
    [(verify.verify, OF_REPORTS), (cells.diff, OF_CELLS), (audit.audit, OF_AUDITS)],
    ids=["verify", "diff", "audit"],
)
def test_commands_offer_what_there_is(command: Any, known: dict[str, object]) -> None:
    """`--format` takes exactly the formats that can show what the command has."""
    (option,) = (one for one in command.params if one.name == "forms")
    # The page of an audit shows the paper's own tables besides, which no other format needs.
    page = {"html"} if command is audit.audit else set()
    assert set(option.type.choices) == set(known) | page
    for name in known:
        assert name in command.help


def test_report_command_says_what_it_writes(tmp_path: Path) -> None:
    """One file for each format of reports that can be a file; its help lists them all."""
    assert set(report.FILES.values()) == {name for name in OF_REPORTS if BY_NAME[name].extension}
    assert sealtrace("report", ROOT / "bundles/rsd-fixture/bundle", "-o", tmp_path / "all").code == 0
    written = {path.name for path in (tmp_path / "all").iterdir()}
    assert written == {*report.FILES, report.DIFF}
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
