"""The readers of untrusted bytes, each as a function that may refuse its input and may do nothing else.

A reader that raises anything but its own kind of refusal, or that accepts what it should not, has a bug.
"""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from support import FIXTURE, ROOT


@dataclass(frozen=True)
class Target:
    """A reader."""

    read: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    """Good inputs to start from."""
    words: tuple[bytes, ...] = ()
    """What its language is made of."""


def read_json(data: bytes) -> None:
    """Whatever the strict parser accepts, Python's reads alike."""
    from sealtrace.bundle.strict_json import StrictJSONError, parse

    try:
        value = parse(data)
    except StrictJSONError:
        return
    assert json.dumps(value) == json.dumps(json.loads(data))


def read_latex(data: bytes) -> None:
    from sealtrace.paper.latex import read_document
    from sealtrace.paper.reported import tables_of

    text = data.decode("utf-8", "replace")
    found = read_document(text, "x.tex", {"x.tex": text}.get)
    last = text.count("\n") + 1
    assert all(1 <= problem.line <= last for problem in found.problems)
    for number, table in enumerate(found.tables):
        assert all(len(row.cells) == table.columns for row in table.rows)
        tables_of(table, f"table {number}")


def read_archive(data: bytes) -> None:
    from sealtrace.bundle.budget import Budget
    from sealtrace.bundle.defects import BundleError
    from sealtrace.bundle.reading import read_bundle

    with tempfile.TemporaryDirectory() as directory:
        for name in ("x.zip", "x.tar.gz"):
            path = Path(directory) / name
            path.write_bytes(data)
            try:
                read_bundle(path, budget=Budget(2**28, 2**28, 10))
            except BundleError:
                continue


def read_parquet(data: bytes) -> None:
    from sealtrace.bundle.budget import Budget, BudgetError
    from sealtrace.bundle.stores import read_rows

    for kind in ("run", "trace"):
        try:
            store = read_rows(data, "x.parquet", kind, "parquet", budget=Budget(2**28, 2**28, 10))
        except BudgetError:
            continue
        store.table.validate(full=True)


def read_relation(data: bytes) -> None:
    from sealtrace.paper.model import Table
    from sealtrace.relations.decide import decide_each
    from sealtrace.relations.reading import read_relations
    from sealtrace.relations.sealed import facts_of_tables
    from sealtrace.relations.work import time_limit

    rows = [{"label": f"r{n}", "cells": [str(n), f"{n / 7:.3f}"]} for n in range(1, 5)]
    columns = [{"label": "A"}, {"label": "B"}]
    facts = facts_of_tables([Table.of({"label": "t", "columns": columns, "rows": rows})])
    with time_limit(5):
        decide_each(read_relations(data.decode("utf-8", "replace"), "r", facts).claims[:3])


def _archives() -> list[bytes]:
    small = {name: (FIXTURE / name).read_bytes() for name in ("manifest.json", "SHA256SUMS", "declare/protocol.json")}
    zipped, taped = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        for name, data in small.items():
            archive.writestr(name, data[:400])
    with tarfile.open(fileobj=taped, mode="w:gz") as tape:
        for name, data in small.items():
            info = tarfile.TarInfo(name)
            info.size = len(data[:400])
            tape.addfile(info, io.BytesIO(data[:400]))
    return [zipped.getvalue(), taped.getvalue()]


def _parquet() -> list[bytes]:
    from sealtrace.bundle.parquet_writing import write_parquet
    from sealtrace.bundle.stores import read_rows

    found = []
    for kind, path in (("run", "bundles/rsd-stratified/bundle/bank/run.jsonl"), ("trace", _first_traces())):
        lines = (ROOT / path).read_bytes().splitlines(keepends=True)[:3]
        sink = io.BytesIO()
        write_parquet(read_rows(b"".join(lines), path, kind, "jsonl").table, kind, sink)
        found.append(sink.getvalue())
    return found


def _first_traces() -> str:
    return "bundles/rsd-fixture/bundle/replay/trace.held-out.jsonl"


def _latex() -> list[bytes]:
    return [path.read_bytes()[:6000] for path in sorted(ROOT.glob("tests/results/*.tex"))]


_RELATION = (
    b"fact n = 3\nrelation one\n  says s\n  because b\n  holds t[r1, A] + t[r2, B] / 2 == 1\n"
    b"relation two\n  says s\n  because b\n  holds some integer k in 0..9: max(t[r1, B], sqrt(k)) <= 3 or k^2 >= 4\n"
)

TARGETS = {
    "json": Target(
        read_json,
        lambda: [(FIXTURE / "declare/protocol.json").read_bytes()[:3000], b'{"a": [1, -2.5e3, null, "\\u00e9"]}'],
        (b'\\ud800', b"1e999", b"NaN", b"-0", b"\xef\xbb\xbf"),
    ),
    "latex": Target(
        read_latex,
        _latex,
        (b"\\begin{tabular}{lr}", b"\\end{tabular}", b"\\multicolumn{2}{c}{", b"\\multirow{2}{*}{", b"\\def\\a#1{",
         b"\\newcommand{\\a}[1]{", b"\\\\", b"&", b"\\input{x.tex}", b"\\iffalse", b"\\fi", b"\\verb|"),
    ),
    "archive": Target(read_archive, _archives, (b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04", b"ustar")),
    "parquet": Target(read_parquet, _parquet, (b"PAR1",)),
    "relation": Target(
        read_relation,
        lambda: [_RELATION],
        (b"some integer k in ", b"is a multiple of ", b"cp_upper(", b"increasing(", b"t[*, A]", b" holds ", b"except"),
    ),
}  # fmt: skip
"""Each reader by its name."""
