"""What the audit finds where a header, a label or a caption states a relation: `python benchmarks/declared.py [SIZE]`.

Small tables (three to seven rows, one to three columns of numbers) and sentences are made up, each of a kind that says
what follows from what. They are audited as they are, where anything broken is a false alarm, and with one digit of one
of their numbers changed, so that a number misses by two units of its last place or more: then the error counts as
found where a contradiction or a suspicion speaks of the changed number. A change with which the stated relation still
holds, by the same proof, is none: it is counted apart.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

from sealtrace.paper.reported import read_reported
from sealtrace.relations.auditing import audit
from sealtrace.relations.subjects import subject_of

SEED, PAPERS = 11, 25
NAMES = ("Alder", "Beech", "Cedar", "Dogwood", "Elm", "Fir", "Gum")
Chance = random.Random
Rows = list[list[str]]


def _table(head: list[str], rows: Rows, caption: str = "Trees.") -> str:
    lines = [" & ".join(row).replace("%", r"\%") + r" \\" for row in (head, *rows)]
    lines.insert(1, r"\midrule")
    body = "\n".join(lines)
    return (
        f"\\begin{{table}}\\caption{{{caption}}}\\label{{tab:t}}\n\\begin{{tabular}}{{{'l' * len(head)}}}\n{body}\n"
        "\\end{tabular}\\end{table}\n"
    )


def _counts(chance: Chance) -> tuple[list[str], list[list[int]]]:
    names, columns = list(NAMES[: chance.randint(3, 7)]), chance.randint(1, 3)
    return names, [[chance.randint(11, 989) for _ in range(columns)] for _name in names]


def _scores(chance: Chance) -> tuple[list[str], list[list[Fraction]]]:
    names, counts = _counts(chance)
    return names, [[Fraction(count, 10) for count in row] for row in counts]


def _shown(value: Fraction, decimals: int = 1) -> str:
    return f"{float(round(value, decimals)):.{decimals}f}"


def _heads(size: int) -> list[str]:
    return ["Tree", *("Spring", "Summer", "Autumn")[:size]]


def total_row(chance: Chance) -> str:
    """A last row `All` or `Total` below counts."""
    names, counts = _counts(chance)
    rows = [[name, *map(str, row)] for name, row in zip(names, counts, strict=True)]
    last = [chance.choice(("Total", "All")), *(str(sum(column)) for column in zip(*counts, strict=True))]
    heads = ["Tree", *("Count", "Samples", "Cases")[: len(counts[0])]]
    return _table(heads, [*rows, last])


def total_column(chance: Chance) -> str:
    """A last column `Total` behind counts."""
    names, counts = _counts(chance)
    every = [[*row, chance.randint(11, 989)] for row in counts]
    heads = ["Tree", *("Felled", "Planted", "Moved", "Lost")[: len(every[0])], "Total"]
    return _table(heads, [[name, *map(str, row), str(sum(row))] for name, row in zip(names, every, strict=True)])


def mean_row(chance: Chance) -> str:
    """A last row `Mean over 5 trees`."""
    names, scores = _scores(chance)
    rows = [[name, *map(_shown, row)] for name, row in zip(names, scores, strict=True)]
    means = [_shown(sum(column, Fraction(0)) / len(names)) for column in zip(*scores, strict=True)]
    return _table(_heads(len(means)), [*rows, [f"Mean over {len(names)} trees", *means]])


def against_row(chance: Chance) -> str:
    """A column `Δ vs. Alder`."""
    names, scores = _scores(chance)
    rows = []
    for name, (first, *_rest) in zip(names, scores, strict=True):
        gap = first - scores[0][0]
        rows.append([name, _shown(first), "--" if name == names[0] else f"{float(gap):+.1f}"])
    return _table(["Tree", "Yield", f"$\\Delta$ vs. {names[0]}"], rows)


def difference(chance: Chance) -> str:
    """A column headed `After - Before`, or Δ beside the two."""
    rows = []
    for name in NAMES[: chance.randint(3, 7)]:
        before, after = (Fraction(chance.randint(110, 989), 10) for _ in range(2))
        rows.append([name, _shown(before), _shown(after), f"{float(after - before):+.1f}"])
    return _table(["Tree", "Before", "After", chance.choice(("After - Before", r"$\Delta$"))], rows)


def f1(chance: Chance) -> str:
    """F1 beside precision and recall."""
    rows = []
    for name in NAMES[: chance.randint(3, 7)]:
        precision, recall = (Fraction(chance.randint(300, 990), 1000) for _ in range(2))
        both = 2 * precision * recall / (precision + recall)
        rows.append([name, *(_shown(value, 3) for value in (precision, recall, both))])
    return _table(["Tree", "Precision", "Recall", "F1"], rows)


def speed_up(chance: Chance) -> str:
    """A speed-up beside two times, or of one time against the first row."""
    rows, base, beside = [], Fraction(0), chance.random() < 0.5
    for name in NAMES[: chance.randint(3, 7)]:
        slow, fast = Fraction(chance.randint(200, 999), 10), Fraction(chance.randint(11, 99), 10)
        base = base or slow
        times = [slow, fast] if beside else [slow]
        rows.append([name, *map(_shown, times), _shown((slow / fast) if beside else base / slow, 2)])
    return _table(["Tree", *(["Old (s)", "New (s)"] if beside else ["Time (s)"]), "Speedup"], rows)


def precision(chance: Chance) -> str:
    """Precision beside its counts."""
    rows = []
    for name in NAMES[: chance.randint(3, 7)]:
        hits, misses = chance.randint(20, 400), chance.randint(20, 400)
        rows.append([name, str(hits), str(misses), _shown(Fraction(hits, hits + misses), 3)])
    return _table(["Tree", "TP", "FP", "Precision"], rows)


def error_rate(chance: Chance) -> str:
    """An error rate beside its accuracy."""
    rows = []
    for name in NAMES[: chance.randint(3, 7)]:
        right = Fraction(chance.randint(300, 990), 10)
        rows.append([name, _shown(right), _shown(100 - right)])
    return _table(["Tree", "Accuracy (%)", "Error rate (%)"], rows)


def quotient(chance: Chance) -> str:
    """A column headed `Wood / Bark`."""
    rows = []
    for name in NAMES[: chance.randint(3, 7)]:
        wood, bark = Fraction(chance.randint(200, 999), 10), Fraction(chance.randint(11, 99), 10)
        rows.append([name, _shown(wood), _shown(bark), _shown(wood / bark, 2)])
    return _table(["Tree", "Wood", "Bark", "Wood / Bark"], rows)


def shares(chance: Chance) -> str:
    """A column of percentages beside counts."""
    names, counts = _counts(chance)
    first = [row[0] for row in counts]
    rows = [
        [name, str(count), _shown(Fraction(100 * count, sum(first)))] for name, count in zip(names, first, strict=True)
    ]
    return _table(["Tree", "Count", "%"], rows)


def captioned(chance: Chance) -> str:
    """A caption that says how many there are in total."""
    names, counts = _counts(chance)
    rows = [[name, str(row[0])] for name, row in zip(names, counts, strict=True)]
    return _table(["Tree", "Count"], rows, f"A total of {sum(row[0] for row in counts):,} trees by kind.")


def part_of(chance: Chance) -> str:
    """Of the 48,200 records, 3,133 (6.5 %) were lost."""
    whole = chance.randint(2000, 90000)
    part = chance.randint(100, whole)
    return f"Of the {whole:,} records, {part:,} ({_shown(Fraction(100 * part, whole))}\\%) were lost.\n"


def mean_of(chance: Chance) -> str:
    """31,200 over 800 days (mean 39.0)."""
    days, total = chance.randint(20, 900), chance.randint(2000, 90000)
    return f"We counted {total:,} visits over {days} days (mean {_shown(Fraction(total, days))}).\n"


def faster(chance: Chance) -> str:
    """4.0× faster (20.0 s against 5.0 s)."""
    slow, fast = Fraction(chance.randint(200, 999), 10), Fraction(chance.randint(11, 99), 10)
    return f"It is {_shown(slow / fast)}$\\times$ faster ({_shown(slow)} s against {_shown(fast)} s).\n"


KINDS: dict[str, Callable[[Chance], str]] = {
    kind.__name__.replace("_", " "): kind
    for kind in (
        total_row, total_column, mean_row, against_row, difference, f1, speed_up, precision, error_rate, quotient,
        shares, captioned, part_of, mean_of, faster,
    )
}  # fmt: skip
_NUMBER = re.compile(r"(?<![\w.,:])[+-]?\d[\d,]*(?:\.\d+)?(?![\w:])")


def spoilt(text: str, chance: Chance) -> tuple[str, str]:
    """The text with one digit of one number changed, and that number as it is printed now."""
    found = chance.choice([one for one in _NUMBER.finditer(text) if not text[one.end() :].startswith(" trees}")])
    digits = [place for place in range(*found.span()) if text[place].isdecimal()]
    # The first digit of several never becomes zero, and the last one moves by two or more.
    place = chance.choice(digits)
    old = int(text[place])
    fresh = [new for new in range(10) if abs(new - old) > (place == digits[-1]) and (new or place != digits[0])]
    text = f"{text[:place]}{chance.choice(fresh)}{text[place + 1 :]}"
    return text, text[slice(*found.span())]


def graded(text: str) -> list[tuple[str, set[str]]]:
    """Grades of what is claimed, with the numbers that each speaks of."""
    source = f"\\begin{{document}}\n{text}\n\\end{{document}}\n"
    subject = subject_of(read_reported(source, "paper.tex", lambda _name: None), "paper.tex")
    found = audit(subject, seconds=20.0).claims
    return [(one.grade, {number.printed for number in one.numbers}) for one in found if one.telling]


BROKEN = {"contradiction", "suspicion"}


def main(papers: int, *, show: bool) -> int:
    """Every kind so many times."""
    chance, counts = Chance(SEED), Counter[str]()
    for kind, make in KINDS.items():
        here = Counter[str]()
        for _ in range(papers):
            text = make(chance)
            here["alarms"] += any(grade in BROKEN for grade, _numbers in graded(text))
            wrong, number = spoilt(text, chance)
            grades = {grade for grade, numbers in graded(wrong) if any(number in one for one in numbers)}
            outcome = "found" if grades & BROKEN else "rounding" if "rounding" in grades else "missed"
            here["idle" if outcome == "missed" and "holds" in grades else outcome] += 1
            if show and outcome == "missed":
                print(f"{number} ({grades or 'nothing'}) in\n{wrong}")
        print(
            f"{kind}: {here['found']} found, {here['rounding']} as rounding, {here['missed']} missed, {here['idle']} "
            f"changed nothing; as they are: {here['alarms']} false alarms"
        )
        counts += here
    planted = counts["found"] + counts["rounding"] + counts["missed"]
    print(f"together: {counts['found']} of {planted} found, {counts['rounding']} more as rounding; "
          f"{counts['alarms']} false alarms")  # fmt: skip
    return 0 if 5 * counts["found"] >= 4 * planted and not counts["alarms"] else 1


if __name__ == "__main__":
    sizes = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    sys.exit(main(sizes[0] if sizes else PAPERS, show="--show" in sys.argv))
