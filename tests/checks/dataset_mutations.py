"""How each check of datasets is broken: a small study of results, changed and sealed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from results.small_results import write_study
from sealtrace.bundle.sealing import seal
from support import Row, edit_document, edit_rows

ANSWERS, EXAMPLES = "report/rows.answers.jsonl", "report/rows.examples.jsonl"
DECLARATION = "declare/dataset.answers.json"


@dataclass(frozen=True)
class DatasetMutation:
    """How to break the small study, and what must be found."""

    check: str
    apply: Callable[[Path], None]
    source: str
    pointer: str
    key: dict[str, str] | None
    options: dict[str, Any] = field(default_factory=dict)

    def broken(self, directory: Path) -> Path:
        """The study, broken and sealed."""
        bundle = write_study(directory / "bundle")
        self.apply(bundle)
        seal(bundle, empty={"all": "Only results are reported."}, lenient=True)
        return bundle


def _delete_wrong_answers(bundle: Path) -> None:
    def keep(rows: list[Row]) -> None:
        rows[:] = [r for r in rows if r["system"] != "ours" or r["seed"] != 2 or r["answer"] == r["gold"]]

    edit_rows(bundle / ANSWERS, keep)


def _forget_an_example(bundle: Path) -> None:
    edit_rows(bundle / EXAMPLES, lambda rows: rows.__delitem__(3))


def _other_truth(bundle: Path) -> None:
    edit_rows(bundle / ANSWERS, lambda rows: rows[4].update(gold="owl"))


def _no_such_dataset(bundle: Path) -> None:
    edit_document(bundle / DECLARATION, lambda one: one["references"][0].update(dataset="questions"))


def _other_count(bundle: Path) -> None:
    edit_document(bundle / DECLARATION, lambda one: one.update(rows=121))


DATASET_MUTATIONS = {
    one.check: one
    for one in (
        DatasetMutation("dataset.declared", _no_such_dataset, DECLARATION, "/references/0", {"dataset": "answers"}),
        DatasetMutation(
            "dataset.references",
            _forget_an_example,
            ANSWERS,
            "/example",
            {"example": "q03", "system": "base", "seed": "1"},
        ),
        DatasetMutation(
            "dataset.complete", _delete_wrong_answers, ANSWERS, "/example", {"system": "ours", "seed": "2"}
        ),
        DatasetMutation("dataset.depends", _other_truth, ANSWERS, "/gold", {"example": "q04"}),
        DatasetMutation("dataset.counts", _other_count, DECLARATION, "/rows", {"dataset": "answers"}),
    )
}
DATASET_MUTATIONS["table.reported"] = DatasetMutation(
    "table.reported",
    lambda _: None,
    "changed_paper.tex",
    "/rows/1/cells/2",
    {"table": "tab:main", "row": "Ours", "column": "Macro-F1"},
    {"reported": [Path(__file__).parents[1] / "results" / "changed_paper.tex"]},
)
