"""What many cells cost: `python benchmarks/cells.py [--cells N]`, half of them by metrics and half by SQL.

The dataset is small, so that what is measured is the cells. A row of the table is a system on a task, with the share of
right answers by a metric and their number by a query. CPU seconds of all processes, and the peak memory of the largest.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from million import measure
from sealtrace.bundle.sealing import seal

TASKS, EACH = 50, 4


def make(directory: Path, rows: int) -> None:
    """Writes and seals a bundle whose table has so many rows, each with a number by a metric and one by a query."""
    chance, right, answers = random.Random(3), Counter[tuple[str, str]](), []
    pairs = [(f"system-{number // TASKS}", f"task-{number % TASKS}") for number in range(rows)]
    for system, task in pairs:
        for item in range(EACH):
            flag = chance.random() < 0.7
            right[system, task] += flag
            answers.append({"item": f"{task}-{item}", "task": task, "system": system, "right": flag})
    text = {"type": "string"}
    fields: dict[str, Any] = {"item": text, "task": text, "system": text, "right": {"type": "boolean"}}
    declared = {
        "dataset": "answers",
        "row": {"type": "object", "properties": fields, "required": list(fields)},
        "key": ["system", "item"],
        "depends": [{"on": ["item"], "fields": ["task"]}],
        "complete": [{"every": [["item"], ["system"]]}],
    }
    columns: list[dict[str, Any]] = [
        {"label": "System"},
        {"label": "Task"},
        {
            "label": "Accuracy",
            "recipe": {"metric": "rate", "of": "right", "where": {"system": "{System}", "task": "{Task}"}},
        },
        {
            "label": "Number of right answers",
            "recipe": {
                "sql": "SELECT count(*) FROM answers WHERE system = '{System}' AND task = '{Task}' AND \"right\""
            },
        },
    ]
    printed = [
        {
            "label": f"{system}, {task}",
            "cells": [system, task, f"{right[system, task] / EACH:.2f}", str(right[system, task])],
        }
        for system, task in pairs
    ]
    files = {
        "declare/protocol.json": {"study": "cells", "title": "Many cells", "anonymous": False},
        "declare/dataset.answers.json": declared,
        "report/table.main.json": {"label": "tab:main", "columns": columns, "rows": printed},
    }
    for name, document in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(json.dumps(document), encoding="utf-8")
    lines = "".join(json.dumps(answer) + "\n" for answer in answers)
    (directory / "report/rows.answers.jsonl").write_text(lines, encoding="utf-8")
    seal(directory, empty={"all": "Only results are reported."})


def main() -> None:
    """Makes the bundle, verifies it, and prints what it took."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cells", type=int, default=10_000)
    rows = options.parse_args().cells // 2
    with tempfile.TemporaryDirectory() as work:
        make(Path(work) / "bundle", rows)
        command = [sys.executable, "-m", "sealtrace", "verify", "--format", "json", "--quiet", f"{work}/bundle"]
        cpu, wall, memory, output = measure(command)
    report = json.loads(output)
    if report["verdict"] != "verified":
        sys.exit(f"{report['verdict']}: {report['findings'][:3]}")
    print(f"{2 * rows:,} cells: {cpu:.1f} s of CPU, {wall:.1f} s by the clock, {memory} MiB")


if __name__ == "__main__":
    main()
