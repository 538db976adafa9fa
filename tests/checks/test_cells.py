"""What the checks of cells, marks and relations say of small tables beside a few records."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from checks.few_records import evidence_of, outcome_of, told
from checks.test_tables import GOOD, T, edited, table
from sealtrace.checks.outcome import Outcome
from sealtrace.checks.printed import PrintedNumbers
from sealtrace.checks.relations import holds
from sealtrace.checks.sealed_relations import SealedRelations
from sealtrace.paper.model import Table
from sealtrace.recipes.cells import cells_of
from sealtrace.relations.decision import Status
from support import Row

# Recipes and cells

DATA, ROWS = "declare/dataset.scores.json", "report/rows.scores.jsonl"
SCORES = {
    "dataset": "scores",
    "row": {
        "type": "object",
        "properties": {"system": {"type": "string"}, "seed": {"type": "integer"}, "score": {"type": "number"}},
        "required": ["system", "seed", "score"],
    },
    "key": ["system", "seed"],
    "complete": [{"every": [["system"], ["seed"]]}],
}
RECORDS: list[Row] = [
    {"system": system, "seed": seed, "score": score + seed / 100}
    for system, score in (("ours", 0.7), ("weak", 0.6))
    for seed in (1, 2)
]
MEAN = {"metric": "mean", "of": "score", "where": {"system": "{System}"}}


def scored(first: str, second: str, recipe: Row | None = None, **more: Any) -> dict[str, Any]:
    """A table of two scores over their records: 0.715 and 0.615."""
    record = table(["ours", first], ["weak", second], columns="System Score", **more)
    record["columns"][1]["recipe"] = recipe or MEAN
    return {T: record, DATA: SCORES, ROWS: RECORDS}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("0.715", "0.615", []),
        ("0.713", "0.615", [("error", "tab:t ours Score", "/rows/0/cells/1", "0.715", "0.713")]),
        ("0.71", "0.62", []),
        ("0.715", "0.6", []),
        ("0.7", "0.7", [("error", "tab:t weak Score", "/rows/1/cells/1", "0.615", "0.7")]),
    ],
)
def test_cells(first: str, second: str, expected: list[tuple[Any, ...]]) -> None:
    """Each is what the records give, rounded once."""
    outcome = outcome_of("table.cells", scored(first, second))
    assert told(outcome) == expected
    assert (outcome.inspected, outcome.missing) == (2, None)


def test_a_number_that_was_cut_off_is_a_warning() -> None:
    """With its place in the paper, where the record has one."""
    files = scored("0.71", "0.61", source="paper.tex")
    files[ROWS] = [{**row, "score": row["score"] + 0.004} for row in RECORDS]
    files[T]["rows"][0]["line"] = 7
    outcome = outcome_of("table.cells", files)
    assert told(outcome, "severity", "key") == [("warning", "tab:t ours Score"), ("warning", "tab:t weak Score")]
    assert [" Printed at paper.tex:7." in finding.message for finding in outcome.findings] == [True, False]
    assert all(finding.message.endswith(".") and ".." not in finding.message for finding in outcome.findings)
    del files[T]["source"]
    assert not any("Printed at" in finding.message for finding in outcome_of("table.cells", files).findings)


@pytest.mark.parametrize(
    ("recipe", "missing", "findings"),
    [
        (None, None, []),
        ({}, "2 cells have no recipe, and nothing says that they need none", []),
        ({"classification": "attested"}, None, [("warning", None)]),
        ({"classification": "constrained"}, "2 cells have no recipe, and nothing says that they need none", []),
        ({**MEAN, "where": {"system": "nobody"}}, "2 cells cannot be recomputed: ", []),
    ],
)
def test_cells_without_a_value(recipe: Row | None, missing: str | None, findings: list[tuple[Any, ...]]) -> None:
    """What nothing gives is missing; where no number at all follows from records, that is a warning."""
    files = scored("0.715", "0.615", recipe)
    if recipe == {}:
        del files[T]["columns"][1]["recipe"]
    outcome = outcome_of("table.cells", files)
    assert (outcome.missing or "")[: len(missing or "")] == (missing or "")
    assert (outcome.missing is None) == (missing is None)
    assert told(outcome, "severity", "field") == findings
    assert outcome.inspected == 2


def test_cells_are_computed_once() -> None:
    """Each is told as it is done; and again only where the cell or the caption of its table is another."""
    evidence, steps = evidence_of(scored("0.715", "0.615")), []
    evidence.progress = lambda *step: steps.append(step)
    printed = evidence.view(PrintedNumbers)
    results = printed.results
    assert steps == [("recomputing cells", number, 4) for number in (1, 2, 3, 4)]
    cell = results[0].cell
    assert printed.result_of(cell, "") is results[0]
    other = printed.result_of(cell, "Another caption.")
    assert (other is results[0], other.status) == (False, results[0].status)


def test_one_cell_without_a_value() -> None:
    """It is missing by itself; and where another follows from records, nothing is said of the whole."""
    files = scored("0.715", "0.615")
    files[T]["rows"][1]["recipes"] = {"Score": {**MEAN, "where": {"system": "nobody"}}}
    assert str(outcome_of("table.cells", files).missing).startswith("1 cells cannot be recomputed: ")
    files[T]["rows"][1]["recipes"] = {"Score": {"classification": "attested"}}
    assert told(outcome_of("table.cells", files)) == []
    del files[T]["rows"][0]
    assert told(outcome_of("table.cells", files), "severity", "source", "key") == [("warning", T, "tab:t")]


def test_unclassified_cells_come_before_missing_ones() -> None:
    """They are the ones to act on; and one of either is enough."""
    files = scored("0.715", "0.615")
    files[T]["rows"][0]["recipes"] = {"Score": {}}
    assert str(outcome_of("table.cells", files).missing).startswith("1 cells have no recipe")
    files[T]["rows"][1]["recipes"] = {"Score": {**MEAN, "where": {"system": "nobody"}}}
    assert str(outcome_of("table.cells", files).missing).startswith("1 cells have no recipe")


def test_recipes() -> None:
    """How many there are; and those that cannot be followed, with what they say."""
    outcome = outcome_of("table.recipes", scored("0.715", "0.615"))
    assert (told(outcome), outcome.inspected, outcome.not_applicable) == ([], 2, None)
    outcome = outcome_of("table.recipes", {T: GOOD})
    assert (outcome.inspected, outcome.not_applicable) == (0, "no cell has a recipe")
    outcome = outcome_of("table.recipes", scored("0.715", "0.615", {"metric": "maen", "of": "score"}))
    assert told(outcome, "severity", "key", "field") == [
        ("error", "tab:t ours Score", "/rows/0/cells/1"),
        ("error", "tab:t weak Score", "/rows/1/cells/1"),
    ]


@pytest.mark.parametrize(("admitted", "severity"), [(None, "error"), (["The best of two seeds is shown."], "error")])
def test_what_a_recipe_chooses_is_told_once_for_its_column(admitted: list[str] | None, severity: str) -> None:
    """An error, also where the recipe admits that the paper does not say it; then that is noted, too."""
    best = {**MEAN, "over": "seed", "show": "max"} | ({"undisclosed": admitted} if admitted else {})
    outcome = outcome_of("table.recipes", scored("0.72", "0.62", best))
    notes = [("note", "tab:t Score", None)] if admitted else []
    assert told(outcome, "severity", "key", "field") == [(severity, "tab:t Score", "/rows/0/cells/1"), *notes]
    assert "it shows the maximum" in outcome.findings[0].message


# Marks


@pytest.mark.parametrize(
    ("direction", "marks", "inspected", "missing", "expected"),
    [
        ("higher", {"Score": "best"}, 2, None, []),
        ("lower", {"Score": "best"}, 2, None, [("error", "tab:t ours Score"), ("error", "tab:t weak Score")]),
        (None, {"Score": "best"}, 2, "1 columns mark their best and do not say which way is better", []),
        ("higher", {}, 0, None, []),
    ],
)
def test_marks(
    direction: str | None, marks: Row, inspected: int, missing: str | None, expected: list[tuple[Any, ...]]
) -> None:
    """They follow the direction; a column that has none cannot be judged."""
    files = scored("0.715", "0.615")
    files[T]["rows"][0]["marks"] = marks
    if direction:
        files[T]["columns"][1]["direction"] = direction
    outcome = outcome_of("table.marks", files)
    assert told(outcome, "severity", "key") == expected
    assert outcome.inspected == inspected
    assert (outcome.missing or "").startswith(missing or "")
    assert (outcome.missing is None) == (missing is None)
    assert (outcome.not_applicable is None) == bool(marks)


# Relations

RELATIONS = "report/relation.jsonl"


def related(*formulas: str, **texts: str) -> dict[str, Any]:
    """A table of numbers, and relations between them."""
    record = table(*([name, text] for name, text in texts.items()), columns="Name Value")
    for row in record["rows"]:
        row["recipes"] = {"Value": {"classification": "constrained"}}
    rows = [
        {"relation": f"r{number}", "sentence": "They add up.", "source": "table", "formula": formula}
        for number, formula in enumerate(formulas)
    ]
    return {T: record, RELATIONS: rows} if rows else {T: record}


A, B, C = (f"tab:t[{name}, Value]" for name in "abc")


def statuses(files: dict[str, Any]) -> str:
    """The statuses of the cells, in their order."""
    return " ".join(result.status.value for result in evidence_of(files).view(PrintedNumbers).results)


def test_relations_that_hold() -> None:
    """They bind what they exclude other numbers of; what none binds is not constrained by calling it so."""
    files = related(f"{A} + {B} == {C}", a="1", b="2", c="3")
    assert statuses(files) == "constrained constrained constrained"
    outcome = outcome_of("relation.holds", files)
    assert (told(outcome), outcome.missing, outcome.inspected) == ([], None, 1)
    assert statuses(related(f"{A} + {C} == {B} + {C}", a="2", b="2", c="1")) == "constrained constrained unclassified"
    assert statuses(related(f"{A} == 1", a="1")) == statuses(related(a="1")) == "unclassified"
    # Both ends of a range, or the cell is not bound.
    low, high = f"{A}.low == {B}", f"{A}.high == {B} + 1"
    assert statuses(related(low, a="1.0 to 2.0", b="1.0")) == "unclassified constrained"
    assert statuses(related(low, high, a="1.0 to 2.0", b="1.0")) == "constrained constrained"


def test_relations_that_cannot_hold() -> None:
    """Each is named with its line, its sentence and its numbers; their cells are contradicted."""
    files = related(f"{A} == 1", f"{A} + {B} == {C}", a="1", b="2", c="4")
    outcome = outcome_of("relation.holds", files)
    assert told(outcome, "source", "line", "key", "expected", "found") == [
        (RELATIONS, 2, "r1", "They add up.", f"{A} 1, {B} 2, {C} 4")
    ]
    assert outcome.inspected == 2
    assert statuses(files) == "contradicted contradicted contradicted"
    result = evidence_of(files).view(PrintedNumbers).results[0]
    assert result.relation == "r1"
    assert result.judgement.sentence.startswith("the relation r1 cannot hold with 1: ")


def test_relations_that_cannot_hold_together() -> None:
    """The first of them is named; every number of all of them is contradicted."""
    files = related(f"{A} - {B} >= 0.05", f"{C} == 1", f"{A} - {B} <= -0.05", a="2.0", b="2.0", c="1")
    outcome = outcome_of("relation.holds", files)
    assert told(outcome, "line", "key") == [(1, "r0")]
    assert statuses(files) == "contradicted contradicted unclassified"
    assert evidence_of(files).view(PrintedNumbers).results[1].relation == "r0"


CLAIMS = "report/claims.json"


def claimed(quote: str, *readings: str, assumes: tuple[str, ...] = ()) -> dict[str, Any]:
    """A table of numbers, and one claim that names all of its rows."""
    also = [{"at": "tab:t", "quote": name} for name in "abc"]
    claim = {"id": "it", "at": "tab:t", "quote": quote, "also": also, "readings": list(readings)}
    return {**related(a="1", b="2", c="4"), CLAIMS: {"claims": [{**claim, "assumes": list(assumes)}]}}


def test_sealed_claims() -> None:
    """What is not tied is an error, and so is a contradiction; a question is a note."""
    wrong, right = f"{A} + {B} == {C}", f"{B} + {B} == {C}"
    for files, check, expected in (
        (claimed("Value", right), "relation.formula", []),
        (claimed("Value", right), "relation.holds", []),
        (claimed("words of another paper", right), "relation.formula", [("error", "it", "/claims/0")]),
        (claimed("words of another paper", right), "relation.holds", []),
        (claimed("Value", wrong), "relation.holds", [("error", "it", "/claims/0")]),
        (claimed("Value", wrong, right), "relation.holds", []),
        (claimed("Value", wrong, assumes=("something",)), "relation.holds", [("note", "it", "/claims/0")]),
    ):
        assert told(outcome_of(check, files), "severity", "key", "field") == expected


def test_relations_in_doubt_are_notes() -> None:
    """What rests on an assumption, and what a unit in the last place mends: shown, and no cell is contradicted."""
    files = related(f"{A} + {B} == {C}", a="1.2", b="2.3", c="4.2")
    files[RELATIONS][0]["assumes"] = ["Nobody says so."]
    rounded = related(f"{A} + {B} == {C}", a="1.2", b="2.3", c="3.8")
    for doubtful in (files, rounded):
        assert told(outcome_of("relation.holds", doubtful), "severity", "key") == [("note", "r0")]
        assert "contradicted" not in statuses(doubtful)


def test_many_numbers_of_a_relation() -> None:
    """Six are listed, and the others counted."""
    for count, ending in ((6, ", tab:t[f, Value] 1"), (7, ", and 1 more"), (8, ", and 2 more")):
        names = "abcdefgh"[:count]
        files = related(" + ".join(f"tab:t[{name}, Value]" for name in names) + " == 1", **dict.fromkeys(names, "1"))
        (found,) = told(outcome_of("relation.holds", files), "found")
        assert found[0].endswith(ending)
        assert found[0].count("tab:t") == 6


def test_relations_that_cannot_be_read() -> None:
    """Each with its line and key; of two with one name the first counts, and tables without a shape are left out."""
    files = related(f"{A} == tab:t[a, Nothing]", f"{A} == 1", a="1", b="2")
    outcome = outcome_of("relation.formula", files)
    assert told(outcome, "source", "line", "key", "field") == [(RELATIONS, 1, "r0", "/formula")]
    assert outcome.inspected == 2
    files[RELATIONS][0] = {**files[RELATIONS][1], "formula": f"{A} == 2"}
    assert told(outcome_of("relation.holds", files), "line", "key") == [(1, "r1")]
    files[T]["rows"][1]["label"] = "a"
    assert told(outcome_of("relation.formula", files), "line") == [(1,), (2,)]
    for check in ("relation.formula", "relation.holds"):
        assert outcome_of(check, related(a="1")).not_applicable == "the bundle declares no relation"


def test_relations_that_are_not_decided() -> None:
    """They are missing, and the first is named."""
    evidence = evidence_of(related(f"{A} == {B}", a="1", b="1"))
    relations = evidence.view(SealedRelations)
    (decision,) = relations.decided
    relations.__dict__["decided_together"] = [replace(decision, status=Status.UNDECIDED, reason="too hard")]
    outcome = Outcome("relation.holds", "relations")
    holds(evidence, outcome)
    assert (outcome.missing, told(outcome)) == ("1 relations are undecided: r0: too hard", [])


def test_a_mismatch_stays_one() -> None:
    """What the records refute is not said again by a relation."""
    files = scored("0.713", "0.615")
    files[RELATIONS] = [
        {"relation": "r", "sentence": "s", "source": "t", "formula": "tab:t[ours, Score] == tab:t[weak, Score]"}
    ]
    assert statuses(files) == "mismatch contradicted"


def test_cells_of_a_draft_are_judged_beside_the_bundle_s_own() -> None:
    """By the caption of their table; a cell may quote one that is given with it, or one of the bundle."""
    evidence = evidence_of(scored("0.715", "0.615")).view(PrintedNumbers)
    draft = table(["ours", "0.715"], ["weak", "0.615"], ["words", "none"], columns="System Score", label="tab:new")
    draft["columns"][1]["recipe"] = {"metric": "cell", "arguments": {"cell": "tab:t[{System}, Score]"}}
    draft["rows"][2]["recipes"] = {"Score": {}}
    results = evidence.judged(list(cells_of(Table.of(draft, "new"))))
    assert [(result.cell.row, result.status.value) for result in results] == [("ours", "exact"), ("weak", "exact")]
    told_here = edited("columns/1/recipe/arguments/cell", "tab:new[weak, Score]", draft)
    told_here["rows"][1]["recipes"] = {"Score": {**MEAN, "where": {"system": "weak"}}}
    results = evidence.judged(list(cells_of(Table.of(told_here, "new"))))
    assert [result.status.value for result in results] == ["mismatch", "exact"]
