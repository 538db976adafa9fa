"""`sealtrace import`: result files become a declared dataset, or nothing is written."""

from __future__ import annotations

import gzip
import json
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.runner import Run, sealtrace
from sealtrace.bundle.content import table_digest
from sealtrace.bundle.documents import declared_rows
from sealtrace.bundle.stores import read_rows as read_store
from sealtrace.bundle.stores import without_nulls

RESULTS = (
    "example,gold,system,answer,confidence\na,cat,one,cat,0.5\na,cat,two,dog,\nb,dog,one,dog,1e-3\nb,dog,two,dog,1\n"
)


def draft_of(tmp_path: Path, *arguments: object) -> tuple[Run, Path]:
    """A run that writes into a new draft."""
    draft = tmp_path / f"draft{len(list(tmp_path.glob('draft*')))}"
    return sealtrace("import", *map(str, arguments), "-o", draft), draft


def declaration(draft: Path) -> dict[str, Any]:
    (path,) = draft.glob("declare/dataset.*.json")
    document: dict[str, Any] = json.loads(path.read_bytes())
    return document


def rows(draft: Path) -> list[dict[str, Any]]:
    """The rows, as the verifier reads them."""
    (path,) = draft.glob("report/rows.*")
    store = read_store(path.read_bytes(), path.name, declared_rows(declaration(draft)), path.suffix[1:])
    assert (store.syntax.total, store.misfits.total) == (0, 0)
    found: list[dict[str, Any]] = store.table.to_pylist()
    return found


def test_a_csv_file(tmp_path: Path) -> None:
    """Types are those of whole columns, an empty cell is absent, and the declaration holds of the rows."""
    (tmp_path / "answers.csv").write_text(RESULTS)
    run, draft = draft_of(tmp_path, tmp_path / "answers.csv")
    assert (run.code, run.errors) == (0, "")
    assert rows(draft)[:2] == [
        {"example": "a", "gold": "cat", "system": "one", "answer": "cat", "confidence": 0.5},
        {"example": "a", "gold": "cat", "system": "two", "answer": "dog", "confidence": None},
    ]
    found = declaration(draft)
    assert found["key"] == ["example", "system"]
    assert found["complete"] == [{"every": [["example"], ["system"]]}]
    assert found["depends"] == [{"on": ["example"], "fields": ["gold"]}]
    assert (found["rows"], found["counts"]) == (4, {"example": 2, "system": 2})
    assert "confidence" not in found["row"]["required"]
    assert json.loads((draft / "declare" / "protocol.json").read_bytes())["study"] == draft.name


def test_a_lost_file_is_asked_for(tmp_path: Path) -> None:
    """One of nine files is absent: every combination is declared, and the command says which one is lost."""
    (tmp_path / "runs").mkdir()
    for model, seed in product("abc", "123"):
        if (model, seed) != ("b", "3"):
            (tmp_path / "runs" / f"{model}_seed{seed}.csv").write_text("item,answer\n1,yes\n2,no\n3,yes\n")
    run, draft = draft_of(tmp_path, tmp_path / "runs", "--name", "{model}_seed{seed}")
    assert declaration(draft)["complete"] == [{"every": [["item"], ["model"], ["seed"]]}]
    assert "no file has model=b seed=3; add it and import again, or delete `complete` in" in run.output
    assert "dataset.complete" in sealtrace("verify", "--draft", draft).output


def test_files_that_were_never_planned_are_not_asked_for(tmp_path: Path) -> None:
    """A model that was run with other seeds than the others is no lost file."""
    (tmp_path / "runs").mkdir()
    for model, seed in (("a", 1), ("a", 2), ("b", 2), ("b", 3)):
        (tmp_path / "runs" / f"{model}_seed{seed}.csv").write_text("item,answer\n1,yes\n2,no\n3,yes\n")
    run, draft = draft_of(tmp_path, tmp_path / "runs", "--name", "{model}_seed{seed}")
    assert declaration(draft)["complete"] == [{"every": [["item"], ["model", "seed"]]}]
    assert "no file has" not in run.output


def test_text_stays_text(tmp_path: Path) -> None:
    """Leading zeros, dates, infinities, hexadecimals and integers that no double holds are not turned into numbers."""
    (tmp_path / "x.csv").write_text(
        "id,a,b,c,d,e\n1,007,2024-01-01,inf,0x1,99999999999999999\n2,008,2024-01-02,1,1,1\n"
    )
    _, draft = draft_of(tmp_path, tmp_path / "x.csv")
    first = rows(draft)[0]
    assert first == {"id": 1, "a": "007", "b": "2024-01-01", "c": "inf", "d": "0x1", "e": "99999999999999999"}


def test_json_keeps_what_was_written(tmp_path: Path) -> None:
    """No date, UUID or large integer is changed; objects within rows become fields with dots; mixed types are text."""
    records: list[dict[str, Any]] = [
        {"id": "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "when": "2024-01-01 00:00", "n": {"x": 1.5, "y": {"z": True}}},
        {"id": "b", "when": "later", "n": {"x": 2}, "mixed": 1, "list": [1, 2], "big": 2**60},
        {"id": "c", "mixed": "one", "big": 1},
    ]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    run, draft = draft_of(tmp_path, tmp_path / "x.jsonl")
    assert run.code == 0, run.errors
    assert [without_nulls(row) for row in rows(draft)] == [
        {"id": records[0]["id"], "when": "2024-01-01 00:00", "n.x": 1.5, "n.y.z": True},
        {"id": "b", "when": "later", "n.x": 2.0, "mixed": "1", "list": [1, 2], "big": str(2**60)},
        {"id": "c", "mixed": "one", "big": "1"},
    ]


@pytest.mark.parametrize(
    "name", ["x.json", "x.jsonl", "x.csv", "x.tsv", "x.csv.gz", "x.parquet", "nested.json", "semicolons.csv"]
)
def test_every_format_gives_the_same_rows(name: str, tmp_path: Path) -> None:
    """JSON arrays, JSON lines, nested documents, Parquet, compressed files, other delimiters."""
    records = [{"id": "a", "n": 1, "x": 0.25}, {"id": "b", "n": 2, "x": 1e-3}]
    header, lines = "id,n,x", ["a,1,0.25", "b,2,0.001"]
    text = "\n".join([header, *lines, ""])
    path = tmp_path / name
    match name:
        case "x.json":
            path.write_text(json.dumps(records, indent=1))
        case "x.jsonl":
            path.write_text("".join(json.dumps(record) + "\n" for record in records))
        case "nested.json":
            path.write_text(json.dumps({"version": 2, "results": records}))
        case "x.parquet":
            pq.write_table(pa.Table.from_pylist(records), path)
        case "x.csv.gz":
            path.write_bytes(gzip.compress(text.encode()))
        case _:
            mark = {"x.csv": ",", "x.tsv": "\t", "semicolons.csv": ";"}[name]
            path.write_text("\ufeff" + text.replace(",", mark))
    run, draft = draft_of(tmp_path, path)
    assert run.code == 0, run.errors
    assert rows(draft) == records


def test_the_three_forms_have_one_identity(tmp_path: Path) -> None:
    """The content digest of a dataset is the same as JSON lines, as CSV and as Parquet."""
    (tmp_path / "answers.csv").write_text(RESULTS)
    digests = set()
    for file_format in ("jsonl", "csv", "parquet"):
        run, draft = draft_of(tmp_path, tmp_path / "answers.csv", "--format", file_format)
        assert run.code == 0, run.errors
        (path,) = draft.glob("report/rows.*")
        declared = declared_rows(declaration(draft))
        whole = read_store(path.read_bytes(), path.name, declared, file_format).whole
        digests.add(table_digest(whole, declared))
    assert len(digests) == 1


def test_fields_from_file_names(tmp_path: Path) -> None:
    """The first pattern that fits is taken; a word in braces chooses; directories are names too."""
    for model in ("small", "large"):
        for task in ("sums", "words"):
            for seed in ("seed1_", "seed2_", ""):
                path = tmp_path / "runs" / task / f"{model}_{'tuned' if seed else 'base'}_{seed}v1.jsonl"
                path.parent.mkdir(parents=True, exist_ok=True)
                items = 2 if task == "sums" else 3
                path.write_text("".join(json.dumps({"id": f"{task}{n}", "gold": "x"}) + "\n" for n in range(items)))
    patterns = ["--name", "{task}/{model}_{arm}_seed{seed}_*", "--name", "{task}/{model}_{arm:base}_*"]
    run, draft = draft_of(tmp_path, tmp_path / "runs" / "**" / "*.jsonl", *patterns, "--dataset", "answers")
    assert run.code == 0, run.errors
    found = declaration(draft)
    assert set(found["key"]) == {"id", "model", "seed"}
    assert found["rows"] == 30
    assert {"id": "sums0", "gold": "x", "task": "sums", "model": "large", "arm": "tuned", "seed": 1} in rows(draft)
    assert {"on": ["id"], "fields": ["task"]} in found["depends"]
    run, _ = draft_of(tmp_path, tmp_path / "runs" / "**" / "*.jsonl", *patterns[:2])
    assert (run.code, "does not fit" in run.errors) == (2, True)


def test_rows_and_columns_are_chosen(tmp_path: Path) -> None:
    """Filters, renamed and coalesced fields, constants, columns left out, equal rows once."""
    (tmp_path / "a.csv").write_text("pid,answer,note\n1,yes,x\n2,no,y\n2,no,z\n")
    (tmp_path / "b.jsonl").write_text('{"id": "q", "answer": "no"}\n')
    run, draft = draft_of(
        tmp_path, tmp_path / "a.csv", tmp_path / "b.jsonl", "--map", "id=id,pid", "--drop", "note", "--set", "task=t",
        "--distinct", "--where", "answer = 'no'", "--dataset", "chosen", "--printed", "id:2=second",
    )  # fmt: skip
    assert run.code == 0, run.errors
    assert rows(draft) == [{"id": "2", "answer": "no", "task": "t"}, {"id": "q", "answer": "no", "task": "t"}]
    assert declaration(draft)["printed"] == {"id": {"2": "second"}}


def test_references_to_datasets_of_the_draft(tmp_path: Path) -> None:
    """A dataset whose key is among the fields is referred to, in both directions where both hold."""
    (tmp_path / "items.csv").write_text("example,gold\na,cat\nb,dog\n")
    (tmp_path / "answers.csv").write_text(RESULTS)
    draft = tmp_path / "draft"
    assert sealtrace("import", tmp_path / "items.csv", "-o", draft).code == 0
    run = sealtrace("import", tmp_path / "answers.csv", "-o", draft)
    assert run.code == 0, run.errors
    document = json.loads((draft / "declare" / "dataset.answers.json").read_bytes())
    assert document["references"] == [{"fields": ["example"], "dataset": "items", "every": True}]


def test_descriptions_are_heeded(tmp_path: Path) -> None:
    """The key of a Frictionless package and of a Croissant description; files outside of them are not opened."""
    (tmp_path / "x.csv").write_text("a,b,id\n1,1,1\n2,2,2\n")
    package = {"resources": [{"path": "x.csv", "schema": {"primaryKey": ["a", "b"]}}, {"path": "../secret.csv"}]}
    (tmp_path / "datapackage.json").write_text(json.dumps(package))
    for given in (tmp_path / "datapackage.json", tmp_path / "x.csv", tmp_path):
        run, draft = draft_of(tmp_path, given)
        assert run.code == 0, run.errors
        assert declaration(draft)["key"] == ["a", "b"]
        for path in [*draft.rglob("*.json"), *draft.rglob("*.jsonl")]:
            path.unlink()
    (tmp_path / "datapackage.json").unlink()
    croissant = {
        "@type": "sc:Dataset",
        "distribution": [{"@type": "cr:FileObject", "contentUrl": "x.csv"}],
        "recordSet": [{"@id": "all", "key": {"@id": "all/b"}}],
    }
    (tmp_path / "croissant.json").write_text(json.dumps(croissant))
    _, draft = draft_of(tmp_path, tmp_path / "croissant.json")
    assert declaration(draft)["key"] == ["b"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.csv", "id,x\n1,2\n1,2,3\n", "x.csv:3: 3 cells, where the header has 2"),
        ("x.csv", 'id,x\n1,"2\n', "x.csv:2: not a readable CSV row"),
        ("x.csv", "id,id\n1,2\n", "names the column 'id' twice"),
        ("x.csv", "id,x\n", "there is no row"),
        ("x.csv", "id,\n1,2\n", "has no name in the header"),
        ("x.csv", "", "has no name in the header"),
        ("x.csv", "x" * 200_000 + "\n1\n", "its header cannot be read"),
        ("x.jsonl", '{"id": 1, "id": 2}\n', "names a field twice"),
        ("x.jsonl", '{"id": 1}\n{"id": \n', "x.jsonl"),
        ("x.jsonl", "[1]\n", "a record is an object"),
        ("x.jsonl", '{"id": 1, "x": NaN}\n', "NaN is not a JSON number"),
        ("x.jsonl", "", "no record"),
        ("x.parquet", "PAR1", "x.parquet"),
        ("x.txt", "id\n1\n", "not a CSV, JSON, JSON lines or Parquet file"),
        ("x.csv", "id,x\n1,a\n1,a\n", "--distinct"),
    ],
)
def test_what_cannot_be_read_back_is_refused(name: str, text: str, said: str, tmp_path: Path) -> None:
    """With a sentence and exit code 2; nothing is written."""
    (tmp_path / name).write_text(text)
    run, draft = draft_of(tmp_path, tmp_path / name)
    assert (run.code, run.output, draft.exists()) == (2, "", False)
    assert said in run.errors


def test_other_encodings(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes("id,x\n1,dög\n".encode("latin-1"))
    assert "not UTF-8" in draft_of(tmp_path, tmp_path / "x.csv")[0].errors


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--map", "id=ids"], "there is no column 'ids'; there are 'example', 'gold'"),
        (["--map", "gold=example"], "gold: a column already"),
        (["--map", "id"], "is not FIELD=COLUMN"),
        (["--set", "gold=x"], "gold: a column already"),
        (["--drop", "nothing"], "there is no column 'nothing'"),
        (["--where", "gold ="], "Error"),
        (["--where", "gold = 'owl'"], "no row that the filter keeps"),
        (["--key", "gold"], "gold: no key"),
        (["--key", "owl"], "owl"),
        (["--name", "{}"], "names no field"),
        (["--name", "other"], "does not fit other"),
        (["--printed", "gold=x"], "not FIELD:VALUE=LABEL"),
        (["--printed", "owl:a=b"], "there is no field 'owl'"),
        (["--delimiter", "ab"], "one character"),
        (["--dataset", "not a name"], "dataset"),
        (["--records", "rows.x"], ""),
    ],
)
def test_options_that_are_refused(options: list[str], said: str, tmp_path: Path) -> None:
    """Sentences that name what there is."""
    (tmp_path / "answers.csv").write_text(RESULTS)
    run, draft = draft_of(tmp_path, tmp_path / "answers.csv", *options)
    if options[0] != "--records":  # of no consequence for a CSV file
        assert (run.code, draft.exists()) == (2, False)
    assert said in run.errors


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """Not even with the same rows, nor in another format."""
    (tmp_path / "answers.csv").write_text(RESULTS)
    draft = tmp_path / "draft"
    assert sealtrace("import", tmp_path / "answers.csv", "-o", draft).code == 0
    for more in ([], ["--format", "parquet"]):
        run = sealtrace("import", tmp_path / "answers.csv", "-o", draft, *more)
        assert (run.code, "exists already" in run.errors) == (2, True)
