"""Nothing in a name or a value of a bundle acts on whoever reads a report, whatever the format."""

from __future__ import annotations

import json
import re

import pytest

from report.samples import hostile
from sealtrace.contract.result import Result
from sealtrace.report import inert
from sealtrace.report.formats import FORMATS, Showing

REPORT = hostile()
SHOWN = {"": Showing(exit_code=1, prefix="a b/"), " of everything": Showing(everything=True, exit_code=1)}
OUTPUTS = {f"{one.name}{how}": one.render(REPORT, showing) for one in FORMATS for how, showing in SHOWN.items()}


@pytest.mark.parametrize("form", OUTPUTS)
def test_no_terminal_obeys(form: str) -> None:
    """No control characters, no bidirectional ones, nothing without width: only what prints, and line ends."""
    assert [one for one in OUTPUTS[form] if one != "\n" and not one.isprintable()] == []
    # A badge has no word that an author chose.
    assert ("owned" in OUTPUTS[form]) is not form.startswith("badge")


@pytest.mark.parametrize("form", OUTPUTS)
def test_no_log_obeys(form: str) -> None:
    """No line is a command of a build service but those that the GitHub format makes itself."""
    commands = [line for line in OUTPUTS[form].splitlines() if line.lstrip().startswith("::")]
    assert re.findall(r"##\w*\[", OUTPUTS[form]) == []
    if form.startswith("github"):
        assert all(re.match(r"::(error|warning|notice) (file|title)=", line) for line in commands)
    else:
        assert commands == []


def test_json_says_exactly_what_the_report_says() -> None:
    """What is escaped in the text of JSON comes back when it is read."""
    assert Result.model_validate(json.loads(OUTPUTS["json"])) == REPORT


def test_only_markdown_and_annotations_leave_ascii() -> None:
    """Machines that guess an encoding cannot guess wrong."""
    for form in ("json", "junit", "sarif", "latex"):
        assert OUTPUTS[form].isascii()


def test_lone_surrogates_are_written_as_escapes() -> None:
    """A file name that is not UTF-8 comes as one."""
    assert inert.harmless("a\udcff") == r"a\udcff"
    assert inert.harmless("48\u2009200 and\u00a0more") == "48 200 and more"
    assert inert.latex("\udcff") == r"\textbackslash{}udcff"


def test_ordinary_text_stays_as_it_is() -> None:
    """What is harmless is not touched: addresses, pointers, heads of LaTeX labels."""
    for ordinary in ("tab:main[0.08, Weak EV]", "std::vector", "#1", "state=0001 a:b", "Δ ≤ 0,5 %"):
        assert inert.harmless(ordinary) == ordinary
