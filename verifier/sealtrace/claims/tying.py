"""Ties a claim to the paper: its quotations, its addresses and `#19.4`; or refuses it, with what would be right.

Nothing here decides whether a claim is true. A claim that passes is a formula over printed numbers, each at its own
address, of which a wrong digit could break it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from sealtrace.bundle.defects import nearest
from sealtrace.claims.reading import Written
from sealtrace.contract.claims import Quotation
from sealtrace.paper.fact import cell_id, fact_of
from sealtrace.paper.model import Paper, Table
from sealtrace.paper.names.index import Names as Vocabulary
from sealtrace.paper.number_grammar import PrintedNumber, Relation
from sealtrace.paper.sentences import Sentence, TextNumber
from sealtrace.relations.computing import FAR, same
from sealtrace.relations.facts import Facts, PrintedCell, UnknownFactError
from sealtrace.relations.language import FormulaNames, parse_formula
from sealtrace.relations.search import search
from sealtrace.relations.syntax import Comparison, Formula, Given, any_of, walk
from sealtrace.relations.work import Work

Read = Callable[[PrintedNumber], PrintedNumber]
STEPS = 200_000
"""Of one search about a claim."""
_FREE = frozenset(map(Fraction, (0, 1, 2, 100, 1000, 10**6, 10**9)))
"""Numbers that only turn units into each other, and the 2 of halves and middles, need no kind."""
_MOVES = (1, -1, 10, -10, 1000, -1000, 10**6, -(10**6))
_MOST_MOVED = 8
"""Numbers of a claim that are moved to see whether a wrong digit could break it."""
_SAME = str.maketrans(
    {**dict.fromkeys("−‐‑‒–—", "-"), **dict.fromkeys("“”", '"'), **dict.fromkeys("‘’`", "'")}
    | dict.fromkeys("\u2009\u202f\u00a0~", " ")
)
_SCALE = re.compile(r"\d\s?(?:(?P<letter>[kKMBGT])|(?P<word>thousand|million|billion|trillion))\b")
_SCALES = {"k": 3, "K": 3, "M": 6, "G": 9, "B": 9, "T": 12, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}


class UntiedError(Exception):
    """Why a claim is not tied to the paper, and what would be right."""


@dataclass(frozen=True)
class Passage:
    """A quotation that was found."""

    quote: str
    place: str
    """The id of its sentence, or the label of its table."""
    where: str
    """The same with its file and line."""
    numbers: tuple[TextNumber, ...] = ()
    table: str | None = None
    """The table whose caption or labels it is from."""


@dataclass
class Tied:
    """A claim over numbers of the paper."""

    written: Written
    passages: tuple[Passage, ...]
    formula: Formula
    used: dict[str, PrintedNumber]
    """Every printed number that it speaks of, by address."""
    members: dict[str, str]
    """Cells of sets: whether the words of the set name their `row` or their `column`."""
    lists: frozenset[str]
    """Whole rows, columns and tables that its formulas speak of."""
    bind: Callable[[Read], Formula] = field(repr=False)
    """The formula with its numbers read in another way."""

    @property
    def words(self) -> str:
        """Everything that is quoted."""
        return " … ".join(passage.quote for passage in self.passages)

    def status(self, read: Read) -> str:
        """Whether it is possible, impossible or unknown, its numbers read in another way."""
        try:
            return search(self.bind(read), Work(STEPS)).status
        except UntiedError:
            return "unknown"


class Ground:
    """A paper as claims speak of it."""

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.sentences: dict[str, Sentence] = {sentence.id: sentence for sentence in paper.sentences}
        self.facts = Facts.of(paper.tables, paper.prose, paper.texts)
        self.headings = _headings(paper.tables)
        for sentence in (*paper.sentences, *(one for headings in self.headings.values() for one in headings)):
            for number in sentence.numbers:
                fact = text_fact(sentence, number)
                self.facts.put(PrintedCell(number.id, number.text, (fact,)))
        for table in paper.tables:
            for row, column, cell in table.places():
                printed = cell.printed
                if printed is not None and len(printed.parts) == 1 and printed.parts[0].is_bound:
                    place = table.label, table.rows[row].label, table.columns[column].label
                    given = fact_of(printed.parts[0], cell_id(*place), table.file, cell.line, *place)
                    self.facts.put(PrintedCell(given.address, cell.text, (bounded(given, printed.parts[0].relation),)))

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The one index of names."""
        return Vocabulary([sentence.text for sentence in self.paper.sentences])

    @cached_property
    def tables(self) -> dict[str, Table]:
        """Tables by label."""
        return {table.label: table for table in self.paper.tables}

    # Quotations

    def passage(self, given: Quotation) -> Passage:
        """Where a quotation stands; `RefusedError` where it does not."""
        if given.at is None:
            found = [passage for one in self.sentences.values() if (passage := _in_sentence(given.quote, one))]
            found = found or [passage for one in self.paper.tables if (passage := self._in_labels(given.quote, one))]
            if len(found) != 1:
                stands = (
                    f"stands in {', '.join(one.place for one in found[:4])}; say which"
                    if found
                    else self._nowhere(given)
                )
                raise UntiedError(f"“{given.quote}” {stands}")
            return found[0]
        if given.at in self.sentences:
            if passage := _in_sentence(given.quote, self.sentences[given.at]):
                return passage
            raise UntiedError(f"“{given.quote}” is not in {given.at}{self._elsewhere(given)}")
        for label, headings in self.headings.items():
            if heading := next((one for one in headings if one.id == given.at), None):
                if passage := _in_sentence(given.quote, heading):
                    return replace(passage, where=f"{passage.where}, {label}", table=label)
                raise UntiedError(f"“{given.quote}” is not in {given.at}, which reads: “{heading.text}”")
        if given.at in self.tables:
            table = self.tables[given.at]
            captions = (one for one in self.sentences.values() if one.caption and one.text[:60] in table.caption)
            spoken = (passage for one in captions if (passage := _in_sentence(given.quote, one)))
            if passage := next(spoken, None) or self._in_labels(given.quote, table):
                return replace(passage, table=table.label)
            raise UntiedError(
                f"“{given.quote}” is neither in the caption nor in a label of {given.at}{self._elsewhere(given)}"
            )
        known = [*self.tables, *self.sentences]
        raise UntiedError(
            f"there is no sentence or table {given.at!r}{nearest(given.at, known)}; `sealtrace outline` lists them"
        )

    def _in_labels(self, quote: str, table: Table) -> Passage | None:
        words = _plain(quote)
        headings = (heading.text for heading in self.headings[table.label])
        texts = (table.caption, *table.headers, *(row.label for row in table.rows), *headings)
        if not words or not any(words in _plain(text) for text in texts):
            return None
        found = (passage for one in self.headings[table.label] if (passage := _in_sentence(quote, one)))
        numbers = next((passage.numbers for passage in found), ())
        where = f"{table.label}, {table.file}:{table.line or 1}" if table.file else table.label
        return Passage(words, table.label, where, numbers, table.label)

    def _elsewhere(self, given: Quotation) -> str:
        found = [one.id for one in self.sentences.values() if _in_sentence(given.quote, one)]
        if found:
            return f"; it is in {', '.join(found[:4])}"
        return (
            self._nowhere(given, "; ")
            if given.at not in self.sentences
            else f", which reads: “{self.sentences[given.at].short}”"
        )

    def _nowhere(self, given: Quotation, link: str = "") -> str:
        words = set(_plain(given.quote).lower().split())
        near = max(self.sentences.values(), key=lambda one: len(words & set(one.text.lower().split())), default=None)
        return f"{link}stands nowhere in the paper" + (f"; {near.id} reads: “{near.short}”" if near else "")


def _headings(tables: Iterable[Table]) -> dict[str, list[Sentence]]:
    """By table, its labels of columns and rows and its cells of words that print numbers: `h3` is the paper's third,
    `h3.n1` its first number."""
    found: dict[str, list[Sentence]] = {}
    number = 1
    for table in tables:
        found[table.label] = []
        rows = (row.label for row in table.rows)
        # A cell with words around its numbers has no address of its own for them.
        wordy = (cell.text for *_place, cell in table.places() if cell.printed is None or not cell.printed.numeric)
        for label in dict.fromkeys((*table.headers, *rows, *wordy)):
            heading = Sentence(f"h{number}", label, table.file, table.line or 1, 0)
            if heading.numbers:
                found[table.label].append(heading)
                number += 1
    return found


def text_fact(sentence: Sentence, number: TextNumber) -> PrintedNumber:
    """A number of the text as claims take it: a bound is a bound, and a dash between two numbers is no minus."""
    fact = number.fact
    if fact.value < 0 and number.start and sentence.text[number.start - 1] in "-–—":
        positive = replace(number.number, value=abs(number.number.value), text=number.number.text.lstrip("-−"))
        fact = fact_of(positive, number.id, number.source, number.line, measured=bool(number.unit))
    relation = number.number.relation
    if not number.number.is_bound:
        return replace(fact, address=number.id)
    # `p < .001` gives a bound; `above 70` gives a threshold, which is what the words say, exactly.
    printed = sentence.text[max(0, number.start - 2) : number.start + 1].strip()[:1] in ("<", ">", "≤", "≥")
    if printed:
        return bounded(fact, relation)
    threshold = fact.between(fact.value, fact.value, number.id)
    return replace(threshold, relation=relation) if relation in ("≤", "≥") else threshold


def bounded(fact: PrintedNumber, relation: Relation) -> PrintedNumber:
    """A number of which only one side is printed."""
    below = relation in ("<", "≤")
    low, high = (-FAR, fact.value) if below else (fact.value, FAR)
    text = f"{relation}{fact.text.lstrip('<>≤≥ ')}"
    return replace(fact, relation=relation, interval=(low, high), text=text)


# Words


def _plain(text: str) -> str:
    return " ".join(text.translate(_SAME).split())


def _positions(text: str) -> tuple[str, list[int]]:
    """A text in plain signs with single spaces, and where each of its signs stands in the text as it is."""
    plain: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text.translate(_SAME)):
        if sign.isspace() and (not plain or plain[-1] == " "):
            continue
        plain.append(" " if sign.isspace() else sign)
        places.append(place)
    return "".join(plain), [*places, len(text)]


def _in_sentence(quote: str, sentence: Sentence) -> Passage | None:
    text, places = _positions(sentence.text)
    words = _plain(quote)
    at = text.find(words)
    if at < 0 or not words:
        return None
    start, end = places[at], places[at + len(words)]
    # A number that the quotation cuts in two is not quoted.
    inside = tuple(one for one in sentence.numbers if start <= one.start and one.start + len(one.number.text) <= end)
    return Passage(words, sentence.id, f"{sentence.id}, {sentence.place(start)}", inside)


def _spellings(number: TextNumber) -> set[str]:
    """How a number of a quotation may be written behind `#`."""
    texts = {number.text, number.number.text, number.text.split()[0]}
    texts |= {f"{text}%" for text in texts if number.unit == "%" and "%" not in text}
    plain = {text.translate(_SAME).replace(" ", "") for text in texts}
    return {form.lower() for text in plain for form in (text, text.replace(",", ""))}


def _quoted(passages: Sequence[Passage], ground: Ground) -> Callable[[str], PrintedNumber]:
    """What `#19.4` and `#19.4@2` mean."""

    def number(said: str) -> PrintedNumber:
        text, _, which = said.removeprefix("#").partition("@")
        wanted = text.translate(_SAME).replace(" ", "").rstrip(",.").lower()
        # The sign belongs to the number: -2.15 is not a number of "12--2.15".
        alike = [
            [one for one in passage.numbers if wanted in _spellings(one)
             and not (wanted.startswith("-") and ground.facts.named(one.id).value > 0)]
            for passage in passages
        ]  # fmt: skip
        # Which of several is counted through all quotations; a number alone is one of the first that has it.
        found = (
            list({one.id: one for numbers in alike for one in numbers}.values())
            if which
            else next(filter(None, alike), [])
        )
        if found and which and not 1 <= int(which) <= len(found):
            raise UnknownFactError(f"{said}: the last {text} of the quotations is #{text}@{len(found)}")
        if len(found) > 1 and not which:
            raise UnknownFactError(f"{said} stands {len(found)} times in the quotation; write #{text}@1 for the first")
        if found:
            return ground.facts.named(found[int(which or 1) - 1].id)
        listed = ", ".join(one.text for passage in passages for one in passage.numbers) or "none"
        raise UnknownFactError(f"{said} is no number of the quotation, whose numbers are: {listed}")

    return number


# Tying


def tie(written: Written, ground: Ground) -> Tied:
    """A claim tied to the paper; `RefusedError` where it is not."""
    claim = written.claim
    own = Quotation(at=claim.at, quote=claim.quote)
    passages = tuple(ground.passage(one) for one in (own, *claim.also))
    quoted = _quoted(passages, ground)
    sets, members = {}, dict[str, str]()
    for name, group in claim.sets.items():
        if not any(_plain(group.words) in passage.quote for passage in passages):
            raise UntiedError(f"sets/{name}/words: “{group.words}” is in none of the quotations")
        cells = [fact for address in group.cells for fact in _cells(address, name, ground)]
        sets[name] = cells
        axis = "row" if len({(fact.table, fact.column) for fact in cells}) == 1 else "column"
        members |= {fact.address: axis for fact in cells}
    constants = {name: Fraction(constant.value) for name, constant in claim.constants.items()}
    names = FormulaNames(ground.facts, constants, quoted=quoted, sets=sets)

    def bind(read: Read) -> Formula:
        names.read = read
        names.used.clear()
        found = []
        for number, reading in enumerate(claim.readings, 1):
            formula, problems = parse_formula(reading, names)
            if formula is None:
                where = f"readings/{number}: " if len(claim.readings) > 1 else ""
                raise UntiedError(f"{where}{problems[0].message} (in {reading!r}, column {problems[0].column})")
            found.append(formula)
        return any_of(*found)

    formula = bind(same)
    tied = Tied(written, passages, formula, dict(names.used), members, frozenset(names.lists), bind)
    if strange := sorted(names.literals - _FREE):
        shown = str(strange[0])
        raise UntiedError(
            f"{shown} has no kind: write it as a constant (definition, tolerance or counted) that says why, "
            f"or as #{shown} where the quotation prints it"
        )
    _refuse_units(formula)
    _refuse_idle(tied)
    return tied


def _cells(address: str, name: str, ground: Ground) -> Iterator[PrintedNumber]:
    """The cells of an address, which may stand for a whole row or column."""
    names = FormulaNames(ground.facts)
    _formula, problems = parse_formula(f"count({address}) >= 0", names)
    if problems:
        raise UntiedError(f"sets/{name}/cells: {problems[0].message} (in {address!r})")
    yield from names.used.values()


def _refuse_units(formula: Formula) -> None:
    """A number in millions is not compared with one that is not, nor a share with a percentage."""
    for node in walk(formula):
        if not isinstance(node, Comparison) or not isinstance(node.left, Given) or not isinstance(node.right, Given):
            continue
        first, second = node.left.fact, node.right.fact
        scales = [_scale(fact) for fact in (first, second)]
        shown = f"{first.text} ({first.plain_address}) and {second.text} ({second.plain_address})"
        if scales[0] != scales[1] and _digits(first) == _digits(second):
            raise UntiedError(
                f"units differ: {shown}; write the factor, such as {10 ** abs(scales[0] - scales[1])} * …"
            )
        percent = ["%" in fact.text for fact in (first, second)]
        if percent[0] != percent[1] and node.operator == "==":
            whole, share = (first, second) if percent[0] else (second, first)
            if share.value and abs(whole.value - 100 * share.value) <= max(whole.unit, 100 * share.unit):
                raise UntiedError(f"units differ: {shown}; one is a share and the other a percentage: write 100 * …")


def _scale(fact: PrintedNumber) -> int:
    found = _SCALE.search(fact.text)
    return _SCALES[found["letter"] or found["word"]] if found else 0


def _digits(fact: PrintedNumber) -> Fraction:
    return fact.value / Fraction(10) ** _scale(fact)


def _refuse_idle(tied: Tied) -> None:
    """A claim rests on two things that are printed independently, and a wrong digit could break it."""
    constants = tied.written.claim.constants.values()
    things = len(tied.used) + sum(constant.kind == "definition" for constant in constants)
    if not tied.used or things < 2:
        shown = ", ".join(tied.used) or "none"
        raise UntiedError(f"it rests on fewer than two independently printed things (it uses: {shown})")
    status = tied.status(same)
    moves = (_moving({address}, units) for units in _MOVES for address in _most(tied.used))
    if status == "possible" and all(tied.status(move) != "impossible" for move in moves):
        bounds = [f"{fact.text} ({address})" for address, fact in tied.used.items() if fact.is_bound]
        only = f"; {', '.join(bounds)} is printed as a bound: what it is compared with is a constant" if bounds else ""
        raise UntiedError(f"no change of a printed digit could break it{only}")
    if status == "impossible" and tied.status(lambda fact: fact.between(-FAR, FAR)) == "impossible":
        raise UntiedError("no numbers at all could satisfy it: a number that is compared with itself says nothing")


def _most(addresses: Iterable[str]) -> list[str]:
    found = list(addresses)
    return found[: _MOST_MOVED // 2] + found[_MOST_MOVED // 2 :][-_MOST_MOVED // 2 :]


def _moving(addresses: set[str], units: int) -> Read:
    def read(fact: PrintedNumber) -> PrintedNumber:
        return fact.moved(units) if fact.plain_address in addresses else fact

    return read
