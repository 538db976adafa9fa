"""Files of results that are not plain tables: what each kind gives, and what a damaged one costs."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import pickle
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from sealtrace.binding.checking import concluded, examine_files
from sealtrace.binding.columns import frames_of
from sealtrace.binding.files import read_results
from sealtrace.binding.foreign import ForeignReader
from sealtrace.binding.frames import ResultFrame
from sealtrace.binding.tally import Tally
from sealtrace.cli.check import check


def _frame(directory: Path, measure: str) -> ResultFrame:
    """The one frame that measures something."""
    (found,) = [frame for frame in frames_of(read_results(directory).tables) if measure in frame.measures]
    return found


def _values(frame: ResultFrame, measure: str) -> list[float | None]:
    column = frame.numbers[:, frame.measures.index(measure)]
    return [None if number != number else float(number) for number in column]


@pytest.mark.parametrize("text", ["OOM", "timeout", "failed", "—", "< 0.01"])
def test_a_text_among_numbers_costs_its_cell(tmp_path: Path, text: str) -> None:
    """The column stays a measure, and the text can still be named."""
    (tmp_path / "a.csv").write_text(f"model,score\nalpha,61.25\nbeta,{text}\ngamma,66.18\ndelta,70.5\n")
    frame = _frame(tmp_path, "score")
    assert _values(frame, "score") == [61.25, None, 66.18, 70.5]
    (selecting,) = [dimension for dimension in frame.dimensions if dimension.name == "score"]
    assert selecting.values == [text]


def test_a_row_for_the_mean_costs_no_field(tmp_path: Path) -> None:
    """Numbers that tell rows apart still do, beside the word for all of them."""
    rows = "".join(f"{fold},{score}\n" for fold, score in (("1", 0.25), ("2", 0.5), ("3", 0.75), ("mean", 0.5)))
    (tmp_path / "a.csv").write_text("fold,score\n" + rows)
    (fold,) = [dimension for dimension in _frame(tmp_path, "score").dimensions if dimension.name == "fold"]
    assert fold.values == ["1", "2", "3", "mean"]


@pytest.mark.parametrize("labels", ["1 2 3a 3b 4 5", "1 x 2 y 3 z 4 5 6", "7 words here"])
def test_names_with_some_numbers_stay_names(tmp_path: Path, labels: str) -> None:
    """A column of names is no measure because some of them are numbers."""
    rows = "".join(f"{label},{place}.5\n" for place, label in enumerate(labels.split()))
    (tmp_path / "a.csv").write_text("part,score\n" + rows)
    frame = _frame(tmp_path, "score")
    assert frame.measures == ["score"]
    assert [dimension.values for dimension in frame.dimensions if dimension.name == "part"] == [labels.split()]


def test_deviations_beside_a_failed_run_are_read(tmp_path: Path) -> None:
    """Numbers that were written for readers may stand beside a text, too."""
    (tmp_path / "a.csv").write_text("model,score\nalpha,61.2 ± 0.3\nbeta,OOM\ngamma,66.1 ± 0.4\n")
    frame = _frame(tmp_path, "score (2)")
    assert _values(frame, "score") == [61.2, None, 66.1]
    assert _values(frame, "score (2)") == [0.3, None, 0.4]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("model;score\na;66,18\nb;1.071,5\n", [66.18, 1071.5]),
        ('model,score\na,"66,18"\nb,"71,5"\n', [66.18, 71.5]),
        ("model\tscore\na\t-6,18\nb\t7\n", [-6.18, 7]),
        ("model;score\na;1,071\nb;2,500\n", [1071, 2500]),
    ],
)
def test_decimal_commas_are_read(tmp_path: Path, text: str, expected: list[float]) -> None:
    """A comma is a point where it cannot be a mark between thousands."""
    (tmp_path / "a.csv").write_text(text)
    assert _values(_frame(tmp_path, "score"), "score") == expected


TABLE = "model,score,n\nalpha,61.25,3\nbeta,66.5,4\n"


@pytest.mark.parametrize(
    ("text", "scores", "told"),
    [
        (TABLE + "gamma,70.5\n", [61.25, 66.5, 70.5], []),
        (TABLE + "gamma,7", [61.25, 66.5, None], []),
        (TABLE.replace("\n", ",\n"), [61.25, 66.5], []),
        ("# seed 1\n" + TABLE, [61.25, 66.5], ["a.csv: left out line 1, no row of its table"]),
        ("# by run.py\n# of May\n" + TABLE, [61.25, 66.5], ["a.csv: left out line 1 and 1 more, no row of its table"]),
        (TABLE + "\nof 3\nof 4\n", [61.25, 66.5], ["a.csv: left out line 5 and 1 more, no row of its table"]),
    ],
)
def test_rows_of_other_lengths(tmp_path: Path, text: str, scores: list[float | None], told: list[str]) -> None:
    """A row that ends early keeps what it has, but for the cell in which a file was cut off; notes are said."""
    (tmp_path / "a.csv").write_text(text)
    listing = read_results(tmp_path)
    assert _values(frames_of(listing.tables)[0], "score") == scores
    assert listing.problems == told


def test_a_row_of_too_many_cells_costs_its_file(tmp_path: Path) -> None:
    """Its numbers stand below other names, and without it every mean is another one: its line is named."""
    (tmp_path / "a.csv").write_text(TABLE + "gamma, the last,70.5,5\n")
    listing = read_results(tmp_path)
    assert listing.tables == []
    assert listing.problems == ["a.csv: not read, line 4 has 4 cells, and its header 3"]


def _zstandard(content: bytes) -> bytes:
    target = pa.BufferOutputStream()
    with pa.CompressedOutputStream(target, "zstd") as file:
        file.write(content)
    return bytes(target.getvalue())


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": _zstandard,
}  # fmt: skip


@pytest.mark.parametrize("ending", PACKED)
@pytest.mark.parametrize("large", [False, True])
def test_compressed_tables_are_read(tmp_path: Path, ending: str, large: bool) -> None:
    """Every ending that the command knows gives its rows, held or summed up, and a cut one is named."""
    rows = "".join(f"{model},{score}\n" for _ in range(20) for model, score in (("alpha", 61.25), ("beta", 66.5)))
    whole = PACKED[ending](("model,score\n" + rows).encode())
    (tmp_path / "paper.md").write_text("| Model | Score |\n|---|---|\n| alpha | 61.25 |\n| beta | 66.50 |\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / f"runs/a.csv.{ending}").write_bytes(whole)
    found, _ = examine_files(tmp_path / "paper.md", tmp_path / "runs", seconds=20, large=10 if large else 10**6)
    assert bool(found.listing.large) == large
    assert [number.agrees for number in found.bound.numbers.values()] == [True, True]
    (tmp_path / f"runs/a.csv.{ending}").write_bytes(whole[: len(whole) // 2])
    assert [(one.file, one.kind) for one in read_results(tmp_path / "runs").unread] == [(f"a.csv.{ending}", ".csv")]


@pytest.mark.parametrize("name", ["runs.zip", "runs.tar.gz", "runs.7z", "model.pt", "model.pkl", "a.duckdb"])
def test_what_is_not_read_is_named(tmp_path: Path, name: str) -> None:
    """Archives, pickles and databases that nobody opens may hold the results: each is counted, with its reason."""
    (tmp_path / "a.csv").write_text(TABLE)
    (tmp_path / name).write_bytes(b"anything")
    listing = read_results(tmp_path)
    assert [one.file for one in listing.unread] == [name]
    assert listing.unread[0].reason
    assert listing.in_words.startswith("1 of 2 data files (not read: 1 .")


def test_a_line_without_end_costs_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more of a line is held than a line may have, however much a compressed file unpacks to."""
    monkeypatch.setattr("sealtrace.binding.files.MAX_LINE", 1000)
    (tmp_path / "a.jsonl").write_text('{"score": 1}\n{"score": ' + "1" * 2000)
    (tmp_path / "b.csv").write_text(TABLE)
    listing = read_results(tmp_path)
    assert listing.problems == ["a.jsonl: not read, line 2 is too long"]
    assert {table.file for table in listing.tables} == {"b.csv"}


def test_an_encrypted_workbook_is_called_so(tmp_path: Path) -> None:
    """Its reason is what a person can act on, not what its reader stumbles over."""
    (tmp_path / "a.xlsx").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(4096))
    (tmp_path / "b.csv").write_text(TABLE)
    listing = read_results(tmp_path)
    assert listing.problems == ["a.xlsx: not read, encrypted with a password, or an .xls of another name"]


# Formats of other programs


def _workbook(path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "runs"
    for row in (["Results of May"], [], ["model", "score"], ["alpha", 61.25], ["beta", 66.5]):
        book.active.append(row)
    book.save(path)


def _yaml(path: Path) -> None:
    path.write_text("runs:\n  - {model: alpha, score: 61.25}\n  - {model: beta, score: 66.5}\n")


def _sqlite(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE runs (model TEXT, score REAL)")
        database.executemany("INSERT INTO runs VALUES (?, ?)", [("alpha", 61.25), ("beta", 66.5)])


def _data_frame() -> Any:
    import pandas as pd

    return pd.DataFrame({"model": ["alpha", "beta"], "score": [61.25, 66.5]})


def _stata(path: Path) -> None:
    import pyreadstat

    pyreadstat.write_dta(_data_frame(), str(path))


def _spss(path: Path) -> None:
    import pyreadstat

    pyreadstat.write_sav(_data_frame(), str(path))


def _sas(path: Path) -> None:
    import pyreadstat

    pyreadstat.write_xport(_data_frame(), str(path))


def _rds(path: Path) -> None:
    import pyreadr

    pyreadr.write_rds(str(path), _data_frame())


def _rdata(path: Path) -> None:
    import pyreadr

    pyreadr.write_rdata(str(path), _data_frame(), df_name="runs")


def _matlab(path: Path) -> None:
    from scipy.io import savemat

    savemat(path, {"runs": {"score": np.array([61.25, 66.5])}, "weights": np.zeros(30_000)})


def _hdf5(path: Path) -> None:
    import h5py

    with h5py.File(path, "w") as file:
        file["runs/score"] = np.array([61.25, 66.5])
        file["elsewhere"] = h5py.ExternalLink("other.h5", "/x")


def _hdf5_of_matlab(path: Path) -> None:
    """MATLAB 7.3: a header of 512 bytes, then HDF5 with classes."""
    import h5py

    with h5py.File(path, "w", userblock_size=512) as file:
        file["score"] = np.array([[61.25], [66.5]])
        file["score"].attrs["MATLAB_class"] = np.bytes_("double")
    with path.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")


def _npy(path: Path) -> None:
    np.save(path, np.array([61.25, 66.5]))


def _feather(path: Path) -> None:
    import pyarrow as pa
    from pyarrow import feather

    feather.write_feather(pa.table({"model": ["alpha", "beta"], "score": [61.25, 66.5]}), path)


def _events(path: Path) -> None:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.record_writer import RecordWriter

    with path.open("wb") as file:
        writer = RecordWriter(file)
        for step, score in ((1, 61.25), (2, 66.5)):
            value = Summary.Value(tag="score", simple_value=score)
            writer.write(Event(step=step, summary=Summary(value=[value])).SerializeToString())
        writer.flush()


FORMATS: dict[str, Callable[[Path], None]] = {
    "a.xlsx": _workbook, "a.yaml": _yaml, "a.sqlite": _sqlite, "a.dta": _stata, "a.sav": _spss, "a.xpt": _sas,
    "a.rds": _rds, "a.RData": _rdata, "a.mat": _matlab, "b.mat": _hdf5_of_matlab, "a.h5": _hdf5, "a.npy": _npy,
    "a.feather": _feather, "events.out.tfevents.1.host": _events,
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_a_foreign_format_is_read(tmp_path: Path, name: str) -> None:
    """Both numbers come out, with the names beside them where the format has names."""
    FORMATS[name](tmp_path / name)
    listing = read_results(tmp_path)
    assert [unread.reason for unread in listing.unread] == []
    values = {str(value) for table in listing.tables for column in table.columns.values() for value in column}
    assert {"61.25", "66.5"} <= values
    names = {column.lower() for table in listing.tables for column in table.columns}
    assert names & {"score", "item", "value"}
    if "model" in names:
        assert {"alpha", "beta"} <= values


@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_file_costs_itself(tmp_path: Path, name: str) -> None:
    """What cannot be opened is named with a reason, and the file beside it is read."""
    (tmp_path / name).write_bytes(b"\x00\x01{[: damaged" * 9)
    (tmp_path / "good.yaml").write_text("score: 0.5\n")
    listing = read_results(tmp_path)
    assert [unread.file for unread in listing.unread] == [name]
    assert listing.unread[0].reason
    assert listing.problems[0].startswith(f"{name}: not read, ")
    assert {table.file for table in listing.tables} == {"good.yaml"}


def test_arrays_too_long_for_results_are_left_out_and_named(tmp_path: Path) -> None:
    """Weights beside results cost themselves."""
    _matlab(tmp_path / "a.mat")
    assert read_results(tmp_path).problems == ["a.mat: left out weights (30000 numbers)"]


def test_a_pickle_is_refused_with_a_sentence(tmp_path: Path) -> None:
    """Nothing is unpickled, whatever the file is called."""
    for name in ("a.pkl", "b.pkl", "c.pt"):
        (tmp_path / name).write_bytes(pickle.dumps([1.5]))
    np.save(tmp_path / "d.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    problems = read_results(tmp_path).problems
    assert [problem.partition(":")[0] for problem in problems] == ["d.npy", "a.pkl and 1 more .pkl files", "c.pt"]
    assert "can run any program" in problems[1]


def test_a_file_that_never_ends_costs_itself(tmp_path: Path) -> None:
    """Aliases that repeat each other by the billion end at a bound, and the next file is read."""
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    (tmp_path / "a.yaml").write_text("\n".join(lines))
    (tmp_path / "b.yaml").write_text("score: 0.5" + " " * 1000)
    listing = read_results(tmp_path)
    assert [(unread.file, unread.reason) for unread in listing.unread] == [("a.yaml", "too many values")]
    assert {table.file for table in listing.tables} == {"b.yaml"}


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import os; os.abort()", "its reader crashed"),
        ("while True: pass", "not read within 1 s"),
        ("x = bytearray(2**33)", "it needs more than 2048 MB"),
    ],
)
def test_a_reader_that_crashes_or_does_not_end_costs_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, reason: str
) -> None:
    """A crash, a loop and a want of memory each end one file; the reader goes on with the next."""
    (tmp_path / "python_calamine.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "b.yaml").write_text("score: 0.5")
    with ForeignReader() as reader:
        with pytest.raises(ValueError, match=reason):
            reader.read(tmp_path / "a.xlsx", ".xlsx", 1.0)
        parts, _ = reader.read(tmp_path / "b.yaml", ".yaml", 10.0)
    assert parts == [{"part": "", "document": {"score": 0.5}}]


def test_a_package_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason says what to install."""
    (tmp_path / "pyreadr.py").write_text("raise ModuleNotFoundError(name='pyreadr')")
    monkeypatch.syspath_prepend(tmp_path)
    with ForeignReader() as reader, pytest.raises(ValueError, match=r"pip install 'sealtrace\[formats\]'"):
        reader.read(tmp_path / "a.rds", ".rds", 10.0)


# Tables for readers

PIPES = "| model | score |\n|---|---|\n| alpha | 61.25 |\n| beta | 66.5 |\n"
SHOWN = "   model  score\n0  alpha  61.25\n1   beta   66.5\n"
PAGE = (
    "<table><tr><th rowspan=2>model<th colspan=2>all</tr><tr><th>score<th>n</tr>"
    "<tr><td>alpha<td>61.25<td>3<tr><td>beta<td>66.5<td>4</table>"
)
TABULAR = (
    r"\begin{tabular}{lr} model & score \\ \hline" "\n" r"alpha & 61.25 \\" "\n" r"beta & 66.5 \\" "\n" r"\end{tabular}"
)
NOTEBOOK = json.dumps(
    {
        "cells": [
            {"outputs": [{"data": {"text/html": [PAGE], "text/plain": ["1"]}}]},
            {"outputs": [{"text": [SHOWN]}]},
            {"source": "1"},
        ]
    }
)
DOCUMENTS = {
    "a.dat": "# model score\nalpha 61.25\nbeta 66.5\ngamma 70.5\n",
    "a.out": SHOWN,
    "a.txt": f"Run of May.\nThis took 3 hours.\n\n{SHOWN}",
    "a.log": "epoch 1 ended\n\nmodel,score\nalpha,61.25\nbeta,66.5\n",
    "b.txt": "+-------+-------+\n| model | score |\n+=======+=======+\n| alpha | 61.25 |\n| beta  | 66.5  |\n",
    "a.md": PIPES,
    "a.tex": TABULAR,
    "a.html": PAGE,
    "a.ipynb": NOTEBOOK,
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_table_for_readers_is_read(tmp_path: Path, name: str) -> None:
    """Headers name the columns, and every cell has its own."""
    (tmp_path / name).write_text(DOCUMENTS[name])
    listing = read_results(tmp_path)
    assert listing.problems == []
    assert listing.tables
    for table in listing.tables:
        rows = {tuple(row) for row in zip(*table.columns.values(), strict=True)}
        assert any({"alpha", "61.25"} <= set(row) for row in rows)
        assert any({"beta", "66.5"} <= set(row) for row in rows)
        assert "model" in table.columns


@pytest.mark.parametrize(
    "text", ["We ran 3 models\nand it took 5\nhours or 4 more.", "a, b and 3\nc, d and 4\ne, f and 5", ""]
)
def test_sentences_are_no_tables(tmp_path: Path, text: str) -> None:
    """Lines of equally many words hold no results."""
    (tmp_path / "a.txt").write_text(text)
    listing = read_results(tmp_path)
    assert (listing.tables, listing.files) == ([], 0)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "README.md",
            "We describe what we found, at length and in many words.\n\n" + PIPES + "\nMore words follow." * 5,
        ),
        ("other.tex", r"\documentclass{article}\begin{document}" + TABULAR + r"\end{document}"),
        ("page.html", "<p>We describe what we found, at length and in many words: more follow.</p>" + PAGE),
    ],
)
def test_a_text_that_repeats_results_gives_none(tmp_path: Path, name: str, text: str) -> None:
    """A README, another paper and an older report say what somebody printed, not what was measured."""
    (tmp_path / name).write_text(text)
    listing = read_results(tmp_path)
    assert listing.tables == []
    assert [unread.file for unread in listing.unread] == [name]


@pytest.mark.parametrize("name", ["notes.ipynb", "page.html", "notes.tex"])
def test_damaged_documents_cost_themselves(tmp_path: Path, name: str) -> None:
    """No traceback, and the file beside it is read."""
    (tmp_path / name).write_bytes(b"\xff\xfe<table><tr><td rowspan=99999999>{ \\begin{tabular")
    (tmp_path / "good.csv").write_text("a,b\n1,2\n")
    assert [table.file for table in read_results(tmp_path).tables] == ["good.csv"]


def test_the_paper_gives_none_of_its_own_numbers(tmp_path: Path) -> None:
    """A paper that lies among its results is no result, nor is what it puts in."""
    (tmp_path / "paper.tex").write_text(r"\documentclass{article}\begin{document}\input{table.tex}\end{document}")
    (tmp_path / "table.tex").write_text(TABULAR)
    (tmp_path / "other.csv").write_text("a,b\nx,2\ny,3\n")
    found, _ = examine_files(tmp_path / "paper.tex", tmp_path, seconds=20)
    assert {table.file for table in found.listing.tables} == {"other.csv"}
    assert not found.bound.numbers


@pytest.mark.parametrize("name", ["text=r.txt", "html=r.html", "markdown=r.md", "latex=r.tex", "json=r.json"])
def test_an_older_report_gives_nothing(tmp_path: Path, name: str) -> None:
    """What a check wrote among the results repeats the paper, and is no result of the next check."""
    (tmp_path / "paper.md").write_text("# A title\n\n" + PIPES)
    (tmp_path / "results").mkdir()
    (tmp_path / "results/runs.csv").write_text("model,score\nalpha,61.25\nbeta,66.5\n")
    kind, _, file = name.partition("=")
    arguments = [str(tmp_path / "paper.md"), str(tmp_path / "results"), "-o", f"{kind}={tmp_path / 'results' / file}"]
    CliRunner().invoke(check, arguments, standalone_mode=False, catch_exceptions=False)
    listing = read_results(tmp_path / "results")
    assert {table.file for table in listing.tables} == {"runs.csv"}
    assert [unread.file for unread in listing.unread] == [file]


# Files that belong together


def _runs(directory: Path) -> Path:
    """Four models with four seeds each, and a paper with their means; the mean of delta is another over three."""
    (directory / "runs").mkdir()
    rows = []
    for place, model in enumerate(("alpha", "beta", "gamma", "delta")):
        for seed in range(4):
            score = 61.37 + 3.41 * place + (0.4 if (model, seed) == ("delta", 3) else 0.0)
            (directory / f"runs/{model}_seed{seed}.json").write_text(json.dumps({"score": score, "steps": 100 + seed}))
        rows.append(f"| {model} | {61.37 + 3.41 * place + (0.1 if model == 'delta' else 0):.2f} |\n")
    (directory / "paper.md").write_text("| Model | Score |\n|---|---|\n" + "".join(rows))
    return directory / "runs/delta_seed3.json"


@pytest.mark.parametrize("damage", ["", '{"score": 71.', None])
def test_a_group_with_a_file_that_was_not_read_is_not_compared(tmp_path: Path, damage: str | None) -> None:
    """A mean over the files that could be read is another number; nothing differs from it, and that is said first."""
    file = _runs(tmp_path)
    if damage is not None:
        file.write_text(damage)
    found, _ = examine_files(tmp_path / "paper.md", tmp_path / "runs", seconds=20)
    assert all(number.agrees for number in found.bound.numbers.values())
    assert len(found.bound.numbers) == (4 if damage is None else 0)
    first = concluded(found).not_looked_at[:1]
    told = [(one.what, "because delta_seed3.json" in one.why) for one in first]
    assert told == ([] if damage is None else [("*.json (15 files)", True)])


def test_a_file_of_other_columns_takes_no_group_with_it(tmp_path: Path) -> None:
    """What was not read and would not have been a member costs itself only."""
    _runs(tmp_path)
    (tmp_path / "runs/settings.json").write_text('{"batch": 3, "rate": 0.1')
    listing = read_results(tmp_path / "runs")
    assert [unread.file for unread in listing.unread] == ["settings.json"]
    tally = Tally()
    assert [len(frame.files) for frame in frames_of(listing.tables, tally, listing.unread)] == [16]
    assert tally.partial == []


def test_a_readme_takes_no_group_with_it(tmp_path: Path) -> None:
    """A text for readers is no file that is missing from those beside it."""
    for name in ("one.md", "two.md"):
        (tmp_path / name).write_text(PIPES)
    (tmp_path / "README.md").write_text("Many words of what we found, " * 9 + "\n\n" + PIPES)
    listing = read_results(tmp_path)
    assert [unread.file for unread in listing.unread] == ["README.md"]
    assert [len(frame.files) for frame in frames_of(listing.tables, None, listing.unread)] == [2]


def test_a_table_for_readers_beside_its_data_is_not_read_twice(tmp_path: Path) -> None:
    """The same numbers, rounded, are no second witness."""
    (tmp_path / "scores.csv").write_text("model,score\nalpha,61.251\nbeta,66.498\n")
    (tmp_path / "scores.md").write_text(PIPES)
    listing = read_results(tmp_path)
    assert [table.file for table in listing.tables] == ["scores.csv"]
    assert listing.problems == ["scores.md: not read, a data file of the same name is read in its place"]


NO_CHARACTER = '{"model":"\\ud800","score":61.25},{"model":"beta","sc\\udfffore":3,"score":66.18}'
"""Half of a character that takes two, which JSON can escape and no encoding can write."""
HALVES = {
    "json": f"[{NO_CHARACTER}]",
    "jsonl": NO_CHARACTER.replace("},{", "}\n{"),
    "ipynb": json.dumps(
        {"cells": [{"outputs": [{"text": ["model  score\n", "alpha\ud800  61.25\n", "beta  66.18\n"]}]}]}
    ),
}


@pytest.mark.parametrize("kind", [*HALVES, "a name of a file"])
def test_a_text_that_no_encoding_writes_is_escaped(tmp_path: Path, kind: str) -> None:
    """Read, compared, and saved as a draft; the numbers beside it are as good as before."""
    results = tmp_path / "results"
    results.mkdir()
    if kind in HALVES:
        (results / f"a.{kind}").write_text(HALVES[kind])
    else:
        for name, score in ((b"alpha\xff.csv", 61.25), (b"beta\xff.csv", 66.18)):
            Path(os.fsdecode(os.fsencode(results / "") + b"/" + name)).write_text(f"score\n{score}\n")
    paper = tmp_path / "paper.md"
    paper.write_text("| Model | Score |\n|---|---|\n| alpha | 61.25 |\n| beta | 66.18 |\n")
    run = CliRunner().invoke(check, [str(paper), str(results), "--save", str(tmp_path / "draft")])
    assert isinstance(run.exception, SystemExit | None), run.exception
    assert run.exit_code == 0, run.output


def test_large_files_with_such_a_text_are_read(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    rows = [f'{{"model":"{name}","score":{row}.5}}' for row, name in enumerate(["\\ud800", "beta"] * 20)]
    (tmp_path / "runs" / "a.jsonl").write_text("\n".join(rows) + "\n")
    paper = tmp_path / "paper.md"
    paper.write_text("| Model | Score |\n|---|---|\n| beta | 20.5 |\n| other | 19.5 |\n")
    findings, _ = examine_files(paper, tmp_path / "runs", seconds=20, large=100)
    result = concluded(findings)
    assert {number.word for number in result.numbers}


def test_a_header_without_a_name_for_the_names_of_rows_is_read(tmp_path: Path) -> None:
    """As R writes tables: each row has one cell more than the header. A comma at the end of rows is no such cell."""
    (tmp_path / "named.tsv").write_text("cells\tratio\nB cell\t12\t0.25\nT cell\t31\t0.75\n")
    (tmp_path / "comma.csv").write_text("cells,ratio\n12,0.25,\n31,0.75,\n")
    found = {table.file: table.columns for table in read_results(tmp_path).tables}
    assert found["named.tsv"] == {"column 1": ["B cell", "T cell"], "cells": ["12", "31"], "ratio": ["0.25", "0.75"]}
    assert found["comma.csv"] == {"cells": ["12", "31"], "ratio": ["0.25", "0.75"]}


def test_a_draft_of_rows_that_nothing_tells_apart_beside_a_field_called_place(tmp_path: Path) -> None:
    """Rows are told apart by where they stand, whatever the release calls its fields."""
    (tmp_path / "results").mkdir()
    rows = "".join(f"{place},{score}\n" for place, score in (("hall", 61.25), ("hall", 61.25), ("lab", 66.18)))
    (tmp_path / "results" / "a.csv").write_text("place,score\n" + rows)
    paper = tmp_path / "paper.md"
    paper.write_text("| Place | Score |\n|---|---|\n| hall | 61.25 |\n| lab | 66.18 |\n")
    run = CliRunner().invoke(check, [str(paper), str(tmp_path / "results"), "--save", str(tmp_path / "draft")])
    assert isinstance(run.exception, SystemExit | None), run.exception
    (declared,) = (tmp_path / "draft" / "declare").glob("dataset.*.json")
    assert json.loads(declared.read_text())["key"] == ["place2"]


def test_a_table_in_utf_16_is_read(tmp_path: Path) -> None:
    """Other programs for tables write it, with a mark before it."""
    (tmp_path / "a.csv").write_text(TABLE, encoding="utf-16")
    assert _values(_frame(tmp_path, "score"), "score") == [61.25, 66.5]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "INFO model=alpha score=61.25\nINFO model=beta score=66.5\n",
            {"INFO model": ["alpha", "beta"], "score": [61.25, 66.5]},
        ),
        ("Epoch 3/10: loss: 0.23, kappa 0.3\nEpoch 4/10: loss: 0.21, kappa 0.4\n", {"loss": [0.23, 0.21]}),
        ("Accuracy: 0.873\nMacro F1: 0.85\n", {"Accuracy": [0.873], "Macro F1": [0.85]}),
        ("We say so at 10:30.\nThen it ended: after 3 hours.\nNothing else.\n", {}),
    ],
)
def test_lines_that_say_numbers_by_name_are_rows(tmp_path: Path, text: str, expected: dict[str, list[object]]) -> None:
    """Logs have no tables; each line names what it holds, or all of them together do."""
    (tmp_path / "a.log").write_text(text)
    tables = read_results(tmp_path).tables
    assert (tables[0].columns if tables else {}) == expected


def test_numbers_inside_texts_are_measures(tmp_path: Path) -> None:
    """A column of notes says other numbers in every row, each by its name."""
    (tmp_path / "a.csv").write_text(
        'run,notes\nbase,"near-field [Si/Mg]=0.058; far-field [Si/Mg]=0.075"\n'
        'best,"near-field [Si/Mg]=0.372; loss=20.1"\nlast,"loss=19.5"\n'
    )
    frame = _frame(tmp_path, "notes near-field [Si/Mg]")
    assert _values(frame, "notes near-field [Si/Mg]") == [0.058, 0.372, None]
    assert _values(frame, "notes loss") == [None, 20.1, 19.5]


def test_texts_without_a_table_are_named(tmp_path: Path) -> None:
    """Where nothing can be compared, it is said which files were looked at."""
    (tmp_path / "paper.md").write_text("| a | b |\n|---|---|\n| c | 61.25 |\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "a.log").write_text("We ran it, and it ended.\n")
    found = CliRunner().invoke(check, [str(tmp_path / "paper.md"), str(tmp_path / "runs")])
    assert "no table was found in a.log" in str(found.exception or found.output)


@pytest.mark.parametrize(
    ("name", "content"), [("a.csv", b""), ("a.csv", b"model,score\n"), ("a.yaml", b"{}"), ("a.db", b"")]
)
def test_a_file_without_rows_is_not_read(tmp_path: Path, name: str, content: bytes) -> None:
    """Nothing can be compared with it, and it is counted with the files that were not read."""
    (tmp_path / name).write_bytes(content)
    listing = read_results(tmp_path)
    assert (listing.files, [(one.file, one.reason) for one in listing.unread]) == (0, [(name, "it holds no rows")])
