"""`check` and `bind` as commands: exit codes, formats, drafts, and input that is none."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from binding.random_studies import Row, Study, predictions, scores, study, write_csv
from cli.runner import process, sealtrace
from sealtrace.bundle.defects import BundleError
from sealtrace.cli.check import _save
from support import ROOT


@pytest.fixture
def made(tmp_path: Path) -> Study:
    """A study in the test's directory: paper.tex and results/."""
    made = study(1)
    write_csv(tmp_path / "results/runs.csv", made.rows)
    (tmp_path / "paper.tex").write_text(made.paper)
    return made


def test_a_paper_that_follows_is_code_zero(tmp_path: Path, made: Study) -> None:
    """Everything explained: the counts say so, and progress is not on standard output."""
    run = sealtrace("check", tmp_path / "paper.tex", tmp_path / "results")
    assert run.code == 0, run.output + run.errors
    assert run.output.startswith("ALL FOLLOW")
    assert f"numbers {made.numbers}: {made.numbers} follow ({made.numbers} explained)" in run.output
    assert " formulas compared" in run.output


def test_one_directory_with_paper_and_results_is_enough(tmp_path: Path, made: Study) -> None:
    """The likeliest LaTeX document in it is the paper, which is said; and so is where another one fits better."""
    (tmp_path / "letter.tex").write_text("\\documentclass{letter}\\begin{document}Dear all\\end{document}")
    (tmp_path / "sections").mkdir()
    (tmp_path / "sections" / "main.tex").write_text(r"\section{It begins no document}")
    run = sealtrace("check", tmp_path, "--no-audit")
    assert (run.code, run.errors) == (0, f"paper: {tmp_path / 'paper.tex'}\n")
    assert f"numbers {made.numbers}: {made.numbers} follow ({made.numbers} explained)" in run.output
    (tmp_path / "main.tex").write_text(study(2).paper)
    run = sealtrace("check", tmp_path, "--no-audit")
    assert (run.code, run.errors) == (3, f"paper: {tmp_path / 'main.tex'}\n")
    better = f"{tmp_path / 'paper.tex'}: results give 100 % of the numbers in its tables"
    assert better.replace(" ", "") in "".join(run.output.split())
    for name in ("main.tex", "paper.tex", "letter.tex"):
        (tmp_path / name).unlink()
    (tmp_path / "one.md").write_text("one")
    (tmp_path / "other.md").write_text("other")
    run = sealtrace("check", tmp_path)
    assert run.code == 2
    assert "which of these is the paper:" in run.errors


def test_of_several_forms_of_one_paper_the_written_one_is_taken(tmp_path: Path) -> None:
    """A PDF or a page beside its source is the same paper; a LaTeX file of another name is another one."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "paper").mkdir()
    (tmp_path / "docs/design.tex").write_text("\\documentclass{article}\\begin{document}Words\\end{document}")
    for name in ("manuscript.pdf", "manuscript.html", "main.pdf"):
        (tmp_path / "paper" / name).write_text("no paper at all")
    (tmp_path / "paper/manuscript.md").write_text("# P\n\n| Model | Score |\n|---|---|\n| alpha | 61.25 |\n")
    (tmp_path / "scores.csv").write_text("model,score\nalpha,61.25\n")
    run = sealtrace("check", tmp_path, "--no-audit")
    assert run.errors == f"paper: {tmp_path / 'paper/manuscript.md'}\n"
    (tmp_path / "paper/manuscript.md").unlink()
    run = sealtrace("check", tmp_path, "--no-audit")
    assert run.errors == f"paper: {tmp_path / 'docs/design.tex'}\n"


def test_the_current_directory_is_called_by_its_name(
    tmp_path: Path, made: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A headline that ends in nothing says of no results."""
    assert made.numbers
    monkeypatch.chdir(tmp_path / "results")
    run = sealtrace("check", Path("../paper.tex"), Path("."), "--no-audit")
    assert run.output.splitlines()[0] == "ALL FOLLOW  paper.tex against results"


def test_codes_of_what_is_off_and_of_what_nothing_gives(tmp_path: Path, made: Study) -> None:
    """1 for a cell that is off, 3 where nothing is off but something is unexplained."""
    first = made.paper.index("& ", made.paper.index("midrule")) + 2
    digit = next(place for place in range(first, first + 9) if made.paper[place] == ".") + 2
    changed = made.paper[:digit] + str((int(made.paper[digit]) + 3) % 10) + made.paper[digit + 1 :]
    (tmp_path / "off.tex").write_text(changed)
    run = sealtrace("check", tmp_path / "off.tex", tmp_path / "results", "--no-audit")
    assert run.code == 1
    assert "the results give" in " ".join(run.output.split())
    (tmp_path / "more.tex").write_text(made.paper.replace(r"\end{document}", "It took 123.45 hours.\n\\end{document}"))
    run = sealtrace("check", tmp_path / "more.tex", tmp_path / "results", "--no-audit")
    assert run.code == 3
    assert "123.45" in run.output


@pytest.mark.parametrize("missing", ["paper", "results"])
def test_what_is_not_there_is_code_two(tmp_path: Path, made: Study, missing: str) -> None:
    """A message and no traceback."""
    assert made.numbers
    paper = tmp_path / ("none.tex" if missing == "paper" else "paper.tex")
    run = sealtrace("check", paper, tmp_path / ("nowhere" if missing == "results" else "results"))
    assert (run.code, run.output) == (2, "")
    assert "Traceback" not in run.errors


def test_an_empty_directory_explains_nothing(tmp_path: Path, made: Study) -> None:
    """Nothing read, nothing compared: that is no verdict about the paper, and the reasons are said."""
    assert made.numbers
    empty = tmp_path / "empty"
    empty.mkdir()
    run = sealtrace("check", tmp_path / "paper.tex", empty)
    assert (run.code, run.output, "no data file in it (CSV, JSON," in run.errors) == (2, "", True)
    (empty / "model.pkl").write_bytes(b"x")
    run = sealtrace("check", tmp_path / "paper.tex", empty)
    assert (run.code, "model.pkl: not read, a pickle can run any program" in run.errors) == (2, True)


FIRST_SCREEN = r"""\documentclass{article}
\begin{document}
We used version 2.1.0 in 2023.
\begin{table}\caption{Scores.}\label{tab:main}
\begin{tabular}{lrr}\toprule Model & F1 & EM \\ \midrule
alpha & 59.83 & 41.27 \\ beta & 64.21 & 44.95 \\ gamma & 68.90 & 47.33 \\ delta & 70.35 & 49.02 \\ \bottomrule
\end{tabular}\end{table}
\begin{table}\caption{Supplement.}\label{tab:supp}
\begin{tabular}{lrr}\toprule Task & Share & Size \\ \midrule
one & 11.7 & 2217 \\ two & 12.3 & 2398 \\ \bottomrule
\end{tabular}\end{table}
\begin{tabular}{lr} a & b \\ x & 1 & 2 & 3 \\ \end{tabular}
\end{document}
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a paper of which one number differs, and a file that cannot be read."""
    for name in (".git", "paper", "data"):
        (tmp_path / name).mkdir()
    (tmp_path / "paper" / "main.tex").write_text(FIRST_SCREEN)
    rows = "alpha,59.83,41.27\nbeta,64.21,44.95\ngamma,66.18,47.33\ndelta,70.35,49.02\n"
    (tmp_path / "data" / "models.csv").write_text("model,f1,em\n" + rows)
    (tmp_path / "data" / "weights.pkl").write_bytes(b"x")
    return tmp_path


def test_the_first_screen_has_the_verdict_and_what_it_rests_on(repository: Path) -> None:
    """In this order: verdict, files, what differs, a line for each table, what was not read; open numbers after it."""
    output = sealtrace("check", repository / "paper" / "main.tex", repository / "data").output
    order = (
        "1 DIFFERS, 4 OPEN  main.tex against data",
        "read 1 of 2 data files (not read: 1 .pkl)",
        "the paper prints 68.90; the results give 66.18 (models.csv:4)",
        "tab:main  main.tex:6  7 of 8 follow, 1 differs",
        "tab:supp  main.tex:10  0 of 4 follow, 4 open",
        "main.tex:12: a row does not add up",
        "weights.pkl: not read",
        "open (unexplained)  one, Share",
    )
    places = [output.find(text) for text in order]
    assert -1 not in places, output
    assert places == sorted(places)
    assert "2.1" not in output
    assert "2023" not in output
    assert max(map(len, output.splitlines())) <= 80


@pytest.mark.parametrize(
    ("directory", "form"),
    [(".", "github"), ("paper", "github"), ("data", "github"), ("paper", "sarif"), ("data", "junit")],
)
def test_files_are_named_as_the_workspace_has_them(
    repository: Path, monkeypatch: pytest.MonkeyPatch, directory: str, form: str
) -> None:
    """From whichever directory of the repository the command is started."""
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.chdir(repository / directory)
    paper, data = (os.path.relpath(repository / name) for name in ("paper/main.tex", "data"))
    output = sealtrace("check", paper, data, "--no-audit", "--format", form).output
    named = {"github": "file=paper/main.tex,line=6", "sarif": '"uri": "paper/main.tex"', "junit": "paper/main.tex:6"}
    assert named[form] in output


def test_reports_for_machines_and_for_a_browser(tmp_path: Path, made: Study) -> None:
    """JSON fits its published schema; the page has every printed cell, its formula and its records."""
    run = sealtrace(
        "check", tmp_path / "paper.tex", tmp_path / "results",
        "-o", f"json={tmp_path / 'check.json'}", "-o", f"html={tmp_path / 'check.html'}", "--format", "github",
    )  # fmt: skip
    assert run.code == 0
    document = json.loads((tmp_path / "check.json").read_text())
    schema = json.loads((ROOT / "schemas/result.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)
    assert document["subject"]["name"] == "paper.tex"
    page = (tmp_path / "check.html").read_text()
    assert page.count("<script") == 2
    for text in (*(cell["printed"] for cell in document["numbers"]), document["formulas"][0]["formula"]):
        assert json.dumps(text)[1:-1] in page
    assert len(document["numbers"]) == made.numbers


def test_a_report_is_no_result_and_replaces_none(tmp_path: Path, made: Study) -> None:
    """What sealtrace wrote of a paper explains none of its numbers, and no result is overwritten by it."""
    assert made.numbers
    results, again = tmp_path / "results", tmp_path / "again"
    again.mkdir()
    before = (results / "runs.csv").read_bytes()
    run = sealtrace("check", tmp_path / "paper.tex", results, "-o", f"json={results / 'runs.csv'}")
    assert (run.code, "among what the report is made from" in run.errors) == (2, True)
    assert (results / "runs.csv").read_bytes() == before
    for _ in range(2):  # an older report may be replaced
        assert sealtrace("check", tmp_path / "paper.tex", results, "-o", f"json={again / 'check.json'}").code == 0
    assert sealtrace("check", tmp_path / "paper.tex", again, "-o", f"json={again / 'check.json'}").code == 2


def test_hostile_names_do_not_act(tmp_path: Path) -> None:
    """What results are called cannot break out of a page or a build's log."""
    rows = [{"model": f"<script>{place}</script>", "::error::x": 0.1 * place + 0.123456} for place in range(1, 7)]
    write_csv(tmp_path / "results/runs.csv", rows)
    body = "".join(rf"$<$script$>${place} & {row['::error::x']:.4f} \\" for place, row in enumerate(rows, 1))
    (tmp_path / "p.tex").write_text(
        r"\begin{document}\begin{tabular}{lc}Model & x \\ \hline " + body + r"\end{tabular}\end{document}"
    )
    run = sealtrace("check", tmp_path / "p.tex", tmp_path / "results", "--no-audit", "--format", "html")
    assert run.output.count("<script") == 2


def test_a_saved_draft_verifies(tmp_path: Path, made: Study) -> None:
    """Datasets, tables and recipes that `verify --draft` recomputes cells from; nothing is overwritten.

    The field under the heading F1 is a macro F1, which is another statistic: that recipe would be refused, so the draft
    has it as a note.
    """
    draft = tmp_path / "study"
    run = sealtrace("check", tmp_path / "paper.tex", tmp_path / "results", "--no-audit", "--save", draft)
    assert run.code == 0
    judged = sealtrace("verify", draft, "--draft", "--format", "json")
    result = json.loads(judged.output)
    words = result["coverage"]["words"]
    assert (result["verdict"], words["follows"], words["open"]) == ("incomplete", made.numbers - 4, 4)
    noted = [number["says"] for number in result["numbers"] if number["word"] == "open"]
    assert all("Refused: the heading says f1, and the recipe computes a mean." in said for said in noted)
    again = sealtrace("check", tmp_path / "paper.tex", tmp_path / "results", "--no-audit", "--save", draft)
    assert again.code == 2


@pytest.mark.parametrize("make", [predictions, scores])
def test_every_explained_cell_of_examples_is_recomputed_from_the_sealed_draft(
    tmp_path: Path, make: Callable[[int], tuple[dict[str, list[Row]], str, int]]
) -> None:
    """Metrics of runs, their means and deviations over seeds, and gains over a baseline: saved, sealed, verified."""
    files, paper, cells = make(3)
    for name, rows in files.items():
        write_csv(tmp_path / "results" / name, rows)
    baseline = re.findall(r"^(\w+) &", paper, re.MULTILINE)[1]
    (tmp_path / "paper.tex").write_text(paper.replace("Delta$ Accuracy", f"Delta$ Accuracy over {baseline}"))
    draft = tmp_path / "study"
    run = sealtrace("check", tmp_path / "paper.tex", tmp_path / "results", "--no-audit", "--save", draft)
    assert (run.code, f"numbers {cells}: {cells} follow ({cells} explained)" in run.output) == (0, True), run.output
    assert sealtrace("seal", draft, "--empty", "all=nothing but results").code == 0
    judged = json.loads(sealtrace("verify", draft, "--format", "json").output)
    statuses = [cell["status"] for cell in judged["numbers"] if cell["status"] not in ("input", "name")]
    assert judged["coverage"]["words"]["follows"] == cells, judged["findings"]
    assert set(statuses) <= {"exact", "tie"}, statuses


def test_bind_proposes_recipes_for_open_cells(tmp_path: Path, made: Study) -> None:
    """A sealed bundle without recipes gets them proposed, and they hold when they are tried."""
    draft = tmp_path / "study"
    sealtrace("check", tmp_path / "paper.tex", tmp_path / "results", "--no-audit", "--save", draft)
    table = draft / "report/table.main.json"
    record = json.loads(table.read_text())
    for part in (*record["columns"][1:], *record["rows"]):
        part.pop("recipe", part.pop("recipes", None))
    table.write_text(json.dumps(record))
    assert sealtrace("seal", draft, "--empty", "all=nothing but results").code == 0
    recipes = tmp_path / "recipes.json"
    run = sealtrace("bind", draft, "-o", recipes)
    assert run.code == 0, run.output + run.errors
    proposed = json.loads(recipes.read_text())["tab:main"]
    assert sum(len(columns) for columns in proposed.values()) == made.numbers
    tried = sealtrace("try", draft, "--recipes", recipes)
    assert f"{made.numbers} exact" in tried.output
    shutil.rmtree(draft)


def test_what_bind_proposes_for_a_draft_of_predictions_can_be_tried(tmp_path: Path) -> None:
    """Names in a column are read by their parts; a query names only what the rows have, sealed or not.

    The example's digit that is off is the one cell that differs.
    """
    draft, recipes = tmp_path / "study", tmp_path / "recipes.json"
    run = sealtrace("check", ROOT / "examples/reading-rooms", "--no-audit", "--save", draft)
    assert (run.code, f"`sealtrace seal {draft}`" in run.errors) == (1, True)
    own = sealtrace("try", draft)
    assert (own.code, "8 follow, 1 differs (8 exact, 1 mismatch)" in own.output) == (1, True), own.output
    table = draft / "report/table.table-1.json"
    record = json.loads(table.read_text())
    for part in (*record["columns"][1:], *record["rows"]):
        part.pop("recipe", part.pop("recipes", None))
    table.write_text(json.dumps(record))
    rows, declared = draft / "report/rows.results.jsonl", draft / "declare/dataset.results.json"
    kept = [json.loads(line) for line in rows.read_text().splitlines()]
    for one in kept:
        one["file"] = f"{one.pop('file_name_part_1')}_{one.pop('file_name_seed')}"
    rows.write_text("".join(f"{json.dumps(one)}\n" for one in kept))
    document = json.loads(declared.read_text())
    properties = {name: {"type": "string" if isinstance(kept[0][name], str) else "number"} for name in kept[0]}
    document = {"dataset": "results", "row": {"type": "object", "properties": properties}, "key": document["key"]}
    document["key"] = ["file", *(name for name in document["key"] if not name.startswith("file_name"))]
    declared.write_text(json.dumps(document))
    assert sealtrace("bind", draft, "-o", recipes).code == 1
    assert "file IN ('plain_seed11'" in recipes.read_text()
    tried = sealtrace("try", draft, "--recipes", recipes)
    assert (tried.code, "8 follow, 1 differs (8 exact, 1 mismatch)" in tried.output) == (1, True), (
        tried.output + tried.errors
    )


def test_questions_are_asked_on_a_terminal(tmp_path: Path, made: Study) -> None:
    """Driven through a pseudo-terminal: what is rejected is unexplained, what is accepted stays, and q ends it."""
    assert made.numbers
    shown, typed = pty.openpty()
    command = [sys.executable, "-m", "sealtrace", "check", tmp_path / "paper.tex", tmp_path / "results"]
    with subprocess.Popen(
        [*map(str, command), "--no-audit", "--quiet", "--ask", "--decisions", "said.json", "--format", "json"],
        stdin=typed, stdout=subprocess.PIPE, stderr=typed, cwd=tmp_path, text=True,
    ) as process:  # fmt: skip
        os.close(typed)
        os.write(shown, b"r\na\nq\n")
        assert process.stdout is not None
        output = process.stdout.read()
        process.wait(timeout=120)
    told = os.read(shown, 65536).decode()
    os.close(shown)
    assert "[a]ccept, [r]eject" in told
    check = json.loads(output)
    assert check["coverage"]["words"]["open"] > 0
    assert check["coverage"]["words"]["follows"] > 0
    assert process.returncode == 3
    said = json.loads((tmp_path / "said.json").read_text())["decisions"]
    assert [one["decision"] for one in said] == ["reject", "accept"]


def test_questions_need_a_terminal(tmp_path: Path, made: Study) -> None:
    """In CI nobody answers."""
    assert made.numbers
    run = sealtrace("check", tmp_path / "paper.tex", tmp_path / "results", "--ask")
    assert run.code == 2
    assert "terminal" in run.errors


@pytest.mark.usefixtures("made")
def test_pipes_among_the_results_are_not_waited_for(tmp_path: Path) -> None:
    """Nobody would ever write to them."""
    for name in ("a.csv", "b.json", "c.xlsx"):
        os.mkfifo(tmp_path / "results" / name)
    assert process("check", tmp_path / "paper.tex", tmp_path / "results").returncode == 0


def test_decisions_are_used(tmp_path: Path, made: Study) -> None:
    """What is rejected is open and has no recipe; a note goes into the draft; what does not fit is said."""
    assert made.numbers
    decisions, draft = tmp_path / "decisions.json", tmp_path / "study"
    paper, results = tmp_path / "paper.tex", tmp_path / "results"
    found = json.loads(sealtrace("check", paper, results, "--no-audit", "--format", "json").output)["formulas"]
    places = [{name: one[name] for name in ("table", "kind", "subject")} for one in found]
    said = [{**places[0], "decision": "reject"}, {**places[1], "decision": "accept", "note": "Over all seeds."}]
    said.append({"table": "tab:none", "kind": "column", "subject": "x", "decision": "accept"})
    decisions.write_text(json.dumps({"decisions": said}))
    run = sealtrace("check", paper, results, "--no-audit", "--decisions", decisions, "--save", draft)
    assert (run.code, "tab:none, column x: no formula was found for it now" in run.errors) == (3, True)
    assert f"{found[0]['numbers']} open" in run.output
    assert "Over all seeds." in (draft / "report/table.main.json").read_text()
    for broken, message in (
        ("[]", "not a file of decisions"),
        ('{"decisions": [{"table": "t"}]}', "decision 1: kind is missing"),
        ('{"decisions": [{"table": "t", "kind": "k", "subject": "s", "decision": "maybe"}]}', "neither accept nor"),
        ('{"decisions": [{"tabel": "t"}]}', "there is no field 'tabel'; did you mean 'table'?"),
    ):
        decisions.write_text(broken)
        run = sealtrace("check", paper, results, "--decisions", decisions)
        assert (run.code, message in run.errors) == (2, True), run.errors


def test_a_file_that_is_called_as_a_kind_of_records_can_be_saved(tmp_path: Path) -> None:
    """`summary.csv` is an ordinary name for results; its dataset takes another one."""
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "summary.csv").write_text("model,accuracy\nalpha,61.42\nbeta,64.07\ngamma,66.18\n")
    rows = "| alpha | 61.42 |\n| beta | 64.07 |\n| gamma | 66.18 |\n"
    (tmp_path / "paper.md").write_text(f"# Models\n\n| Model | Accuracy |\n|---|---|\n{rows}")
    run = sealtrace("check", tmp_path / "paper.md", tmp_path / "results", "--save", tmp_path / "study")
    assert run.code == 0, run.output
    assert sorted(path.name for path in (tmp_path / "study/declare").glob("dataset.*")) == ["dataset.summary_2.json"]
    assert sealtrace("verify", tmp_path / "study", "--draft").code == 0


def test_a_draft_that_another_run_has_just_saved_is_named(tmp_path: Path) -> None:
    """Two runs may find the same directory empty; the slower one says so, and not what its own draft would lack."""
    (tmp_path / "declare").mkdir()
    (tmp_path / "declare" / "protocol.json").write_text("{}", encoding="utf-8")
    with pytest.raises(BundleError, match="not empty; nothing is overwritten"):
        _save(tmp_path, {"report/table.a.json": "{}"}, None)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["protocol.json"]
