"""Statistics from counts of combinations are those of the rows, to the last digit, and say the same where they fail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import large_dataset
from sealtrace.bundle import blocks
from sealtrace.bundle.frames import StreamedFrame
from sealtrace.evidence import Evidence
from sealtrace.examination import examine
from sealtrace.recipes.metrics import MissingEvidenceError, RecipeError, Value, compute
from sealtrace.statistics.entries import STATISTICS
from sealtrace.studies.results import counting, metrics
from sealtrace.studies.results.evidence import Results

QUESTIONS = 400
OF = {"of": "answer", "against": "gold"}
ASKED: list[tuple[str, dict[str, str]]] = [
    ("count", {}),
    ("count", {"of": "answer", "is": "label-3", "where.seed": "2"}),
    ("rate", {"of": "answer", "is": "label-1", "over": "seed", "show": "mean±sd"}),
    ("rate", {"of": "answer", "is": "label-1", "where.seed": ">= 3", "minus.system": "base", "where.system": "ours"}),
    ("accuracy", {"of": "answer", "over": "seed", "where.system": "ours"}),
    ("accuracy", {"of": "answer", "group": "system", "over": "seed", "show": "mean [ci]"}),
    ("accuracy", {**OF, "where.system": '["base", "large"]', "minus.system": "ours"}),
    ("macro_f1", {**OF, "over": "system,seed"}),
    ("macro_f1", {**OF, "labels": "label-1,label-2"}),
    ("precision", {**OF, "label": "label-5", "where.seed": "<> 1"}),
    ("kappa", OF),
    ("mcc", {**OF, "where.system": "base"}),
    ("chi_squared", OF),
    ("confusion", {**OF, "was": "label-1", "is": "label-2"}),
    ("entropy", {"of": "answer", "where.system": "base"}),
    ("mean", {"of": "confidence", "where.system": "ours", "over": "seed", "show": "mean±sd"}),
    ("mean", {"of": "confidence", "where.system": "ours", "minus.system": "base"}),
    ("mean", {"of": "seed"}),
    ("sum", {"of": "confidence", "group": "gold", "where.seed": "<= 2"}),
    ("sd", {"of": "confidence", "where.gold": '["label-1", "label-2"]'}),
    ("quantile", {"of": "confidence", "q": "0.9", "where.system": "large"}),
]
WRONG: list[tuple[str, dict[str, str]]] = [
    ("accuracy", {"of": "answer", "where.system": "nobody"}),
    ("accuracy", {"of": "answers"}),
    ("accuracy", {"of": "answer", "where.seed": ">= many"}),
    ("accuracy", {"of": "answer", "minus.system": "nobody"}),
    ("precision", {**OF, "label": "label-99"}),
    ("rate", {"of": "seed"}),
    ("mean", {"of": "answer"}),
    ("mean", {"of": "confidence", "where.system": "nobody"}),
]


@pytest.fixture(scope="module", params=["held", "streamed"])
def evidence(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evidence]:
    """Six thousand answers, which are held, or judged a row group at a time."""
    bundle = tmp_path_factory.mktemp("answers") / "bundle"
    with pytest.MonkeyPatch.context() as patched:
        if request.param == "streamed":
            patched.setattr(blocks, "SMALL", 1000)
            patched.setattr(blocks, "BLOCK", 600)
        large_dataset.make(bundle, QUESTIONS)
        found = examine(bundle)
        assert isinstance(found.evidence.frame("answers"), StreamedFrame) is (request.param == "streamed")
        yield found.evidence


def answer(evidence: Evidence, name: str, arguments: dict[str, str]) -> Value | str:
    """What the records give, or the error."""
    try:
        return compute(evidence, name, {"dataset": "answers", **arguments})
    except (RecipeError, MissingEvidenceError) as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize(("name", "arguments"), ASKED, ids=lambda one: one if isinstance(one, str) else json.dumps(one))
def test_counts_give_what_rows_give(
    evidence: Evidence, name: str, arguments: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same numbers, the same number of rows, the same first rows."""
    assert STATISTICS[name].reads in counting.COUNTED | counting.MEASURED
    used: list[object] = []
    real = counting.counted_rows

    def noted(*asked: Any) -> object:
        used.append(found := real(*asked))
        return found

    monkeypatch.setattr(metrics, "counted_rows", noted)
    counted = answer(evidence, name, arguments)
    assert None not in used
    assert used, "counts were not used"
    monkeypatch.setattr(counting, "LEAST_ROWS", 10**9)
    by_rows = answer(evidence, name, arguments)
    assert used[-1] is None
    assert isinstance(counted, Value), counted
    assert isinstance(by_rows, Value), by_rows
    assert (counted.numbers, counted.count, counted.records()) == (by_rows.numbers, by_rows.count, by_rows.records())


@pytest.mark.parametrize(("name", "arguments"), WRONG, ids=lambda one: one if isinstance(one, str) else json.dumps(one))
def test_what_is_wrong_is_said_alike(
    evidence: Evidence, name: str, arguments: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows say what is wrong, whichever way was tried first."""
    counted = answer(evidence, name, arguments)
    monkeypatch.setattr(counting, "LEAST_ROWS", 10**9)
    assert isinstance(counted, str)
    assert counted == answer(evidence, name, arguments)


def test_all_cells_share_one_pass(evidence: Evidence, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fields of all recipes are counted together; where they have too many combinations, those of the cell are."""
    results = evidence.view(Results)
    passes: list[object] = []
    real = counting._counted

    def seen(table: object, start: int) -> object:
        passes.append(table)
        return real(table, start)

    monkeypatch.setattr(counting, "_counted", seen)
    results.answers.clear()
    for system in large_dataset.SYSTEMS:
        answer(evidence, "accuracy", {"of": "answer", "over": "seed", "where.system": system})
    assert len(passes) == 1
    monkeypatch.setattr(counting, "MOST_COMBINATIONS", 10)
    results.answers.clear()
    many = answer(evidence, "accuracy", {"of": "answer", "over": "seed", "where.system": "base"})
    assert isinstance(many, Value)
    assert counting.counts_of(results, "answers", ("answer", "gold", "seed", "system")) is None
