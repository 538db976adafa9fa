"""A release of many large files of JSON lines, and what it costs to check a paper against it.

Every model answered the same questions with several seeds, each run in a file of its own. The paper prints means over
all of them; a second paper has one number changed. `python benchmarks/large_release.py` makes both and checks them in
processes of their own: seconds of the processor, memory, how many files were read, and what is said of each number.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

SUBJECTS = ("algebra", "geometry", "history", "chemistry", "biology", "law")
MEASURES = {"Accuracy (%)": ("correct", 100, 2), "Latency (ms)": ("latency_ms", 1, 1), "Tokens": ("tokens", 1, 1)}
MODELS = ("osprey", "heron", "kestrel", "lapwing", "merlin", "plover", "redstart", "siskin", "tern", "wagtail")


@dataclass
class Sums:
    """Sums of what each model did, by subject, while its answers are written."""

    counts: dict[tuple[str, str], int] = field(default_factory=dict)
    totals: dict[tuple[str, str, str], float] = field(default_factory=dict)

    def add(self, model: str, answer: dict[str, Any]) -> None:
        """Counts one answer."""
        subject = answer["subject"]
        self.counts[model, subject] = self.counts.get((model, subject), 0) + 1
        for name, _, _ in MEASURES.values():
            key = (model, subject, name)
            self.totals[key] = self.totals.get(key, 0.0) + float(answer[name])

    def mean(self, model: str, name: str, subjects: tuple[str, ...] = SUBJECTS) -> float:
        """The mean over all answers of a model to questions of some subjects."""
        rows = sum(self.counts[model, subject] for subject in subjects)
        return sum(self.totals[model, subject, name] for subject in subjects) / rows


def answers(model: str, seed: int, rows: int) -> Iterator[dict[str, Any]]:
    """The answers of one run."""
    chance = random.Random(f"{model} {seed}")
    skill = 0.45 + 0.05 * MODELS.index(model)
    for number in range(rows):
        subject, gold = SUBJECTS[number % len(SUBJECTS)], "ABCD"[number * 7 % 4]
        right = chance.random() < skill - 0.04 * SUBJECTS.index(subject)
        given = gold if right else "ABCD"[("ABCD".index(gold) + chance.randint(1, 3)) % 4]
        yield {
            "question": f"q-{number:06d}", "model": model, "seed": seed, "subject": subject, "gold": gold,
            "answer": given, "correct": right, "latency_ms": round(chance.lognormvariate(5 + skill, 0.4), 3),
            "tokens": chance.randint(40, 900), "text": "The choice rests on what the second paragraph says of it.",
        }  # fmt: skip


def make(root: Path, seeds: int, rows: int) -> Sums:
    """Writes the release below a directory: `runs/MODEL/seed-N.jsonl`, and two papers."""
    sums = Sums()
    for model, seed in product(MODELS, range(1, seeds + 1)):
        path = root / "runs" / model / f"seed-{seed}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for answer in answers(model, seed, rows):
                sums.add(model, answer)
                file.write(json.dumps(answer) + "\n")
    text = paper_of(sums)
    (root / "paper.md").write_text(text, encoding="utf-8")
    printed = f"{100 * sums.mean('kestrel', 'correct'):.2f}"
    other = f"{100 * sums.mean('kestrel', 'correct') + 1.37:.2f}"
    (root / "changed.md").write_text(text.replace(f"| kestrel | {printed}", f"| kestrel | {other}"), encoding="utf-8")
    return sums


def paper_of(sums: Sums) -> str:
    """A paper that prints means of every measure, and the accuracy by subject."""
    lines = ["# Birds that answer", "", "Table 1: Means over all questions and seeds.", ""]
    lines += [f"| Model | {' | '.join(MEASURES)} |", "|---" * (len(MEASURES) + 1) + "|"]
    for model in MODELS:
        cells = [f"{scale * sums.mean(model, name):.{digits}f}" for name, scale, digits in MEASURES.values()]
        lines.append(f"| {model} | {' | '.join(cells)} |")
    lines += ["", "Table 2: Accuracy (%) by subject.", ""]
    lines += [f"| Model | {' | '.join(SUBJECTS)} |", "|---" * (len(SUBJECTS) + 1) + "|"]
    for model in MODELS:
        by_subject = [f"{100 * sums.mean(model, 'correct', (subject,)):.2f}" for subject in SUBJECTS]
        lines.append(f"| {model} | {' | '.join(by_subject)} |")
    return "\n".join(lines) + "\n"


def checked(root: Path, paper: str, seconds: float) -> dict[str, Any]:
    """One check in a process of its own, with its result and its cost."""
    command = [sys.executable, "-m", "sealtrace", "check", paper, "runs", "--seconds", str(seconds), "--format", "json"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        result = json.loads(child.stdout.read())
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    words = [number["word"] for number in result["numbers"]]
    return {
        "paper": paper, "exit": child.returncode, "cpu": round(spent, 1), "memory_mb": usage.ru_maxrss // 1024,
        "inspected": result["summary"]["inspected"], "follow": words.count("follows"), "numbers": len(words),
        "differ": [(one["id"], one["printed"], one["given"], one.get("odds"))
                   for one in result["numbers"] if one["word"] == "differs" or one["status"] == "probably-off"],
        "not_looked_at": result["not_looked_at"][:5],
    }  # fmt: skip


def main() -> None:
    """Makes the release and checks both papers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=13)
    parser.add_argument("--rows", type=int, default=14_000, help="lines of each file")
    parser.add_argument("--seconds", type=float, default=45.0)
    parser.add_argument("--keep", type=Path, help="make it here, or use what is there")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = arguments.keep or Path(temporary)
        if not (root / "paper.md").exists():
            make(root, arguments.seeds, arguments.rows)
        files = list((root / "runs").rglob("*.jsonl"))
        print(f"{len(files)} files, {sum(file.stat().st_size for file in files) / 1e6:.0f} MB")
        for paper in ("paper.md", "changed.md"):
            print(json.dumps(checked(root, paper, arguments.seconds), indent=1))


if __name__ == "__main__":
    main()
