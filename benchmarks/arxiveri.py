"""Cells of a paper's table that another paper's table gives: `python benchmarks/arxiveri.py CLONES [--most 158]`.

CLONES holds `caml-lab+research`, with the arXiVeri benchmark: pairs of a target table, which quotes results of others,
and the source table that it quotes, with the cells that match, by hand. The target is checked as a paper, the source
as its results. A gold cell is found where `check` says that it follows; a cell that follows without being gold is
counted as unmatched, which includes true quotations that the annotators left out. Each target stands beside the source
of another paper as well: of such an empty pair no cell should be said to follow or to differ.
"""

from __future__ import annotations

import argparse
import csv
import functools
import json
import re
import subprocess
import tempfile
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from corpus_answers import Clones, clone_of, plain, share
from sealtrace.binding.checking import concluded, examine
from sealtrace.bundle.defects import BundleError
from sealtrace.contract.result import NumberResult
from sealtrace.paper.papers import read_paper

SECONDS = 20.0
REPOSITORY = "caml-lab/research"
TRUTH = "arxiveri/dataset/ground_truth"


class Grid(HTMLParser):
    """The texts of an HTML table by row and column; a cell over several rows and columns fills them all."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._cells: dict[tuple[int, int], str] = {}
        self._rows = 0
        self._here: list[tuple[int, int]] = []
        self.feed(text)
        width = max((column for _, column in self._cells), default=-1) + 1
        self.rows = [
            [self._cells.get((row, column), "").strip() for column in range(width)] for row in range(self._rows)
        ]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._rows += 1
        elif tag in ("td", "th") and self._rows:
            row, column = self._rows - 1, 0
            while (row, column) in self._cells:
                column += 1
            high, wide = (int(dict(attrs).get(name) or 1) for name in ("rowspan", "colspan"))
            # LaTeX's \\multirow spans upwards where its number is negative.
            rows = range(row, row + high) if high > 0 else range(row, max(-1, row + high), -1)
            block = [(other, column + right) for other in rows for right in range(wide)]
            self._here = [place for place in block if place[0] == row or not self._cells.get(place)]
            self._cells |= dict.fromkeys(self._here, "")

    def handle_data(self, data: str) -> None:
        text = _unmarked(data).replace("|", "/")
        for place in self._here:
            self._cells[place] += text

    @property
    def heading(self) -> int:
        """How many rows are headers: those above the first with a decimal, and one at least."""
        numbers = (at for at, row in enumerate(self.rows) if any(re.fullmatch(r"\W*\d+\.\d+\W*", text) for text in row))
        titles = (at for at, row in enumerate(self.rows) if at and len({*row}) == 1)
        return min(max(1, next(numbers, 1)), next(titles, 3), 3)

    def body(self, *, titled: bool) -> list[list[str]]:
        """The rows below the headers; one text over all columns is a title, or a column of what stands below it."""
        found: list[list[str]] = []
        title = ""
        for row in self.rows[self.heading :]:
            if len({*row}) == 1:
                title = row[0]
                found += [[title, *[""] * (len(row) - 1)]] if titled else []
            else:
                found.append(row if titled else [*row, title])
        return found

    def headers(self) -> list[str]:
        """Each column's header, from top to bottom."""
        return [" ".join(dict.fromkeys(text for text in column if text))
                for column in zip(*self.rows[: self.heading], strict=True)]  # fmt: skip


def _unmarked(text: str) -> str:
    """Text without the commands and braces that are left of LaTeX."""
    return text.replace("\\mathbf{", "").replace("{", "").replace("}", "")


def as_markdown(grid: Grid, caption: str) -> str:
    """The table of a Markdown paper; its first row stands in line 5."""
    rows = [f"| {' | '.join(text or ' ' for text in row)} |" for row in (grid.headers(), *grid.body(titled=True))]
    told = " ".join(_unmarked(caption).split()) or "Table."
    return "\n".join([told, "", rows[0], "|" + "---|" * len(grid.rows[0]), *rows[1:]]) + "\n"


def measure(clones: Clones, most: int = 10**6, every: int = 1, show: bool = False) -> Counter[str] | None:
    """Counts of gold cells and of cells that follow; None where there is no clone."""
    clone = clone_of(clones.directory, REPOSITORY)
    if clone is None:
        return None
    git = ["git", "-C", str(clone)]
    listed = [*git, "ls-tree", "-r", "--name-only", "HEAD", f"{TRUTH}/cell_match/"]
    listing = subprocess.run(listed, capture_output=True, check=True, text=True).stdout.split()
    counts: Counter[str] = Counter()

    def read(path: str) -> Any:
        return json.loads(subprocess.run([*git, "show", f"HEAD:{path}"], capture_output=True, check=True).stdout)

    def counted(path: str, other: str) -> Counter[str]:
        tables, unlike = (read(one.replace("cell_match", "table_match")) for one in (path, other))
        pair = {name: (tables if name.startswith("target") else unlike)[name] for name in tables}
        return one_pair(read(path) if path == other else [], pair, "/".join(path.rsplit("/", 2)[1:]), show)

    paths = sorted(listing)
    usable = [path for path in paths if read(path)]
    for place, path in list(enumerate(paths))[::every][:most]:
        later = (one for one in paths[place:] + paths[:place] if one in usable)
        foreign = next(one for one in later if not set(one.split("/")[-2:]) & set(path.split("/")[-2:]))
        for other in (path, foreign):
            # What is to be shown is computed, whatever was kept.
            compute = functools.partial(counted, path, other)
            found = compute() if show else clones.keep("arxiveri", REPOSITORY, path, other, compute=compute)
            named = found if other == path else {f"empty {name}": count for name, count in found.items()}
            counts.update(named)
    return counts


def _word(number: NumberResult) -> str:
    """What is said of a number; what probably differs counts as said."""
    return "differs" if number.status == "probably-off" else number.word


def one_pair(cells: list[dict[str, Any]], tables: dict[str, str], name: str = "", show: bool = False) -> Counter[str]:
    """One target beside one source. Matches alternate: a target cell, then its source cell."""
    target, source = Grid(tables["target_table"]), Grid(tables["source_table"])
    counts: Counter[str] = Counter(pairs=1)
    if not target.rows or not source.rows:
        return counts
    with tempfile.TemporaryDirectory() as directory:
        paper, results = Path(directory) / "paper.md", Path(directory) / "results"
        paper.write_text(as_markdown(target, tables["target_caption"]), encoding="utf-8")
        results.mkdir()
        with (results / "source.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([[*source.headers(), "group"], *source.body(titled=False)])
        try:
            findings = examine(read_paper(paper, None), paper.name, results, seconds=SECONDS)
        except BundleError:
            counts["unreadable"] += 1
            return counts
    numbers = concluded(findings).numbers
    said = {(number.line, plain(number.printed)): _word(number) for number in numbers}
    gold = set()
    for cell in cells[::2]:
        row = int(cell["rowIndex"])
        gold.add((row - target.heading + 5 if row >= target.heading else 3, plain(_unmarked(str(cell["value"])))))
    counts["gold"] += len(gold)
    counts["read"] += sum(place in said for place in gold)
    counts["found"] += sum(said.get(place) == "follows" for place in gold)
    counts["accused"] += sum(said.get(place) == "differs" for place in gold)
    counts["cells"] += len(said)
    counts["follows"] += sum(word == "follows" for word in said.values())
    counts["differs"] += sum(word == "differs" for word in said.values())
    if show:
        for number in numbers:
            place = (number.line, plain(number.printed))
            told = f"{number.row}, {number.column}: {number.printed}"
            if place in gold and _word(number) != "follows":
                print(f"  {name} gold {_word(number)} {told} {number.given or ''} {number.odds or ''}")
            elif place not in gold and _word(number) == "differs":
                print(f"  {name} other {told} -> {number.given} ({number.odds})")
    counts["unmatched"] += sum(word == "follows" and place not in gold for place, word in said.items())
    return counts


def lines(counts: Counter[str]) -> list[str]:
    """For the page."""
    foreign = f"beside a table of another paper, in {counts['empty pairs']} pairs"
    read = f"gold cells that could be read, in {counts['pairs']} pairs of tables"
    return [
        f"| {read} | {share(counts['read'], counts['gold'])} |",
        f"| gold cells found to follow | {share(counts['found'], counts['gold'])} |",
        f"| gold cells said to differ | {share(counts['accused'], counts['gold'])} |",
        f"| of the cells said to differ, gold ones | {share(counts['accused'], counts['differs'])} |",
        f"| cells said to differ {foreign} | {share(counts['empty differs'], counts['empty cells'])} |",
        f"| cells said to follow there | {share(counts['empty follows'], counts['empty cells'])} |",
        f"| cells said to follow that are not gold | {share(counts['unmatched'], counts['follows'])} |",
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--most", type=int, default=10**6)
    parser.add_argument("--every", type=int, default=1, help="only every so manyth pair")
    parser.add_argument("--show", action="store_true", help="gold cells that do not follow, and cells that differ")
    options = parser.parse_args()
    found = measure(Clones(options.clones), options.most, options.every, options.show)
    print("\n".join(lines(found)) if found else f"no clone of {REPOSITORY}")
