"""Answers of three systems, each with five seeds, to so many questions: a bundle of results with a table about them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sealtrace.bundle.documents import declared_rows
from sealtrace.bundle.parquet_writing import RowWriter
from sealtrace.bundle.sealing import seal

SYSTEMS = {"base": 0.61, "large": 0.72, "ours": 0.74}
SEEDS = 5
EACH = len(SYSTEMS) * SEEDS
"""Answers to a question."""
LABELS = [f"label-{number}" for number in range(8)]
AT_ONCE = 2**14
"""Questions that are written at a time."""


def declarations(questions: int) -> dict[str, dict[str, Any]]:
    """What the rows are, and what must be there."""
    text: dict[str, Any] = {"type": "string"}
    label = {"type": "string", "enum": LABELS}
    shared = {"example": {**text, "pattern": "^q[0-9]+$"}, "gold": label}
    more = {"system": {**text, "enum": list(SYSTEMS)}, "seed": {"type": "integer", "minimum": 0}, "answer": label}
    fields = {**shared, **more, "confidence": {"type": "number", "minimum": 0, "maximum": 1}}
    return {
        "examples": {
            "dataset": "examples",
            "row": {"type": "object", "properties": shared, "required": list(shared)},
            "key": ["example"],
            "rows": questions,
        },
        "answers": {
            "dataset": "answers",
            "row": {"type": "object", "properties": fields, "required": list(fields)},
            "key": ["example", "system", "seed"],
            "references": [{"fields": ["example"], "dataset": "examples", "every": True}],
            "complete": [{"every": [["example"], ["system"], ["seed"]]}],
            "depends": [{"on": ["example"], "fields": ["gold"]}],
            "counts": {"example": questions, "system": len(SYSTEMS), "seed": SEEDS},
            "rows": questions * EACH,
            "truth": "gold",
        },
    }


class Drawn:
    """Rows of some questions, the same for the same numbers; and counts that the table prints."""

    def __init__(self) -> None:
        self.right = np.zeros(len(SYSTEMS), np.int64)
        self.parts = np.zeros((2, len(SYSTEMS), SEEDS, len(LABELS)), np.int64)
        """By system, seed and label: how many answers there are, and how many of them are right."""

    def tables(self, first: int, last: int) -> tuple[pa.Table, pa.Table]:
        """The examples and the answers of some questions."""
        draw = np.random.default_rng(first)
        count = last - first
        names = pa.array([f"q{number:09d}" for number in range(first, last)])
        gold = draw.integers(0, len(LABELS), count).astype(np.int32)
        question = np.repeat(np.arange(count, dtype=np.int32), EACH)
        system = np.tile(np.repeat(np.arange(len(SYSTEMS), dtype=np.int32), SEEDS), count)
        right = draw.random(count * EACH) < np.array(list(SYSTEMS.values()))[system]
        self.right += np.bincount(system[right], minlength=len(SYSTEMS))
        places = (system * SEEDS + np.tile(np.arange(SEEDS), count * len(SYSTEMS))) * len(LABELS) + gold[question]
        for counts, some in zip(self.parts, (places, places[right]), strict=True):
            counts += np.bincount(some, minlength=counts.size).reshape(counts.shape)
        shift = draw.integers(1, len(LABELS), count * EACH).astype(np.int32)
        answer = np.where(right, gold[question], (gold[question] + shift) % len(LABELS)).astype(np.int32)
        confidence = np.round(draw.random(count * EACH), 4)
        examples = pa.table({"example": names, "gold": _by_reference(gold, LABELS)})
        answers = pa.table(
            {
                "example": pa.DictionaryArray.from_arrays(question, names),
                "gold": _by_reference(gold[question], LABELS),
                "system": _by_reference(system, list(SYSTEMS)),
                "seed": np.tile(np.arange(SEEDS, dtype=np.int64), count * len(SYSTEMS)),
                "answer": _by_reference(answer, LABELS),
                "confidence": confidence,
            }
        )
        return examples, answers


def _by_reference(codes: Any, texts: list[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(codes, pa.array(texts))


def make(directory: Path, questions: int, parts: int = 0) -> None:
    """Writes and seals the bundle; its second table has two numbers of each of so many parts of the answers."""
    for stage in ("declare", "report"):
        (directory / stage).mkdir(parents=True)
    declared, drawn = declarations(questions), Drawn()
    for name, one in declared.items():
        (directory / f"declare/dataset.{name}.json").write_text(json.dumps(one))
    protocol = {"study": "large-dataset", "title": "Three systems", "anonymous": False}
    (directory / "declare/protocol.json").write_text(json.dumps(protocol))
    writers = [
        RowWriter(directory / f"report/rows.{name}.parquet", declared_rows(one)) for name, one in declared.items()
    ]
    for first in range(0, questions, AT_ONCE):
        for writer, table in zip(writers, drawn.tables(first, min(first + AT_ONCE, questions)), strict=True):
            writer.write(table)
    for writer in writers:
        writer.close()
    where = {"system": "{System}"}
    counted = "SELECT count(*) FROM answers WHERE system = '{System}' AND answer = gold"
    columns: list[dict[str, Any]] = [
        {"label": "System"},
        {"label": "Accuracy", "recipe": {"metric": "accuracy", "of": "answer", "over": "seed", "where": where}},
        {
            "label": "right",
            "recipe": {"sql": counted},
        },
    ]
    each = questions * SEEDS
    rows = [
        {"label": name, "cells": [name, f"{int(right) / each:.4f}", str(right)]}
        for name, right in zip(SYSTEMS, drawn.right.tolist(), strict=True)
    ]
    table = {"label": "tab:systems", "columns": columns, "rows": rows}
    (directory / "report/table.systems.json").write_text(json.dumps(table))
    if parts:
        (directory / "report/table.parts.json").write_text(json.dumps(_table_of_parts(drawn, parts)))
    seal(directory, empty={"all": "Only results are reported."})


def _table_of_parts(drawn: Drawn, parts: int) -> dict[str, Any]:
    """Number and accuracy of the answers of a system with a seed to the questions of a label."""
    where = {"system": "{System}", "seed": "{seed}", "gold": "{Gold}"}
    columns: list[dict[str, Any]] = [
        {"label": "System"},
        {"label": "Seed"},
        {"label": "Gold"},
        {"label": "Answers", "recipe": {"metric": "count", "dataset": "answers", "where": where}},
        {"label": "Accuracy", "recipe": {"metric": "accuracy", "of": "answer", "where": where}},
    ]
    rows = []
    for place in list(np.ndindex(drawn.parts.shape[1:]))[:parts]:
        every, right = (int(counts[place]) for counts in drawn.parts)
        names = [list(SYSTEMS)[place[0]], f"seed {place[1]}", LABELS[place[2]]]
        cells = [*names, str(every), f"{right / every:.4f}"]
        rows.append({"label": ", ".join(names), "arguments": {"seed": str(place[1])}, "cells": cells})
    return {"label": "tab:parts", "columns": columns, "rows": rows}
