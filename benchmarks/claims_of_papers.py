"""Claims written mechanically about the corpus's papers: `python benchmarks/claims_of_papers.py CLONES`.

As `sloppy_claims.py` says: claims that hold are written about each paper, then one address of each is moved to a
neighbour, and one digit of a cell is changed. A reader's slip should not end as a contradiction; an error of the paper
should be found.
"""

from __future__ import annotations

import contextlib
import functools
import io
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from corpus_answers import Clones, NotAskedError, listed, share, unpacked
from sealtrace.bundle.defects import BundleError
from sealtrace.claims.outline import read_papers
from sloppy_claims import measured


def measure(clones: Clones) -> Counter[str]:
    """Counts over all papers whose clone is there, of the parts that are measured."""
    counts: Counter[str] = Counter()
    for paper in listed("papers.toml", "paper"):
        key = "claims", paper["repository"], paper["commit"], paper["paper"]
        try:
            clone = clones.find(paper["repository"])
            counts.update(clones.keep(*key, compute=functools.partial(counted, clone, paper)))
        except NotAskedError:
            counts["not run"] += 1
    return counts


def counted(clone: Path, paper: dict[str, Any]) -> Counter[str]:
    """Counts of one paper: claims with a moved address, and claims about a changed cell, by what became of them."""
    with unpacked(clone, paper["commit"], paper["paper"], None) as root, contextlib.redirect_stdout(io.StringIO()):
        try:
            sloppy, wrong = measured([(paper["repository"], read_papers([root / paper["paper"]], root), None)])
        except BundleError:
            return Counter(unreadable=1)
    return Counter(
        {
            "papers": 1,
            "moved": sloppy.total(),
            "moved, accused": sloppy["contradiction"],
            # A change that still prints within the claim breaks nothing.
            "changed": wrong.total() - wrong["holds"],
            "changed, found": wrong["contradiction"] + wrong["suspicion"],
        }
    )


def lines(counts: Counter[str]) -> list[str]:
    """For the page."""
    where = f"in {counts['papers']} papers ({counts['not run']} others were not run, {counts['unreadable']} not read)"
    return [
        f"| claims with an address moved to a neighbour that end as a contradiction, {where} | "
        f"{share(counts['moved, accused'], counts['moved'])} |",
        "| claims that a changed digit of a cell breaks, and that are found as contradiction or suspicion | "
        f"{share(counts['changed, found'], counts['changed'])} |",
    ]


if __name__ == "__main__":
    print("\n".join(lines(measure(Clones(Path(sys.argv[1]), held_out=True)))))
