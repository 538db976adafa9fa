"""Cells of a paper's table that another paper's table gives: `python benchmarks/arxiveri.py CLONES [--most 158]`.

CLONES holds `caml-lab+research`, with the arXiVeri benchmark: pairs of a target table, which quotes results of others,
and the source table that it quotes, with the cells that match, by hand. The target is checked as a paper, the source
as its results. A gold cell is found where `check` says that it follows; a cell that follows without being gold is
counted as unmatched, which includes true quotations that the annotators left out.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import tempfile
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from corpus_answers import ask, clone_of, plain, share

REPOSITORY = "caml-lab/research"
TRUTH = "arxiveri/dataset/ground_truth"


class Grid(HTMLParser):
    """The texts of an HTML table by row and column; a cell over several columns fills them all."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.starts: list[list[int]] = []
        """Columns at which a cell of each row begins: what the annotators count."""
        self._width = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
            self.starts.append([])
        elif tag in ("td", "th") and self.rows:
            self.starts[-1].append(len(self.rows[-1]))
            self._width = int(dict(attrs).get("colspan") or 1)
            self.rows[-1] += [""] * self._width

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            text = _unmarked(data).replace("|", "/")
            for column in range(len(self.rows[-1]) - self._width, len(self.rows[-1])):
                self.rows[-1][column] += text


def _unmarked(text: str) -> str:
    """Text without the commands and braces that are left of LaTeX."""
    return text.replace("\\mathbf{", "").replace("{", "").replace("}", "")


def as_markdown(grid: Grid) -> str:
    """The table of a Markdown paper."""
    width = max(map(len, grid.rows))
    padded = ([*row, *[""] * (width - len(row))] for row in grid.rows)
    rows = [f"| {' | '.join(text.strip() or ' ' for text in row)} |" for row in padded]
    return "\n".join([rows[0], "|" + "---|" * width, *rows[1:]]) + "\n"


def measure(directory: Path, most: int = 10**6) -> Counter[str] | None:
    """Counts of gold cells and of cells that follow; None where there is no clone."""
    clone = clone_of(directory, REPOSITORY)
    if clone is None:
        return None
    git = ["git", "-C", str(clone)]
    named = [*git, "ls-tree", "-r", "--name-only", "HEAD", f"{TRUTH}/cell_match/"]
    listing = subprocess.run(named, capture_output=True, check=True, text=True).stdout.split()
    counts: Counter[str] = Counter()
    for path in sorted(listing)[:most]:
        cells, tables = (
            json.loads(subprocess.run([*git, "show", f"HEAD:{one}"], capture_output=True, check=True).stdout)
            for one in (path, path.replace("cell_match", "table_match"))
        )
        counts += one_pair(cells, tables)
    return counts


def one_pair(cells: list[dict[str, Any]], tables: dict[str, str]) -> Counter[str]:
    """One target beside one source. Matches alternate: a target cell, then its source cell."""
    target, source = Grid(tables["target_table"]), Grid(tables["source_table"])
    counts: Counter[str] = Counter(pairs=1)
    if not target.rows or not source.rows:
        return counts
    with tempfile.TemporaryDirectory() as name:
        paper, results = Path(name) / "paper.md", Path(name) / "results"
        paper.write_text(as_markdown(target), encoding="utf-8")
        results.mkdir()
        with (results / "source.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([text.strip() for text in row] for row in source.rows)
        try:
            answer = ask("check", str(paper), str(results), "--no-audit", "--allow-unexplained")
        except RuntimeError:
            counts["unreadable"] += 1
            return counts
    said = {(number.get("line"), plain(number["printed"])): number["word"] for number in answer.document["numbers"]}
    gold = set()
    for cell in cells[::2]:
        row = int(cell["rowIndex"])
        # The line of rules stands below the first row.
        line = row + 1 if row == 0 else row + 2
        gold.add((line, plain(_unmarked(str(cell["value"])))))
    counts["gold"] += len(gold)
    counts["read"] += sum(place in said for place in gold)
    counts["found"] += sum(said.get(place) == "follows" for place in gold)
    counts["accused"] += sum(said.get(place) == "differs" for place in gold)
    counts["follows"] += sum(word == "follows" for word in said.values())
    counts["unmatched"] += sum(word == "follows" and place not in gold for place, word in said.items())
    return counts


def lines(counts: Counter[str]) -> list[str]:
    """For the page."""
    read = f"gold cells that could be read, in {counts['pairs']} pairs of tables"
    return [
        f"| {read} | {share(counts['read'], counts['gold'])} |",
        f"| gold cells found to follow | {share(counts['found'], counts['gold'])} |",
        f"| gold cells said to differ | {share(counts['accused'], counts['gold'])} |",
        f"| cells said to follow that are not gold | {share(counts['unmatched'], counts['follows'])} |",
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--most", type=int, default=10**6)
    options = parser.parse_args()
    found = measure(options.clones, options.most)
    print("\n".join(lines(found)) if found else f"no clone of {REPOSITORY}")
