"""A small study of results: twenty questions, two systems, three seeds, and a table about them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from sealtrace.bundle.documents import declared_rows
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.shapes import arrow_schema
from sealtrace.bundle.writing import rows_as

LABELS = ("cat", "dog", "owl")
SEEDS = (1, 2, 3)
RECIPES: dict[str, Any] = {
    "Accuracy": {"metric": "accuracy", "of": "answer", "over": "seed", "show": "mean±sd"},
    "Macro-F1": {"metric": "macro_f1", "of": "answer", "over": "seed"},
    "Gain": {"metric": "accuracy", "of": "answer", "over": "seed", "minus": {"system": "base"}},
    "p": {"metric": "mcnemar", "of": "answer", "over": "seed", "show": "max", "versus": {"system": "base"}},
}


def examples() -> list[dict[str, Any]]:
    return [{"example": f"q{n:02d}", "gold": LABELS[n % 3], "kind": "hard" if n % 2 else "easy"} for n in range(20)]


def answers() -> list[dict[str, Any]]:
    """The base system is right on two thirds, ours on more; each seed errs elsewhere."""
    rows = []
    for system in ("base", "ours"):
        for seed in SEEDS:
            for n, one in enumerate(examples()):
                wrong = (n + seed) % (3 if system == "base" else 7) == 0
                given = LABELS[(LABELS.index(one["gold"]) + 1) % 3] if wrong else one["gold"]
                confidence = round(0.5 + 0.01 * n + (0.1 if system == "ours" else 0), 2)
                rows.append({**one, "system": system, "seed": seed, "answer": given, "confidence": confidence})
    return rows


def declarations() -> dict[str, dict[str, Any]]:
    text: dict[str, Any] = {"type": "string"}
    shared = {"example": text, "gold": {"type": "string", "enum": list(LABELS)}, "kind": text}
    return {
        "examples": {
            "dataset": "examples",
            "row": {"type": "object", "properties": shared, "required": list(shared)},
            "key": ["example"],
        },
        "answers": {
            "dataset": "answers",
            "row": {
                "type": "object",
                "properties": {
                    **shared,
                    "system": {"type": "string", "enum": ["base", "ours"]},
                    "seed": {"type": "integer", "minimum": 1},
                    "answer": text,
                    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                },
                "required": ["example", "gold", "system", "seed", "answer"],
            },
            "key": ["example", "system", "seed"],
            "references": [{"fields": ["example"], "dataset": "examples", "every": True}],
            "complete": [{"every": [["example"], ["system"], ["seed"]]}],
            "depends": [{"on": ["example"], "fields": ["gold", "kind"]}],
            "truth": "gold",
            "rows": 120,
            "counts": {"example": 20, "system": 2, "seed": 3},
            "printed": {"system": {"base": "Base", "ours": "Ours"}},
        },
    }


def table() -> dict[str, Any]:
    columns: list[dict[str, Any]] = [{"label": "System"}]
    for label, recipe in RECIPES.items():
        where = {"where": {"system": "{System}"}} if "metric" in recipe else {}
        columns.append({"label": label, "recipe": {**recipe, **where}})
    return {
        "label": "tab:main",
        "caption": "Gain and p are against Base.",
        "columns": columns,
        "rows": [
            {"label": "Base", "cells": ["Base", "0.667 ± 0.029", "0.555", "0.000", "–"]},
            {"label": "Ours", "cells": ["Ours", "0.867 ± 0.029", "0.867", "+0.200", "0.289"]},
        ],
    }


def write_study(directory: Path, file_format: str = "jsonl") -> Path:
    """The study as a draft."""

    (directory / "declare").mkdir(parents=True)
    (directory / "report").mkdir()
    protocol = {"study": "small-results", "title": "Two systems", "anonymous": False}
    documents = {"declare/protocol.json": protocol, "report/table.main.json": table()}
    for name, rows in (("examples", examples()), ("answers", answers())):
        documents[f"declare/dataset.{name}.json"] = declarations()[name]
        schema = arrow_schema(declared_rows(declarations()[name]))
        data = rows_as(pa.Table.from_pylist(rows, schema), declared_rows(declarations()[name]), file_format)
        (directory / f"report/rows.{name}.{file_format}").write_bytes(data)
    for path, document in documents.items():
        (directory / path).write_text(json.dumps(document, indent=2))
    return directory


def sealed_study(directory: Path, file_format: str = "jsonl") -> Path:
    """The study as a bundle."""
    write_study(directory, file_format)
    seal(directory, empty={"all": "Only results are reported."})
    return directory
