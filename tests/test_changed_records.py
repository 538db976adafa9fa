"""The campaign of changed records: what goes unnoticed is a hole, or stands on the reviewed list with its reason."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

import changed_records
from campaign.known import evidence_of_other
from campaign.mutating import REMOVED, altered, places, ways
from campaign.running import Campaign, Mutant, _drawn
from campaign.undetermined import OF_STATUS, REASONS, reason_of
from sealtrace.bundle.reading import read_bundle
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_document
from sealtrace.evidence import Evidence, once
from sealtrace.examination import Examination
from small_study import small_study
from support import FIXTURE, LONG, copy_of, unseal

MAIN = "report/table.main.json"


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    """The fixture's changes."""
    return Campaign(read_bundle(FIXTURE))


def test_every_place_is_changed() -> None:
    """Each value of a record, also in lists and maps, in the ways of its type."""
    record = {"a": [1, {"b": True}], "c": "0.5", "d": {"x": 1.5, "y": 2.5}}
    assert [pointer for pointer, _ in places(record)] == [
        ("a",), ("a", 0), ("a", 1), ("a", 1, "b"), ("c",), ("d",), ("d", "x"), ("d", "y"),
    ]  # fmt: skip
    assert altered(record, ("a", 1, "b"), False) == {**record, "a": [1, {"b": False}]}
    assert altered(record, ("a", 0), REMOVED) == {**record, "a": [{"b": True}]}
    assert {way for way, _ in ways("0.5")} == {"removed", "longer", "another digit", "negated", "much larger"}
    assert ("much larger", "1") in ways("1e-12")


@pytest.mark.parametrize(
    ("mutant", "check"),
    [
        (Mutant(MAIN, "table", None, ("rows", 2, "cells", 1), "another digit", "4.2880"), "table.cells"),
        (Mutant(MAIN, "table", None, ("rows",), "removed", REMOVED), "schema"),
        (Mutant("trace/trace.calibration.jsonl", "trace", 3, (), "removed", REMOVED), "split.complete"),
        (Mutant("trace/trace.calibration.jsonl", "trace", 3, (), "twice", None), "join.unique-key"),
    ],
)
def test_a_change_is_noticed(mutant: Mutant, check: str, campaign: Campaign) -> None:
    """By the first check that says something else than before."""
    found = campaign.noticed(mutant)
    assert found is not None
    assert found.partition(".")[0] in (check.partition(".")[0], "join")


def test_changes_share_no_answers(campaign: Campaign) -> None:
    """What recipes gave on one changed bundle answers nothing on the next."""
    before = Evidence(campaign.before.bundle)

    @once
    def answers(_: Evidence) -> dict[str, str]:
        return {}

    answers(before)
    first, second = (evidence_of_other(before, before.bundle, "trace") for _ in range(2))
    answers(first)["what a recipe asks"] = "what the changed records give"
    assert answers(second) == {}


def test_a_change_that_nothing_notices(campaign: Campaign) -> None:
    """A caption is words for readers, and is on the list."""
    mutant = Mutant(MAIN, "table", None, ("caption",), "longer", "Something else.")
    assert campaign.noticed(mutant) is None
    assert reason_of(mutant.field, mutant.way) == REASONS["table /caption: *"]


def test_a_table_that_a_sealed_manuscript_prints_is_not_as_transcribed(tmp_path: Path) -> None:
    """A label that goes unnoticed would be a hole there, and no change of the record does."""
    bundle = copy_of(Path(__file__).parent / "conformance" / "answers", tmp_path)
    rows = "ours & \\textbf{0.6300} \\\\\nbase & 0.5800 \\\\\n"
    text = f"\\begin{{tabular}}{{lr}}\nSystem & Score $\\uparrow$ \\\\ \\hline\n{rows}\\end{{tabular}}"
    table = f"\\begin{{table}}\\caption{{Mean score over seeds and items.}}\\label{{tab:results}}{text}\\end{{table}}"
    (bundle / "report" / "manuscript.paper.tex").write_text(
        f"\\documentclass{{article}}\\begin{{document}}\n{table}\n\\end{{document}}\n"
    )
    sql = "SELECT avg(score) FROM answers WHERE system = '{System}'"
    record = {
        "label": "tab:results",
        "columns": [{"label": "System"}, {"label": "Score", "direction": "higher", "recipe": {"sql": sql}}],
        "rows": [
            {"label": "ours", "cells": ["ours", "0.6300"], "marks": {"Score": "best"}},
            {"label": "base", "cells": ["base", "0.5800"]},
        ],
    }
    (bundle / "report" / "table.results.json").write_text(json.dumps(record))
    seal(bundle, empty={"all": "Nothing belongs here."})
    campaign = Campaign(read_bundle(bundle))
    assert campaign.before.report.verdict == "verified"
    assert reason_of("table /rows/*/label", "longer")
    mutants = [one for one in campaign.mutants() if one.row is None]
    assert {"table", "dataset"} <= {one.kind for one in mutants}
    assert campaign.free(next(one for one in mutants if one.field == "table /rows/*/label")) is None
    assert [one.name for one in mutants if campaign.noticed(one) is None and campaign.free(one) is None] == []


def test_a_cell_on_the_authors_word_may_be_changed_and_is_told_so(campaign: Campaign, tmp_path: Path) -> None:
    """Of an attested cell the reason is its status; a recomputed one has none."""
    exact = next(one for one in campaign.before.cells if one.status.value == "exact")
    mutant = Mutant(exact.cell.record, "table", None, _pointer(exact.cell.pointer), "another digit", "7", "8")
    assert campaign.free(mutant) is None
    bundle = small_study(tmp_path / "bundle")
    columns = [{"label": "System"}, {"label": "Cost", "recipe": {"classification": "attested"}}]
    table = {"label": "tab:main", "columns": columns, "rows": [{"label": "ours", "cells": ["ours", "7"]}]}
    write_document(bundle / MAIN, table)
    unseal(bundle)
    seal(bundle, empty={"all": "Nothing belongs here."})
    word = Mutant(MAIN, "table", None, _pointer("/rows/0/cells/1"), "another digit", "7", "8")
    assert Campaign(read_bundle(bundle)).free(word) == OF_STATUS["attested"]


def _pointer(text: str) -> tuple[str | int, ...]:
    return tuple(int(part) if part.isdecimal() else part for part in text.split("/")[1:])


def test_records_written_otherwise_are_the_same(campaign: Campaign) -> None:
    """Fields in another order raise no finding."""
    some = [one for one in campaign.rewritten() if one.way == "fields in another order"][::400]
    assert some
    assert [campaign.noticed(one) for one in some] == [None] * len(some)


def test_a_quick_verdict_is_that_of_a_full_verification(campaign: Campaign) -> None:
    """What is taken over from the unchanged bundle, and judging many changes at once, decides nothing otherwise."""
    every = list(campaign.mutants())
    rows = [one for one in every if one.path == "report/score.held-out.jsonl" and one.row is not None]
    together = [
        one for one in rows if one.pointer == ("delta",) and one.way == "much larger" and (one.row or 0) % 9 == 4
    ]
    caption = Mutant(MAIN, "table", None, ("caption",), "longer", "Something else.")
    some = [caption, *together[:3], *random.Random(5).sample(every, 300 if LONG else 4)]
    due = {one.name: _noticed_in_full(campaign, one) for one in some}
    assert {one.name: campaign.noticed(one) is not None for one in some} == due
    assert [found is not None for found in campaign.noticed_each(together[:3])] == [True] * 3
    assert set(due.values()) == {True, False}


def _noticed_in_full(campaign: Campaign, mutant: Mutant) -> bool:
    """Whether an examination of the changed bundle that knows nothing beforehand says something else."""
    bundle = campaign.changed(mutant)
    return bundle is None or _said(Examination(bundle)) != _said(campaign.before)


def _said(examination: Examination) -> dict[str, object]:
    counts = {check: {**one.counts, "note": 0} for check, one in examination.outcomes.items()}
    return {check: (one.status, one.reason, counts[check]) for check, one in examination.results.items()}


def test_holes_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A small study whose labels nothing checks has holes, and they are printed."""
    code = changed_records.main([str(small_study(tmp_path / "bundle")), "--sample", "40"])
    output = capsys.readouterr().out
    assert "changes were judged" in output
    assert "what this bundle does not determine:" in output
    assert "label.test.jsonl" in output
    assert code == 1
    assert changed_records.main([str(tmp_path / "absent")]) == 2


def test_a_sample_is_drawn_from_a_stream() -> None:
    """Each with the same chance, and how many there are; without a size all of them, in their order."""
    mutants = [Mutant(MAIN, "table", None, ("rows", place), "removed", REMOVED) for place in range(30)]
    assert _drawn(iter(mutants), None, random.Random(1)) == (mutants, 30)
    times = Counter(
        mutant.pointer[1] for seed in range(2000) for mutant in _drawn(iter(mutants), 3, random.Random(seed))[0]
    )
    assert all(150 <= times[place] <= 250 for place in range(30))
    assert _drawn(iter(mutants[:2]), 3, random.Random(1)) == (mutants[:2], 2)


def test_values_of_an_evaluator_without_scores(campaign: Campaign) -> None:
    """What scores repeat is determined to the last digit; an evaluator that no score uses stands behind means only."""
    assert reason_of("values /values/fold", "a little larger", ["held-out"]) is None
    assert reason_of("values /values/fold", "a little larger", ["held-out", "unscored"]) is not None
    path = "report/values.held-out.jsonl"
    assert campaign.free(Mutant(path, "values", 0, ("values", "fold"), "a little larger", 1.0)) is None


def test_a_campaign_may_last_longer_than_one_verification() -> None:
    """The time that was up for reading is not taken from the verifications that follow."""
    bundle = read_bundle(FIXTURE)
    changes = Campaign(bundle)
    bundle.budget.seconds = 0.0
    mutant = Mutant(MAIN, "table", None, ("rows", 2, "cells", 1), "another digit", "4.2880")
    assert changes.noticed(mutant) == "table.cells"
