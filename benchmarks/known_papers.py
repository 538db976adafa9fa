"""False alarms in ten well-known papers: `python benchmarks/known_papers.py CLONES`.

CLONES holds `michae6345-crypto+paper-verify`, whose ground truth has ten papers as LaTeX, tables that tempt a checker,
and one true inconsistency: a score that the text gives as 41.0 and the abstract and a table give as 41.8. A second one,
a difference of 5.2 and 5.3 printed as +0.1, was pointed at by the audit and then confirmed by reading, so it is no
measure of what is found. Every other accusation is taken to be wrong.
"""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from corpus_answers import Clones, ask, clone_of, unpacked

REPOSITORY = "michae6345-crypto/paper-verify"
PAPERS = "fixtures/papers"
KNOWN = {"1706.03762": {"41.0", "41.8"}, "2103.00020": {"5.2", "5.3", "+0.1"}}
BROKEN = ("contradiction", "suspicion")


def measure(clones: Clones) -> Counter[str] | None:
    """Counts of what the audit says of the ten papers; None where there is no clone."""
    clone = clone_of(clones.directory, REPOSITORY)
    if clone is None:
        return None
    git = ["git", "-C", str(clone)]
    commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, check=True, text=True).stdout.strip()
    names = subprocess.run(
        [*git, "ls-tree", "-r", "--name-only", commit, f"{PAPERS}/"], capture_output=True, check=True, text=True
    ).stdout.split()
    counts: Counter[str] = Counter()
    for main in _mains(git, commit, [name for name in names if name.endswith(".tex")]):
        compute = functools.partial(counted, clone, commit, main)
        counts.update(clones.keep("known", REPOSITORY, commit, main, compute=compute))
    return counts


def counted(clone: Path, commit: str, main: str) -> Counter[str]:
    """Counts of one paper."""
    with unpacked(clone, commit, main, None) as root:
        answer = ask("audit", str(root / main), "--root", str((root / main).parent))
    counts: Counter[str] = Counter(papers=1, numbers=answer.document["coverage"]["numbers"])
    for claim in answer.document["claims"]:
        if claim["grade"] in BROKEN:
            printed = {number["printed"] for number in claim["numbers"]}
            known = KNOWN.get(main.split("/")[2], {""}) <= printed
            counts["known" if known else claim["grade"]] += 1
    return counts


def _mains(git: list[str], commit: str, names: list[str]) -> list[str]:
    """The file of each paper that begins its document."""
    mains: dict[str, str] = {}
    for name in names:
        text = subprocess.run([*git, "show", f"{commit}:{name}"], capture_output=True, check=True).stdout
        if re.search(rb"(?m)^[^%\n]*\\documentclass", text) and b"\\begin{document}" in text:
            mains.setdefault(name.split("/")[2], name)
    return list(mains.values())


def lines(counts: Counter[str]) -> list[str]:
    """For the page."""
    return [
        f"| numbers read in {counts['papers']} papers | {counts['numbers']} |",
        f"| true ones found, of {len(KNOWN)} (one listed because it was found) | {counts['known']} |",
        f"| other contradictions | {counts['contradiction']} |",
        f"| other suspicions | {counts['suspicion']} |",
    ]


if __name__ == "__main__":
    found = measure(Clones(Path(sys.argv[1])))
    print("\n".join(lines(found)) if found else f"no clone of {REPOSITORY}")
