"""The audit of the paper: the sealed relations are those of the relations files, over what was transcribed."""

from __future__ import annotations

import json
from pathlib import Path

import rsd_paper.__main__
from rsd_paper.extract import LONGEST, PROSE_TABLES, declared
from sealtrace.paper.numbers import looks_numeric, read_printed
from support import ROOT, read_rows, shipped_report

STUDY = ROOT / "bundles" / "rsd-paper"
BUNDLE = STUDY / "bundle"


def test_rebuild(tmp_path: Path) -> None:
    """The recipe gives the sealed bytes: nothing is computed, so every machine agrees."""
    rsd_paper.__main__.rebuild(tmp_path / "bundle")
    made = {path.relative_to(tmp_path / "bundle"): path.read_bytes() for path in files(tmp_path / "bundle")}
    assert made == {path.relative_to(BUNDLE): path.read_bytes() for path in files(BUNDLE)}, "run `make bundles`"


def files(directory: Path) -> list[Path]:
    """Every file below a directory."""
    return [path for path in directory.rglob("*") if path.is_file()]


def test_no_sentence_of_the_paper_is_kept() -> None:
    """Labels, numbers and lines only."""
    printed = json.loads((STUDY / "printed.json").read_text(encoding="utf-8"))
    assert not PROSE_TABLES & {table["label"] for table in printed["tables"]}
    cells = [text for table in printed["tables"] for row in table["rows"] for text in row["cells"]]
    words = [text for text in cells if read_printed(text) is None and not looks_numeric(text)]
    assert max(map(len, words)) <= LONGEST
    assert [literal for _, literal in printed["text"] if read_printed(literal) is None] == []
    assert all("caption" not in table for table in printed["tables"])


def test_every_named_number_is_sealed() -> None:
    """What relations files call by a name has a row with its line."""
    (text,) = [json.loads(path.read_text(encoding="utf-8")) for path in BUNDLE.glob("report/table.text.json")]
    rows = {row["label"]: (row["cells"][0], row["line"]) for row in text["rows"]}
    named = [one for path in rsd_paper.__main__.relations() for one in declared(path.read_text(encoding="utf-8"))]
    assert named
    assert [(name, rows[name]) for name, *_ in named] == [(name, (literal, line)) for name, literal, line in named]


def test_enough_is_said() -> None:
    """Most of the paper's cells are bound or recomputed, and every relation says why it must hold."""
    relations = read_rows(BUNDLE / "report" / "relation.jsonl")
    assert len(relations) > 150
    assert all(one["sentence"] and one["source"] for one in relations)
    coverage = shipped_report("rsd-paper").coverage
    assert coverage.statuses["constrained"] + coverage.recomputed > coverage.numbers * 2 / 3


def test_says_what_nobody_can_recompute() -> None:
    """Heads-up no-limit play and models of two billion parameters have no records, and their tables say so."""
    for name in ("hunl", "student", "student-real", "component"):
        table = json.loads((BUNDLE / "report" / f"table.{name}.json").read_text(encoding="utf-8"))
        assert "the authors' word" in table["caption"]
        recipes = [cell for row in table["rows"] for cell in row["recipes"].values()]
        classes = {cell.get("classification") for cell in recipes if "derived" not in cell}
        assert classes <= {"constrained", "attested", "definition"}


def test_leduc_is_recomputed_elsewhere() -> None:
    """The 25 cells follow from the profiles of the study that is named, under the root that it has."""
    report = shipped_report("rsd-paper")
    cells = [cell for cell in report.numbers if cell.table == "tab:leduc" and cell.column != "Profile"]
    assert [cell.status for cell in cells] == ["exact"] * 25
    assert all(cell.says.startswith("In leduc (root ") for cell in cells)
