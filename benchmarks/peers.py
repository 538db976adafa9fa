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
import sealtrace.process
sealtrace.process.OWN_PROCESS = True
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
lists = {"trace": ["trace/trace.calibration", "replay/trace.held-out"],
         "score": ["calibrate/score.calibration", "report/score.held-out"],
         "values": ["calibrate/values.calibration", "report/values.held-out"]}
files = {kind: f"read_parquet({[f'{root}/{name}.parquet' for name in names]})" for kind, names in lists.items()}
# Rows come in the order of their keys, so that each is compared with the one before it. Traces and scores of one place
# stand side by side; weak and strong values of a state become one row, with the anchor's value beside them.
keys = f'''SELECT count(*) FROM (SELECT state, arm, scale, split, lag(state) OVER w AS a, lag(arm) OVER w AS b,
        lag(scale) OVER w AS c, lag(split) OVER w AS d FROM {files['trace']} WINDOW w AS ())
    WHERE split = d AND (state < a OR state = a AND (arm < b OR arm = b AND scale <= c))'''
scores = f'''WITH
    t AS (SELECT state, arm, scale, split, probabilities.fold AS f, probabilities.call AS c, probabilities.raise AS r
        FROM {files['trace']}),
    v AS (SELECT state, any_value(values) FILTER (evaluator = 'weak') AS w,
        any_value(values) FILTER (evaluator = 'strong') AS q FROM {files['values']} GROUP BY state),
    known AS (SELECT v.*, f * q.fold + c * q.call + r * q.raise AS anchor FROM v JOIN t USING (state)
        WHERE arm = 'anchor'),
    beside AS (SELECT t.*, s.state AS other, s.arm AS other_arm, s.scale AS other_scale, s.weak, s.strong, s.delta,
        s.crossing FROM t POSITIONAL JOIN {files['score']} s),
    given AS (SELECT beside.*, f * w.fold + c * w.call + r * w.raise AS weak_due,
        f * q.fold + c * q.call + r * q.raise AS strong_due, anchor FROM beside JOIN known USING (state))
    SELECT count(*) FILTER (NOT (f >= 0 AND c >= 0 AND r >= 0 AND abs(f + c + r - 1) <= 1e-9)
        OR state <> other OR arm <> other_arm OR scale IS DISTINCT FROM other_scale
        OR abs(weak - weak_due) > 1e-6 OR abs(strong - strong_due) > 1e-6
        OR abs(delta - (strong_due - anchor)) > 1e-6 OR crossing <> (strong_due - anchor < -0.05)), count(*)
    FROM given'''
((wrong,),) = db.execute(keys).fetchall()
((broken, rows),) = db.execute(scores).fetchall()
((every,),) = db.execute(f"SELECT count(*) FROM {files['trace']}").fetchall()
assert (wrong, broken, rows) == (0, 0, every), (wrong, broken, rows, every)
counted = "arm, scale, split, count(*), count(*) FILTER (crossing), avg(weak)"
db.execute(f"SELECT {counted} FROM {files['score']} GROUP BY ALL")
assert len(db.fetchall()) == 40
"""
"""Keys, support, sums, joins, scores, thresholds and counts in SQL, on one thread, without exact arithmetic.

The best that was found: `lag` for keys, a positional join of traces with their scores, values pivoted.
"""

POLARS = """
import os, sys
os.environ["POLARS_MAX_THREADS"] = "1"
import polars as pl
root = sys.argv[1]
def read(kind):
    stages = {"trace": ("trace", "replay")}.get(kind, ("calibrate", "report"))
    splits = zip(stages, ("calibration", "held-out"))
    return pl.concat([pl.scan_parquet(f"{root}/{stage}/{kind}.{split}.parquet") for stage, split in splits])
p = pl.col("probabilities").struct
t = read("trace").select("state", "arm", "scale", "split", f=p.field("fold"), c=p.field("call"), r=p.field("raise"))
def dotted(name):
    v = pl.col(name).struct
    return pl.col("f") * v.field("fold") + pl.col("c") * v.field("call") + pl.col("r") * v.field("raise")
values = read("values").select("state", "evaluator", "values")
weak, strong = (values.filter(pl.col("evaluator") == name).select("state", pl.col("values").alias(name))
    for name in ("weak", "strong"))
known = weak.join(strong, on="state")
anchor = t.filter(pl.col("arm") == "anchor").join(known, on="state").select("state", anchor=dotted("strong"))
s = read("score").select(pl.all().name.prefix("s_"))
given = pl.concat([t, s], how="horizontal").join(known.join(anchor, on="state"), on="state")
delta = dotted("strong") - pl.col("anchor")
wrong = (
    (pl.min_horizontal("f", "c", "r") < 0) | ((pl.col("f") + pl.col("c") + pl.col("r") - 1).abs() > 1e-9)
    | (pl.col("state") != pl.col("s_state")) | (pl.col("arm") != pl.col("s_arm"))
    | pl.col("scale").ne_missing(pl.col("s_scale")) | ((pl.col("s_weak") - dotted("weak")).abs() > 1e-6)
    | ((pl.col("s_strong") - dotted("strong")).abs() > 1e-6) | ((pl.col("s_delta") - delta).abs() > 1e-6)
    | (pl.col("s_crossing") != (delta < -0.05))
)
found = given.select(broken=wrong.sum(), rows=pl.len()).collect()
keys = t.select(repeated=((pl.col("state") == pl.col("state").shift()) & (pl.col("arm") == pl.col("arm").shift())
    & pl.col("scale").eq_missing(pl.col("scale").shift())).sum(), rows=pl.len()).collect()
assert found["broken"].item() == 0 and keys["repeated"].item() == 0, (found, keys)
assert found["rows"].item() == keys["rows"].item()
counts = read("score").group_by("arm", "scale", "split").agg(pl.len(), pl.col("crossing").sum(), pl.col("weak").mean())
assert counts.collect().height == 40
"""
"""The same in polars, lazily, on one thread."""

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
import sealtrace.process
sealtrace.process.OWN_PROCESS = True
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
# Rows come in the order of their keys: keys, completeness and dependencies follow from each row and the one before it.
one_pass = f'''SELECT count(*) FILTER (x IS NOT NULL AND NOT (example > x
            OR example = x AND (system > y OR system = y AND seed > z))),
        count(*) FILTER (example = x AND gold <> g),
        count(*) FILTER (NOT (confidence BETWEEN 0 AND 1 AND seed >= 0)),
        count(*) - count(*) FILTER (example IS DISTINCT FROM x) * count(DISTINCT system) * count(DISTINCT seed)
    FROM (SELECT example, system, seed, gold, confidence, lag(example) OVER w AS x, lag(system) OVER w AS y,
        lag(seed) OVER w AS z, lag(gold) OVER w AS g FROM {a} WINDOW w AS ())'''
references = f'''SELECT count(*) FROM (SELECT example FROM (SELECT example, lag(example) OVER () AS x FROM {a})
        WHERE example IS DISTINCT FROM x) r POSITIONAL JOIN {e} e WHERE r.example IS DISTINCT FROM e.example'''
assert db.execute(one_pass).fetchall() == [(0, 0, 0, 0)]
assert db.execute(references).fetchall() == [(0,)]
cells = int(sys.argv[2]) if len(sys.argv) > 2 else 0
if not cells:
    db.execute(f"SELECT system, avg((answer = gold)::INT), count(*) FILTER (answer = gold) FROM {a} GROUP BY system")
    assert len(db.fetchall()) == 3
for number in range(cells):
    part = ("base", "large", "ours")[number // 40], number // 8 % 5, f"label-{number % 8}"
    for given in ("count(*)", "avg((answer = gold)::INT)"):
        asked = f"SELECT {given} FROM {a} WHERE system = ? AND seed = ? AND gold = ?"
        assert db.execute(asked, part).fetchall()[0][0] > 0
"""
"""Keys, ranges, references, completeness, dependencies and the cells of a large dataset, on one thread.

The best that was found: one pass with `lag`, and a positional join; with a second argument, two cells of each of so
many parts, by one query with parameters each.
"""

GROUPED = (
    DATASET.replace("for number in range(cells):", "if cells:").partition("    part =")[0]
    + """
    db.execute(f"SELECT system, seed, gold, count(*), avg((answer = gold)::INT) FROM {a} GROUP BY ALL")
    assert len(db.fetchall()) == 120
"""
)
"""The same with one grouped query for all parts."""

DATASET_POLARS = """
import os, sys
os.environ["POLARS_MAX_THREADS"] = "1"
import polars as pl
root = sys.argv[1]
a, e = (pl.scan_parquet(f"{root}/report/rows.{name}.parquet") for name in ("answers", "examples"))
x, y, z, g = (pl.col(name).shift() for name in ("example", "system", "seed", "gold"))
example, system, seed = pl.col("example"), pl.col("system"), pl.col("seed")
rising = (example > x) | ((example == x) & ((system > y) | ((system == y) & (seed > z))))
new = example.ne_missing(x)
found = a.select(
    keys=(x.is_not_null() & ~rising).sum(),
    depends=((example == x) & (pl.col("gold") != g)).sum(),
    ranges=(~(pl.col("confidence").is_between(0, 1) & (seed >= 0))).sum(),
    complete=pl.len() - new.sum() * system.n_unique() * seed.n_unique(),
).collect()
assert found.row(0) == (0, 0, 0, 0), found
assert a.select("example").filter(new).collect()["example"].equals(e.select("example").collect()["example"])
right = pl.col("answer") == pl.col("gold")
assert a.group_by("system").agg(right.mean().alias("share"), right.sum().alias("right")).collect().height == 3
"""
"""The same in polars, lazily, on one thread."""
