"""Writes docs/how-well-it-works.md from clones of the corpus: `make corpus DIR=…`, or

    python benchmarks/how_well.py CLONES [--held-out] [--only NAME] [--without PART …] [--answers FILE] [--write]

Each release of `corpus/releases.toml` whose clone lies in CLONES (as `owner+name`) is checked at the listed commit,
and what `check` says is held against `corpus/judgements/`, which were written by reading before it had said anything.
Without `--held-out`, only the development part is run. `--answers` keeps one line for each judged number, for whoever
wants to look at single cases; of the held-out part nothing but sums is kept.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import arxiveri
import drift
import known_papers
import statcheck_gold
from corpus_answers import CORPUS, Answer, ask, clone_of, is_held_out, listed, number_at, share, unpacked

PAGE = Path(__file__).parents[1] / "docs" / "how-well-it-works.md"
PLOT = PAGE.with_name("how-well-it-works.svg")
SLACK = 4
"""Lines between where a sentence is reported and where its number stands, in sources with short lines."""
PARTS = ("development", "held-out")
PUBLIC = {
    "drift": ("Numbers that maintainers corrected later", drift),
    "arxiveri": ("arXiVeri: tables that quote tables", arxiveri),
    "statcheck": ("statcheck: tests coded by hand", statcheck_gold),
    "known": ("Ten known papers of paper-verify: false alarms", known_papers),
}
Row = dict[str, Any]


def judged(name: str) -> list[Row]:
    """The judgements of one repository."""
    path = CORPUS / "judgements" / f"{name.replace('/', '+')}.toml"
    return list(tomllib.loads(path.read_text(encoding="utf-8")).get("number", [])) if path.exists() else []


def checked(release: Row, clone: Path) -> tuple[Answer | None, str]:
    """What `check` says of a release, or why it says nothing."""
    with unpacked(clone, release["commit"], release["paper"], release["results"]) as root:
        try:
            return ask("check", str(root / release["paper"]), str(root / release["results"]), "--allow-unexplained"), ""
        except RuntimeError as error:
            return None, str(error).replace(str(root), "")


def compared(release: Row, answer: Answer) -> list[Row]:
    """Each judged number of a release, with the word that `check` has for it."""
    rows = []
    for one in judged(release["repository"]):
        slack = 0 if one["place"] == "table" else SLACK
        found = number_at(answer.document["numbers"], one, slack)
        behind = " ".join([found.get("formula") or "", *found.get("records", [])]) if found else ""
        rows.append({
            **one,
            "repository": release["repository"], "field": release["field"], "part": release["part"],
            "word": found["word"] if found else "not read",
            "given": found.get("given") if found else None,
            "odds": found.get("odds") if found else None,
            "same file": Path(one.get("from", "")).name in behind if one.get("from") else None,
        })  # fmt: skip
    return rows


def is_right(row: Row) -> bool | None:
    """Whether the word is right; None where it says nothing that could be wrong."""
    if row["word"] == "follows":
        return bool(row["truth"] in ("follows", "given"))
    if row["word"] in ("differs", "contradicts"):
        return bool(row["truth"] == "differs")
    return None


def accusations(costs: list[tuple[str, Answer]]) -> str:
    """Everything that was said to differ, judged before or after, as one line of the table."""
    later: dict[str, list[Row]] = defaultdict(list)
    for one in listed("accusations.toml", "accusation"):
        later[one["repository"]].append({**one, "truth": "differs" if one["right"] else "follows", "place": "text"})
    cells = []
    for held_out in (False, True):
        right = wrong = rest = 0
        for name, answer in costs:
            if is_held_out(name) != held_out:
                continue
            numbers = answer.document["numbers"]
            accused = [one for one in numbers if one["word"] in ("differs", "contradicts")]
            for one in [*judged(name), *later[name]]:
                if number_at(accused, one, 0 if one["place"] == "table" else SLACK):
                    right += one["truth"] == "differs"
                    wrong += one["truth"] != "differs"
            rest += len(accused)
        left = f", {rest - right - wrong} not judged" if rest > right + wrong else ""
        cells.append(share(right, right + wrong) + left)
    return f"| differs: of all that check points at in these releases, so many do | {' | '.join(cells)} |"


def table(head: str, rows: Iterable[str]) -> list[str]:
    """A Markdown table."""
    columns = head.count("|") - 1
    return [head, "|---" + "|---:" * (columns - 1) + "|", *rows, ""]


def scores(rows: list[Row]) -> list[str]:
    """Recall and precision of the two words, a line each."""

    def cells(measure: Callable[[list[Row]], tuple[int, int]]) -> str:
        return " | ".join(share(*measure([row for row in rows if row["part"] == part])) for part in PARTS)

    def hits(truth: str, words: tuple[str, ...]) -> Callable[[list[Row]], tuple[int, int]]:
        return lambda some: (
            sum(row["word"] in words for row in some if row["truth"] == truth),
            sum(row["truth"] == truth for row in some),
        )

    def right(words: tuple[str, ...]) -> Callable[[list[Row]], tuple[int, int]]:
        return lambda some: (
            sum(bool(is_right(row)) for row in some if row["word"] in words),
            sum(row["word"] in words for row in some),
        )

    found = ("differs", "contradicts")
    return [
        f"| follows: of those that follow, so many are said to (recall) | {cells(hits('follows', ('follows',)))} |",
        f"| follows: of those said to, so many do (precision) | {cells(right(('follows',)))} |",
        f"| differs: of those that differ, so many are pointed at (recall) | {cells(hits('differs', found))} |",
        f"| differs: of those pointed at, so many do (precision) | {cells(right(found))} |",
        f"| given: settings and citations that are accused | {cells(hits('given', found))} |",
        f"| unknown: numbers without records that are accused | {cells(hits('unknown', found))} |",
        f"| unknown: numbers without records that are said to follow | {cells(hits('unknown', ('follows',)))} |",
    ]


def grouped(rows: list[Row], key: Callable[[Row], str]) -> list[str]:
    """Recall of `follows`, and what was said wrongly, for each group of numbers that follow."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    lines = []
    for name, some in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        follow = [row for row in some if row["truth"] == "follows"]
        hit = sum(row["word"] == "follows" for row in follow)
        wrong = sum(is_right(row) is False for row in some)
        lines.append(f"| {name} | {len(some)} | {share(hit, len(follow))} | {wrong} |")
    return lines


def kind_of(row: Row) -> str:
    """How the named record gives a number that follows."""
    if row.get("value") is None:
        return "derived from several records"
    return "a record, times 100" if row.get("times") else "a record as it is"


def missed(rows: list[Row]) -> list[str]:
    """What is missed: numbers that follow and are not said to, and numbers that differ and are not pointed at."""
    causes: Counter[str] = Counter()
    for row in rows:
        where = "in a table" if row["place"] == "table" else "in the text"
        if row["truth"] == "follows" and row["word"] != "follows":
            read = ", not read as a number" if row["word"] == "not read" else ""
            causes[f"follows, {where}: {kind_of(row)}, .{Path(row['from']).suffix.lstrip('.')}{read}"] += 1
        elif row["truth"] == "differs" and row["word"] not in ("differs", "contradicts"):
            causes[f"differs, {where}: {row['why']}"] += 1
    return [f"| {cause} | {count} |" for cause, count in causes.most_common(12)]


def calibration(rows: list[Row]) -> tuple[list[str], str]:
    """Stated odds against how often the word was right, as a table and a plot."""
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for row in rows:
        right = is_right(row)
        if right is not None and row["odds"]:
            stated = row["odds"] / (1 + row["odds"])
            bins[min(9, int(stated * 10))].append((stated, right))
    lines, marks = [], []
    for _bin, pairs in sorted(bins.items()):
        stated, seen = statistics.fmean(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
        lines.append(f"| {100 * stated:.0f} % | {share(seen, len(pairs))} |")
        marks.append((stated, seen / len(pairs), len(pairs)))
    dots = "".join(
        f'<circle cx="{40 + 240 * x:.1f}" cy="{260 - 240 * y:.1f}" r="{2 + n**0.5 / 2:.1f}" fill="#36c"/>'
        for x, y, n in marks
    )
    plot = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 300" font-family="sans-serif" font-size="11">'
        '<rect x="40" y="20" width="240" height="240" fill="none" stroke="#999"/>'
        '<line x1="40" y1="260" x2="280" y2="20" stroke="#999" stroke-dasharray="4"/>'
        f'{dots}<text x="160" y="290" text-anchor="middle">stated probability</text>'
        '<text x="14" y="140" text-anchor="middle" transform="rotate(-90 14 140)">observed share</text></svg>\n'
    )
    return lines, plot


def page(
    rows: list[Row], costs: list[tuple[str, Answer]], silent: dict[str, str], audits: list[Row], public: list[str]
) -> tuple[str, str]:
    """The page and its plot."""
    releases = {release["repository"]: release for release in listed("releases.toml", "release")}
    fields = {releases[name]["field"] for name, _answer in costs}
    words = ("follows", "differs", "contradicts", "open", "given", "not read")
    seconds = [answer.seconds for _name, answer in costs]
    memory = [answer.mebibytes for _name, answer in costs]
    numbers = sum(answer.document["coverage"]["numbers"] for _name, answer in costs)
    stated, plot = calibration(rows)
    everything = [
        "# How well it works",
        "",
        f"Written by `make corpus` on {datetime.now(UTC):%Y-%m-%d} with sealtrace {version('sealtrace')} and Python "
        f"{platform.python_version()}. {len(costs)} public releases from {len(fields)} fields print {numbers:,} "
        f"numbers; {len(rows)} of them were judged by reading, before `check` had said anything of them: "
        f"{sum(row['drawn'] for row in rows)} drawn by a hash of their place, mostly among those with decimals, and "
        "others that differ chosen besides. "
        f"{sum(row.get('amended', False) for row in rows)} of the judgements was corrected after an answer. What could "
        "not be decided by reading was left out, so recall is that of decidable numbers; "
        "`benchmarks/corpus/README.md` has the "
        "rules, and what was changed on the way. Shares are followed by Wilson's interval at 95 %.",
        "",
        "A third of the repositories is held out, by a hash of the name, since 2026-11-18: it is measured when a "
        "version is made (`HELD_OUT=1`), and nobody mends from it. Lists and judgements are in `benchmarks/corpus/`; "
        "the releases are not. To run it, clone what the lists name into one directory as `owner+name`, then "
        "`make corpus DIR=that`.",
        "",
        "## What check says of judged numbers",
        "",
        *table("| | development | held out |", [*scores(rows), accusations(costs)]),
        *table(
            "| judged | " + " | ".join(words) + " |",
            (
                f"| {truth} | " + " | ".join(str(counts[truth, word]) for word in words) + " |"
                for counts in [Counter((row["truth"], row["word"]) for row in rows)]
                for truth in ("follows", "differs", "given", "unknown")
            ),
        ),
        "`unknown` has no record in the release (or needs a model fitted anew); `not read` is not among the numbers "
        "that `check` lists. "
        f"Where a number follows and `check` says so, it names the file that the reader named in "
        f"{share(*_same_file(rows))}.",
        "",
        "## By field",
        "",
        *table(
            "| field | judged | said to follow, of those that do | said wrongly |",
            grouped(rows, lambda row: row["field"]),
        ),
        "## By kind of file and of record",
        "",
        *table(
            "| the record is in | judged | said to follow, of those that do | said wrongly |",
            grouped([row for row in rows if row.get("from")], lambda row: Path(row["from"]).suffix.lstrip(".")),
        ),
        *table(
            "| the number is | judged | said to follow, of those that do | said wrongly |",
            [
                *grouped([row for row in rows if row["truth"] == "follows"], kind_of),
                *grouped(rows, lambda row: "in a table" if row["place"] == "table" else "in the text"),
            ],
        ),
        "## What is missed",
        "",
        *table("| judged, and the record that gives it | missed |", missed(rows)),
        "## Stated odds",
        "",
        *(
            [
                *table("| stated | right |", stated),
                "![Stated odds against observed frequencies](how-well-it-works.svg)",
                "",
            ]
            if stated
            else ["`check` stated no odds for these numbers.", ""]
        ),
        "## What the audit finds",
        "",
        *_audit_section(audits),
        "## Public benchmarks",
        "",
        *public,
        "## Time and memory",
        "",
        f"A check takes {statistics.median(seconds):.1f} CPU seconds (median; {max(seconds):.0f} at most) and "
        f"{statistics.median(memory):.0f} MiB (median; {max(memory):.0f} at most).",
        "",
        *(["Nothing was said of:", "", *(f"- {name}: {why}" for name, why in silent.items()), ""] if silent else []),
    ]
    return "\n".join(everything).rstrip() + "\n", plot


def audited(directory: Path, *, with_held_out: bool) -> list[Row]:
    """What the audit finds in the listed papers, each finding with its judgement where it has one."""
    known: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for one in listed("findings.toml", "finding"):
        known[one["repository"], one["paper"]].append(one)
    rows: list[Row] = []
    for paper in listed("papers.toml", "paper"):
        clone = clone_of(directory, paper["repository"])
        if clone is None or (is_held_out(paper["repository"]) and not with_held_out):
            continue
        with unpacked(clone, paper["commit"], paper["paper"], None) as root:
            try:
                document = ask("audit", str(root / paper["paper"]), "--root", str(root)).document
            except RuntimeError:
                rows.append({"part": paper["part"], "grade": "unreadable", "numbers": 0})
                continue
        rows.append({"part": paper["part"], "grade": "read", "numbers": document["coverage"]["numbers"]})
        for claim in document["claims"]:
            if claim["grade"] in ("contradiction", "suspicion"):
                judgement = _judgement(claim, known[paper["repository"], paper["paper"]])
                rows.append({"part": paper["part"], "grade": claim["grade"], "right": judgement, "numbers": 0})
    return rows


def _judgement(claim: Row, known: list[Row]) -> bool | None:
    """Whether a finding is right; None where nobody has judged it."""
    lines = {number.get("line") for number in claim["numbers"]}
    printed = {number["printed"] for number in claim["numbers"]}
    for one in known:
        if lines & set(one["lines"]) and len(printed & set(one["printed"])) >= min(2, len(one["printed"])):
            return bool(one["right"])
    return None


def findings(rows: list[Row]) -> list[str]:
    """The audit's findings, a line for each grade."""
    lines = []
    for grade in ("contradiction", "suspicion"):
        cells = []
        for part in PARTS:
            some = [row for row in rows if row["grade"] == grade and row["part"] == part]
            decided = [row["right"] for row in some if row["right"] is not None]
            left = f", {len(some) - len(decided)} not judged" if len(some) > len(decided) else ""
            cells.append(share(sum(decided), len(decided)) + left)
        lines.append(f"| {grade}s that are right | {' | '.join(cells)} |")
    return lines


def _audit_section(audits: list[Row]) -> list[str]:
    read = [row for row in audits if row["grade"] == "read"]
    if not read:
        return ["Not run.", ""]
    said = (
        f"{len(read)} papers print {sum(row['numbers'] for row in read):,} numbers. Each finding was judged by reading."
    )
    return [said, "", *table("| | development | held out |", findings(audits))]


def _same_file(rows: list[Row]) -> tuple[int, int]:
    both = [row for row in rows if row["truth"] == row["word"] == "follows" and row["same file"] is not None]
    return sum(row["same file"] for row in both), len(both)


def _public(directory: Path, without: list[str]) -> list[str]:
    lines: list[str] = []
    for key, (name, module) in PUBLIC.items():
        counts = None if key in without else module.measure(directory)
        lines += table(f"| {name} | |", module.lines(counts) if counts else ["| not run | |"])
    return lines


def main() -> int:
    """Runs the corpus."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--held-out", action="store_true", help="run the held-out part, too")
    parser.add_argument("--only", default="", help="releases whose name has this in it; writes no page")
    parser.add_argument(
        "--answers", type=Path, help="write each judged number of the development part with what was said"
    )
    parser.add_argument("--without", nargs="*", default=[], choices=[*PUBLIC, "audits"], help="leave these out")
    parser.add_argument("--write", action="store_true", help="write the page; otherwise it is printed")
    options = parser.parse_args()
    rows: list[Row] = []
    costs: list[tuple[str, Answer]] = []
    silent: dict[str, str] = {}
    for release in listed("releases.toml", "release"):
        name = release["repository"]
        clone = clone_of(options.clones, name)
        if clone is None or options.only not in name or (is_held_out(name) and not options.held_out):
            continue
        answer, why = checked(release, clone)
        if answer is None:
            silent[name] = why
            continue
        costs.append((name, answer))
        found = compared(release, answer)
        rows += found
        wrong = sum(is_right(row) is False for row in found)
        print(f"{name}: {answer.seconds:.0f} s, {len(found)} judged, {wrong} said wrongly", file=sys.stderr)
    if options.answers:
        kept = [row for row in rows if row["part"] == "development"]
        options.answers.write_text(
            "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in kept), encoding="utf-8"
        )
    if not costs:
        print(f"{options.clones}: no clone of a listed release", file=sys.stderr)
        return 2
    if options.only:
        print("\n".join(table("| | development | held out |", scores(rows))))
        return 0
    skipped = "audits" in options.without
    audits = [] if skipped else audited(options.clones, with_held_out=options.held_out)
    text, plot = page(rows, costs, silent, audits, _public(options.clones, options.without))
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
        PLOT.write_text(plot, encoding="utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
