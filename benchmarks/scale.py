"""Verification beside its floor and its peers: `python benchmarks/scale.py [--rows N ...] [--runs N] [--write]`.

Data are generated once, under benchmarks/work/. Everything is measured in processes of its own and in the same run:
CPU seconds of user and system, and peak memory. `--write` puts the table and the plot into benchmarks/RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

import peers
from many_cells import PARTS
from million import HERE, bundle_of, measure

CANDIDATES = 20
SIZES = (10_000, 100_000, 1_000_000, 4_000_000, 10_000_000, 40_000_000)
QUESTIONS, FEW_QUESTIONS = 266_680, 680
"""Of the large dataset, and of a small one; each has fifteen answers."""
BESIDE = 4_000_000
"""Peers are measured at the largest size up to this; larger ones are run once."""
PEER_ROWS = 20_000
RUNS = 3
SEALTRACE = [sys.executable, "-m", "sealtrace", "verify", "--format", "json", "--quiet"]


class Cost(NamedTuple):
    """What a process took: the least of its runs, because other programs only add to it; of memory, the most."""

    cpu: float
    memory: int
    output: str
    wall: float


def cost(command: list[str], runs: int) -> Cost:
    """CPU seconds and peak MiB of a command."""
    measured = [measure(command) for _ in range(runs)]
    cpu, wall, memory, output = zip(*measured, strict=True)
    return Cost(min(cpu), max(memory), output[-1], min(wall))


def program(text: str, *arguments: object) -> list[str]:
    """A peer as a command."""
    return [sys.executable, "-c", text, *map(str, arguments)]


class Scale(NamedTuple):
    """One size: the floor, and what verification takes beside it."""

    rows: int
    floor: Cost
    verify: Cost
    threads: Cost
    states: int
    """MiB of the tables of states as they are read."""


def scale(rows: int, runs: int) -> Scale:
    """Measures one number of rows; a row is a trace with its score."""
    bundle = bundle_of(rows // CANDIDATES)
    # Sound and whole, or the figures would be of something else.
    limits = ["--max-memory", "16G", "--max-seconds", "3600"]
    verify = cost([*SEALTRACE, str(bundle), *limits], runs)
    report = json.loads(verify.output)
    if (report["verdict"], report["summary"]["traces"]) != ("verified", rows):
        sys.exit(f"{bundle}: {report['verdict']}, {report['summary']['traces']} traces")
    threads = cost([*SEALTRACE, "--jobs", "2", str(bundle), *limits], runs)
    states = int(cost(program(peers.STATES, bundle), 1).output)
    return Scale(rows, cost(program(peers.FLOOR, bundle), runs), verify, threads, states)


def hashing(bundle: Path, runs: int) -> dict[str, Cost]:
    """SHA-256 of every file by other programs."""
    files = [str(path) for path in sorted(bundle.rglob("*")) if path.is_file()]
    commands = {"sha256sum": ["sha256sum", *files], "openssl dgst": ["openssl", "dgst", "-sha256", *files]}
    commands |= {"bagit, a bag made and validated": program(peers.BAGIT, bundle)}
    return {name: cost(command, runs) for name, command in commands.items() if shutil.which(command[0])}


def rates(bundle: Path) -> dict[str, float]:
    """Rows that a CPU second of each validator of rows judges."""
    programs = {
        "pydantic, the model of a row": peers.PYDANTIC,
        "jsonschema, the schema of a row": peers.JSONSCHEMA,
        "pandera, keys, ranges and sums of rows": peers.PANDERA,
    }
    found = {name: float(measure(program(text, bundle, PEER_ROWS))[3]) for name, text in programs.items()}
    for kind in ("trace", "score"):
        rate = max(float(measure(program(peers.LINES, bundle, 10 * PEER_ROWS, kind))[3]) for _ in range(RUNS))
        found[f"sealtrace, strict JSON lines of {kind}s and their schema"] = rate
    return found


def text_of(scales: list[Scale], runs: int) -> str:
    """The results as Markdown."""
    largest = max((one for one in scales if one.rows <= BESIDE), default=scales[0])
    bundle = bundle_of(largest.rows // CANDIDATES)
    idle = cost(program(peers.NOTHING), runs)
    plain, duckdb = cost(program(peers.PLAIN, bundle), runs), cost(program(peers.DUCKDB, bundle), runs)
    size = sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file())
    first = scales[0]
    last = scales[-1]
    grown = ""
    if last.rows > first.rows:
        slope, floor_slope = (
            (one - other) / (last.rows - first.rows)
            for one, other in ((last.verify.cpu, first.verify.cpu), (last.floor.cpu, first.floor.cpu))
        )
        grown = (
            f" Between {first.rows:,} and {last.rows:,} rows, a further million rows costs {slope * 1e6:.2f} s, and of "
            f"the floor {floor_slope * 1e6:.2f} s: {1 / slope / 1e6:.1f} million rows per CPU second."
        )
    lines = [
        "# What verification costs",
        "",
        f"`make bench`, {runs} runs of each: the least CPU seconds (user and system) and the peak memory of a process. "
        "One run beyond four million rows. A row is a trace with its score: twenty candidates at every state, three "
        "actions, two splits.",
        "",
        f"{platform.machine()}, {_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{_versions()}. Other programs may have run beside it: compare figures with each other, "
        "not with other machines.",
        "",
        "| rows | floor: SHA-256 and decoding | verify | verify / floor | memory of verify | tables of states |",
        "|---:|---:|---:|---:|---:|---:|",
        *(
            f"| {one.rows:,} | {one.floor.cpu:.2f} s | {one.verify.cpu:.2f} s | {one.verify.cpu / one.floor.cpu:.1f} "
            f"| {one.verify.memory} MiB | {one.states} MiB |"
            for one in scales
        ),
        "",
        "Tables of states are what observations, teacher records and action values take as they are read; they are in "
        "the memory of verify, and so is the process itself with its libraries.",
        "",
        "| rows | one thread, by the clock | two threads | times as fast | CPU of two | memory of two |",
        "|---:|---:|---:|---:|---:|---:|",
        *(
            f"| {one.rows:,} | {one.verify.wall:.2f} s | {one.threads.wall:.2f} s "
            f"| {one.verify.wall / one.threads.wall:.2f} | {one.threads.cpu:.2f} s | {one.threads.memory} MiB |"
            for one in scales
        ),
        "",
        f"Start-up is in all of them: importing pyarrow alone takes {idle.cpu:.2f} s.{grown}",
        "",
        f"## Beside others, {largest.rows:,} rows, {size / 1e6:.0f} MB",
        "",
        "| what | CPU | verify takes | memory |",
        "|---|---:|---:|---:|",
    ]
    beside = {
        "verify, everything": largest.verify,
        "verify --jobs 2": largest.threads,
        "floor, texts read as dictionaries": largest.floor,
        "floor, texts read as texts": plain,
        "DuckDB: keys, support, joins, scores, thresholds, counts; one thread": duckdb,
        "polars: the same": cost(program(peers.POLARS, bundle), runs),
        **hashing(bundle, runs),
    }
    lines += [
        f"| {name} | {one.cpu:.2f} s | {largest.verify.cpu / one.cpu:.2f} x | {one.memory} MiB |"
        for name, one in beside.items()
    ]
    lines += ["", "| validators of rows, one process | rows per CPU second |", "|---|---:|"]
    lines += [f"| {name} | {rate:,.0f} |" for name, rate in rates(bundle).items()]
    lines += [f"| verify, every check | {largest.rows / largest.verify.cpu:,.0f} |", ""]
    lines += dataset_lines(runs)
    lines += ["![CPU seconds and memory against rows](scale.svg)", ""]
    return "\n".join(lines)


def dataset_lines(runs: int) -> list[str]:
    """Answers of three systems with five seeds: verification beside what others take for their part of the checks."""
    large, small = (bundle_of(questions, "large_dataset") for questions in (QUESTIONS, FEW_QUESTIONS))
    many, few_of_many = (bundle_of(questions, "many_cells") for questions in (QUESTIONS, FEW_QUESTIONS))
    verify = [*SEALTRACE, "--max-seconds", "3600"]
    floor = "floor, texts read as dictionaries"
    six = {
        "verify, everything, and six cells": [[*verify, str(one)] for one in (large, small)],
        floor: [program(peers.FLOOR, one) for one in (large, small)],
        "DuckDB: keys, ranges, references, completeness, dependencies, six cells": [
            program(peers.DATASET, one) for one in (large, small)
        ],
        "polars: the same": [program(peers.DATASET_POLARS, one) for one in (large, small)],
    }
    more = {
        f"verify, everything, and {2 * PARTS + 6} cells": [[*verify, str(one)] for one in (many, few_of_many)],
        f"DuckDB: {2 * PARTS} cells by one query each": [
            program(peers.DATASET, one, PARTS) for one in (many, few_of_many)
        ],
        f"DuckDB: {2 * PARTS} cells by one grouped query": [
            program(peers.GROUPED, one, PARTS) for one in (many, few_of_many)
        ],
    }
    lines = [
        f"## A dataset of {QUESTIONS * 15:,} answers",
        "",
        f"What each takes beyond its own cost at {FEW_QUESTIONS * 15:,} answers, where start-up is nearly all, is in "
        "the third column, and verify's as a multiple of it in the fourth.",
        "",
    ]
    for commands in (six, more):
        lines += ["| what | CPU | less its start | verify takes | memory |", "|---|---:|---:|---:|---:|"]
        costs = {name: [cost(command, runs) for command in both] for name, both in commands.items()}
        own = [max(one.cpu - start.cpu, 0.01) for one, start in costs.values()]
        lines += [
            f"| {name} | {one.cpu:.2f} s | {rest:.2f} s | {own[0] / rest:.2f} x | {one.memory} MiB |"
            for (name, (one, _)), rest in zip(costs.items(), own, strict=True)
        ]
        lines.append("")
    return lines


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or "unknown processor"
    found = re.search(r"model name\s*: (.*)", text)
    return found[1] if found else "unknown processor"


def _versions() -> str:
    import duckdb
    import numpy
    import pyarrow

    return f"numpy {numpy.__version__}, pyarrow {pyarrow.__version__}, DuckDB {duckdb.__version__}"


def plot(scales: list[Scale]) -> str:
    """CPU seconds and memory against rows, both axes logarithmic, as SVG."""
    from math import log10

    series = {
        "verify, CPU s": ("#0b6", [(one.rows, one.verify.cpu) for one in scales]),
        "floor, CPU s": ("#999", [(one.rows, one.floor.cpu) for one in scales]),
        "verify, memory GiB": ("#c60", [(one.rows, one.verify.memory / 1024) for one in scales]),
    }
    low, high = -1.5, 2.5
    left, right = log10(scales[0].rows), max(log10(scales[-1].rows), log10(scales[0].rows) + 1)

    def at(rows: float, value: float) -> tuple[float, float]:
        across, up = (log10(rows) - left) / (right - left), (log10(value) - low) / (high - low)
        return 60 + 500 * across, 300 - 270 * up

    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 350" font-family="sans-serif" font-size="12">',
             '<rect width="640" height="350" fill="#fff"/>']  # fmt: skip
    for power in range(-1, 3):
        y = at(scales[0].rows, 10**power)[1]
        label = f'<text x="52" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>'
        parts.append(f'<path d="M60 {y:.1f}H560" stroke="#ddd"/>{label}')
    for one in scales:
        x = at(one.rows, 1)[0]
        parts.append(f'<text x="{x:.1f}" y="318" text-anchor="middle">{one.rows:.0e}</text>'.replace("e+0", "e"))
    parts.append('<text x="310" y="340" text-anchor="middle">rows (a trace with its score)</text>')
    for number, (name, (colour, points)) in enumerate(series.items()):
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in (at(*point) for point in points))
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="70" y="{24 + 16 * number}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Makes, measures, prints."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, nargs="+", default=list(SIZES), help="numbers of rows, multiples of 40")
    options.add_argument("--runs", type=int, default=RUNS)
    options.add_argument("--write", action="store_true", help="write benchmarks/RESULTS.md and benchmarks/scale.svg")
    chosen = options.parse_args()
    scales = [scale(rows, chosen.runs if rows <= BESIDE else 1) for rows in sorted(chosen.rows)]
    text = text_of(scales, chosen.runs)
    print(text)
    if chosen.write:
        (HERE / "RESULTS.md").write_text(text, encoding="utf-8")
        (HERE / "scale.svg").write_text(plot(scales), encoding="utf-8")


if __name__ == "__main__":
    main()
