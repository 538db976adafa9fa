"""What others take for the same files: each peer is a small program that runs in a process of its own."""

from __future__ import annotations

FLOOR = """
import hashlib, pathlib, sys
import pyarrow as pa, pyarrow.parquet as pq
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.parquet")):
    data = path.read_bytes()
    hashlib.sha256(data).digest()
    schema = pq.ParquetFile(pa.BufferReader(data)).schema
    leaves = [schema.column(place) for place in range(len(schema))]
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts)
    for group in range(file.num_row_groups):
        file.read_row_group(group, use_threads=False)
"""
"""SHA-256 of every byte, and every column decoded once on one thread, texts as dictionaries."""

PLAIN = FLOOR.replace("read_dictionary=texts", "read_dictionary=None")
"""The same with texts decoded as texts, which is what a reader gets who asks for nothing special."""

STATES = """
import pathlib, sys
import sealtrace.bundle
sealtrace.bundle.OWN_PROCESS = True
from sealtrace.bundle.encoding import return_memory
from sealtrace.bundle.stores import read_rows
def resident():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmRSS"))
def read(path):
    return read_rows(path.read_bytes(), path.name, path.name.partition(".")[0], "parquet")
paths = sorted(pathlib.Path(sys.argv[1]).rglob("*.parquet"))
paths = [path for path in paths if path.name.partition(".")[0] in ("observation", "teacher", "values")]
read(paths[0])  # Libraries and schemas are there from now on.
return_memory()
before = resident()
tables = [read(path) for path in paths]
return_memory()
print((resident() - before) // 1024)
"""
"""How many MiB the tables of states take as they are read, without anything that is made of them."""

NOTHING = "import pyarrow.parquet, hashlib"
"""What a process costs that does none of it."""

DUCKDB = """
import sys, duckdb
db = duckdb.connect(config={"threads": 1})
root = sys.argv[1]
files = {kind: f"read_parquet('{root}/*/{kind}.*.parquet')" for kind in ("trace", "score", "values", "observation")}
checks = {
    "keys": f"SELECT count(*) - count(DISTINCT (state, arm, scale)) FROM {files['trace']}",
    "support and sums": f'''SELECT count(*) FROM {files['trace']} WHERE NOT (probabilities.fold >= 0
        AND probabilities.call >= 0 AND probabilities.raise >= 0
        AND abs(probabilities.fold + probabilities.call + probabilities.raise - 1) <= 1e-9)''',
    "joins": f"SELECT count(*) FROM {files['trace']} t ANTI JOIN {files['score']} s USING (state, arm, split) "
             f"WHERE t.scale IS NULL",
    "scores and thresholds": f'''WITH
        p AS (SELECT t.state, t.arm, t.scale, t.probabilities AS p, w.values AS w, q.values AS q
            FROM {files['trace']} t JOIN {files['values']} w ON w.state = t.state AND w.evaluator = 'weak'
            JOIN {files['values']} q ON q.state = t.state AND q.evaluator = 'strong'),
        e AS (SELECT state, arm, scale, p.fold * w.fold + p.call * w.call + p.raise * w.raise AS weak,
            p.fold * q.fold + p.call * q.call + p.raise * q.raise AS strong FROM p),
        d AS (SELECT e.*, e.strong - a.strong AS delta FROM e JOIN e a ON a.state = e.state AND a.arm = 'anchor')
        SELECT count(*) FROM d JOIN {files['score']} s ON s.state = d.state AND s.arm = d.arm
            AND s.scale IS NOT DISTINCT FROM d.scale
        WHERE abs(s.weak - d.weak) > 1e-6 OR abs(s.strong - d.strong) > 1e-6 OR abs(s.delta - d.delta) > 1e-6
            OR s.crossing != (d.delta < -0.05)''',
}
for name, query in checks.items():
    (wrong,), = db.execute(query).fetchall()
    assert wrong == 0, (name, wrong)
counted = "arm, scale, split, count(*), count(*) FILTER (crossing), avg(weak)"
db.execute(f"SELECT {counted} FROM {files['score']} GROUP BY ALL")
assert len(db.fetchall()) == 40
"""
"""Keys, support, sums, joins, scores, thresholds and counts in SQL, on one thread, without exact arithmetic."""

_ROWS = """
import sys, pathlib, json
import pyarrow.parquet as pq
path = next(pathlib.Path(sys.argv[1]).glob("trace/trace.*.parquet"))
table = pq.ParquetFile(path).read_row_group(0).slice(0, int(sys.argv[2]))
rows = table.to_pylist()
for row in rows:
    for name in ("inputs", "legal", "ledger"):
        row[name] = json.loads(row[name])
    row.pop("scale") if row["scale"] is None else None
"""
JSONSCHEMA = f"""{_ROWS}
import time, jsonschema
from sealtrace.bundle.resources import schema_document
judge = jsonschema.Draft202012Validator(schema_document("trace"))
started = time.process_time()
assert all(judge.is_valid(row) for row in rows)
print(len(rows) / (time.process_time() - started))
"""
PYDANTIC = f"""{_ROWS}
import time
from sealtrace.studies.policies.records.policies import Trace
started = time.process_time()
for row in rows:
    Trace.model_validate(row)
print(len(rows) / (time.process_time() - started))
"""
PANDERA = f"""{_ROWS}
import time, pandas as pd, pandera.pandas as pa
frame = pd.json_normalize(rows)
number = pa.Column(float, [pa.Check.in_range(0, 1)])
schema = pa.DataFrameSchema(
    {{"state": pa.Column(str, pa.Check.str_length(1, 200)), "arm": pa.Column(str), "split": pa.Column(str),
      "probabilities.fold": number, "probabilities.call": number, "probabilities.raise": number}},
    unique=["state", "arm", "scale"],
    checks=pa.Check(lambda t: (t.filter(like="probabilities.").sum(axis=1) - 1).abs() <= 1e-9),
)
started = time.process_time()
schema.validate(frame)
print(len(rows) / (time.process_time() - started))
"""
"""Rows that one CPU second validates: the schema of a row alone, or, by pandera, keys, ranges and sums as well."""

LINES = """
import json, pathlib, sys, time
import pyarrow.json
import sealtrace.bundle
sealtrace.bundle.OWN_PROCESS = True
from sealtrace.bundle import stores
path = next(pathlib.Path(sys.argv[1]).glob(f"*/{sys.argv[3]}.*.parquet"))
store = stores.read_rows(path.read_bytes(), "rows", sys.argv[3], "parquet")
rows = store.table.slice(0, int(sys.argv[2])).to_pylist(maps_as_pydicts="strict")
lines = "".join(json.dumps(stores.without_nulls(row)) + "\\n" for row in rows).encode()
started = time.process_time()
assert stores.read_rows(lines, "rows", sys.argv[3], "jsonl").whole.num_rows == len(rows)
print(len(rows) / (time.process_time() - started))
"""
"""JSON lines of a kind that one CPU second reads, strictly, and holds against their schema."""

BAGIT = """
import bagit, pathlib, shutil, sys, tempfile
with tempfile.TemporaryDirectory() as place:
    copy = pathlib.Path(shutil.copytree(sys.argv[1], pathlib.Path(place) / "bag"))
    bag = bagit.make_bag(str(copy), checksums=["sha256"])
    bag.validate()
"""
"""A bag made of a copy, and validated: every byte hashed twice."""

DATASET = """
import sys, duckdb
db = duckdb.connect(config={"threads": 1})
root = sys.argv[1]
a, e = (f"read_parquet('{root}/report/rows.{name}.parquet')" for name in ("answers", "examples"))
checks = {
    "keys": f"SELECT count(*) - count(DISTINCT (example, system, seed)) FROM {a}",
    "ranges": f"SELECT count(*) FROM {a} WHERE NOT (confidence BETWEEN 0 AND 1 AND seed >= 0)",
    "references": f"SELECT count(*) FROM {a} ANTI JOIN {e} USING (example)",
    "named": f"SELECT count(*) FROM {e} ANTI JOIN {a} USING (example)",
    "complete": f"SELECT count(*) - count(DISTINCT example) * count(DISTINCT system) * count(DISTINCT seed) FROM {a}",
    "depends": f"SELECT count(*) FROM (SELECT example FROM {a} GROUP BY example HAVING count(DISTINCT gold) > 1)",
}
for name, query in checks.items():
    ((wrong,),) = db.execute(query).fetchall()
    assert wrong == 0, (name, wrong)
db.execute(f"SELECT system, avg((answer = gold)::INT), count(*) FILTER (answer = gold) FROM {a} GROUP BY system")
assert len(db.fetchall()) == 3
"""
"""Keys, ranges, references, completeness, dependencies and the cells of a large dataset, on one thread."""
