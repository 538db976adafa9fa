"""What headers and captions say, read so cautiously that silence is the usual answer."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from sealtrace.paper.number_grammar import PrintedNumber
from sealtrace.paper.numbers import COUNTS, count_in
from sealtrace.relations.syntax import Expression, Formula, Given, equal

_ARROWS = str.maketrans("", "", "↑↓†‡*")
COUNT = rf"(\d{{1,3}}(?:,\d{{3}})+|\d+|{'|'.join(COUNTS[2:])})"
"""A count in words or digits."""
ITEMS = (
    r"(?:states|questions|problems|instances|games|hands|matches|episodes|rows|images|participants|subjects|patients|"
    r"cases|prompts|sentences|documents|queries|snapshots|observations|respondents|students|examples)"
)
"""Things that a rate is a share of."""
REPEATS = r"(?:seeds|runs|repeats|repetitions|replicates|replications|checkpoints)"
"""Things that a rate is averaged over."""
AVERAGED = re.compile(
    r"\b(?:mean|means|average\w*|avg|seeds?|runs?|repeat\w*|repetitions?|replicat\w+|folds?|splits|bootstrap\w*|trials|"
    r"weighted|macro|expected|normali[sz]ed|median|smoothed|checkpoints?|interpolated|estimate\w*|cross-validat\w+|"
    r"resampl\w+)\b|±",
    re.IGNORECASE,
)
"""Words after which a rate need not be a count over a number."""
SUMMARY = re.compile(
    r"(?:mean|average|avg|total|totals|sum|all|overall|count|median|min|max|minimum|maximum|range|"
    r"(?:std|sd|s\.d|st\.? ?dev|standard deviation)|geomean|geometric mean|Δ|δ|"
    r"(?:(?:mean|average|avg\.?|relative|absolute|net|total) )?(?:difference|change|improvement|gain))\.?(?: *[±(].*)?",
    re.IGNORECASE,
)
"""Rows that speak of the rows above them."""
RELATIVE = re.compile(
    r"Δ|δ|\b(?:delta|diff\w*|change\w*|improv\w*|gain\w*|relative|ratio|speed-?ups?|increase\w*|reduction|decrease\w*|"
    r"drop|lift|normali[sz]ed|vs\.?|versus|log|excess|gap|margin|odds)\b|×",
    re.IGNORECASE,
)
"""Headers of what compares two numbers."""


BARE_RATE = re.compile(r"(?:rate|fraction|proportion|share|percent|percentage|%)(?: ?\(?%\)?)?")
"""Headers that call a number a rate without saying of what."""
DOWN = re.compile(
    r"\b(?:reduc|decreas|declin|f[ae]ll|dropp?|lower|less|fewer|loss|los[et]|cut|shr[aiu]nk|smaller|negative|penalt|short)\w*",
    re.I,
)
"""Words after which a size without its sign is a fall."""


@lru_cache(maxsize=65536)
def plain(label: str) -> str:
    """A label without arrows, footnote marks and capitals."""
    return " ".join(label.translate(_ARROWS).replace("−", "-").casefold().split())


def is_summary(name: str) -> bool:
    """Whether a row or column of this name speaks of others: `Mean`, `Mean over 11 pairs`, but not `Mean conflict`."""
    found = SUMMARY.match(text := plain(name))
    return found is not None and re.match(r"\W*(?:$|(?:over|of|across|for|in)\b)", text[found.end() :]) is not None


LEVEL = re.compile(r"[-\s]*+(?:[\w-]+\s){,3}(?:CIs?\b|confiden|interval|upper|lower|Wilson|Clopper|credible|bootstrap)")
"""Behind a percent that is the level of an interval."""


def count_of(word: str) -> int:
    """A count in words or digits that `COUNT` found."""
    return count_in(word) or 0


def repeats_of(text: str) -> int | None:
    """How many repeats the numbers are means of: 1 where nothing is averaged, None where that is not said."""
    found = {count_of(found) for found in re.findall(rf"\b{COUNT} (?:\w+[ -]){{0,2}}{REPEATS}\b", text, re.IGNORECASE)}
    found |= {count_of(found) for found in re.findall(rf"\b{COUNT}-seed\b", text, re.IGNORECASE)}
    if not AVERAGED.search(text):
        return 1
    # Other averages beside that over seeds would spoil the step.
    rest = re.sub(rf"\b(?:means?|averages?|averaged|seeds?|±|{REPEATS[3:-1]})\b", "", text, flags=re.IGNORECASE)
    if len(found) != 1 or AVERAGED.search(rest.replace("±", "")):
        return None
    return found.pop()


def is_percent(header: str, caption: str = "", texts: tuple[str, ...] = ()) -> bool:
    """Whether a column is printed in percent, by its header, its cells, or a caption that says so of everything."""
    return (
        "%" in header
        or re.search(r"\bpercent", header, re.IGNORECASE) is not None
        or any("%" in text for text in texts)
        or re.search(r"\b(?:in percent|in %|are percentages|as percentages)\b", caption, re.IGNORECASE) is not None
    )


def real(fact: PrintedNumber) -> Given:
    """A number that may have been rounded even if it is an integer."""
    return Given(fact.rounded() if fact.exact else fact)


def count(fact: PrintedNumber) -> int | None:
    """A number that is a count, if it can be one."""
    return int(fact.value) if fact.exact and fact.value.denominator == 1 and fact.value >= 0 else None


def printed(fact: PrintedNumber) -> Given:
    """A number as it stands on the page, for what is said of the page: an unknown of its own, not rounded."""
    return Given(fact.as_printed())


def same(fact: PrintedNumber, other: PrintedNumber, scale: Fraction | int = 1) -> Formula:
    """One number printed twice, the second perhaps times a hundred.

    To the same digit the digits are the same; otherwise both are roundings of something.
    """
    shown = printed if fact.unit == other.unit * abs(Fraction(scale)) else real
    return equal(shown(fact), shown(other) if scale == 1 else shown(other) * scale)


def apart(
    own: PrintedNumber, unit: str, a: PrintedNumber, b: PrintedNumber, *, percent: bool | None = None
) -> list[Formula]:
    """How two numbers may differ by a third in its unit: so many times, in points, or in percent of one of them.

    Two shares, in `percent` or not, may also differ in percent of what they lack to the whole.
    """
    if unit == "×":
        sides: list[Expression] = [real(a) / real(b), real(b) / real(a)] if a.value and b.value else []
        return [equal(real(own), side) for side in sides]
    largest, gap = max(abs(a.value), abs(b.value)), real(a) - real(b)
    whole = 100 if percent or (percent is None and largest > 1) else 1
    sides = [gap * 100 if whole == 1 and unit in ("%", "pp") and largest <= 1 else gap]
    if unit == "%":
        sides = sides if largest <= whole else []
        sides += [100 * gap / real(base) for base in (a, b) if base.value]
        sides += [100 * gap / (whole - real(base)) for base in (a, b) if largest <= whole and base.value != whole]
    return [equal(real(own), side) for expression in sides for side in (expression, -expression)]
