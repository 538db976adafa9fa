"""What the audit says of tests that statcheck's authors coded by hand: `python benchmarks/statcheck_gold.py CLONES`.

CLONES holds `MicheleNuijten+statcheck`. Each coded result is printed as one paragraph of a paper, composed of what was
coded, since signs such as χ and − were lost from the copied strings: as copied, 50 of 225 were read, and 151 as
composed. `error` says whether its p-value follows from the statistic and the degrees of freedom; where
nobody coded it, only reading is counted.
"""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from corpus_answers import Clones, ask, clone_of, share

REPOSITORY = "MicheleNuijten/statcheck"
GOLD = (
    "inst/test_materials/manually_extracted_stats.csv",
    "inst/test_materials/test_dir/manually_extracted_stats_testpapers.csv",
)
QUOTE = '"'
"""Stands around signs in the coded columns, so that spreadsheets take them for text."""
BROKEN = ("contradiction", "suspicion")
DOUBTED = ("rounding", "question")


def coded(clone: Path) -> list[dict[str, str]]:
    """Every coded result, a result that stands in a PDF and in a page of one paper once."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for name in GOLD:
        text = subprocess.run(["git", "-C", str(clone), "show", f"HEAD:{name}"], capture_output=True, check=True).stdout
        for row in csv.DictReader(io.StringIO(text.decode("utf-8", "replace")), delimiter=";"):
            result = " ".join(row["raw_result"].split()).rstrip(";,. ")
            if result:
                found.setdefault((row["paper_id"].split("_")[0].lower(), result), {**row, "raw_result": result})
    return list(found.values())


def written(row: dict[str, str]) -> str:
    """The result as the paper printed it: `F(1, 186) = 5.73, p = .01`."""
    degrees = ", ".join(filter(None, (row["df1"], row["df2"])))
    name = {"Chi2": "χ²"}.get(row["test_type"], "Q" if row["test_type"].startswith("Q") else row["test_type"])
    compared, level = row["p_comparison"].strip(QUOTE), row["p"].removeprefix("0")
    significance = compared if compared == "ns" else f"p {compared} {level}"
    copied = re.search(r"^\w+\s?(\([\d., ]+\))", row["raw_result"])
    bracket = f"({degrees})" if degrees else copied[1] if copied else ""
    # A spreadsheet cuts zeros off, which say how far a number was rounded: 2.0 was coded as 2.
    values = re.findall(rf"{re.escape(row['test_value'])}(?:\.?0+)?(?![\d.]*\d)", row["raw_result"])
    value = values[0] if values else row["test_value"]
    return f"{name}{bracket} {row['test_comparison'].strip(QUOTE)} {value}, {significance}"


def measure(clones: Clones) -> Counter[str] | None:
    """Counts by what was coded and what the audit says; None where there is no clone."""
    clone = clone_of(clones.directory, REPOSITORY)
    return None if clone is None else Counter(clones.keep("statcheck", REPOSITORY, compute=lambda: counted(clone)))


def counted(clone: Path) -> Counter[str]:
    """Counts of one run."""
    rows = coded(clone)
    counts: Counter[str] = Counter(coded=len(rows))
    with tempfile.TemporaryDirectory() as name:
        paper = Path(name) / "paper.md"
        paper.write_text("".join(f"The effect was {written(row)}.\n\n" for row in rows), encoding="utf-8")
        answer = ask("audit", str(paper), "--seconds", "300", "--all")
    grades: dict[int, set[str]] = {}
    for claim in answer.document["claims"]:
        for line in {number.get("line") for number in claim["numbers"]}:
            grades.setdefault(line, set()).add(claim["grade"])
    for number, row in enumerate(rows):
        said = grades.get(2 * number + 1, set())
        broken = any(grade in BROKEN for grade in said)
        counts["read"] += bool(said)
        # What its authors want read: the others print no degrees of freedom, or two tests in one.
        if row["extract_apa"] != "0":
            counts["apa"] += 1
            counts["apa, read"] += bool(said)
        if row["error"] in ("0", "1"):
            wrong = row["error"] == "1"
            counts["wrong" if wrong else "right"] += 1
            counts["wrong, found" if wrong else "right, accused"] += broken
            # A weaker grade is shown to a reader, too, but accuses nobody.
            counts["wrong, doubted" if wrong else "right, doubted"] += not broken and bool(said & set(DOUBTED))
            counts["wrong, read" if wrong else "right, read"] += bool(said)
    return counts


def lines(counts: Counter[str]) -> list[str]:
    """For the page."""
    doubted = "| coded as inconsistent, and shown as rounding or question only | "
    return [
        f"| coded tests of which the audit decides the p-value | {share(counts['read'], counts['coded'])} |",
        *(
            [f"| of those in the style of the APA | {share(counts['apa, read'], counts['apa'])} |"]
            if "apa" in counts
            else []
        ),
        f"| coded as inconsistent, and found | {share(counts['wrong, found'], counts['wrong'])} |",
        # Answers that were kept before weaker grades were counted do not say how many there are.
        *([f"{doubted}{share(counts['wrong, doubted'], counts['wrong'])} |"] if "wrong, doubted" in counts else []),
        f"| coded as consistent, and accused | {share(counts['right, accused'], counts['right'])} |",
    ]


if __name__ == "__main__":
    found = measure(Clones(Path(sys.argv[1])))
    print("\n".join(lines(found)) if found else f"no clone of {REPOSITORY}")
