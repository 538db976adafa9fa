"""Trains, predicts, reports, and seals the records of it all."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from classification_recipe import tables
from classification_recipe.items import items
from classification_recipe.metrics import Answer
from classification_recipe.models import MODELS, SEEDS, SETTINGS
from classification_recipe.names import NAMES
from sealtrace.bundle.sealing import seal
from sealtrace.bundle.writing import write_document, write_rows

PROTOCOL = {
    "study": "classification",
    "title": "Leaves of four trees: three classifiers, three seeds each",
    "anonymous": False,
    "expects": "verified",
}
NO_POLICIES = "A benchmark of classifiers: no policy is traced, calibrated or selected."


def build(directory: Path, attachments: dict[str, bytes]) -> None:
    """Makes the bundle in a new directory."""
    everything = items()
    training = [item for item in everything if item.split == "train"]
    test = [item for item in everything if item.split == "test"]
    write_document(directory / "declare/protocol.json", PROTOCOL)
    write_document(directory / "declare/names.json", NAMES)
    for split in (training, test):
        rows = [{"item": item.name, "split": item.split, "label": item.label} for item in split]
        write_rows(directory / f"declare/label.{split[0].split}.jsonl", "label", rows)
    archive(directory, attachments)

    runs: list[dict[str, Any]] = []
    predictions: list[dict[str, Any]] = []
    answers: tables.Runs = {name: [] for name in MODELS}
    for name, train in MODELS.items():
        for seed in SEEDS:
            run = f"{name}-{seed}"
            runs.append({"run": run, "arm": name, "training_seed": seed, "settings": SETTINGS[name]})
            predict = train(training, seed)
            # The tables are computed from the confidences that are released, which have four digits.
            said = [(item, *predict(item.features)) for item in test]
            rounded = [(item, label, round(score, 4)) for item, label, score in said]
            answers[name].append([Answer(item.label, label, score) for item, label, score in rounded])
            predictions.extend(
                {"item": item.name, "model": f"{name}/seed-{seed}", "predicted": label, "score": score, "run": run}
                for item, label, score in rounded
            )
    write_rows(directory / "bank/run.jsonl", "run", runs)
    write_rows(directory / "report/prediction.jsonl", "prediction", predictions)
    write_document(directory / "report/table.results.json", tables.results(answers))
    write_document(directory / "report/table.per-class.json", tables.per_class(answers))
    seal(directory, empty={"all": NO_POLICIES})


def archive(directory: Path, attachments: dict[str, bytes]) -> None:
    """Keeps the code beside the records, with the hash that it has now."""
    rows = []
    for name, data in sorted(attachments.items()):
        path = f"declare/attachments/{name}"
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_bytes(data)
        rows.append({"path": path, "role": "code", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})
    write_rows(directory / "declare/source.jsonl", "source", rows)
