"""A million traces: `python benchmarks/million.py [STATES]`.

Makes the bundle under benchmarks/work/, then measures, in processes of their own and in the same run:
the floor (hash every byte, decode every column, once, on one thread as the verifier does) and `sealtrace verify`.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

FLOOR = """
import hashlib, pathlib, sys
import pyarrow as pa, pyarrow.parquet as pq
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.parquet")):
    data = path.read_bytes()
    hashlib.sha256(data).digest()
    pq.read_table(pa.BufferReader(data), use_threads=False)
"""


def measure(command: list[str]) -> tuple[float, float, int, str]:
    """CPU seconds, wall seconds, peak memory in MiB and output of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    # The wrapper reports its only child's peak; RUSAGE_CHILDREN here would keep the largest so far.
    wrapper = (
        "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=sys.stderr); sys.exit(code)"
    )
    # Installed programs were compiled when they were installed: these keep what they compile.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, "-c", wrapper, *command], capture_output=True, text=True, check=False, env=kept
    )
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, wall, int(done.stderr.split()[-1]), done.stdout


def bundle_of(states: int, of: str = "large_bundle") -> Path:
    """A bundle of candidates at so many states, or of answers to so many questions, made where it is not there yet."""
    make = import_module(of).make
    bundle = HERE / "work" / f"{of.removesuffix('_bundle')}-{states}"
    if not bundle.exists():
        draft = bundle.with_suffix(".draft")
        shutil.rmtree(draft, ignore_errors=True)
        make(draft, states)
        draft.rename(bundle)
    return bundle


def main() -> None:
    """Makes, measures, prints."""
    bundle = bundle_of(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
    size = sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file())
    floor_cpu, floor_wall, floor_memory, _ = measure([sys.executable, "-c", FLOOR, str(bundle)])
    cpu, wall, memory, output = measure([sys.executable, "-m", "sealtrace", "verify", str(bundle), "--format", "json"])
    report = json.loads(output)
    print(f"bundle    {report['summary']['traces']:,} traces, {size / 1e6:.0f} MB, verdict {report['verdict']}")
    print(f"floor     {floor_cpu:6.2f} s CPU  {floor_wall:6.2f} s  {floor_memory:5} MiB   hash and decode once")
    print(f"verify    {cpu:6.2f} s CPU  {wall:6.2f} s  {memory:5} MiB   {cpu / floor_cpu:.1f} x the floor")


if __name__ == "__main__":
    main()
