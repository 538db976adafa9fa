"""Writes what the verifier says of each shipped bundle: `python reports/regenerate.py`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import sealtrace
from sealtrace.cli.report import texts_of
from sealtrace.contract.result import WORDS, Result
from sealtrace.recipes.judgement import DEFINITIONS, CellStatus
from sealtrace.relations.auditing import audit
from sealtrace.relations.subjects import read_subject
from sealtrace.report.formats import BY_NAME, Showing

HERE = Path(__file__).resolve().parent
BUNDLES = HERE.parent / "bundles"
RELATIONS = "report/relation.jsonl"
BESIDE = {"rsd-paper": ("rsd-fixture", "leduc")}
"""Study to those that recompute tables of it."""


def rendered(bundle: Path) -> dict[str, str]:
    """File name to content, for one study."""
    beside = [BUNDLES / name / "bundle" for name in BESIDE.get(bundle.parent.name, ())]
    report = sealtrace.verify(bundle, details=True, beside=beside)
    files = texts_of(report, f"{bundle.relative_to(HERE.parent).as_posix()}/")
    if (bundle / RELATIONS).exists():
        subject = read_subject([bundle])[0]
        found = audit(subject)
        files["counts.md"] = counted(report)
        for form in ("text", "markdown", "html"):
            known = BY_NAME[form]
            files[f"audit.{known.extension}"] = known.render(found, Showing(exit_code=found.exit_code))
    return files


def counted(report: Result) -> str:
    """A table of every status: how many cells of tables have it, and how many numbers of the running text."""
    places = [Counter(one.status for one in report.numbers if (one.table == "text") == text) for text in (False, True)]
    lines = [
        "# Every printed number by its status",
        "",
        "`derived` numbers follow from other printed numbers and from no record: they are counted apart (from print).",
        "",
        "| word | status | what it means | in tables | in the text |",
        "|---|---|---|--:|--:|",
    ]
    for status, word in WORDS.items():
        if any(place[status] for place in places):
            shown = "follows (from print)" if status == "derived" else word
            counts = " | ".join(f"{place[status]:,}" for place in places)
            lines.append(f"| {shown} | {status} | {DEFINITIONS[CellStatus(status)]} | {counts} |")
    totals = " | ".join(f"{place.total():,}" for place in places)
    return "\n".join([*lines, f"| | all | | {totals} |", ""])


def studies() -> dict[str, Path]:
    """Study name to its sealed bundle."""
    return {path.parent.name: path for path in sorted(BUNDLES.glob("*/bundle"))}


if __name__ == "__main__":
    for name, bundle in studies().items():
        (HERE / name).mkdir(exist_ok=True)
        for file, content in rendered(bundle).items():
            (HERE / name / file).write_text(content, encoding="utf-8")
