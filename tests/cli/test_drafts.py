"""What can be tried before anything is sealed: drafts, recipes, digests; and a bundle kept in step with its paper."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.runner import sealtrace
from results.small_results import RECIPES, sealed_study, table, write_study
from support import ROOT, edit_document, edit_rows

PAPER = ROOT / "tests" / "results" / "paper.tex"
CHANGED = ROOT / "tests" / "results" / "changed_paper.tex"
EMPTY = ("--empty", "all=Only results are reported.")


def files(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_a_draft_is_judged_and_left_alone(tmp_path: Path) -> None:
    """The verdict says that it is one; nothing is written into the directory."""
    study = write_study(tmp_path / "study")
    before = files(study)
    run = sealtrace("verify", study, "--draft")
    assert (run.code, files(study)) == (0, before)
    assert run.output.startswith("DRAFT, which would be VERIFIED  small-results\nTwo systems\n120 answers")
    report = json.loads(sealtrace("verify", study, "--draft", "--format", "json").output)
    assert (report["draft"], report["verdict"]) == (True, "verified")
    edit_rows(study / "report/rows.answers.jsonl", lambda rows: rows.__delitem__(5))
    run = sealtrace("verify", study, "--draft")
    assert (run.code, "DRAFT, which would be FINDINGS" in run.output, "dataset.complete" in run.output) == (
        1,
        True,
        True,
    )
    assert sealtrace("verify", study).code == 2
    assert sealtrace("verify", tmp_path / "nothing", "--draft").code == 2


@pytest.mark.parametrize("form", ["text", "json", "junit", "sarif", "github", "markdown", "latex", "html"])
def test_every_format_says_that_it_is_a_draft(tmp_path: Path, form: str) -> None:
    """And none says so of what is sealed."""
    study = write_study(tmp_path / "study")
    said = {"json": '"draft": true', "text": "DRAFT, which would be", "latex": r"\textbf{Draft}"}.get(
        form, "Draft, which would be"
    )
    output = tmp_path / "draft"
    assert sealtrace("verify", study, "--draft", "-o", f"{form}={output}").code == 0
    assert said in output.read_text(encoding="utf-8")
    assert sealtrace("seal", study, *EMPTY).code == 0
    assert sealtrace("verify", study, "-o", f"{form}={output}").code == 0
    assert said not in output.read_text(encoding="utf-8")


def test_sealing_refuses_broken_recipes(tmp_path: Path) -> None:
    """With the sentences of verify: unknown metrics, placeholders, queries; and nothing is written."""
    study = write_study(tmp_path / "study")
    for recipe, said in (
        ({"metric": "acuracy", "of": "answer"}, "there is no metric 'acuracy'"),
        ({"metric": "accuracy", "of": "answer", "where": {"system": "{Sytem}"}}, "{Sytem} is neither a column"),
    ):
        broken = {
            **table(),
            "columns": [table()["columns"][0], {"label": "Accuracy", "recipe": recipe}, *table()["columns"][2:]],
        }
        (study / "report/table.main.json").write_text(json.dumps(broken))
        run = sealtrace("seal", study, *EMPTY)
        assert (run.code, (study / "seals").exists()) == (2, False)
        assert f"The recipe cannot be followed: {said}" in run.errors
        assert said in " ".join(sealtrace("verify", study, "--draft").output.split())


def test_sealing_anew(tmp_path: Path) -> None:
    """After asking; the reasons of empty stages are kept; what is refused leaves the old seals as they are."""
    study = sealed_study(tmp_path / "study")
    before = files(study)
    assert sealtrace("seal", study).code == 2
    edit_document(study / "declare/protocol.json", lambda one: one.update(title="Two systems, again"))
    assert sealtrace("seal", study, "--redo").code != 0  # nobody answers
    assert (study / "manifest.json").read_bytes() == before["manifest.json"]
    run = sealtrace("seal", study, "--redo", "--yes")
    assert run.code == 0, run.errors
    assert sealtrace("verify", study).code == 0
    assert json.loads((study / "seals/2-bank.json").read_bytes())["empty_reason"] == "Only results are reported."
    sealed = files(study)
    edit_document(study / "report/table.main.json", lambda one: one["columns"][1].update(recipe={"metric": "no"}))
    assert sealtrace("seal", study, "--redo", "--yes").code == 2
    assert (study / "manifest.json").read_bytes() == sealed["manifest.json"]
    assert sealtrace("seal", study, "--redo", "--stage", "report").code == 2


def test_recipes_are_tried(tmp_path: Path) -> None:
    """On a draft and on a bundle, with tables of the bundle or of a paper; problems are sentences."""
    recipes = tmp_path / "recipes.json"
    tried: dict[str, Any] = {
        "tab:main": {
            "defaults": {"of": "answer", "over": "seed", "where": {"system": "{System}"}},
            **{name: {k: v for k, v in one.items() if k not in ("of", "over")} for name, one in RECIPES.items()},
        }
    }
    recipes.write_text(json.dumps(tried))
    draft = write_study(tmp_path / "draft")
    (draft / "report/table.main.json").unlink()
    before = files(draft)
    run = sealtrace("try", draft, "--recipes", recipes, "--reported", PAPER, "--table", "tab:main")
    # Nothing that this paper prints is the baseline's name: sealing would refuse the recipes, and so does trying them.
    assert (run.code, files(draft)) == (1, before), run.errors
    assert "it takes system base, and no row, heading or declared name of the caption says so" in run.errors
    assert "numbers 7: 6 follow, 1 open (6 exact, 1 attested)" in run.output
    paper = tmp_path / "paper.tex"
    paper.write_text(PAPER.read_text().replace("Two systems on twenty questions.", table()["caption"]))
    run = sealtrace("try", draft, "--recipes", recipes, "--reported", paper, "--table", "tab:main")
    assert run.code == 0, run.errors
    # What all tables share can stand beside them; a table says otherwise field by field, and null takes a word away.
    shared = {"of": "gold", "show": "sd", "over": "seed", "where": {"seed": "1"}}
    own = {"of": "answer", "show": None, "where": {"system": "{System}", "seed": ["1", "2", "3"]}}
    recipes.write_text(json.dumps({"defaults": shared, "tab:main": {**tried["tab:main"], "defaults": own}}))
    run = sealtrace("try", draft, "--recipes", recipes, "--reported", paper, "--table", "tab:main")
    assert (run.code, "6 follow, 1 open" in run.output) == (1, True), run.errors
    assert "it takes seed 1 and 2" in run.errors
    recipes.write_text(json.dumps(tried))
    assert "mismatch" in sealtrace("try", draft, "--recipes", recipes, "--reported", CHANGED).output
    sealed = sealed_study(tmp_path / "sealed")
    assert sealtrace("try", sealed, "--recipes", recipes).code == 0
    tried["tab:main"]["Gain"] = {"sql": "SELECT gain FROM shared", "percent": False}
    tried["views"] = {"shared": "SELECT avg((answer = gold)::INT) AS gain FROM answers"}
    recipes.write_text(json.dumps(tried))
    run = sealtrace("try", sealed, "--recipes", recipes, "--table", "tab:main")
    assert (run.code, "tab:main[" in run.errors or "mismatch" in run.output) == (1, True)
    tried["tab:main"]["Nothing"] = {"metric": "accuracy"}
    recipes.write_text(json.dumps(tried))
    run = sealtrace("try", sealed, "--recipes", recipes)
    assert (run.code, "tab:main has no column 'Nothing'" in run.errors) == (2, True)
    assert sealtrace("try", sealed, "--recipes", tmp_path / "none.json").code == 2


def test_paper_and_bundle_in_step(tmp_path: Path) -> None:
    """A number that is changed in the paper alone fails, with its line; so does a table that is gone."""
    study = sealed_study(tmp_path / "study")
    assert sealtrace("verify", study, "--reported", PAPER).code == 0
    run = sealtrace("verify", study, "--reported", CHANGED)
    assert run.code == 1
    assert "table.reported" in run.output
    assert "changed_paper.tex:11" in run.output
    assert "0.887" in run.output
    empty = tmp_path / "empty.tex"
    empty.write_text("\\documentclass{article}\\begin{document}Nothing.\\end{document}")
    run = sealtrace("verify", study, "--reported", empty)
    assert (run.code, "The paper has no table with this label." in run.output) == (1, True)
    assert sealtrace("verify", study, "--reported", tmp_path / "none.tex").code == 2


def test_two_bundles_are_compared(tmp_path: Path) -> None:
    """Cell by cell."""
    first = sealed_study(tmp_path / "first")
    second = write_study(tmp_path / "second")
    assert sealtrace("diff", first, first).code == 0
    edit_document(second / "report/table.main.json", lambda one: one["rows"][1]["cells"].__setitem__(2, "0.887"))
    assert sealtrace("seal", second, *EMPTY).code == 0
    run = sealtrace("diff", first, second)
    assert run.code == 1
    assert "0.867 in first, 0.887 in second" in run.output


@pytest.mark.parametrize("file_format", ["jsonl", "parquet", "csv"])
def test_digests_before_sealing(file_format: str, tmp_path: Path) -> None:
    """They are those of the manifest; what its schema refuses has none."""
    study = write_study(tmp_path / "study", file_format)
    path = study / f"report/rows.answers.{file_format}"
    run = sealtrace("digest", path, study / "declare/protocol.json", PAPER)
    assert run.code == 0, run.errors
    assert sealtrace("seal", study, *EMPTY).code == 0
    entries = {one["path"]: one for one in json.loads((study / "manifest.json").read_bytes())["files"]}
    for name in (f"report/rows.answers.{file_format}", "declare/protocol.json"):
        assert entries[name]["sha256"] in run.output
        assert entries[name]["content_sha256"] in run.output
    assert "120 rows" in run.output
    (study / "declare/dataset.answers.json").unlink()
    assert "nothing declares it" in sealtrace("digest", path).errors
    assert sealtrace("digest", tmp_path / "nothing.jsonl").code == 2


BEFORE = "| System | Accuracy |\n|---|---|\n| ours | 61.4 |\n| weak | 52.0 |\n"
AFTER = "| System | Accuracy | F1 |\n|---|---|---|\n| best | 70.0 | 0.7 |\n| ours | 63.2 | 0.6 |\n"


def test_a_changed_paper_is_followed(tmp_path: Path) -> None:
    """Rows and columns that are still there keep their recipes; what is new or gone is listed."""
    paper, report = tmp_path / "paper.md", tmp_path / "study/report"
    recipe = {"metric": "accuracy", "of": "answer", "where": {"system": "{System}"}}
    paper.write_text(BEFORE)
    assert sealtrace("extract", paper, "-o", report).code == 0
    (file,) = report.iterdir()
    edit_document(file, lambda one: one["columns"][1].update(recipe=recipe))
    edit_document(file, lambda one: one["rows"][0].update(recipes={"Accuracy": {"classification": "attested"}}))
    paper.write_text(AFTER)
    before = file.read_bytes()
    assert sealtrace("extract", paper, "-o", report).code == 2
    assert file.read_bytes() == before
    run = sealtrace("extract", paper, "-o", report, "--update")
    assert run.code == 0
    told = "row 'best' is new", "row 'weak' is no longer printed", "column 'F1' is new"
    assert all(one in run.errors for one in told), run.errors
    now = json.loads(file.read_text())
    assert [row["cells"] for row in now["rows"]] == [["best", "70.0", "0.7"], ["ours", "63.2", "0.6"]]
    assert now["columns"][1]["recipe"] == recipe
    assert now["rows"][1]["recipes"] == {"Accuracy": {"classification": "attested"}}
    assert "recipes" not in now["rows"][0]


def test_only_drafts_follow_a_paper(tmp_path: Path) -> None:
    """A sealed directory is left as it is, and so is one whose record cannot be read."""
    (tmp_path / "paper.md").write_text(BEFORE)
    sealed = sealed_study(tmp_path / "sealed")
    before = files(sealed)
    run = sealtrace("extract", tmp_path / "paper.md", "-o", sealed / "report", "--update")
    assert (run.code, files(sealed)) == (2, before)
    assert "sealed already" in run.errors
    assert sealtrace("extract", tmp_path / "paper.md", "--update").code == 2
    report = tmp_path / "report"
    assert sealtrace("extract", tmp_path / "paper.md", "-o", report).code == 0
    (file,) = report.iterdir()
    for broken in ("{", '{"label": 3}', "[]"):
        file.write_text(broken)
        run = sealtrace("extract", tmp_path / "paper.md", "-o", report, "--update")
        assert (run.code, file.read_text()) == (2, broken)
        assert str(file) in run.errors
