"""`diff`, `explain`, `extract` and `metrics`: printed numbers beside recomputed ones."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from checks.mutations import MAIN, MUTATIONS
from cli.runner import Run, sealtrace
from sealtrace.bundle.documents import misfits_of
from sealtrace.bundle.sealing import seal
from sealtrace.contract.printed import Recipe
from sealtrace.recipes.metrics import all_metrics
from sealtrace.statistics.arguments import MEANINGS
from sealtrace.statistics.entries import STATISTICS
from support import EMPTY, FIXTURE, Row, copy_of_fixture, edit_document, unseal

pytestmark = pytest.mark.usefixtures("kept_examinations")

PAPER = r"""
\documentclass{article}
\newcommand{\best}[1]{\textbf{#1}}
\begin{document}
The weak proxy is 4.2889, and something else is 7.7777.
\begin{table}
\caption{Scales.}\label{tab:main}
\begin{tabular}{rrrrrr}
\toprule
Scale & Weak EV & Strong $\Delta$ & C count & H count & H $\Delta$ \\
\midrule
0.00 & 4.2082 & 0.0000 & 0/12 & 0/12 & 0.0000 \\
0.04 & 4.2491 & -0.0009 & 0/12 & 0/12 & -0.0001 \\
0.08 & \best{4.2890} & -0.0021 & 0/12 & 0/12 & -0.0004 \\
\bottomrule
\end{tabular}
\end{table}
\begin{table}
\caption{Unknown.}\label{tab:other}
\begin{tabular}{lr}
\toprule
Name & Value \\
\midrule
a & 0.5 \\
\bottomrule
\end{tabular}
\end{table}
\end{document}
"""


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A paper with one wrong digit, on line 14."""
    path = tmp_path / "paper.tex"
    path.write_text(PAPER)
    return path


def fits(run: Run) -> bool:
    """Whether every line of the output fits 80 columns."""
    return all(len(line) <= 80 for line in run.output.splitlines())


def test_diff_of_the_fixture() -> None:
    """Every cell agrees but the two that the paper rounded otherwise; warnings do not change the exit code."""
    run = sealtrace("diff", FIXTURE)
    assert (run.code, run.errors) == (0, "")
    assert fits(run)
    lines = run.output.splitlines()
    assert lines[0] == "NOTHING DIFFERS  rsd-fixture"
    assert next(line for line in lines if line.startswith("tab:")).startswith("tab:rows-ev")
    assert "  follows (double-rounded)  Mean, Strong EV / AQ  line 2295" in lines
    counts = "910: 702 follow, 208 given (700 exact, 2 double-rounded, 208 input)"
    assert counts in " ".join(run.output.split())


def test_diff_with_the_paper(paper: Path) -> None:
    """Numbers straight from LaTeX: the wrong digit is found at its line, the unknown table is visible."""
    run = sealtrace("diff", FIXTURE, "--reported", paper)
    assert run.code == 1
    assert "  differs (mismatch)  0.08, Weak EV  line 14" in run.output.splitlines()
    assert "They differ by 1.42 units of the last printed digit." in " ".join(run.output.split())
    assert "open (unclassified)  a, Value  line 24" in run.output
    assert "paper.tex:5: 7.7777 in the text: nothing accounts for it" in run.output
    assert "4.2889 in the text" not in run.output
    only = sealtrace("diff", FIXTURE, "--reported", paper, "--table", "tab:other")
    assert only.code == 3
    assert sealtrace("diff", FIXTURE, "--table", "tab:nope").code == 2


def test_diff_formats(tmp_path: Path) -> None:
    """The same cells for machines, spreadsheets and pull requests."""
    document = json.loads(sealtrace("diff", FIXTURE, "--format", "json").output)
    assert document["coverage"]["numbers"] == len(document["numbers"]) == 910
    target = tmp_path / "cells.csv"
    assert sealtrace("diff", FIXTURE, "--format", "csv", "-o", target).code == 0
    rows = list(csv.DictReader(io.StringIO(target.read_text())))
    assert len(rows) == 910
    assert {row["status"] for row in rows} == {"exact", "input", "double-rounded"}
    markdown = sealtrace("diff", FIXTURE, "--format", "markdown").output
    assert (
        "| Mean, Strong EV / AQ | 0.4419 | 0.4418461409819375 | follows | double-rounded | rsd-poker.tex:2295 |"
        in markdown
    )
    everything = sealtrace("diff", FIXTURE, "--table", "tab:main", "--all")
    assert everything.output.count("  follows (exact)  ") + everything.output.count("  given (input)  ") == 30


def test_diff_of_two_files_and_two_bundles(paper: Path, tmp_path: Path) -> None:
    """What changed between two versions."""
    later = tmp_path / "later.tex"
    later.write_text(PAPER.replace("4.2890", "4.2889").replace("0.5", "0.6"))
    run = sealtrace("diff", paper, later)
    assert run.code == 1
    assert "4.2890 in paper.tex, 4.2889 in later.tex" in run.output
    assert sealtrace("diff", paper, paper).code == 0
    assert sealtrace("diff", FIXTURE, FIXTURE).code == 0
    bundle = copy_of_fixture(tmp_path)
    MUTATIONS["table.cells"].break_bundle(bundle)
    assert sealtrace("diff", FIXTURE, bundle).code == 1
    assert sealtrace("diff", bundle).code == 1


def test_diff_on_spoilt_records(tmp_path: Path) -> None:
    """A score that is there twice is an error; no cell reads scores, so all of them are judged."""
    bundle = copy_of_fixture(tmp_path)
    MUTATIONS["join.unique-key"].break_bundle(bundle)
    run = sealtrace("diff", bundle, "--format", "json")
    assert run.code == 1
    assert "missing" not in json.loads(run.output)["coverage"]["statuses"]


def test_diff_of_what_cannot_be_read(tmp_path: Path) -> None:
    """Usage and input errors."""
    assert sealtrace("diff", tmp_path / "absent").code == 2
    assert sealtrace("diff", FIXTURE, "--reported", tmp_path / "absent.tex").code == 2
    notes = tmp_path / "notes.odt"
    notes.write_text("x")
    assert sealtrace("diff", FIXTURE, "--reported", notes).code == 2
    assert sealtrace("diff", FIXTURE, FIXTURE, "--reported", notes).code == 2


def test_explain_shows_the_lineage() -> None:
    """Formula with source, population, records, unrounded value, rounding."""
    run = sealtrace("explain", FIXTURE, "tab:main[0.08, Weak EV]")
    assert run.code == 0
    assert fits(run)
    for fragment in (
        "printed    4.2889  (rsd-poker.tex:676)",
        "weak_ev(policy=residual@0.08)",
        "mean of E_w(pi, s)",
        "4.288857504796316",
        "24, the first of them:",
        "trace/trace.calibration.jsonl:5 (0000 residual 0.08 calibration)",
        "The paper prints 4.2889; the records give 4.288858, the same.",
    ):
        assert " ".join(fragment.split()) in " ".join(run.output.split())


def test_explain_says_what_was_not_stated() -> None:
    """Undisclosed settings belong to the lineage."""
    run = sealtrace("explain", FIXTURE, "tab:scale-split[0.08 / H, 95% interval]")
    assert run.code == 0
    assert run.output.count("not stated") == 2


@pytest.mark.parametrize(
    "address", ["tab:nope[1, 2]", "tab:main[0.08, Nope]", "tab:main", "tab:state-inventory[0000, Hero]"]
)
def test_explain_of_nothing(address: str) -> None:
    """The message says what there is."""
    run = sealtrace("explain", FIXTURE, address)
    assert run.code == 2
    assert "Error: " in run.errors


def test_extract_writes_records_to_fill_in(paper: Path, tmp_path: Path) -> None:
    """Records fit their schema, keep strings, lines and marks, and are never written over a file."""
    target = tmp_path / "report"
    run = sealtrace("extract", paper, "-o", target)
    assert run.code == 0
    record = json.loads((target / "table.main.json").read_text())
    assert misfits_of("table", record) == []
    assert record["rows"][2] == {
        "label": "0.08",
        "cells": ["0.08", "4.2890", "-0.0021", "0/12", "0/12", "-0.0004"],
        "line": 14,
        "marks": {"Weak EV": "best"},
    }
    assert sealtrace("extract", paper, "-o", target).code == 2
    assert json.loads(sealtrace("extract", paper, "--table", "tab:other").output)[0]["label"] == "tab:other"
    assert sealtrace("extract", paper, "--table", "tab:nope").code == 2


def test_tables_of_one_label_have_files_of_their_own(tmp_path: Path) -> None:
    """Two tabulars of one table differ by a sign that no file's name has: neither hinders or replaces the other."""
    tabular = r"\begin{tabular}{lr} A & B \\ \hline x & 0.%d \\ \end{tabular}"
    floats = "\n".join([r"\begin{table}\caption{T.}\label{tab:two}", tabular % 1, tabular % 2, r"\end{table}"])
    (tmp_path / "paper.tex").write_text(rf"\documentclass{{article}}\begin{{document}}{floats}\end{{document}}")
    run = sealtrace("extract", tmp_path / "paper.tex", "-o", tmp_path / "report")
    assert run.code == 0
    written = {path.name: json.loads(path.read_text())["rows"] for path in (tmp_path / "report").iterdir()}
    printed = {name: rows[0]["cells"][1] for name, rows in written.items()}
    assert printed == {"table.two.json": "0.1", "table.two-2.json": "0.2"}
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "scores.csv").write_text("A,B\nx,0.3\n")
    draft = tmp_path / "draft"
    assert sealtrace("check", tmp_path / "paper.tex", tmp_path / "results", "--save", draft).code in (1, 3)
    assert {path.name for path in draft.rglob("table.*.json")} == set(printed)


def test_extract_refuses_a_table_that_does_not_add_up(tmp_path: Path) -> None:
    """With the line, rather than a guess."""
    path = tmp_path / "paper.tex"
    path.write_text(PAPER.replace("a & 0.5 \\\\", "a & 0.5 & 0.6 \\\\"))
    run = sealtrace("extract", path)
    assert run.code == 1
    assert "paper.tex:24: error:" in run.errors
    assert [record["label"] for record in json.loads(run.output)] == ["tab:main"]


def test_one_metric_is_explained() -> None:
    """With the words that headings use, its arguments and what they mean, and a recipe to begin with."""
    run = sealtrace("metrics", "mcnemar")
    assert run.code == 0
    assert "mcnemar's test" in run.output
    assert "method: exact, or an approximation" in run.output
    recipe = re.search(r"recipe +(\{.*\})", run.output, re.DOTALL)
    assert recipe is not None
    assert json.loads(recipe[1]) == {"metric": "mcnemar", "of": "answer", "versus": {"system": "baseline"}}
    assert "did you mean 'mcnemar'?" in sealtrace("metrics", "mcnemr").errors
    assert sealtrace("metrics", "welch").output.startswith("t_test"), "what headings call it finds it, too"


def test_every_argument_of_everyday_statistics_is_told() -> None:
    """Nobody has to guess what a word of a recipe means."""
    told = {*MEANINGS, *Recipe.model_fields}
    asked = {name for one in STATISTICS.values() for name in (*one.arguments, *one.optional)}
    assert asked <= told


def test_metrics_are_listed() -> None:
    """Every metric with its formula and arguments."""
    run = sealtrace("metrics")
    assert fits(run)
    assert [one["name"] for one in json.loads(sealtrace("metrics", "--format", "json").output)] == [
        metric.name for metric in all_metrics()
    ]


def test_unclassified_cells_make_the_verdict_incomplete(tmp_path: Path) -> None:
    """A column that nobody classified is visible, and not green."""
    bundle = copy_of_fixture(tmp_path)
    edit_document(bundle / MAIN, lambda table: table["columns"][1].pop("recipe"))
    unseal(bundle)
    seal(bundle, empty=EMPTY)
    run = sealtrace("verify", bundle, "--format", "json")
    report = json.loads(run.output)
    assert (run.code, report["verdict"]) == (3, "incomplete")
    assert report["coverage"]["statuses"]["unclassified"] == 5


def test_a_number_in_the_text_can_be_bound_to_a_cell(tmp_path: Path) -> None:
    """The same quantity printed twice has one recipe; an address that is no cell is refused."""
    for address, verdict in (("tab:main[0.08, Weak EV]", "verified"), ("tab:main[0.08, Nope]", "findings")):
        bundle = copy_of_fixture(tmp_path / verdict)
        bound = {"Number": {"metric": "cell", "arguments": {"cell": address}}}

        def bind(table: Row, bound: Row = bound) -> None:
            row = next(row for row in table["rows"] if row["cells"] == ["4.2889"])
            row["recipes"] = bound

        edit_document(bundle / "report/table.text.json", bind)
        unseal(bundle)
        seal(bundle, empty=EMPTY)
        assert json.loads(sealtrace("verify", bundle, "--format", "json").output)["verdict"] == verdict


def test_marks_of_a_paper_follow_the_arrows_of_its_headers(tmp_path: Path) -> None:
    """A bold cell that is not the best of its column is named with its line."""
    path = tmp_path / "paper.tex"
    path.write_text(PAPER.replace("Name & Value", r"Name & Value $\uparrow$").replace(
        "a & 0.5 \\\\", "a & \\best{0.5} \\\\\nb & 0.7 \\\\"
    ))  # fmt: skip
    run = sealtrace("diff", FIXTURE, "--reported", path)
    assert "paper.tex:24  table=tab:other row=a column=Value ↑" in run.output
    assert "The mark does not fit the order of the numbers" in run.output
