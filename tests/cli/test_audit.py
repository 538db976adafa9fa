"""`sealtrace audit`: printed numbers against each other."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from cli.papers import BAD, GAIN_LINE, GOOD, RELATIONS, UNDECIDED, write
from cli.runner import Run, sealtrace
from sealtrace.bundle.documents import misfits_of
from sealtrace.bundle.sealing import seal
from sealtrace.relations.families.registry import FAMILIES
from support import FIXTURE, Row, copy_of_fixture, edit_document, read_rows, unseal, write_rows

pytestmark = pytest.mark.usefixtures("kept_examinations")

SAME: Row = {
    "relation": "same",
    "formula": "tab:main[0.08, Weak EV] == tab:scale-full[0.08, Weak EV]",
    "sentence": "Both tables print the weak EV of one policy.",
    "source": "captions of both tables",
}
EMPTY = {"structure": "Nothing is learned."}


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A paper whose numbers agree."""
    return write(tmp_path, "good.tex", GOOD)


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """The same paper with a gain that no rounding explains."""
    return write(tmp_path, "bad.tex", BAD)


@pytest.fixture
def relations(tmp_path: Path) -> Path:
    """What both papers imply."""
    return write(tmp_path, "r.relations", RELATIONS)


def as_json(run: Run) -> Row:
    """The audit, which fits its published schema."""
    document: Row = json.loads(run.output)
    assert misfits_of("result", document) == []
    return document


def statuses(document: Row, family: str = "declared") -> dict[str, str]:
    """Status by relation, of one family."""
    return {one["id"]: one["grade"] for one in document["claims"] if one["family"] == family}


def test_numbers_that_agree(good: Path, relations: Path) -> None:
    """Declared relations and automatic ones hold; what speaks of n/a is left out, and told."""
    run = sealtrace("audit", good, "--relations", relations)
    assert (run.code, run.errors) == (0, "")
    assert run.output.startswith(
        "NOTHING CONTRADICTS  good.tex\n0 contradictions, 0 suspicions, 6 relations that can hold\n"
    )
    assert "76 % of 13 printed numbers are in a relation that a wrong number could break" in run.output.splitlines()
    assert "Can hold     3 declared, " in run.output
    assert "CONSISTENT" not in run.output
    assert "not looked at: 1" in run.output.splitlines()


def test_a_contradiction(bad: Path, relations: Path) -> None:
    """Everything that a reviewer needs stands beside it, within 80 columns."""
    run = sealtrace("audit", bad, "--relations", relations, "--no-automatic")
    assert (run.code, run.errors) == (1, "")
    assert all(len(line) <= 80 for line in run.output.splitlines())
    for line in (
        "1 contradiction, 0 suspicions, 2 relations that can hold; contradictions and",
        "contradiction: gain (A)",
        "  implied by  header of tab:scores",
        f"  printed     0.35  tab:scores[A, Gain], line {GAIN_LINE}",
        "  arithmetic  1.50 - 1.25 = 0.25 ± 0.01, printed 0.35",
        "  off by      8.5 units of the last printed digit of tab:scores[A, Gain]",
        "  perhaps     a factor: would repair it",
        "              another sign: would not repair it",
    ):
        assert line in run.output.splitlines()
    assert "What is subtracted for A?" in run.output


def test_what_rests_on_an_assumption_is_a_question(bad: Path, relations: Path) -> None:
    """The same arithmetic, and no contradiction: it is shown with what it assumes, and the exit code says nothing."""
    text = relations.read_text(encoding="utf-8")
    said = "because header of tab:scores\n"
    relations.write_text(text.replace(said, f"{said}  assumes both are of one day\n"), encoding="utf-8")
    run = sealtrace("audit", bad, "--relations", relations, "--no-automatic")
    assert run.code == 0
    assert "question: gain (A)" in run.output.splitlines()
    assert "  assumes     both are of one day" in run.output.splitlines()
    assert "  arithmetic  1.50 - 1.25 = 0.25 ± 0.01, printed 0.35" in run.output.splitlines()


def test_automatic_families_need_no_file(bad: Path, good: Path) -> None:
    """Headers alone tell that the gain is wrong; one family can be asked for, or none."""
    assert sealtrace("audit", good).code == 0
    document = as_json(sealtrace("audit", bad, "--format", "json"))
    assert document["verdict"] == "findings"
    assert statuses(document, "difference") == {
        "difference tab:scores[A, Gain]": "contradiction",
        "difference tab:scores[B, Gain]": "holds",
    }
    only = as_json(sealtrace("audit", bad, "--family", "parts and whole", "--format", "json"))
    assert {one["family"] for one in only["claims"]} == {"parts and whole"}
    none = sealtrace("audit", bad, "--no-automatic")
    assert (none.code, "no relation between printed numbers was found to decide" in none.output) == (3, True)


def test_families_are_listed() -> None:
    """Each with what it needs; a wrong name lists them, too."""
    run = sealtrace("audit", "--families")
    assert run.code == 0
    assert [line for line in run.output.splitlines() if not line.startswith(" ")] == [one.name for one in FAMILIES]


def test_undecided(good: Path, tmp_path: Path) -> None:
    """A declared relation that nothing decides makes the audit incomplete, and says what is missing."""
    run = sealtrace("audit", good, "--relations", write(tmp_path, "u.relations", UNDECIDED))
    assert run.code == 3
    assert "  missing     sqrt(tab:scores[A, Gain] - 10) is not defined" in run.output.splitlines()


def test_what_holds_can_be_listed(good: Path, relations: Path) -> None:
    """With --all or --verbose."""
    for option in ("--all", "--verbose"):
        run = sealtrace("audit", good, "--relations", relations, option)
        assert "holds: gain (B)" in run.output.splitlines()
        assert "not looked at: 1" in run.output.splitlines()
    assert "holds: gain (B)" not in sealtrace("audit", good, "--relations", relations).output


def test_relations_that_cannot_be_bound(good: Path, tmp_path: Path) -> None:
    """They are told with file, line and column; the others are decided."""
    text = RELATIONS + "relation wrong\n  says s\n  because b\n  holds tab:scores[A, Gains] == 1\n"
    file = write(tmp_path, "r.relations", text)
    run = sealtrace("audit", good, "--relations", file, "--no-automatic")
    assert run.code == 3
    assert "3 relations that can hold" in run.output
    assert "r.relations:19:9 tab:scores has no column 'Gains'; did you mean 'Gain'?" in " ".join(run.output.split())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "declares no relation"),
        ("relation a\n", "has no line 'says'"),
        ("\x1b[31mfoo bar\n", "starts nothing here"),
        ("fact x = 9.99 at 3\n", "does not stand on line 3"),
        ("relation a\n  says s\n  because b\n  holds " + "(" * 5000 + "1\n", "nested more than"),
        ("relation a\n  says s\n  because b\n  holds 4 == 5\n", "names no number that the paper prints"),
        ("relation a\n  says s\n  because b\n  holds 1" + "+1" * 9000 + " == 2\n", "more than 5000 terms"),
    ],
    ids=["empty", "nothing said", "escape", "no such number", "deep", "nothing printed", "long"],
)
def test_a_file_that_says_nothing(text: str, message: str, good: Path, tmp_path: Path) -> None:
    """Nothing of it could be read: unreadable input, told with its place and without escapes."""
    run = sealtrace("audit", good, "--relations", write(tmp_path, "x.relations", text))
    assert (run.code, run.output) == (2, "")
    assert "x.relations" in run.errors
    assert message in run.errors
    assert "\x1b" not in run.errors


def test_names_may_not_collide(good: Path, tmp_path: Path) -> None:
    """Two files with a relation of one name, or one unknown of two ranges, are told; groups would mix them up."""
    body = "relation {}\n  says s\n  because b\n  holds tab:scores[A, Gain] <= w\n"
    one = write(tmp_path, "1.relations", "unknown w in [0, 1]\n" + body.format("a") + body.format("b"))
    plain = body.replace("w\n", "1\n").format("d")
    two = write(tmp_path, "2.relations", "unknown w in [0, 2]\n" + body.format("a") + body.format("c") + plain)
    document = as_json(sealtrace("audit", good, "--relations", one, "--relations", two, "--format", "json"))
    assert statuses(document) == {"a": "holds", "b": "holds", "d": "holds"}
    first, second = (one["message"] for one in document["findings"] if one["check"] == "relation.reading")
    assert first.startswith("a second relation named 'a'")
    assert "another range" in second


def test_relations_that_contradict_each_other(good: Path, tmp_path: Path) -> None:
    """Each may hold alone; together they are a proof that can be added up by hand."""
    body = "relation {}\n  says s\n  because b\n  holds {}\n"
    file = write(
        tmp_path,
        "g.relations",
        "unknown w in [0, 10]\n"
        + body.format("low", "w <= tab:scores[A, Before]")
        + body.format("high", "w >= tab:scores[B, Before]"),
    )
    run = sealtrace("audit", good, "--relations", file, "--no-automatic", "--format", "json")
    assert run.code == 1
    group = as_json(run)["claims"][0]
    assert (group["family"], sorted(group["together"])) == ("group", ["high", "low"])
    assert group["proof"][-1].startswith("added up: ")


def test_suggestions_can_be_declared(tmp_path: Path) -> None:
    """What families read and what holds is shown apart, ready for a relations file, and changes no verdict."""
    rows = "".join(
        f"{n} & {n * 1.2347:.4f} & {n * 0.7119:.4f} & {n * 1.2347 + n * 0.7119:.4f} \\\\\n" for n in range(3, 12)
    )
    paper = write(
        tmp_path,
        "s.tex",
        "\\begin{table}\\caption{C.}\\label{tab:s}\\begin{tabular}{lrrr}\nRun & P & Q & P + Q \\\\\n\\hline\n"
        + rows
        + "\\end{tabular}\\end{table}\n",
    )
    run = sealtrace("audit", paper, "--suggest")
    assert run.code == 0
    assert "read by rule, and they hold" in run.output
    claims = as_json(sealtrace("audit", paper, "--suggest", "--format", "json"))["claims"]
    one = next(claim for claim in claims if claim["grade"] == "suggestion")
    file = write(tmp_path, "s.relations", one["readings"][0])
    assert sealtrace("audit", paper, "--relations", file, "--no-automatic").code == 0
    assert "read by rule" not in sealtrace("audit", paper).output


def test_every_format(bad: Path, relations: Path, tmp_path: Path) -> None:
    """One run writes all of them, and each of them names the wrong cell's line."""
    forms = ("text", "json", "markdown", "junit", "sarif", "github")
    outputs = [option for form in forms for option in ("-o", f"{form}={tmp_path / form}")]
    run = sealtrace("audit", bad, "--relations", relations, *(f"--format={form}" for form in forms), *outputs)
    assert (run.code, run.output, run.errors) == (1, "", "")
    texts = {form: (tmp_path / form).read_text(encoding="utf-8") for form in forms}
    assert "gain (A)" in texts["text"]
    assert "<summary>gain (A)</summary>" in texts["markdown"]
    cases = {case.get("name"): case for case in Xml.fromstring(texts["junit"]).iter("testcase")}
    assert cases["relation.declared"].find("failure") is not None
    (result, *_) = json.loads(texts["sarif"])["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("bad.tex")
    assert place["region"]["startLine"] == GAIN_LINE
    assert texts["github"].startswith("::error ")


@pytest.mark.parametrize("name", ["paper.tex", "paper.md", "paper.csv"])
def test_hostile_papers(name: str, tmp_path: Path) -> None:
    """Whatever a paper says, nothing of it acts on a terminal, and there is an answer."""
    hostile = "\x1b]0;owned\x07\u202e::error::x"
    tables = {
        "paper.tex": "\\begin{table}\\caption{%s}\\label{tab:x}\\begin{tabular}{lrr}\n%s & Total & B \\\\\n\\hline\n"
        "a%s & 1 & 2 \\\\\nTotal & 9 & 9 \\\\\n\\end{tabular}\\end{table}",
        "paper.md": "| %s | Total | %s |\n|---|---|---|\n| a%s | 1 | 2 |\n| Total | 9 | 9 |\n",
        "paper.csv": '"%s",Total,"%s"\n"a%s",1,2\nTotal,9,9\n',
    }
    paper = write(tmp_path, name, tables[name] % (hostile, hostile, hostile))
    for form in ("text", "json", "markdown", "junit", "sarif", "github"):
        run = sealtrace("audit", paper, "--format", form, "--all", "--suggest")
        assert run.code in (0, 1, 3)
        assert [one for one in run.output + run.errors if one != "\n" and not one.isprintable()] == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("gone.tex", None, "no such file"),
        ("gone", None, "gone"),
        ("paper.docx", b"PK", "not a readable .docx"),
        ("broken.zip", b"not a zip", "broken.zip"),
    ],
)
def test_no_paper(name: str, content: bytes | None, message: str, tmp_path: Path) -> None:
    """A clear message, and no traceback."""
    if content is not None:
        (tmp_path / name).write_bytes(content)
    run = sealtrace("audit", tmp_path / name)
    assert (run.code, run.output) == (2, "")
    assert message in run.errors
    assert "internal error" not in run.errors


def test_bad_usage(good: Path, tmp_path: Path) -> None:
    """Wrong options are told, and nothing is written over."""
    assert "there is no family 'sums'" in sealtrace("audit", good, "--family", "sums").errors
    assert sealtrace("audit", good, "--family", "order", "--no-automatic").code == 2
    assert sealtrace("audit", good, "-o", good).code == 2
    binary = tmp_path / "b.relations"
    binary.write_bytes(b"\xff\xfe")
    assert "not UTF-8" in sealtrace("audit", good, "--relations", binary).errors
    assert "not a plain file" in sealtrace("audit", good, "--relations", tmp_path).errors
    assert good.read_text() == GOOD


def test_records_instead_of_a_paper(bad: Path, relations: Path, tmp_path: Path) -> None:
    """Extracted tables and relations files in one directory give the same decisions as the paper does."""
    directory = tmp_path / "records"
    assert sealtrace("extract", bad, "-o", directory).code == 0
    shutil.copy(relations, directory)
    record = {
        "label": "text",
        "source": "bad.tex",
        "columns": [{"label": "Number"}],
        "rows": [{"label": "line 3", "cells": ["0.25"], "line": 3}],
    }
    write(directory, "table.text.json", json.dumps(record))
    from_paper = as_json(sealtrace("audit", bad, "--relations", relations, "--no-automatic", "--format", "json"))
    from_records = as_json(sealtrace("audit", directory, "--format", "json"))
    assert statuses(from_paper) == statuses(from_records)
    # Records have no running text, whose numbers are counted, too.
    counted = [[one["status"] for one in found["numbers"] if "table" in one] for found in (from_paper, from_records)]
    assert sorted(counted[0]) == sorted(counted[1])
    write(directory, "table.text.json", "{")
    assert "table.text.json" in sealtrace("audit", directory).errors
    (tmp_path / "empty").mkdir()
    assert "neither a bundle nor a directory" in sealtrace("audit", tmp_path / "empty").errors


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    """The fixture with a relation, and a number of the text that has a name."""
    bundle = copy_of_fixture(tmp_path)
    write_rows(
        bundle / "report/relation.jsonl",
        [
            SAME,
            SAME | {"relation": "named", "formula": "abstract.weak == tab:main[0.08, Weak EV]"},
            SAME
            | {
                "relation": "unknown",
                "formula": "tab:main[0.08, Weak EV] <= w",
                "unknowns": [{"name": "w", "low": "0", "high": "5"}],
            },
        ],
    )
    edit_document(
        bundle / "report/table.text.json",
        lambda table: table["rows"].append(
            {
                "label": "abstract.weak",
                "cells": ["4.2889"],
                "line": 60,
                "recipes": {"Number": {"classification": "constrained"}},
            }
        ),
    )
    reseal(bundle)
    return bundle


def reseal(bundle: Path) -> None:
    """Seals a changed copy anew."""
    unseal(bundle)
    seal(bundle, empty=EMPTY, lenient=True)


def test_a_bundle(sealed: Path) -> None:
    """Sealed relations are decided over sealed tables, and numbers of the text by their names."""
    run = sealtrace("audit", sealed, "--format", "json")
    assert run.code == 0
    document = as_json(run)
    assert statuses(document) == {"same": "holds", "named": "holds", "unknown": "holds"}
    assert document["subject"]["name"] == "rsd-fixture"
    assert document["subject"]["root_sha256"] in sealtrace("show", sealed).output
    assert [one["status"] for one in document["numbers"] if "table" not in one] == ["constrained"]


def test_a_bundle_without_relations_decides_nothing() -> None:
    """Nothing decided is not consistent."""
    assert sealtrace("audit", FIXTURE).code == 3


def test_constrained_cells_are_bound(sealed: Path) -> None:
    """A cell is constrained only while a relation that can hold speaks of it."""
    verdict = json.loads(sealtrace("verify", sealed, "--check", "table", "--format", "json").output)
    assert {"constrained", "unclassified"} & set(verdict["coverage"]["statuses"]) == {"constrained"}
    explained = sealtrace("explain", sealed, "text[abstract.weak, Number]")
    assert "constrained" in explained.output
    path = sealed / "report/relation.jsonl"
    write_rows(path, [row for row in read_rows(path) if row["relation"] != "named"])
    reseal(sealed)
    verdict = json.loads(sealtrace("verify", sealed, "--check", "table", "--format", "json").output)
    assert {"constrained", "unclassified"} & set(verdict["coverage"]["statuses"]) == {"unclassified"}
    assert sealtrace("diff", sealed).code == 3


def test_undecided_relations_are_missing_evidence(sealed: Path) -> None:
    """Verification says what is undecided, and does not call it wrong."""
    path = sealed / "report/relation.jsonl"
    write_rows(path, [SAME | {"formula": "sqrt(tab:main[0.08, Weak EV] - 10) == 1"}])
    reseal(sealed)
    report = json.loads(sealtrace("verify", sealed, "--check", "relation.holds", "--format", "json").output)
    (check,) = [one for one in report["checks"] if one["id"] == "relation.holds"]
    assert check["status"] == "missing"
    assert "is not defined" in check["reason"]


def test_how_numbers_were_printed(sealed: Path) -> None:
    """A row may say that its number is no rounded one: then the relation's slack is gone."""
    path = sealed / "report/relation.jsonl"
    write_rows(path, [SAME | {"formula": f"{SAME['formula']} + 0.00005"}])
    reseal(sealed)
    assert sealtrace("audit", sealed).code == 0
    for name in ("main", "scale-full"):

        def exactly(table: Row) -> None:
            next(row for row in table["rows"] if row["label"] == "0.08")["printing"] = {"Weak EV": "exact"}

        edit_document(sealed / f"report/table.{name}.json", exactly)
    reseal(sealed)
    assert sealtrace("audit", sealed).code == 1


SUSPECT = """\\begin{document}
\\begin{table}\\caption{Trees.}\\label{tab:t}
\\begin{tabular}{lrrr}
Kind & A & B & Gain \\\\
\\hline
Elm & 71.42 & 40.17 & 31.25 \\\\
Oak & 64.93 & 22.81 & 42.12 \\\\
Ash & 90.26 & 51.40 & 38.86 \\\\
Yew & 33.78 & 19.02 & 14.76 \\\\
Fir & 58.15 & 31.69 & 26.46 \\\\
Box & 81.07 & 12.33 & 86.74 \\\\
\\end{tabular}\\end{table}
\\end{document}
"""


def test_a_suspicion_changes_the_exit_code_only_where_strict(tmp_path: Path) -> None:
    """It is shown with its evidence, under its own name, and never as a contradiction."""
    paper = write(tmp_path, "s.tex", SUSPECT)
    run = sealtrace("audit", paper)
    assert (run.code, run.errors) == (0, "")
    assert run.output.startswith("NOTHING CONTRADICTS, 1 SUSPICION  s.tex\n")
    assert "0 contradictions, 1 suspicion" in run.output
    assert "5 of 6 rows agree" in " ".join(run.output.split())
    assert sealtrace("audit", paper, "--strict").code == 1


def test_the_page_shows_findings_on_the_cells(tmp_path: Path) -> None:
    """The table is drawn, and the wrong cell leads to the arithmetic and the letter."""
    paper = write(tmp_path, "s.tex", SUSPECT)
    page = tmp_path / "audit.html"
    assert sealtrace("audit", paper, "-o", f"html={page}", "--format", "json").code == 0
    text = page.read_text(encoding="utf-8")
    (island,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    data = json.loads(island)
    statuses = [name for name, *_ in data["statuses"]]
    assert "suspected" in statuses
    ((severity, _, _, _, facts, cells),) = data["findings"]
    told = {data["text"][name]: data["text"][value] for name, value in zip(facts[::2], facts[1::2], strict=True)}
    assert (severity, "86.74" in told["printed"], ", printed " in told["arithmetic"]) == (1, True, True)
    assert len(cells) >= 2


def test_the_page_begins_with_what_cannot_hold_and_compares_with_no_records(bad: Path, tmp_path: Path) -> None:
    """Each contradiction once, whatever numbers it speaks of; nothing offers values that records would give."""
    page = tmp_path / "audit.html"
    assert sealtrace("audit", bad, "-o", f"html={page}", "--format", "json").code == 1
    text = page.read_text(encoding="utf-8")
    above = text.partition("</section>")[0]
    assert re.findall(r"<li>Cannot hold: <a [^>]*>([^<]*)</a></li>", above) == [
        "0.35 is the difference of 1.50 and 1.25."
    ]
    assert [word for word in ("recomputed", "attested", 'id="cell-beside"') if word in text.lower()] == []


def test_explain_says_what_the_audit_says_of_a_cell(tmp_path: Path) -> None:
    """By the cell's address, or by the line; a cell that nobody speaks of is a wrong name."""
    paper = write(tmp_path, "s.tex", SUSPECT)
    for wanted in ("tab:t[Box, Gain]", "s.tex:11"):
        run = sealtrace("explain", paper, wanted)
        assert run.code == 0
        assert "suspicion: " in run.output
        assert "86.74" in run.output
    assert sealtrace("explain", paper, "tab:t[Box, d]").code == 2


def test_the_seconds_of_a_run_are_kept_and_what_was_left_out_is_said(good: Path, tmp_path: Path) -> None:
    """A file of relations that would take minutes ends in time, incomplete."""
    close = "x^7 * y^5 + sqrt(x * y) + log(1 + x) == 1 + x * y"
    hostile = "unknown x in [0, 1]\nunknown y in [0, 1]\n" + "".join(
        f"relation r{number}\n  says s\n  because b\n  holds {close} + 0.{number:09d}\n" for number in range(400)
    )
    run = sealtrace("audit", good, "--relations", write(tmp_path, "h.relations", hostile), "--seconds", "2")
    assert run.code == 3
    assert "seconds were used up" in " ".join(run.output.split())


def test_a_paper_in_which_nothing_could_be_compared_says_so(tmp_path: Path) -> None:
    """Not that it is incomplete, and not in the words of a bundle's verdict."""
    paper = write(tmp_path, "p.md", "| Model | Score |\n|---|---|\n| a | 61.23 |\n| b | 64.02 |\n")
    run = sealtrace("audit", paper)
    assert run.code == 3
    assert run.output.startswith("NOTHING COULD BE COMPARED  p.md\n")
    assert "this audit says nothing of them" in " ".join(run.output.split())
    assert "attested" not in run.output
    assert "INCOMPLETE" not in run.output


def test_beside_a_report_the_terminal_has_a_summary(bad: Path, tmp_path: Path) -> None:
    """What is wrong, where, and which file has the rest; --format text prints everything all the same."""
    brief = sealtrace("audit", bad, "-o", f"markdown={tmp_path / 'audit.md'}")
    whole = sealtrace("audit", bad, "--format", "text", "-o", f"markdown={tmp_path / 'audit.md'}")
    assert (brief.code, whole.code) == (1, 1)
    assert f"The whole report is in {tmp_path / 'audit.md'}" in " ".join(brief.output.split())
    assert whole.output == sealtrace("audit", bad).output
    assert len(brief.output.splitlines()) < len(whole.output.splitlines())


def test_what_to_ask_does_not_repeat_the_numbers(bad: Path) -> None:
    """The question stands alone: the relation, the numbers and the arithmetic are above it."""
    asked = sealtrace("audit", bad).output.partition("to ask")[2].partition("\n\n")[0]
    assert asked.strip()
    assert "prints" not in asked
    assert "However rounded" not in asked


def test_a_declared_number_is_counted_once_and_not_by_itself(tmp_path: Path) -> None:
    """A number of the text that a relations file names is one number; compared with itself it is not covered."""
    paper = tmp_path / "paper.md"
    paper.write_text("We ran 40 subjects over 12 days, 30 men and 10 women.\n", encoding="utf-8")
    relations = tmp_path / "paper.relations"
    said = "  says s\n  because b\n"
    facts = "fact men = 30 at 1\nfact every = 40 at 1\n"
    for formula, telling, covered in (("men == every - 10", True, 2), ("men == men", False, 0)):
        relations.write_text(f"{facts}relation r\n{said}  holds {formula}\n", encoding="utf-8")
        told = as_json(sealtrace("audit", paper, "--no-automatic", "--relations", relations, "--format", "json"))
        assert (told["coverage"]["numbers"], told["coverage"]["statuses"].get("constrained", 0)) == (4, covered)
        assert [claim["telling"] for claim in told["claims"]] == [telling]
