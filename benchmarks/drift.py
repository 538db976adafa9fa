"""Numbers that a maintainer corrected later, at the commit before: `python benchmarks/drift.py CLONES`.

`corpus/drift.toml` has where each wrong number stood, what it was and what it became. It is found where `check` says
that it differs or contradicts, and named rightly where what the results give is the corrected number.
"""

from __future__ import annotations

import sys
from collections import Counter
from decimal import Decimal, InvalidOperation
from pathlib import Path

from corpus_answers import Answer, Clones, NoAnswerError, NotAskedError, listed, number_at, plain, share


def measure(clones: Clones) -> Counter[str]:
    """Counts over all cases whose clone is there, of the parts that are measured."""
    counts: Counter[str] = Counter()
    for case in listed("drift.toml", "case"):
        try:
            answer = clones.ask("check", case["repository"], case["before"], case["paper"], case["results"])
        except NotAskedError:
            counts["not run"] += 1
            continue
        except NoAnswerError:
            counts["unreadable"] += 1
            answer = Answer({"numbers": []}, 0.0, 0.0)
        counts["cases"] += 1
        numbers = answer.document["numbers"]
        before = counts["found"]
        for wrong in case["wrong"]:
            said = number_at(numbers, wrong, 4)
            counts["wrong"] += 1
            counts["there"] += wrong["there"]
            counts["read"] += said is not None
            if said is not None and said["word"] in ("differs", "contradicts"):
                counts["found"] += 1
                counts["named"] += _same(said.get("given"), wrong["corrected"])
            counts["follows"] += said is not None and said["word"] == "follows"
        counts["cases with a find"] += counts["found"] > before
    return counts


def _same(given: str | None, corrected: str) -> bool:
    """Whether what the results give prints as the corrected number does."""
    try:
        right = Decimal(plain(corrected))
        return abs(Decimal(plain(given or "")) - right) <= Decimal(1).scaleb(int(right.as_tuple().exponent)) / 2
    except (InvalidOperation, ValueError):
        return False


def lines(counts: Counter[str]) -> list[str]:
    """For the page."""
    read = f"corrected numbers that could be read, in {counts['cases']} cases ({counts['not run']} others were not run)"
    return [
        f"| {read} | {share(counts['read'], counts['wrong'])} |",
        f"| corrected numbers whose correction is among the results | {share(counts['there'], counts['wrong'])} |",
        f"| found: said to differ or to contradict | {share(counts['found'], counts['wrong'])} |",
        f"| found, with the corrected number | {share(counts['named'], counts['found'])} |",
        f"| missed: said to follow | {share(counts['follows'], counts['wrong'])} |",
        f"| cases whose paper or results could not be read | {share(counts['unreadable'], counts['cases'])} |",
        f"| cases in which at least one was found | {share(counts['cases with a find'], counts['cases'])} |",
    ]


if __name__ == "__main__":
    print("\n".join(lines(measure(Clones(Path(sys.argv[1]), held_out=True)))))
