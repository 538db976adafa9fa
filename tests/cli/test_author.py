"""The author's way: five commands and a few lines from result files to a verified bundle; then planted mistakes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from author_study import IN_PAPER, IN_RESULTS, Change, drawn, paper, write_results
from cli.runner import sealtrace
from support import ROOT

PAGE = ROOT / "docs" / "author.md"
RECIPES = """{
  "defaults": {"of": "prediction", "where": {"directory": "{Model}"}},
  "tab:tests": {
    "Gain": {"metric": "accuracy", "over": "file_name_part_1", "minus": {"directory": "base"}, "percent": true},
    "McNemar p": {"metric": "mcnemar", "versus": {"directory": "base"}},
    "Wrong answers": {"sql": "SELECT count(*) FROM results WHERE prediction <> gold AND directory = '{Model}'"}
  },
  "text": {
    "s1.n3": {"Printed": {"metric": "cell", "arguments": {"cell": "tab:tests[Ours, Gain]"}}},
    "s2.n1": {"Printed": {"sql": "SELECT count(*) FROM results"}}}
}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paper and its results, and the bundle that the five commands give, in study/."""
    directory = tmp_path_factory.mktemp("author")
    write_results(drawn(), directory / "results")
    (directory / "paper.tex").write_text(paper(drawn()), encoding="utf-8")
    study, recipes = directory / "study", directory / "recipes.json"
    # (1) What follows already verifies as a draft; what is open stands there with what was tried.
    run = sealtrace("check", directory / "paper.tex", directory / "results", "--save", study)
    assert (run.code, "unlike-flag" in run.output) == (3, False), run.output
    draft = json.loads(sealtrace("verify", study, "--draft", "--format", "json").output)
    words = draft["coverage"]["words"]
    assert (draft["verdict"], words["follows"], words["open"]) == ("incomplete", 17, 11)
    assert all("Tried: " in number["says"] for number in draft["numbers"] if number["word"] == "open")
    # (2) Twelve lines: a title, and how the rest follows.
    protocol = study / "declare/protocol.json"
    protocol.write_text(protocol.read_text().replace("One line about the study", "Small models for legal questions"))
    recipes.write_text(RECIPES)
    assert len(RECIPES.splitlines()) + 1 <= 12
    run = sealtrace("extract", directory / "paper.tex", "-o", study / "report", "--recipes", recipes, "--update")
    assert (run.code, run.errors) == (0, "")
    # (3), (4), (5): tried, sealed and verified, with one verdict.
    tried = sealtrace("try", study)
    assert (tried.code, "28 follow (28 exact)" in tried.output) == (0, True), tried.output + tried.errors
    sealed = sealtrace("seal", study)
    assert (sealed.code, [line.split()[0] for line in sealed.output.splitlines()]) == (0, ["declare", "report", "root"])
    return directory


def test_every_cell_and_every_number_of_the_text_is_verified(made: Path) -> None:
    """The verdict is VERIFIED, of two stages, and nothing in the text is left out."""
    run = sealtrace("verify", made / "study", "--reported", made / "paper.tex")
    assert (run.code, run.output.startswith("VERIFIED  study\nSmall models")) == (0, True), run.output
    assert "28: 28 follow (28 exact)" in run.output
    assert "2 of 2 sealed" in run.output
    assert "not sealed" not in run.output


def test_a_draft_keeps_what_the_rows_are(made: Path) -> None:
    """Ids are there, fields have the names of the report, labels stand for values, and the product is complete."""
    declared = json.loads((made / "study/declare/dataset.results.json").read_text())
    assert declared["key"] == ["id", "directory", "file_name_part_1", "file_name_seed"]
    assert {"gold", "prediction", "correct", "tokens"} < set(declared["row"]["properties"])
    assert declared["complete"] == [{"every": [["directory"], ["file_name_seed"], ["id", "file_name_part_1"]]}]
    names = json.loads((made / "study/declare/names.json").read_text())["printed"]
    assert names["directory"]["Full fine-tuning"] == "full"
    assert names["file_name_part_1"]["Civil"] == "civil"
    table = json.loads((made / "study/report/table.main.json").read_text())
    assert "directory = '{Model}'" in table["columns"][1]["recipe"]["sql"]
    text = json.loads((made / "study/report/table.text.json").read_text())
    assert [row["cells"] for row in text["rows"]] == [["81.2"], ["18.4 points"], ["6,060"]]
    assert text["rows"][2]["quotation"] == "In total we collected 6,060 answers."


def test_macros_print_parts_of_cells_and_numbers_of_the_text(made: Path) -> None:
    """Mean and deviation by their names, beside the whole cell."""
    text = sealtrace("macros", made / "study").output
    for line in (
        "{tab:main}{Ours}{Civil:mean}{84.1}",
        "{tab:main}{Ours}{Civil:sd}{1.3}",
        "{text}{s2.n1}{Printed}{6,060}",
    ):
        assert f"\\sealedcell{line}\n" in text


@pytest.mark.parametrize(("change", "printed"), IN_PAPER.values(), ids=IN_PAPER)
def test_mistakes_of_the_paper_are_found_by_verify(made: Path, tmp_path: Path, change: Change, printed: str) -> None:
    """`verify --reported` names what is printed, with its line."""
    shutil.copy(made / "paper.tex", tmp_path)
    change(tmp_path)
    run = sealtrace("verify", made / "study", "--reported", tmp_path / "paper.tex")
    assert run.code == 1, run.output
    assert "table.reported" in run.output
    assert printed in run.output


@pytest.mark.parametrize(("change", "said"), IN_RESULTS.values(), ids=IN_RESULTS)
def test_mistakes_of_the_results_are_found_by_check(made: Path, tmp_path: Path, change: Change, said: str) -> None:
    """`check` names the row and the column that they change, the file that it could not read, or the flag."""
    shutil.copytree(made / "results", tmp_path / "results")
    shutil.copy(made / "paper.tex", tmp_path)
    change(tmp_path)
    run = sealtrace("check", tmp_path / "paper.tex", tmp_path / "results", "--no-audit")
    assert run.code in (1, 3)
    assert said in " ".join(run.output.split()), run.output


def test_the_page_says_the_same() -> None:
    """The recipes and the commands of the page for authors are those that were followed here."""
    page = PAGE.read_text(encoding="utf-8")
    shown = json.loads(page.split("```json\n")[1].split("```")[0])
    assert shown == json.loads(RECIPES)
    commands = [line.split()[1] for line in page.split("```text\n")[1].split("```")[0].splitlines()]
    assert commands == ["check", "verify", "extract", "seal", "verify"]
