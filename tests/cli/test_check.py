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
    """Nothing read, nothing explained: never a pass."""
    (tmp_path / "empty").mkdir()
    run = sealtrace("check", tmp_path / "paper.tex", tmp_path / "empty")
    assert run.code == 3
    assert f"numbers {made.numbers}: {made.numbers} open ({made.numbers} unexplained)" in run.output


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
    assert (document["subject"]["name"], bool(document["claims"])) == ("paper.tex", True)
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
    assert sealtrace("check", tmp_path / "paper.tex", again, "-o", f"json={again / 'check.json'}").code == 3


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
    """Datasets, tables and recipes that `verify --draft` recomputes every cell from; nothing is overwritten."""
    draft = tmp_path / "study"
    run = sealtrace("check", tmp_path / "paper.tex", tmp_path / "results", "--no-audit", "--save", draft)
    assert run.code == 0
    judged = sealtrace("verify", draft, "--draft", "--format", "json")
    coverage = json.loads(judged.output)["coverage"]
    assert (coverage["numbers"], coverage["words"]["follows"]) == (made.numbers, made.numbers)
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
    for row in record["rows"]:
        row.pop("recipes", None)
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
    assert (run.code, f"sealtrace seal {draft} --empty all=REASON" in run.errors) == (1, True)
    own = sealtrace("try", draft)
    assert (own.code, "8 follow, 1 differs (8 exact, 1 mismatch)" in own.output) == (1, True), own.output
    table = draft / "report/table.table-1.json"
    record = json.loads(table.read_text())
    for row in record["rows"]:
        del row["recipes"]
    table.write_text(json.dumps(record))
    for name in ("file_part1", "file_seed"):
        rows = draft / "report/rows.results.jsonl"
        kept = [json.loads(line) for line in rows.read_text().splitlines()]
        for one in kept:
            del one[name]
        rows.write_text("".join(f"{json.dumps(one)}\n" for one in kept))
        declared = draft / "report/dataset.results.json"
        document = json.loads(declared.read_text())
        del document["row"]["properties"][name]
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
        [*map(str, command), "--no-audit", "--quiet", "--ask", "--format", "json"],
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
