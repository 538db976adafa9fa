"""The page docs/how-well-it-works.md and its plot, from what `how_well.py` measured."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpus_answers import share, wilson

PARTS = ("development", "held-out")
HEADS = "development | held out"
ACCUSED = ("differs", "contradicts")
PROBABLY, WITH_TABLE = "probably differs", "open in a stale table"
POINTED = (*ACCUSED, PROBABLY, WITH_TABLE)
"""What a reader of the answer would look at."""
GRADES = ("contradiction", "suspicion")
CAUSES = {
    "crash": "crashed",
    "time": "not ended within its time",
    "unreadable": "could not be read",
    "cut": "answered, but something was left out for want of time",
}
Row = dict[str, Any]


@dataclass
class Measured:
    """Everything that the page shows; rows have a `part`."""

    program: str
    """Which sealtrace, in words."""
    date: str
    judged: list[Row] = field(default_factory=list)
    """Judged numbers with the word that `check` has for each."""
    accused: list[Row] = field(default_factory=list)
    """Numbers that `check` accuses, `right` or not; None where nobody has judged it."""
    runs: list[Row] = field(default_factory=list)
    """Each check and audit: seconds, mebibytes and numbers, or the cause and message of its failure."""
    findings: list[Row] = field(default_factory=list)
    """What the audit finds, `right` or not; None where nobody has judged it."""
    known: list[Row] = field(default_factory=list)
    """Findings judged right, of any build of the program, and whether this one has them."""
    public: list[tuple[str, list[str]]] = field(default_factory=list)
    """Lines of each public benchmark."""
    absent: list[tuple[str, str]] = field(default_factory=list)
    """What was not asked for: a kind (check, audit, a public benchmark) and a name with the reason."""
    parts: tuple[str, ...] = PARTS


def is_right(row: Row) -> bool | None:
    """Whether the word is right; None where it says nothing that could be wrong."""
    if row["word"] == "follows":
        return bool(row["truth"] in ("follows", "given"))
    return bool(row["truth"] == "differs") if row["word"] in ACCUSED else None


def table(head: str, rows: Iterable[str]) -> list[str]:
    """A Markdown table; its first column is text."""
    lines = list(rows)
    return [head, "|---" + "|---:" * (head.count("|") - 2) + "|", *lines, ""] if lines else []


def by_part(rows: list[Row], hit: Callable[[Row], bool], among: Callable[[Row], bool]) -> str:
    """A share for each part, as cells of a line."""
    cells = []
    for part in PARTS:
        some = [row for row in rows if row["part"] == part and among(row)]
        cells.append(share(sum(map(hit, some)), len(some)))
    return " | ".join(cells)


def scores(rows: list[Row]) -> list[str]:
    """Recall and precision of the two words, a line each."""

    def said(truth: str, *words: str) -> str:
        return by_part(rows, lambda row: row["word"] in words, lambda row: row["truth"] == truth)

    def right(*words: str) -> str:
        return by_part(rows, lambda row: bool(is_right(row)), lambda row: row["word"] in words)

    doubted = (PROBABLY, WITH_TABLE)
    wrongly = by_part(rows, lambda row: row["word"] in doubted, lambda row: row["truth"] != "differs")
    return [
        f"| follows, recall: of those that follow, said to | {said('follows', 'follows')} |",
        f"| follows, precision: of those said to, do | {right('follows')} |",
        f"| differs, recall: of those that differ, said to | {said('differs', *ACCUSED)} |",
        f"| the same, with those said to differ probably, or with their table | {said('differs', *POINTED)} |",
        f"| differs, precision: of the judged ones pointed at, do | {right(*ACCUSED)} |",
        f"| settings and citations that are accused | {said('given', *ACCUSED)} |",
        f"| numbers without records that are accused | {said('unknown', *ACCUSED)} |",
        f"| numbers that follow, are given or have no records, and are said to differ probably, or with their table | "
        f"{wrongly} |",
        f"| numbers without records that are said to follow | {said('unknown', 'follows')} |",
    ]


def decided(rows: list[Row]) -> str:
    """Of what was found, how much is right, for each part; what nobody has judged is counted apart."""
    cells = []
    for part in PARTS:
        some = [row["right"] for row in rows if row["part"] == part]
        known = [right for right in some if right is not None]
        left = f", {len(some) - len(known)} not judged" if len(some) > len(known) else ""
        cells.append(share(sum(known), len(known)) + left)
    return " | ".join(cells)


def grouped(rows: list[Row], key: Callable[[Row], str]) -> list[str]:
    """Recall of `follows` and of `differs`, and what was said wrongly, for each group of judged numbers."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    lines = []
    for name, some in sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        follow = by_part(some, lambda row: row["word"] == "follows", lambda row: row["truth"] == "follows")
        differ = by_part(some, lambda row: row["word"] in ACCUSED, lambda row: row["truth"] == "differs")
        wrong = " | ".join(str(sum(is_right(row) is False for row in some if row["part"] == part)) for part in PARTS)
        lines.append(f"| {name} | {len(some)} | {follow} | {differ} | {wrong} |")
    return lines


GROUPED = (
    "| | judged | follow and are said to, development | held out | differ and are pointed at, development | held out "
    "| said wrongly, development | held out |"
)


def kind_of(row: Row) -> str:
    """How the named record gives a number that follows."""
    if row.get("value") is None:
        return "derived from several records"
    return "a record, times 100" if row.get("times") else "a record as it is"


def place_of(row: Row) -> str:
    """Where a judged number stands."""
    return "in a table" if row["place"] == "table" else "in the text"


def ending_of(row: Row) -> str:
    """The kind of file that has the record."""
    return f".{Path(row['from']).suffix.lstrip('.')}"


def missed(rows: list[Row]) -> list[str]:
    """What is missed: numbers that follow and are not said to, and numbers that differ and are not pointed at."""
    causes: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row["truth"] == "follows" and row["word"] != "follows":
            read = ", not read as a number" if row["word"] == "not read" else ""
            causes[f"follows, {place_of(row)}: {kind_of(row)}, {ending_of(row)}{read}"][row["part"]] += 1
        elif row["truth"] == "differs" and row["word"] not in POINTED:
            causes[f"differs, {place_of(row)}: {row['why']}"][row["part"]] += 1
    ordered = sorted(causes.items(), key=lambda pair: (-pair[1].total(), pair[0]))
    return [f"| {cause} | {' | '.join(str(count[part]) for part in PARTS)} |" for cause, count in ordered]


def failures(runs: list[Row]) -> list[str]:
    """How many checks and audits gave no answer, by cause, and how many the clock cut short."""

    lines = []
    for command in ("check", "audit"):
        own = [run for run in runs if run["command"] == command]
        for cause, name in CAUSES.items():
            ended = [{**run, "so": run.get("cause") == cause} for run in own]
            lines.append(f"| {command}: {name} | {by_part(ended, lambda run: run['so'], lambda _run: True)} |")
    return lines


def calibration(rows: list[Row]) -> tuple[list[str], str]:
    """Stated odds against how often the word was right, as a table and a plot with Wilson's intervals."""
    edges = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99, 1.0)
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for row in rows:
        right = is_right(row)
        if right is not None and row["odds"]:
            stated = row["odds"] / (1 + row["odds"])
            bins[sum(stated >= edge for edge in edges[1:-1])].append((stated, right))
    lines, marks = [], []
    for number, pairs in sorted(bins.items()):
        stated, seen = statistics.fmean(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
        within = f"{100 * edges[number]:.0f} to {100 * edges[number + 1]:.0f} %"
        lines.append(f"| {within} | {100 * stated:.1f} % | {share(seen, len(pairs))} |")
        low, high = wilson(seen, len(pairs))
        x, y = 40 + 240 * stated, 260 - 240 * seen / len(pairs)
        marks.append(
            f'<line x1="{x:.1f}" y1="{260 - 240 * low:.1f}" x2="{x:.1f}" y2="{260 - 240 * high:.1f}" stroke="#36c"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{2 + len(pairs) ** 0.5 / 2:.1f}" fill="#36c"/>'
        )
    ticks = "".join(
        f'<text x="{40 + 240 * at:.0f}" y="274" text-anchor="middle">{100 * at:.0f} %</text>'
        f'<text x="36" y="{264 - 240 * at:.0f}" text-anchor="end">{100 * at:.0f} %</text>'
        for at in (0.0, 0.5, 1.0)
    )
    plot = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 300" font-family="sans-serif" font-size="11" '
        'role="img" aria-label="Stated probability against observed share">'
        '<rect width="300" height="300" fill="#fff"/>'
        '<rect x="40" y="20" width="240" height="240" fill="none" stroke="#999"/>'
        '<line x1="40" y1="260" x2="280" y2="20" stroke="#999" stroke-dasharray="4"/>'
        f'{ticks}{"".join(marks)}<text x="160" y="292" text-anchor="middle">stated probability</text>'
        '<text x="10" y="140" text-anchor="middle" transform="rotate(-90 10 140)">observed share</text></svg>\n'
    )
    return lines, plot


def costs(runs: list[Row]) -> list[str]:
    """Median and most of CPU seconds and memory."""
    lines = []
    for command in ("check", "audit"):
        for name, unit in (("seconds", "CPU seconds"), ("mebibytes", "MiB")):
            cells = []
            for part in PARTS:
                some = [run[name] for run in runs if run["part"] == part and run["command"] == command and name in run]
                cells.append(f"{statistics.median(some):.0f} ({max(some):.0f} at most)" if some else "–")
            lines.append(f"| {command}: {unit}, median | {' | '.join(cells)} |")
    return lines


def same_file(rows: list[Row]) -> str:
    """How often the file that `check` names is the one that the reader named."""
    both = [row for row in rows if row["truth"] == row["word"] == "follows" and row["same file"] is not None]
    return share(sum(row["same file"] for row in both), len(both))


def not_run(absent: list[tuple[str, str]]) -> list[str]:
    """What the page does not speak of, so that nobody takes its figures for those of the whole corpus."""
    kinds: dict[str, list[str]] = defaultdict(list)
    for kind, name in absent:
        kinds[kind].append(name)
    lines = [f"- {kind}: {len(names)}, namely {'; '.join(names)}" for kind, names in kinds.items()]
    return ["## Not run", "", *lines, ""] if lines else []


def written(all_: Measured) -> tuple[str, str]:
    """The page and its plot."""
    rows, runs = all_.judged, all_.runs
    checks = [run for run in runs if run["command"] == "check"]
    audits = [run for run in runs if run["command"] == "audit"]
    words = ("follows", "differs", "contradicts", PROBABLY, WITH_TABLE, "open", "given", "not read")
    counts = Counter((row["truth"], row["word"]) for row in rows)
    stated, plot = calibration(rows)
    part = "both parts" if all_.parts == PARTS else "the development part"
    amended = sum(row.get("amended", False) for row in rows)
    everything = [
        "# How well it works",
        "",
        f"Written by `make corpus` on {all_.date} with {all_.program}, from {part} of the corpus: {len(checks)} public "
        f"releases from {len({run['field'] for run in checks})} fields were checked, "
        f"{sum(run.get('numbers', 0) for run in checks):,} printed numbers, and {len(audits)} papers audited. "
        f"{len(rows)} of the numbers were judged by reading before `check` had said anything of them, "
        f"{sum(row['drawn'] for row in rows)} of them drawn by a hash of their place, mostly among those with "
        f"decimals, the others chosen because they differ; {amended} of the judgements corrected after an answer. "
        "What could not be decided by reading was left out, so recall is that of decidable numbers. "
        "`benchmarks/corpus/README.md` has the rules. Shares are followed by Wilson's interval at 95 %."
        + (" **This is a part of the corpus only: what was not run stands at the end.**" if all_.absent else ""),
        "",
        "A third of the repositories is held out, by a hash of the name, since 2026-11-18: it is measured when a "
        "version is made (`HELD_OUT=1`), and nobody mends from it. Lists and judgements are in `benchmarks/corpus/`; "
        "the releases are not. To run it, clone what the lists name into one directory as `owner+name`, then "
        "`make corpus DIR=that`. A run that was ended goes on where it was, the smallest releases first.",
        "",
        "## What check says of judged numbers",
        "",
        *table(
            f"| | {HEADS} |",
            [*scores(rows), f"| differs, precision: of all that check points at in these releases, do | "
                            f"{decided(all_.accused)} |"],
        ),
        *table(
            "| judged | " + " | ".join(words) + " |",
            (
                f"| {truth} | " + " | ".join(str(counts[truth, word]) for word in words) + " |"
                for truth in ("follows", "differs", "given", "unknown")
            ),
        ),
        "`unknown` has no record in the release (or needs a model fitted anew); `not read` is not among the numbers "
        "that `check` lists. Where a number follows and `check` says so, it names the file that the reader named in "
        f"{same_file(rows)}.",
        "",
        "## What the audit finds",
        "",
        *table(
            f"| | {HEADS} |",
            [
                *(
                    f"| {grade}s, precision | {decided([row for row in all_.findings if row['grade'] == grade])} |"
                    for grade in GRADES
                ),
                "| recall: of the errors that some build of the audit found in these papers and reading confirmed | "
                f"{by_part(all_.known, lambda row: row['found'], lambda _row: True)} |",
            ],
        ),
        "Each finding was judged by reading. What no build ever found is not known, so this recall is of what was "
        "found once; `benchmarks/recall.py` and `benchmarks/declared.py` plant errors instead.",
        "",
        "## By field",
        "",
        *table(GROUPED, grouped(rows, lambda row: row["field"])),
        "## By kind of file and of record",
        "",
        *table(GROUPED, grouped([row for row in rows if row.get("from")], ending_of)),
        *table(
            GROUPED,
            [*grouped([row for row in rows if row["truth"] == "follows"], kind_of), *grouped(rows, place_of)],
        ),
        "## What is missed, and what failed",
        "",
        *table(f"| judged, and the record that gives it | {HEADS} |", missed(rows)),
        *table(f"| | {HEADS} |", failures(runs)),
        *(f"- {run['repository']}, {run['paper']}: {run['message']}" for run in runs
          if "message" in run and run["part"] == "development"),
        "",
        "## Stated odds",
        "",
        *table("| stated | mean | right |", stated),
        *(["![Stated odds against observed frequencies](how-well-it-works.svg)", ""] if stated else
          ["`check` stated no odds for these numbers.", ""]),
        "## Public benchmarks",
        "",
        *(line for name, lines in all_.public for line in table(f"| {name} | |", lines or ["| not run | |"])),
        "## Time and memory",
        "",
        *table(f"| | {HEADS} |", costs(runs)),
        "CPU seconds and memory depend on the machine and on what else runs there. Other figures depend on no clock, "
        "except of what was left out for want of time: `check` and `audit` keep a budget of CPU seconds.",
        "",
        *not_run(all_.absent),
    ]  # fmt: skip
    text = "\n".join(everything).rstrip() + "\n"
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text, plot
