"""`sealtrace import`, and recipes that `extract` fills in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.runner import Run, sealtrace
from sealtrace.bundle.stores import read_rows as read_store
from support import read_rows

RESULTS = "example,gold,system,answer,confidence\na,cat,one,cat,0.5\na,cat,two,dog,\n"
PREDICTION = ["--map", "item=example", "--map", "model=system", "--map", "predicted=answer", "--map"]


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    """A file of results."""
    path = tmp_path / "results.csv"
    path.write_text(RESULTS)
    return path


def imported(csv: Path, *options: str, kind: str = "prediction", name: str = "records.jsonl") -> tuple[Run, Path]:
    """A run, and where it writes."""
    output = csv.parent / name
    return sealtrace("import", csv, "--kind", kind, "-o", output, *options), output


def test_types_are_those_of_the_schema(csv: Path) -> None:
    """Numbers become numbers, an empty cell is an absent field, and what was left out is said."""
    run, output = imported(csv, *PREDICTION, "score=confidence")
    assert (run.code, run.errors) == (0, "")
    assert read_rows(output) == [
        {"item": "a", "model": "one", "predicted": "cat", "score": 0.5},
        {"item": "a", "model": "two", "predicted": "dog"},
    ]
    assert "2 records: item from example" in run.output
    assert "columns left out: gold" in run.output


def test_integers_and_constants(csv: Path) -> None:
    """Columns named after their fields need no --map; a constant stands in each row."""
    csv.write_text("run,training_seed\nfirst,7\n")
    run, output = imported(csv, "--set", "arm=linear", kind="run")
    assert run.code == 0, run.errors
    assert read_rows(output) == [{"run": "first", "arm": "linear", "training_seed": 7}]


def test_parquet_holds_the_same_records(csv: Path) -> None:
    """By the ending of the name."""
    options = [*PREDICTION, "score=confidence"]
    _, lines = imported(csv, *options)
    run, parquet = imported(csv, *options, name="records.parquet")
    assert run.code == 0
    stores = [
        read_store(path.read_bytes(), path.name, "prediction", path.suffix[1:]).whole for path in (lines, parquet)
    ]
    assert stores[0] is not None
    assert stores[1] is not None
    assert stores[0].to_pylist() == stores[1].to_pylist()


def test_equal_records_once(csv: Path) -> None:
    """Only where that is asked for, and never where they differ."""
    options = ["--map", "item=example", "--map", "label=gold", "--set", "split=test"]
    run, output = imported(csv, *options, kind="label")
    assert (run.code, output.exists()) == (2, False)
    assert 'results.csv:3: item "a": there already, in line 2' in run.errors
    run, output = imported(csv, *options, "--distinct", kind="label")
    assert run.code == 0
    assert read_rows(output) == [{"item": "a", "split": "test", "label": "cat"}]
    csv.write_text(RESULTS.replace("a,cat,two", "a,dog,two"))
    run, _ = imported(csv, *options, "--distinct", kind="label", name="other.jsonl")
    assert run.code == 2
    assert "says something else than line 2" in run.errors


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (RESULTS + "b,cat,one,cat,1e-999\nc,cat,one,cat,1e999\n", [":4: score: expected a number", ":5: score:"]),
        (RESULTS + "b,cat,one,cat,0x1\nc,cat,one,cat,nan\n", [":4: score:", ":5: score:"]),
        (RESULTS + 'b,cat,"one\ntwo",cat,0.5\nb,cat,one,"x', [":6: not a readable CSV row"]),
        (RESULTS + '"b\x07",cat,one,cat,0.5\n', [":4: item: expected text matching"]),
        (RESULTS + "\nb,cat,one,cat\n", [":5: 4 cells, where the header has 5"]),
        (RESULTS + ",cat,one,cat,0.5\n", [":4: item: expected text matching"]),
        (RESULTS.replace("gold", "system"), ["names the column 'system' twice"]),
        ("example,system,answer,confidence\n", ["no row below the header"]),
        ("", ["there is no column"]),
    ],
)
def test_what_does_not_fit_is_refused_with_its_line(text: str, said: list[str], csv: Path) -> None:
    """All of it at once, and nothing is written."""
    csv.write_text(text)
    run, output = imported(csv, *PREDICTION, "score=confidence")
    assert (run.code, run.output, output.exists()) == (2, "", False)
    for sentence in said:
        assert sentence in run.errors


def test_other_encodings_and_delimiters(csv: Path) -> None:
    """A mark at the beginning is passed over; what is not UTF-8 is refused; tabs are the rule in .tsv."""
    options = [*PREDICTION, "score=confidence"]
    csv.write_bytes(b"\xef\xbb\xbf" + RESULTS.encode())
    assert imported(csv, *options, name="a.jsonl")[0].code == 0
    csv.write_text(RESULTS.replace(",", ";"))
    assert imported(csv, *options, "--delimiter", ";", name="b.jsonl")[0].code == 0
    tabs = csv.with_suffix(".tsv")
    tabs.write_text(RESULTS.replace(",", "\t"))
    assert imported(tabs, *options, name="c.jsonl")[0].code == 0
    csv.write_bytes(RESULTS.replace("dog", "d\xf6g").encode("latin-1"))
    assert "results.csv:3: not UTF-8" in imported(csv, *options, name="d.jsonl")[0].errors
    assert imported(csv, *options, "--delimiter", "ab", name="e.jsonl")[0].code == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "prediction needs item: say --map item=COLUMN"),
        (["--map", "items=example"], "prediction has no field 'items'"),
        (["--map", "item=examples"], "there is no column 'examples'; there are example, gold"),
        (["--map", "item"], "is not FIELD=COLUMN"),
        (["--map", "item=a", "--map", "item=b"], "item is given twice"),
        (["--map", "item=example", "--set", "item=x"], "cannot be a column and a constant"),
        (["--map", "item=example", "--set", "model=m", "--set", "score=x"], "score: expected a number"),
    ],
)
def test_mappings_that_are_refused(options: list[str], said: str, csv: Path) -> None:
    """Usage errors that name what there is."""
    run, output = imported(csv, *options)
    assert (run.code, output.exists()) == (2, False)
    assert said in run.errors


def test_fields_that_no_cell_can_hold(csv: Path) -> None:
    """Lists and objects are written as JSON lines by hand."""
    run, _ = imported(csv, "--map", "item=example", "--map", "predictions=gold", "--map", "label=gold", kind="label")
    assert run.code == 2
    csv.write_text("item,split,label,predictions\na,test,cat,{}\n")
    assert "predictions is an object" in imported(csv, kind="label")[0].errors


def test_nothing_is_overwritten(csv: Path) -> None:
    """Not even with the same records."""
    options = [*PREDICTION, "score=confidence"]
    imported(csv, *options)
    run, output = imported(csv, *options)
    assert run.code == 2
    assert f"{output}: exists already" in run.errors
    assert imported(csv, *options, name="records.csv")[0].code == 2


PAPER = "| Model | Accuracy |\n|---|---|\n| one | 0.50 |\n"


def test_extract_fills_recipes_in(tmp_path: Path) -> None:
    """By table and column; one without a place, or one that the schema refuses, is a mistake."""
    paper, recipes = tmp_path / "paper.md", tmp_path / "recipes.json"
    paper.write_text(PAPER)
    label = json.loads(sealtrace("extract", paper).output)[0]["label"]
    recipe = {"sql": "SELECT 1 FROM label"}
    recipes.write_text(json.dumps({label: {"Accuracy": recipe}}))
    (record,) = json.loads(sealtrace("extract", paper, "--recipes", recipes).output)
    assert [column["recipe"] for column in record["columns"]] == [{}, recipe]
    for wrong, said in (
        ({"tab:other": {}}, "the paper has no table 'tab:other'"),
        ({label: {"Precision": recipe}}, "has no column 'Precision'; it has Model, Accuracy"),
        ({label: {"Accuracy": {"query": "SELECT 1"}}}, "/columns/1/recipe"),
        ([], "an object of tables"),
    ):
        recipes.write_text(json.dumps(wrong))
        run = sealtrace("extract", paper, "--recipes", recipes, "-o", tmp_path / "report")
        assert (run.code, run.output) == (2, "")
        assert said in run.errors
    assert not (tmp_path / "report").exists()
    recipes.write_text("{")
    assert sealtrace("extract", paper, "--recipes", recipes).code == 2
    assert sealtrace("extract", paper, "--recipes", tmp_path / "nowhere").code == 2
