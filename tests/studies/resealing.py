"""Changes records of a built bundle and seals it again."""

from __future__ import annotations

from pathlib import Path

from sealtrace.bundle import stores, writing
from sealtrace.bundle.content import table_digest
from sealtrace.bundle.sealing import seal
from support import read_rows, unseal, write_rows

TRACED = {"trace": "calibrate", "replay": "report"}
"""Stage of traces to the stage of their scores."""


def reseal(bundle: Path, empty: dict[str, str]) -> None:
    """Seals changed records. Scores name the changed traces, so that only what is wrong tells."""
    for traced, scored in TRACED.items():
        for path in (bundle / traced).glob("trace.*.jsonl"):
            table = stores.read_rows(path.read_bytes(), path.name, "trace", "jsonl").whole
            if table is not None:
                digest = table_digest(table, "trace")
                score = bundle / scored / path.name.replace("trace.", "score.", 1)
                write_rows(score, [row | {"trace_sha256": digest} for row in read_rows(score)])
    unseal(bundle)
    seal(bundle, empty=empty, lenient=True)


def as_parquet(bundle: Path, empty: dict[str, str]) -> None:
    """The same records in Parquet files, sealed."""
    for path in sorted(bundle.rglob("*.jsonl")):
        writing.write_rows(path.with_suffix(".parquet"), path.name.partition(".")[0], read_rows(path))
        path.unlink()
    unseal(bundle)
    seal(bundle, empty=empty)


def large_form(bundle: Path) -> None:
    """The same records in Parquet files, sealed; scores name the traces as they are digested there."""
    digests: dict[str, str] = {}
    for path in sorted(bundle.rglob("*.jsonl"), key=lambda path: path.name.startswith("score.")):
        kind, split = path.name.split(".")[:2]
        rows = read_rows(path)
        if kind == "score":
            rows = [row | {"trace_sha256": digests[split]} for row in rows]
        digest = writing.write_rows(path.with_suffix(".parquet"), kind, rows)
        if kind == "trace":
            digests[split] = digest
        path.unlink()
    unseal(bundle)
    seal(bundle, empty={"all": "It has nothing here."}, lenient=True)
