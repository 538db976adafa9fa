"""Datasets in a bundle: read in three forms, checked as declared, and the source of printed cells."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sealtrace
from cli.runner import sealtrace as command
from results.small_results import declarations, sealed_study, write_study
from sealtrace.bundle.documents import declared_rows
from sealtrace.bundle.sealing import SealError, seal
from sealtrace.bundle.shapes import DeclarationError
from sealtrace.bundle.stores import read_rows
from support import Row, edit_document, edit_rows

ANSWERS = "report/rows.answers.jsonl"
EMPTY = {"all": "Only results are reported."}


def broken(directory: Path, path: str, edit: Callable[[list[Row]], None]) -> Any:
    """What is said of the study after a change of its rows."""
    study = write_study(directory / "study")
    edit_rows(study / path, edit)
    seal(study, empty=EMPTY, lenient=True)
    return sealtrace.verify(study)


def kept(wanted: Callable[[Row], bool]) -> Callable[[list[Row]], None]:
    """Deletes all other rows."""
    return lambda rows: rows.__setitem__(slice(None), [row for row in rows if wanted(row)])


def failed(report: Any) -> set[str]:
    return {check.id for check in report.checks if check.status == "fail"}


def statuses(report: Any) -> dict[tuple[str, str], str]:
    return {(cell.row, cell.column): cell.status for cell in report.numbers}


@pytest.mark.parametrize("file_format", ["jsonl", "parquet", "csv"])
def test_verified_in_each_form(file_format: str, tmp_path: Path) -> None:
    """Cells are exact, but for a baseline minus itself; the content identity is the same whatever the form."""
    study = sealed_study(tmp_path / "study", file_format)
    report = sealtrace.verify(study)
    found = statuses(report)
    assert (report.verdict, found.pop(("Base", "Gain"))) == ("verified", "attested")
    assert (len(found), set(found.values())) == (6, {"exact"})
    assert report.summary.inspected == ["120 answers (20 example x 2 system x 3 seed)", "20 examples"]
    manifest = json.loads((study / "manifest.json").read_bytes())
    digests = {entry["path"].split(".")[1]: entry.get("content_sha256") for entry in manifest["files"]}
    expected = json.loads((sealed_study(tmp_path / "other") / "manifest.json").read_bytes())
    same = {entry["path"].split(".")[1]: entry.get("content_sha256") for entry in expected["files"]}
    assert (digests["answers"], digests["examples"]) == (same["answers"], same["examples"])


def test_deleted_wrong_answers_are_found(tmp_path: Path) -> None:
    """And only the cells of that system go missing: the other system's are still judged."""
    report = broken(
        tmp_path,
        ANSWERS,
        kept(lambda row: row["system"] != "ours" or row["answer"] == row["gold"]),
    )
    assert "dataset.complete" in failed(report)
    assert statuses(report)["Base", "Accuracy"] == "exact"
    assert {status for (row, _), status in statuses(report).items() if row == "Ours"} == {"missing"}


def test_a_ghost_example_is_found(tmp_path: Path) -> None:
    """It is itself to blame: what does not read it is judged."""
    ghost = {"example": "ghost", "gold": "cat", "kind": "easy", "system": "ours", "seed": 1, "answer": "cat"}
    report = broken(tmp_path, ANSWERS, lambda rows: rows.append(ghost))
    assert {"dataset.complete", "dataset.references", "dataset.counts"} <= failed(report)
    finding = next(one for one in report.findings if one.check == "dataset.complete")
    assert "example ghost is there for few only" in finding.message
    assert statuses(report)["Base", "Macro-F1"] == "exact"
    assert statuses(report)["Ours", "Macro-F1"] == "missing"


def test_other_examples_for_one_system(tmp_path: Path) -> None:
    """Two systems scored on different examples cannot be compared."""

    def swap(rows: list[Row]) -> None:
        for row in rows:
            if row["system"] == "ours" and row["example"] == "q00":
                row["example"] = "q99"

    report = broken(tmp_path, ANSWERS, swap)
    assert "dataset.complete" in failed(report)
    assert statuses(report)["Ours", "Gain"] == "missing"


def test_copies_under_another_name(tmp_path: Path) -> None:
    """Wrong answers replaced by copies of right ones leave a key that stands twice, and a gap."""

    def copy(rows: list[Row]) -> None:
        ours = [row for row in rows if row["system"] == "ours"]
        right = next(row for row in ours if row["answer"] == row["gold"])
        for row in ours:
            if row["answer"] != row["gold"]:
                row.update(right)

    report = broken(tmp_path, ANSWERS, copy)
    assert {"join.unique-key", "dataset.complete"} <= failed(report)
    assert statuses(report)["Ours", "Accuracy"] == "missing"


def test_a_lost_seed(tmp_path: Path) -> None:
    """One of three seeds of one system kept back."""
    report = broken(
        tmp_path,
        ANSWERS,
        kept(lambda row: (row["system"], row["seed"]) != ("ours", 3)),
    )
    assert "dataset.complete" in failed(report)
    assert statuses(report)["Ours", "Accuracy"] == "missing"


def test_a_refused_row_spoils_what_reads_it(tmp_path: Path) -> None:
    """A value outside of the schema's bounds: its system's cells are missing, the other's are judged."""
    report = broken(tmp_path, ANSWERS, lambda rows: rows[-1].update(confidence=1.5))
    assert "schema.rows" in failed(report)
    finding = next(one for one in report.findings if one.check == "schema.rows")
    assert (finding.field, finding.expected, finding.found) == ("/confidence", "a number from 0 to 1", "1.5")
    assert statuses(report)["Base", "Accuracy"] == "exact"
    assert statuses(report)["Ours", "Accuracy"] == "missing"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"key": ["nothing"]}, "there is no field 'nothing'"),
        ({"dataset": "label"}, "is the name of a record kind"),
        ({"dataset": "other"}, "expected answers, found other"),
        ({"row": {"type": "object", "properties": {"a": {"oneOf": []}}}}, "/row/properties/a/type"),
        (
            {"row": {"type": "object", "properties": {"a": {"type": "string", "not": {}}}}},
            "this keyword is not checked",
        ),
        (
            {"row": {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}}},
            "not a regular expression",
        ),
        ({"printed": {"system": {"base": "X", "ours": "X"}}}, "two values are printed alike"),
        ({"truth": "nothing"}, "there is no field 'nothing'"),
        ({"key": ["confidence"]}, "identifies nothing"),
    ],
)
def test_declarations_that_say_nothing_checkable(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    """Sealing refuses them with their place, and verifying a bundle that has one is not green."""
    study = write_study(tmp_path / "study")
    edit_document(study / "declare/dataset.answers.json", lambda one: one.update(change))
    with pytest.raises(SealError) as refused:
        seal(study, empty=EMPTY)
    assert said in str(refused.value)


def test_rows_without_a_declaration(tmp_path: Path) -> None:
    """They say nothing, so they cannot be sealed."""
    study = write_study(tmp_path / "study")
    (study / "declare/dataset.answers.json").unlink()
    with pytest.raises(SealError, match="nothing declares it"):
        seal(study, empty=EMPTY)


OURS = {"system": "ours"}
RECIPES: list[tuple[dict[str, Any], str]] = [
    ({"metric": "accuracy", "of": "answer", "where": {"system": "base", "seed": ["1", "2"]}}, "0.675"),
    ({"metric": "accuracy", "of": "answer", "where": OURS, "show": "mean [ci]"}, "0.867 [0.758, 0.931]"),
    ({"metric": "accuracy", "of": "answer", "where": OURS, "group": "kind", "over": "seed"}, "0.867"),
    ({"metric": "accuracy", "of": "answer", "over": "system,seed", "show": "min to max"}, "0.65 to 0.90"),
    ({"metric": "count", "where": OURS}, "60"),
    ({"metric": "count", "of": "answer", "arguments": {"is": "cat"}, "where": {"system": "ours", "seed": "1"}}, "6"),
    ({"metric": "confusion", "of": "answer", "arguments": {"is": "dog", "was": "cat"}, "where": OURS}, "3"),
    ({"metric": "rate", "of": "answer", "arguments": {"is": "cat"}, "where": {"system": "base"}}, "33.3%"),
    ({"metric": "mean", "of": "confidence", "where": OURS}, "0.695"),
    ({"metric": "sd", "of": "confidence", "where": OURS | {"seed": "1"}, "arguments": {"divisor": "n"}}, "0.0577"),
    ({"metric": "quantile", "of": "confidence", "where": OURS, "arguments": {"q": "0.9"}}, "0.771"),
    ({"metric": "entropy", "of": "answer", "where": OURS, "arguments": {"normalized": "true"}}, "0.999"),
    ({"metric": "dominant_rate", "of": "answer", "where": OURS}, "0.350"),
    ({"metric": "recall", "of": "answer", "where": OURS, "arguments": {"label": "cat"}}, "0.857"),
    ({"metric": "ece", "of": "confidence", "where": OURS, "arguments": {"predicted": "answer"}}, "0.172"),
    ({"metric": "brier", "of": "confidence", "where": OURS, "arguments": {"predicted": "answer"}}, "0.152"),
    ({"metric": "auroc", "of": "confidence", "where": OURS, "arguments": {"predicted": "answer"}}, "0.413"),
    ({"metric": "log_loss", "of": "confidence", "where": OURS, "arguments": {"predicted": "answer"}}, "0.489"),
    ({"metric": "wilson", "of": "answer", "against": "gold", "where": OURS}, "[0.758, 0.931]"),
    ({"metric": "mcc", "of": "answer", "where": OURS}, "0.800"),
    ({"metric": "commonest", "of": "answer", "where": OURS}, "dog"),
    ({"metric": "commonest", "of": "answer", "where": OURS, "show": "count"}, "21 dog"),
    ({"sql": "SELECT count(*), answer FROM answers WHERE system = 'ours' GROUP BY answer ORDER BY 1 DESC, 2 LIMIT 1"},
     "21 dog"),
    ({"metric": "uniform_accuracy", "of": "gold", "where": OURS}, "0.333"),
    ({"metric": "prior_accuracy", "of": "gold", "where": OURS}, "0.335"),
    ({"metric": "rank", "of": "answer", "where": OURS, "arguments": {"by": "accuracy", "among": "system"}}, "1"),
    ({"metric": "win_rate", "of": "confidence", "where": OURS, "versus": {"system": "base"}}, "1.0"),
    ({"metric": "bootstrap", "of": "answer", "where": OURS,
      "arguments": {"by": "accuracy", "resamples": "200", "seed": "7"}}, "[0.783, 0.933]"),
]  # fmt: skip


def test_one_line_recipes(tmp_path: Path) -> None:
    """Metrics with conditions, groups, repeats, intervals and comparisons give what a plain computation gives."""
    study = write_study(tmp_path / "study")
    chosen = RECIPES
    document = {
        "label": "tab:many",
        "columns": [{"label": "Value"}],
        "rows": [
            {"label": str(n), "cells": [text], "recipes": {"Value": recipe}} for n, (recipe, text) in enumerate(chosen)
        ],
    }
    (study / "report/table.many.json").write_text(json.dumps(document))
    seal(study, empty=EMPTY)
    report = sealtrace.verify(study)
    wrong = {
        chosen[int(cell.row or "")][0].get("metric", "sql"): (cell.status, cell.printed, cell.given, cell.says)
        for cell in report.numbers
        if cell.table == "tab:many" and cell.status not in ("exact", "tie")
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("printed", "status"), [("21 dog", "exact"), ("21 cat", "mismatch"), ("20 dog", "mismatch"), ("21", "mismatch")]
)
def test_a_number_and_its_word_are_both_judged(tmp_path: Path, printed: str, status: str) -> None:
    """Another word is as wrong as another number, by metric and by query."""
    study = write_study(tmp_path / "study")
    recipes = [recipe for recipe, text in RECIPES if text == "21 dog"]
    rows = [{"label": f"r{n}", "cells": [printed], "recipes": {"V": one}} for n, one in enumerate(recipes)]
    document = {"label": "tab:words", "columns": [{"label": "V"}], "rows": rows}
    (study / "report/table.words.json").write_text(json.dumps(document))
    seal(study, empty=EMPTY)
    cells = [cell for cell in sealtrace.verify(study).numbers if cell.table == "tab:words"]
    assert [(cell.status, cell.given) for cell in cells] == [(status, "21, dog")] * 2


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        ({"metric": "commonest", "of": "answer", "show": "sd"}, "can be shown with its count"),
        ({"sql": "SELECT answer, system FROM answers LIMIT 1"}, "several texts and no number"),
        ({"metric": "acuracy", "of": "answer"}, "there is no metric 'acuracy'"),
        ({"metric": "accuracy"}, "accuracy needs the argument 'of'"),
        ({"metric": "accuracy", "of": "reply", "dataset": "answers"}, "answers has no field 'reply'; there are"),
        ({"metric": "accuracy", "of": "answer", "where": {"sytem": "ours"}}, "none has answer, sytem"),
        ({"metric": "accuracy", "of": "answer", "where": {"system": "theirs"}}, "no row of answers has system theirs"),
        ({"metric": "accuracy", "of": "answer", "show": "mode"}, "show is one of mean"),
        ({"metric": "accuracy", "of": "answer", "dataset": "replies"}, "there is no dataset 'replies'"),
        ({"metric": "mean", "of": "answer"}, "answer holds text, not numbers"),
        ({"metric": "mcnemar", "of": "answer"}, "versus what?"),
        (
            {"metric": "mcnemar", "of": "answer", "where": OURS, "versus": {"system": "base", "seed": "1"}},
            "not about the same",
        ),
        ({"metric": "mean", "of": "confidence", "arguments": {"divisor": "n-2"}, "show": "sd"}, "divisor is n-1 or n"),
        ({"metric": "quantile", "of": "confidence", "arguments": {"rule": "by feel"}}, "no rule of quantiles"),
        ({"sql": "SELECT count(*) FROM nothing"}, "nothing is not among the records"),
        ({"sql": "SELECT count(*) FROM answers WHERE system = '{Sytem}'"}, "{Sytem} is neither a column"),
    ],
)  # fmt: skip
def test_recipes_that_cannot_be_followed(recipe: dict[str, Any], said: str, tmp_path: Path) -> None:
    """Each is said in a sentence, and no other cell suffers."""
    study = write_study(tmp_path / "study")
    edit_document(study / "report/table.main.json", lambda one: one["columns"][1].update(recipe=recipe))
    seal(study, empty=EMPTY, lenient=True)
    report = sealtrace.verify(study)
    assert failed(report) == {"table.recipes"}
    assert any(said in one.message for one in report.findings), report.findings
    assert statuses(report)["Ours", "Macro-F1"] == "exact"


def test_queries_call_metrics_and_share_macros(tmp_path: Path) -> None:
    """Shared views and macros, metric functions, and text as a result; a broken view spoils only what names it."""
    study = write_study(tmp_path / "study")
    queries = {
        "views": {
            "scored": "SELECT *, answer = gold AS correct FROM answers",
            "ours": "SELECT * FROM scored WHERE system = 'ours' AND seed = 1",
            "broken": "SELECT nothing FROM answers",
        },
        "macros": {"verdict(x)": "CASE WHEN x > 0.5 THEN 'good' ELSE 'bad' END", "f1()": "0"},
    }
    (study / "report/queries.json").write_text(json.dumps(queries))
    cells = {
        "SELECT macro_f1(list(gold), list(answer)) FROM ours": "0.901",
        "SELECT mcnemar(count(*) FILTER (NOT correct), count(*) FILTER (correct)) FROM ours": "0.0004",
        "SELECT wilson_low(sum(correct::INT)::INT, count(*)::INT) FROM ours": "0.699",
        "SELECT verdict(avg(correct::INT)) FROM ours": "good",
        "SELECT nothing FROM broken": "1",
    }
    document = {
        "label": "tab:sql",
        "columns": [{"label": "Value"}],
        "rows": [
            {"label": str(n), "cells": [text], "recipes": {"Value": {"sql": sql}}}
            for n, (sql, text) in enumerate(cells.items())
        ],
    }
    (study / "report/table.sql.json").write_text(json.dumps(document))
    seal(study, empty=EMPTY, lenient=True)
    found = {cell.row: cell for cell in sealtrace.verify(study).numbers if cell.table == "tab:sql"}
    assert [(one.status, one.says) for row, one in found.items() if row != "4" and one.status != "exact"] == []
    assert found["4"].status == "missing"
    assert "view broken" in found["4"].says


def test_explain_lists_the_records(tmp_path: Path) -> None:
    """The recipe, and the records that it reads."""
    study = sealed_study(tmp_path / "study")
    run = command("explain", study, "tab:main[Ours, Accuracy]")
    assert run.code == 0
    assert "accuracy(" in run.output
    assert "report/rows.answers.jsonl" in run.output


def test_explain_lists_the_rows_behind_a_query(tmp_path: Path) -> None:
    """Those that it sums up, through shared views, with what they hold."""
    study = write_study(tmp_path / "study")
    queries = {"views": {"wrong": "SELECT example, system, seed, answer FROM answers WHERE answer <> gold"}}
    (study / "report/queries.json").write_text(json.dumps(queries))
    recipe = {"sql": "SELECT count(*) FROM wrong WHERE system = 'ours'"}
    document = {
        "label": "tab:sql",
        "columns": [{"label": "Value"}],
        "rows": [{"label": "Ours", "cells": ["8"], "recipes": {"Value": recipe}}],
    }
    (study / "report/table.sql.json").write_text(json.dumps(document))
    seal(study, empty=EMPTY)
    run = command("explain", study, "tab:sql[Ours, Value]")
    assert run.code == 0, run.errors
    assert "records    8, the first of them:" in run.output
    assert "system ours, seed 1" in run.output


def test_every_row_is_judged_by_the_declared_schema() -> None:
    """A second judge reads the JSON Schema itself: what the columns' predicates let pass is found by it."""
    row = {
        "type": "object",
        "properties": {"example": {"type": "string"}, "score": {"type": "number", "maximum": 1}},
        "required": ["example", "score"],
    }
    declared = declared_rows({"dataset": "scores", "row": row, "key": ["example"]})
    lines = b'{"example": "a", "score": 0.5}\n{"example": "b", "score": 2}\n'
    assert read_rows(lines, "rows.scores.jsonl", declared, "jsonl", every_row=True).misfits.total == 1
    # Predicates that know nothing of the bound, beside a schema that does.
    unbounded = declared_rows({"dataset": "scores", "row": _without_bound(row), "key": ["example"]})
    blind = replace(declared, shape=unbounded.shape)
    assert read_rows(lines, "rows.scores.jsonl", blind, "jsonl").misfits.total == 0
    found = read_rows(lines, "rows.scores.jsonl", blind, "jsonl", every_row=True).misfits.listed
    assert [(one.row, one.field, one.expected) for one in found] == [(2, "/score", "maximum 1")]


def _without_bound(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "properties": {**row["properties"], "score": {"type": "number"}}}


def test_names_are_not_printed_as_each_other_in_another_case() -> None:
    """`base` printed as Ours and `ours` as Base would exchange two rows without a trace in the table."""
    declaration = declarations()["answers"]
    assert declared_rows(declaration).name == "answers"
    with pytest.raises(DeclarationError, match="the name of another"):
        declared_rows({**declaration, "printed": {"system": {"base": "Ours", "ours": "Base"}}})
    many = {f"system {number}": f"System no. {number}" for number in range(50_000)}
    assert declared_rows({**declaration, "printed": {"system": many}}).name == "answers"
    with pytest.raises(DeclarationError, match="the name of another"):
        declared_rows({**declaration, "printed": {"system": {**many, "system 0": "System 49999"}}})


def test_what_belongs_to_one_system_is_not_paired(tmp_path: Path) -> None:
    """A test of pairs over examples that are others in each system is refused; means of each system stay."""
    study = write_study(tmp_path / "study")
    nested = [{"field": "example", "within": ["system"]}]
    edit_document(study / "declare/dataset.answers.json", lambda record: record.update(nested=nested))
    seal(study, empty=EMPTY, lenient=True)
    report = sealtrace.verify(study)
    assert (statuses(report)["Ours", "p"], statuses(report)["Ours", "Accuracy"]) == ("missing", "exact")
    assert any("each example belongs to one system, so nothing pairs the rows" in one.says for one in report.numbers)


@pytest.mark.parametrize("declared", [True, False])
def test_means_of_what_some_rows_lack(tmp_path: Path, *, declared: bool) -> None:
    """A mean over the rows that have a number follows where the dataset says why others lack it; else it is open."""
    study = write_study(tmp_path / "study")

    def drop(rows: list[Row]) -> None:
        for row in rows[::7]:
            row.pop("confidence")

    edit_rows(study / ANSWERS, drop)
    left = {"absent": {"confidence": "the answer came too late"}} if declared else {}

    def lacks(record: Row) -> None:
        record.update(left)
        record["row"]["required"] = [name for name in record["row"]["required"] if name != "confidence"]

    edit_document(study / "declare/dataset.answers.json", lacks)
    rows = [row["confidence"] for row in read_answers(study) if row["system"] == "ours" and "confidence" in row]
    recipe = {"sql": "SELECT avg(confidence) FROM answers WHERE system = 'ours'"}
    table = {
        "label": "t",
        "columns": [{"label": "Mean confidence", "recipe": recipe}],
        "rows": [{"label": "ours", "cells": [f"{sum(rows) / len(rows):.4f}"]}],
    }
    (study / "report/table.t.json").write_text(json.dumps(table), "utf-8")
    seal(study, empty=EMPTY, lenient=True)
    found = next(one for one in sealtrace.verify(study).numbers if one.table == "t")
    assert (found.status == "exact") is declared
    assert ("of the rows that have confidence" in (found.formula or "")) is declared


def read_answers(study: Path) -> list[Row]:
    return [json.loads(line) for line in (study / ANSWERS).read_text("utf-8").splitlines()]
