"""The language of printed numbers: what a string in a cell, or a number in a sentence, stands for.

A printed number with k decimals stands for the closed interval of half a unit in its last place around
it. Everything is exact: the string is read as a rational number, never as a double.

cell      = marks series (group | "=" series)* marks
series    = atom ((to | → | / | , | ; | vs …) atom)*       0.40 to 0.49    1/1 → 0/3    54.9/2.8/42.3
atom      = quantity (± quantity)? | count (/ | of) count   71.2 ± 0.3      3 of 10
group     = bracket (name =)? series, … bracket            (0.02)   [0.91, 0.95]   (15/24, 62%)
quantity  = (< | ~ | …)? $? sign? digits exponent? unit?    <0.001   ~5.3T   $3.64   12 ms   0.82(1)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeVar

Form = Literal["number", "plus-minus", "ratio", "tuple", "interval", "compound", "map", "not-available"]
Role = Literal[
    "", "value", "mean", "sd", "k", "n", "low", "high", "from", "to", "change", "above", "below", "rate", "aside"
]
Relation = Literal["", "<", "≤", ">", "≥", "≈"]


class Rule(StrEnum):
    """How a number came to be printed."""

    ROUNDED = "rounded"
    """To nearest, also where an integer would be read as a count."""
    TRUNCATED = "truncated"
    """Cut off towards zero."""
    UP = "up"
    DOWN = "down"
    LOOSELY = "loosely"
    """Rounded or cut off in any direction."""
    EXACT = "exact"
    """A count or a declared constant."""


_HALF = Fraction(1, 2)
_ROOM: dict[Rule, tuple[Fraction | int, Fraction | int]] = {
    Rule.ROUNDED: (_HALF, _HALF),
    Rule.UP: (1, 0),
    Rule.DOWN: (0, 1),
    Rule.LOOSELY: (1, 1),
    Rule.EXACT: (0, 0),
}
"""How many units below and above it a number may be; where it was cut off, that depends on its sign."""


@dataclass(frozen=True)
class PrintedNumber:
    """A number as its string says it; in its place, header and unit tell besides whether it was counted or rounded."""

    text: str
    # Texts and addresses nearly always tell two of them apart; hashing fractions takes long.
    value: Fraction = field(hash=False)
    unit: Fraction = field(hash=False)
    """One unit in the last printed place; of a count one in its place, and zero before it has one."""
    role: Role = ""
    """What it is in its cell; nothing where it stands alone or nothing tells."""
    suffix: str = ""
    """The unit or word behind it, such as ms, pp or yes. A scale such as k or B is in the value already."""
    relation: Relation = ""
    """The cell gives a bound (<0.001) or says "about", not the number itself."""
    percent: bool = False
    interval: tuple[Fraction, Fraction] | None = field(default=None, hash=False)
    """Between what it lies, where more than its string tells."""
    address: str = ""
    """As `explain` takes it, with the part behind a dot where the cell has several numbers; nothing without a place."""
    source: str | None = None
    line: int | None = None
    table: str | None = None
    """None for a number of the running text."""
    row: str = ""
    column: str = ""
    part: str | None = None

    @cached_property
    def low(self) -> Fraction:
        """The least value that prints so."""
        own = self.value - self.unit * (1 if self.relation == "≈" else _HALF)
        return own if self.interval is None else self.interval[0]

    @cached_property
    def high(self) -> Fraction:
        """The greatest value that prints so."""
        own = self.value + self.unit * (1 if self.relation == "≈" else _HALF)
        return own if self.interval is None else self.interval[1]

    @property
    def decimals(self) -> int:
        """Digits after the point."""
        return sum(character.isdecimal() for character in self.text.partition(".")[2])

    @property
    def is_bound(self) -> bool:
        """Whether only one side of the number is printed."""
        return self.relation not in ("", "≈")

    @property
    def exact(self) -> bool:
        """Whether the number was not rounded."""
        return self.low == self.high

    def touches(self, other: PrintedNumber) -> bool:
        """Whether some value prints as both."""
        return self.low <= other.high and other.low <= self.high

    def between(self, low: Fraction, high: Fraction, address: str = "") -> PrintedNumber:
        """A copy that lies in another interval; with an address of its own it is another unknown."""
        return replace(self, interval=(low, high), address=address or self.address)

    def moved(self, units: Fraction | int) -> PrintedNumber:
        """A number that was printed so many units higher."""
        by = self.unit * units
        return replace(self, value=self.value + by, interval=(self.low + by, self.high + by))

    def read_as(self, rule: Rule) -> PrintedNumber:
        """A copy of the number, read under another rule of printing."""
        below, above = _ROOM.get(rule, (int(self.value <= 0), int(self.value >= 0)))
        return self.between(self.value - self.unit * below, self.value + self.unit * above)

    def as_printed(self) -> PrintedNumber:
        """The digits themselves, exactly; what may have been printed otherwise is an unknown of its own."""
        return self if self.exact else self.between(self.value, self.value, f"printed({self.plain_address})")

    def rounded(self) -> PrintedNumber:
        """The number read as rounded even if it is an integer, as an unknown of its own."""
        return self if self.address.startswith("rounded(") else self._rounded

    @cached_property
    def _rounded(self) -> PrintedNumber:
        return replace(self.read_as(Rule.ROUNDED), address=f"rounded({self.address})")

    @cached_property
    def plain_address(self) -> str:
        """Its address, the same whether it is read as a count, as rounded or as printed."""
        address = self.address
        while address.startswith(("rounded(", "printed(")):
            address = address[8:-1]
        return address


@dataclass(frozen=True)
class Printed:
    """What a cell says."""

    text: str
    form: Form
    parts: tuple[PrintedNumber, ...]
    marks: str = ""
    """Daggers and the like that stand before or after the numbers."""
    percent: bool = False
    """All its numbers are in percent, by a sign in the cell."""

    @property
    def numeric(self) -> bool:
        """Whether there is a number to account for."""
        return bool(self.parts)

    @property
    def names(self) -> tuple[str, ...]:
        """What to call each number of several: by its role where roles differ, else by its place."""
        if len(self.parts) < 2:
            return ()
        roles = tuple(part.role for part in self.parts)
        numbered = tuple(str(place) for place in range(1, len(roles) + 1))
        return roles if all(roles) and len(set(roles)) == len(roles) else numbered


_SCALES = {"k": 3, "K": 3, "M": 6, "B": 9, "b": 9, "G": 9, "T": 12, "bn": 9}
_RELATIONS: dict[str, Relation] = {
    "<": "<", "≪": "<", "≲": "<", ">": ">", "≫": ">", "≳": ">", "≤": "≤", "<=": "≤", "≥": "≥", ">=": "≥",
}  # fmt: skip
_TIMES = frozenset({"d", "h", "hr", "hrs", "m", "min", "mins", "s", "sec", "secs", "ms"})
# No thousand begins with a zero: the comma of 0,125 is a decimal one.
# Lakhs and crores are parted by two digits: 1,05,603.
_DIGITS = (
    r"0,\d{3}(?![,\d])|(?:\d{1,3}(?:,\d{3})+(?!,?\d)|[1-9]\d?(?:,\d\d)+,\d{3}(?!,?\d)|\d+(?!,\d{3}(?!\d)))(?:\.\d+)?"
    r"|\.\d+"
)

_AND_MORE = re.compile(r"\+(?=\s*(?:$|[)\]%,/†‡*]))")
_SPACE = re.compile(r"\s+")
MARK = re.compile(
    r"[†‡*§¶⋆∗★☆•✓✗✔✘↑↓▲▼△▽]|\^?\[…\]|\^\{?[a-z](?:,\s?[a-z])*\}?(?![\w.])|(?<=\.\d)\^\d(?![\d.])|(?<=\.\d\d)\^\d(?![\d.])"
)
_PREFIX = re.compile(
    r"(?P<relation><=|>=|[<>≤≥≪≫≲≳≈≃~∼]|approx\.|about(?=\s)|ca\.)?\s*(?P<arrow>[↑↓▲▼△▽])?\s*"
    r"(?P<sign>[+\-]\s?)?(?P<currency>(?:US)?[$€£¥])?(?P<late>-)?(?P<times>×\s?)?"
)
_POWER = re.compile(r"(?P<base>10|2)\^(?P<open>\{)?(?P<power>-?\d{1,3})(?(open)\})(?![\d.])")
_NUMBER = re.compile(
    rf"(?P<digits>{_DIGITS})(?![\d.]*\d)"
    r"(?:[eE](?P<e>[+\-]?\d{1,4})(?!\w)|\s*[×·]\s*10\s*\^\s*(?P<open>\{)?(?P<ten>[+\-]?\d{1,4})(?(open)\}))?"
)
_CLOSE_SCALE = re.compile(r"(?:bn|[kKMBbGT])(?![\w^])")
_SCALE = re.compile(r"\s?(?:bn|[kKMBbGT])(?![\w^])")
_UNIT = re.compile(
    r"\s?(?P<unit>%|‰|×(?!\s*\d)|°C?|[′″]|x(?![\w^])(?!\s*\d)|"
    r"(?:percentage[ -]points?|per cent|"
    r"pp|ppt|bps?|pts?|[mµμnu]?s|secs?|mins?|hrs?|[hd]|st|nd|rd|th|[kMGT]i?B|[kMGT]?Hz|[kMGT]?FLOPs?|"
    r"[kMGm]?Wh?|[kM]?J|[cmkµμn]?m|[mkµμ]?g)(?:/\w{1,8})?(?![\w^(])|M_⊙)"
)
# A word behind a number: 41 yes, 12 tok/s, 4-bit, 8×A100.
_WORD = re.compile(
    r"(?:\s|-(?=[a-z]))(?!(?:to|of|vs|v|out|and|or)\b)(?P<word>(?:[A-Za-zµμ]{1,3}\d?|[a-z]{4,14})(?:\s?/\s?[A-Za-z]{1,12})?)"
    r"(?![\w^(@]|-\w)|(?P<rate>/\s?[A-Za-z]{1,12})(?![\w^(-])"
)
_MACHINE = re.compile(r"\s?[A-Za-z][\w-]{1,20}")
_CONCISE = re.compile(r"(?<=\d)\((\d{1,2})\)(?!\w)")
_PLUS_MINUS = re.compile(r"\s*(?:_\s*)?(?:±|\+\s?/\s?-|\+-(?=[\d.]))\s*")
_OF = re.compile(r"\s+(?:out\s+)?of\s+|\s*/\s*")
_TO = re.compile(r"\s+to\s+|\s*(?:–|—|…|\.\.\.?)\s*|(?<=[\d%kKMBTxs])-(?=[\d.+\-$])|\s+-\s+")
_BETWEEN = tuple(
    re.compile(pattern)
    for pattern in (
        r"\s*(?:→|⇒|↦|->)\s*",
        r"\s+(?:vs?\.?|and)\s+",
        r"\s*/\s*",
        r",\s+",
        r"\s*[|;:]\s*",
        r"\s*[×x]\s*(?=\d)",
    )
)
_IN_BRACKETS = re.compile(r"\s*[,;]\s*")
_SCRIPT = re.compile(r"\s?(?P<where>[\^_])(?P<open>\()?")
_OPEN = re.compile(r"\s*(?P<open>[(\[{])\s*")
_CLOSE = {bracket: re.compile(rf"\s*{re.escape(close)}") for bracket, close in zip("([{", ")]}", strict=True)}
_TOTAL = re.compile(r"of\s+")
_EQUAL = re.compile(r"\s*=\s*")
_ABSENT = re.compile(r"(?:[–—\-]+|[nN]/?[aA])(?=\s*(?:[/,;:)\]}→|]|$))")
# What may stand before a number in brackets, as in (n = 12) or (95% CI: 0.91, 0.95).
_NAME = re.compile(
    r"(?:\d\d(?:\.\d)?%\s?(?=C[IR]))?(?P<name>(?!of\b)[^\W\d_][\w.²\-]{0,11}(?: [a-z.]{1,12})?)(?:\(\d+(?:,\s?\d+)?\))?"
    r"\s*(?:[=:]\s*|(?=[<>≤≥≈~])|\s(?=[\d\[.+\-]))"
)
_STATISTIC = re.compile(r"(?:[pnNrtzdF]|R\^?2|R²|χ\^?2|χ²|κ)(?:\(\d+(?:,\s?\d+)?\))?\s*(?:=\s*|(?=[<>≤≥≈]))")

Found = tuple[Form, list[PrintedNumber]]
_Result = TypeVar("_Result")


def _whole_or_nothing(method: Callable[[NumberText], _Result | None]) -> Callable[[NumberText], _Result | None]:
    """What finds nothing leaves the place unchanged, however far it looked."""

    def tried(text: NumberText) -> _Result | None:
        start = text.at
        found = method(text)
        if found is None:
            text.at = start
        return found

    return tried


class NumberText:
    """One string, read from left to right. A method that finds nothing returns None and leaves the place unchanged."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
        return match

    def marks(self, *, arrows: bool = True) -> None:
        """Passes over marks; an arrow before a number may be its sign."""
        while (arrows or self.text[self.at : self.at + 1] not in "↑↓▲▼△▽") and (self.take(_SPACE) or self.take(MARK)):
            pass

    def read(self) -> Found | None:
        """The whole string, or None."""
        self.marks(arrows=False)
        self.take(_STATISTIC)
        found = self.series() or self.bracketed()
        if found is None:
            return None
        form, parts = found
        self.marks()
        while self.at < len(self.text):
            more = self.group()
            for further in (self.script, self.equal, self.next_time):
                more = further() if more is None else more
            if more is None:
                return None
            if more:
                form, parts = "compound", parts + more
            self.marks()
        return ("number" if len(parts) == 1 else form, _told_apart(parts)) if parts else None

    # One number

    @_whole_or_nothing
    def quantity(self) -> PrintedNumber | None:
        prefix = self.take(_PREFIX)
        number = self.take(_POWER) or self.take(_NUMBER)
        if prefix is None or number is None or (prefix["late"] and (prefix["sign"] or not prefix["currency"])):
            return None
        begin = number.start()
        if "base" in number.re.groupindex:
            power = Fraction(int(number["base"])) ** int(number["power"])
            value, unit = power, power if number["base"] == "10" else Fraction(1)
        else:
            digits = re.sub(r"^0,", "0.", number["digits"]).replace(",", "")
            # A printed exponent has few digits; more would ask for a number that nobody can hold.
            power = Fraction(10) ** max(-400, min(400, int(number["e"] or number["ten"] or 0)))
            value = Fraction(f"0{digits}") * power
            unit = power / 10 ** len(digits.partition(".")[2])
        if (scale := self.take(_SCALE if "." in number.group() else _CLOSE_SCALE)) is not None:
            times = 10 ** _SCALES[scale.group().strip()]
            value, unit = value * times, unit * times
        sign = (prefix["sign"] or prefix["late"] or "").strip()
        negative = sign == "-" or (not sign and prefix["arrow"] in ("↓", "▼", "▽"))
        relation: Relation = _RELATIONS.get(prefix["relation"], "≈") if prefix["relation"] else ""
        if not relation and self.take(_AND_MORE) is not None:
            relation = "≥"
        role: Role = "change" if prefix["arrow"] else ""
        part = PrintedNumber(sign + self.text[begin : self.at], -value if negative else value, unit, role, "", relation)
        return self.with_unit(part, "×" if prefix["times"] else prefix["currency"] or "")

    def with_unit(self, part: PrintedNumber, before: str) -> PrintedNumber:
        if (found := self.take(_UNIT)) is not None:
            suffix = found["unit"]
            if suffix == "×":
                self.take(_MACHINE)  # 8×A100
            return replace(part, suffix=suffix, percent=suffix == "%")
        if (word := self.take(_WORD)) is not None:
            return replace(part, suffix=(word["word"] or word["rate"]).strip())
        return replace(part, suffix=before)

    # Numbers that belong together

    @_whole_or_nothing
    def counts(self) -> Found | None:
        """k/n or k of n, both of them counts; k may be absent."""
        k = None if self.take(_ABSENT) else self.quantity()
        between = self.take(_OF) if k is None or _is_count(k) else None
        n = self.quantity() if between is not None else None
        # A third number makes it a tuple.
        if between is None or n is None or not _is_count(n) or _BETWEEN[2].match(self.text, self.at):
            return None
        counted = [] if k is None else [replace(k, role="k", unit=Fraction(0))]
        return "ratio", [*counted, replace(n, role="n", unit=Fraction(0))]

    @_whole_or_nothing
    def estimate(self) -> Found | None:
        """A number, with its deviation where one follows; or a deviation alone."""
        if self.take(_PLUS_MINUS) is not None:
            deviation = self.quantity()
            return None if deviation is None else ("number", [replace(deviation, role="sd")])
        mean = self.quantity()
        if mean is None:
            return None
        if "." in mean.text and not mean.suffix and (concise := self.take(_CONCISE)) is not None:
            deviation = PrintedNumber(concise.group(1), int(concise.group(1)) * mean.unit, mean.unit, "sd")
            return "plus-minus", [replace(mean, role="mean"), deviation]
        after = self.at
        self.marks()
        deviation = self.quantity() if self.take(_PLUS_MINUS) is not None else None
        if deviation is None:
            self.at = after
            return "number", [mean]
        return "plus-minus", _sharing([replace(mean, role="mean"), replace(deviation, role="sd")])

    def span(self, *, counts: bool = True) -> Found | None:
        """From one number to another."""
        first = (self.counts() if counts else None) or self.estimate()
        if first is None or first[0] != "number":
            return first
        after = self.at
        second = self.quantity() if self.take(_TO) is not None else None
        if second is None:
            self.at = after
            return first
        low = first[1][0]
        if second.text[-1] in _SCALES and low.text[-1].isdecimal() and not low.suffix:
            scale = 10 ** _SCALES[second.text[-1]]  # 1.5–2B: the scale of the second holds for both
            low = replace(low, value=low.value * scale, unit=low.unit * scale)
        return "interval", _sharing([replace(low, role="low"), replace(second, role="high")])

    @_whole_or_nothing
    def series(self) -> Found | None:
        """Numbers with one and the same separator between them."""
        first = self.span() or self.absent()
        if first is None:
            return None
        form, parts = first
        separator = next((pattern for pattern in _BETWEEN if pattern.match(self.text, self.at)), None)
        while separator is not None and self.at < len(self.text):
            before = self.at
            if self.take(separator) is None:
                break
            more = self.span(counts=separator is not _BETWEEN[2]) or self.absent()
            if more is None:
                self.at = before
                break
            form, parts = "tuple", _sharing(parts + more[1])
        if not parts:
            return None
        if form == "tuple" and separator is _BETWEEN[0] and len(parts) == 2:
            parts = [replace(parts[0], role="from"), replace(parts[1], role="to")]
        return form, parts

    def absent(self) -> Found | None:
        return ("number", []) if self.take(_ABSENT) is not None else None

    # What stands beside a number

    def bracketed(self) -> Found | None:
        """A whole cell in brackets: an interval, a list, or a number set apart from the one above it."""
        parts = self.group()
        if not parts:
            return None
        roles = [part.role for part in parts]
        if roles == ["low", "high"]:
            return "interval", parts
        return "tuple", [replace(part, role="") if part.role == "aside" else part for part in parts]

    @_whole_or_nothing
    def group(self) -> list[PrintedNumber] | None:
        opening = self.take(_OPEN)
        if opening is None:
            return None
        closing = _CLOSE[opening["open"]]
        parts: list[PrintedNumber] = []
        sizes: list[int] = []
        while True:
            more = self.item()
            if more is None:
                return None
            parts += more
            sizes.append(len(more))
            if self.take(closing) is not None:
                break
            if self.take(_IN_BRACKETS) is None:
                return None
        if sizes == [1, 1] and opening["open"] != "{" and not any(part.role for part in parts):
            return [replace(parts[0], role="low"), replace(parts[1], role="high")]
        return [part if part.role else replace(part, role=_beside(part)) for part in _sharing(parts)]

    @_whole_or_nothing
    def item(self) -> list[PrintedNumber] | None:
        """One of several in brackets, with or without its name."""
        self.marks(arrows=False)
        name = self.take(_NAME)
        total = self.take(_TOTAL)
        inner = self.group() if self.text[self.at : self.at + 1] in ("[", "(") else None
        if inner is not None:
            return inner
        found = self.span() or self.absent()
        if found is None:
            return None
        parts = found[1]
        # What a slash or an arrow joins belongs to one item.
        for separator in (_BETWEEN[0], _BETWEEN[2]):
            while (match := separator.match(self.text, self.at)) is not None:
                self.at = match.end()
                more = self.span(counts=False) or self.absent()
                if more is None:
                    return None
                parts = parts + more[1]
        self.marks()
        if name is not None and len(parts) == 1:
            role: Role = "sd" if name["name"].lower().startswith(("sd", "std")) else "aside"
            parts = [replace(parts[0], role=role)]
        elif total is not None and len(parts) == 1 and _is_count(parts[0]):
            parts = [replace(parts[0], role="n", unit=Fraction(0))]
        return parts

    @_whole_or_nothing
    def script(self) -> list[PrintedNumber] | None:
        """A number set raised or lowered: a deviation, a change, or errors to either side."""
        script = self.take(_SCRIPT)
        part = self.quantity() if script is not None else None
        if script is None or part is None or (script["open"] and self.take(_CLOSE["("]) is None):
            return None
        if script["where"] == "^" and part.text.startswith("+"):
            return [replace(part, role="above")]
        if script["where"] == "_" and part.text.startswith("-"):
            return [replace(part, role="below")]
        return [part if part.role else replace(part, role=_beside(part))]

    @_whole_or_nothing
    def equal(self) -> list[PrintedNumber] | None:
        """12/30 = 40%."""
        found = self.span() if self.take(_EQUAL) is not None else None
        return None if found is None else found[1]

    @_whole_or_nothing
    def next_time(self) -> list[PrintedNumber] | None:
        """2 h 13 min."""
        before = re.search(r"([a-z]+)\s*$", self.text[: self.at])
        part = self.quantity() if before is not None and before.group(1) in _TIMES else None
        return [part] if part is not None and part.suffix in _TIMES else None


def _is_count(part: PrintedNumber) -> bool:
    plain = part.text.replace(",", "").isdecimal() and not part.relation
    return plain and (not part.suffix or part.suffix[0].isalpha())


def _sharing(parts: list[PrintedNumber]) -> list[PrintedNumber]:
    """A percent sign at one end holds for all the numbers that stand before or behind it without a unit."""
    if not (parts and (parts[-1].percent or parts[0].percent)):
        return parts
    return [replace(part, percent=True) if not part.suffix and part.unit else part for part in parts]


def _beside(part: PrintedNumber) -> Role:
    """What a number in brackets is: with a sign, a change; else nothing tells."""
    return "change" if part.text[0] in "+-" else "aside"


def _told_apart(parts: list[PrintedNumber]) -> list[PrintedNumber]:
    """Roles that only the whole cell tells."""
    first, *rest = parts
    roles = [part.role for part in rest]
    if not rest:
        return [first if first.role == "sd" else replace(first, role="")]
    if roles.count("n") == 1 and not first.role and _is_count(first) and "k" not in roles:
        first = replace(first, role="k", unit=Fraction(0))
    elif roles == ["k", "n"]:
        first = replace(first, role="rate")
    elif not first.role and any(roles) and not {"k", "n", "to"} & set(roles):
        first = replace(first, role="mean" if {"sd", "low", "above", "below"} & set(roles) else "value")
    if [first.role, *roles[:1]] == ["k", "n"] and len(roles) == 2:
        rest[1] = replace(rest[1], role="rate")
    if first.percent:
        shared = [part.percent or (not part.suffix and "." in part.text) for part in rest]
        rest = [replace(part, percent=share) for part, share in zip(rest, shared, strict=True)]
    return [first, *rest]


_FACTORS = re.compile(
    r"(?:hundred|thousand|million|billion|trillion|dozen|lakh|crore)s?|mn|bn|tn|pp[bm]", re.IGNORECASE
)


def is_factor(suffix: str) -> bool:
    """Whether the word behind a number multiplies it."""
    return _FACTORS.fullmatch(suffix) is not None


def is_unit(suffix: str) -> bool:
    """Whether what stands behind a number is a unit of measurement."""
    return _UNIT.fullmatch(suffix) is not None
