"""A number that another bundle recomputes is believed only where that bundle, under the named root, gives it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sealtrace
from cli.runner import sealtrace as command
from results.small_results import sealed_study, table
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_document, write_rows
from sealtrace.contract.result import Result
from support import edit_document, unseal


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """The bundle that has the records."""
    return sealed_study(tmp_path / "other")


def root_of(bundle: Path) -> str:
    root: str = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))["root_sha256"]
    return root


def paper(other: Path, text: str = "0.867", **reference: str) -> Path:
    """A bundle that holds one printed table and no records for it: another one is said to recompute it."""
    directory = other.with_name("paper")
    printed = table()
    printed["rows"] = printed["rows"][1:]
    printed["rows"][0]["cells"][2] = text
    record = {
        "label": "tab:copy",
        "recipe": {
            "elsewhere": {"study": "small-results", "root_sha256": root_of(other), "table": "tab:main", **reference}
        },
        "columns": [{"label": column["label"]} for column in printed["columns"]],
        "rows": printed["rows"],
    }
    write_document(directory / "declare/protocol.json", {"study": "paper", "title": "A table", "anonymous": False})
    write_rows(directory / "declare/label.test.jsonl", "label", [{"item": "a", "split": "test", "label": "cat"}])
    write_document(directory / "report/table.copy.json", record)
    seal(directory, empty={"all": "Only what was printed."})
    return directory


def sentences(report: Result, status: str) -> list[str]:
    """What is said of the cells, all of which have this status."""
    assert {cell.status for cell in report.numbers} == {status}
    return [cell.says for cell in report.numbers]


def change(bundle: Path, edit: Any, *, sealed: bool) -> None:
    """Edits the other bundle's table, and seals it anew where it is to look right."""
    edit_document(bundle / "report/table.main.json", edit)
    if sealed:
        unseal(bundle)
        seal(bundle, empty={"all": "Changed."})


def test_recomputed_where_the_other_bundle_is_at_hand(other: Path) -> None:
    """Cells have the status, the unrounded value and the sentence that they have there."""
    report = sealtrace.verify(paper(other), beside=[other])
    there = [cell for cell in sealtrace.verify(other).numbers if cell.row == "Ours"]
    assert report.verdict == "verified"
    assert [(cell.status, cell.given) for cell in report.numbers] == [(cell.status, cell.given) for cell in there]
    begin = f"In small-results (root {root_of(other)[:12]}…): "
    assert sentences(report, "exact") == [begin + cell.says for cell in there]
    assert report.coverage.recomputed == len(there)


def test_said_where_it_is_not_at_hand(other: Path) -> None:
    """Nothing counts as recomputed that was not looked at, whatever it prints."""
    report = sealtrace.verify(paper(other, text="9.99"))
    assert all("was not looked at" in one for one in sentences(report, "elsewhere"))
    assert (report.coverage.recomputed, report.coverage.statuses.get("elsewhere")) == (0, len(report.numbers))


def test_another_number_here(other: Path) -> None:
    """The paper prints 9.99 where the other bundle has, and recomputes, 0.867."""
    report = sealtrace.verify(paper(other, text="9.99"), beside=[other])
    (finding,) = [one for one in report.findings if one.check == "table.cells"]
    assert finding.message.startswith("The paper prints 9.99; small-results prints 0.867")
    assert report.verdict == "findings"


@pytest.mark.parametrize("reference", [{"table": "tab:none"}, {"row": "Theirs"}, {"column": "Luck"}])
def test_no_such_cell_there(reference: dict[str, str], other: Path) -> None:
    """A reference into nothing is a recipe that cannot be followed."""
    report = sealtrace.verify(paper(other, **reference), beside=[other])
    assert "table.recipes" in {one.check for one in report.findings if one.severity == "error"}


@pytest.mark.parametrize(("sealed", "reason"), [(True, "at hand has the root"), (False, "identity.bytes fails")])
def test_another_bundle_of_that_name(sealed: bool, reason: str, other: Path) -> None:
    """A changed bundle does not vouch: neither under its new root, nor under the old one with other bytes."""
    made = paper(other, text="9.99")
    change(other, lambda record: record["rows"][1]["cells"].__setitem__(2, "9.99"), sealed=sealed)
    report = sealtrace.verify(made, beside=[other])
    assert all(reason in one for one in sentences(report, "missing"))
    assert report.verdict == "incomplete"


def test_what_is_not_recomputed_there(other: Path) -> None:
    """A bundle that only attests a number does not recompute it for others: it is attested there and here."""
    change(
        other,
        lambda record: [column.update(recipe={"classification": "attested"}) for column in record["columns"][1:]],
        sealed=True,
    )
    report = sealtrace.verify(paper(other), beside=[other])
    assert all("nothing checks it" in one for one in sentences(report, "attested"))
    assert report.coverage.recomputed == 0


def test_an_equal_number_of_another_row(other: Path) -> None:
    """Any cell that prints the same would do, if a table need not say which row of the other bundle it takes."""
    change(other, lambda record: record["rows"][1].update(label="Theirs"), sealed=True)
    report = sealtrace.verify(paper(other, row="Theirs"), beside=[other])
    told = [one.message for one in report.findings if one.check == "table.recipes" and one.severity == "error"]
    assert any("row 'Theirs' of small-results" in one for one in told)


def test_command(other: Path) -> None:
    """`--beside` takes bundles; what is none is unreadable input."""
    made = paper(other)
    assert " elsewhere)" in command("verify", made).output
    shown = command("verify", made, "--beside", other)
    assert (shown.code, " elsewhere" in shown.output) == (0, False)
    assert command("verify", made, "--beside", other / "nothing").code == 2
    assert command("report", made, "--beside", other, "-o", other.with_name("reports")).code == 0
    told = json.loads((other.with_name("reports") / "report.json").read_text(encoding="utf-8"))
    assert (told["verdict"], told["coverage"]["statuses"].get("elsewhere")) == ("verified", None)
