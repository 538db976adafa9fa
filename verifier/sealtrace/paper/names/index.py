"""Which things a text names, how strongly, and by which of its words.

A thing is plain: its kind, an id and the texts that call it. Rows, columns, tables, fields, values, files and
statistics are all asked for in this way. What a cell or a record holds is never looked at, so that a name which was
found can also show that the number beside it is wrong.

A label speaks of one thing, so that a share of a name's words is enough; running text speaks of many, so that all words
of a name have to stand close together. Strength is in [0, 1]:

    1            LETTERS    the name letter by letter, capitals, spaces and signs aside; or the same number
    0.9          WORDS      all its words in order, spelled otherwise; what the glossary says that it stands for; in
                            running text a name without its brackets, or with what stands above it (`order 3`)
    0.9 × share             in a label: the share of the words that tell the name from the others of its group; the
                            beginning of a word counts 0.8, a word inside another one 0.7
    0.85, 0.68   INSIDE, AROUND   in a label: the letters of the name stand in it, or it in them (`coef_north`)
    0.6          APART      in running text: all words, with another one between two of them; in a label: the number of
                            a name behind another word (`Top 1` for `run1`)
    0.5          PART       in running text: one word that no other name of the group has, or what stands in brackets

The longest name wins over parts of it. Names that are said equally well are all returned: the caller decides.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import dropwhile, pairwise, product
from typing import Generic, NamedTuple, TypeVar

from sealtrace.paper.names.glossary import Glossary
from sealtrace.paper.names.words import (
    SEPARATORS,
    Lookup,
    Word,
    distinguishing,
    named_by,
    same_word,
    squeezed,
    stems,
    telling,
    tells,
    vocabulary,
    words,
)

LETTERS, WORDS, INSIDE, AROUND, APART, PART = 1.0, 0.9, 0.85, 0.68, 0.6, 0.5
MARGIN = 0.045
"""Strengths that differ by less are equal."""
_LEAST = 0.27
"""The least strength at which a label names a thing at all."""
_MOST_WORDS = 30
"""Words of a label, or of a name, that are compared in order."""
# Each abbreviated word of a name may be written out in several ways, and all are combined: the product is cut.
_MOST_SPELLINGS = 12
_IN_ANY_ORDER, _MORE_WORDS = 0.93, 2
"""Strength of a name whose words a label says in another order, `Income (log)` for `log_income`, with few others."""
_NUMBERED = frozenset({"table", "column", "row", "ref"})
"""Words that tell nothing and count places of the paper: `Table 1` is no seed 1."""
_MARKS = re.compile(r"[↑↓†‡*§]|\[…\]")
# Bounded, so that brackets that never close cost no square of their number.
_BRACKETS = re.compile(r"\s{0,9}[(\[](.{0,400}?)[)\]]")
_PREFIX = re.compile(r"(?!no|un|w/o)([A-Za-z]{2,})[-_:/](?=[A-Za-z])")
_SPELLED = re.compile(r"[^\W\d_]+(\.)?|\d+(?:[.,]\d+)*")
_NUMBER = re.compile(r"\d++(?:[.,:/-]\d++)*+\s?%?")
_TOKEN = re.compile(r"[A-Za-z]+(?=[A-Z-])(?:[A-Z]|-\w)[\w-]*")
"""A word with capitals or hyphens inside."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_DATED = ("in", "by", "of", "for", "and", "to", "from", "since")
_GIVEN = re.compile(r"(?:\b(?:at|with|under|for|in|the|of|to|from|and|or)|,|[(=])\s*$", re.I)


Id = TypeVar("Id", bound=Hashable)


@dataclass(frozen=True)
class Thing(Generic[Id]):
    """Something that a text can name."""

    kind: str
    id: Id
    texts: tuple[str, ...]
    """Each of them calls it."""
    under: tuple[str, ...] = ()
    """What stands above it, with which a bare number is called: `order` of order 3."""


@dataclass(frozen=True)
class Resolved(Generic[Id]):
    """A thing that a text names."""

    thing: Thing[Id]
    strength: float
    words: tuple[Word, ...]
    """The words of the text that name it, in order; the others remain unexplained."""

    @property
    def span(self) -> tuple[int, int]:
        """Where it is named."""
        return self.words[0].start, self.words[-1].end


class _Spoken(NamedTuple):
    """What the texts of a paper say."""

    words: frozenset[str]
    units: frozenset[str]
    """Words behind numbers: `day` of `5-day`."""


@dataclass(frozen=True)
class _Phrase:
    """One way to call a thing in running text."""

    place: int
    stems: tuple[str, ...]
    strength: float
    percent: bool = False
    """Whether it is a bare percent: then the sign, and a word before it, have to make it a name."""
    letters: str = ""
    """What must be written so, where the stem is a word of every text: `Ours` is a name and `our` is none."""


class Group(Generic[Id]):
    """Things that are told apart from each other: rows of a table, values of a field, statistics."""

    def __init__(self, things: Iterable[Thing[Id]], *, verbatim: bool = False) -> None:
        """Things that are `verbatim` are called in running text by all their words only, idle ones as well: `mean`."""
        self.things = tuple(things)
        self._verbatim = verbatim
        self._named = [(place, text) for place, thing in enumerate(self.things) for text in thing.texts]
        self.owner = [place for place, _text in self._named]
        self.texts = [text for _place, text in self._named]
        self._known: dict[tuple[str, tuple[str, ...]], list[Resolved[Id]]] = {}

    @staticmethod
    @lru_cache(maxsize=20_000)
    def of_values(values: tuple[str, ...], field: str = "") -> Group[int]:
        """The values of a field, by their places; fields share many. Running text names numbers with their field."""
        under = (field,) if field else ()
        return Group(Thing("value", place, (value,), under) for place, value in enumerate(values))

    # Labels

    @cached_property
    def _telling(self) -> list[tuple[str, ...]]:
        return distinguishing(self.texts)

    @cached_property
    def _squeezed(self) -> list[str]:
        return list(map(squeezed, self.texts))

    @cached_property
    def _long(self) -> list[tuple[int, str]]:
        return [(at, whole) for at, whole in enumerate(self._squeezed) if len(whole) >= 4]

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self._telling)

    @cached_property
    def _alike(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, whole in enumerate(self._squeezed):
            found.setdefault(whole, []).append(at)
        return found

    @cached_property
    def _numbers(self) -> list[tuple[float, int]]:
        """The names as numbers in order, where all of them are."""
        try:
            return sorted((float(text), at) for at, text in enumerate(self.texts))
        except ValueError:
            return []

    def alike(self, letters: str) -> list[int]:
        """The names that have these letters; none in running text where things are called verbatim."""
        return [] if self._verbatim else self._alike.get(letters, [])

    def in_label(self, text: str, widened: tuple[str, ...]) -> list[Resolved[Id]]:
        """What a label names, the strongest first; `widened` has the meanings of its short names behind its stems."""
        if (text, widened) not in self._known:
            self._known[text, widened] = self._longest(text, self._strengths(text, widened))
        return self._known[text, widened]

    def _strengths(self, text: str, widened: tuple[str, ...]) -> dict[int, float]:
        plain = squeezed(text)
        if not plain:
            return {}
        found: dict[int, float] = {}
        if self._numbers:
            for value, strength in numbers_said(text):
                near = 1e-9 * abs(value)
                for own, at in self._numbers[bisect_left(self._numbers, (value - near, -1)) :]:
                    if own > value + near:
                        break
                    found[at] = max(found.get(at, 0.0), strength)
            return found
        if plain in self._alike:
            return dict.fromkeys(self._alike[plain], LETTERS)
        pieces = {squeezed(piece) for piece in SEPARATORS.split(text)}
        for at in frozenset().union(*map(self._lookup.holding, widened)):
            whole = self._squeezed[at]
            if len(whole) > 2 or whole in pieces or (len(whole) == 2 and whole.isdecimal()):
                share = WORDS * _share_said(widened, self._telling[at])
                found[at] = (
                    min(share, APART) if _is_headed_otherwise(text, self.texts[at], self._telling[at]) else share
                )
        for at, whole in self._long:
            if whole in plain:
                found[at] = max(found.get(at, 0.0), INSIDE)
            elif len(plain) >= 4 and plain in whole:
                found[at] = max(found.get(at, 0.0), AROUND)
        return {at: strength for at, strength in found.items() if strength >= _LEAST}

    def _longest(self, text: str, strengths: dict[int, float]) -> list[Resolved[Id]]:
        """The names without those whose words are only a part of another's that is said as well."""
        best: dict[int, int] = {}
        for at in sorted(strengths, key=lambda at: (-strengths[at], -len(self._squeezed[at]))):
            best.setdefault(self.owner[at], at)
        kept = [
            at
            for at in best.values()
            if not any(
                vocabulary(self.texts[at]) < vocabulary(self.texts[other]) and strengths[other] > strengths[at] - MARGIN
                for other in best.values()
            )
        ]
        return [
            Resolved(self.things[self.owner[at]], strengths[at], _words_of(text, stems(self.texts[at]))) for at in kept
        ]

    # Running text

    def phrases(self, glossary: Glossary, spoken: _Spoken) -> Iterator[_Phrase]:
        """Every way to call the things in running text."""
        if self._verbatim:
            yield from (_Phrase(at, said, LETTERS) for at, text in self._named if (said := stems(text)))
            return
        own = Counter(
            word for thing in self.things for word in {word for text in thing.texts for word in named_by(text)}
        )
        for place, text in self._named:
            yield from self._calling(place, text, glossary, spoken)
            for word in named_by(text):
                if own[word] == 1 and len(named_by(text)) > 1 and len(word) > 3 and word.isalpha():
                    yield _Phrase(place, (word,), PART)

    def _calling(self, place: int, label: str, glossary: Glossary, spoken: _Spoken) -> Iterator[_Phrase]:
        text = _MARKS.sub("", label).strip()
        bare, inside = _BRACKETS.sub("", text).strip(), _BRACKETS.findall(text)
        named = [(text, LETTERS), (bare, LETTERS), *((name, WORDS) for name in glossary.of_label(bare))]
        if bare:
            named += [(name, PART) for name in inside if named_by(name) and not name.endswith(".")]
        *rest, unit = SEPARATORS.split(bare)
        if rest and 0 < len(unit) < 4 and spoken.units.issuperset(stems(unit)):
            named.append((" ".join(rest), WORDS))  # The number beside it has the unit: `latency_ms`.
        prefix = _PREFIX.match(bare)
        if prefix and sum(other.startswith(prefix[0]) for other in self.texts) > 2:
            named.append((bare[prefix.end() :], WORDS))
        seen = set()
        for name, strength in named:
            for spelled in _spellings(name, spoken):
                # `All old trees` are called old trees, too.
                shorter = tuple(dropwhile(lambda stem: not tells(stem), spelled))
                for said in (spelled, shorter) if len(shorter) > 1 else (spelled,):
                    if said not in seen and _is_name(said):
                        seen.add(said)
                        yield _Phrase(place, said, strength)
        if _NUMBER.fullmatch(bare):
            for head in (*self.things[place].under, *(_DATED if _YEAR.fullmatch(bare) else ())):
                yield _Phrase(place, (*stems(head), *stems(bare)), WORDS)
            if bare.endswith("%"):
                yield _Phrase(place, stems(bare), APART, percent=True)
        elif not seen and len(stems(bare)) == 1 and len(bare) > 3:
            # A word that says little by itself: `for the model`.
            yield from (_Phrase(place, (link, "the", *stems(bare)), WORDS) for link in ("for", "of", "by"))
            if not tells(stems(bare)[0]) and stems(bare)[0] != bare.casefold():
                yield _Phrase(place, stems(bare), WORDS, letters=bare.casefold())


@dataclass
class Names:
    """The one index: what a paper says of its short names, and which things its texts name."""

    texts: Sequence[str] = ()
    """The running text and the captions, in which short names are defined and abbreviations written out."""
    _starting: dict[tuple[object, ...], dict[str, list[tuple[int, _Phrase]]]] = field(default_factory=dict)

    @cached_property
    def glossary(self) -> Glossary:
        """What the paper says that its short names stand for."""
        return Glossary.of(self.texts)

    @cached_property
    def _spoken(self) -> _Spoken:
        units = {word.stem for text in self.texts for number, word in pairwise(words(text)) if number.stem.isdecimal()}
        return _Spoken(frozenset().union(*map(vocabulary, self.texts)), frozenset(filter(str.isalpha, units)))

    def resolve(self, text: str, among: Sequence[Group[Id]], *, running: bool = False) -> list[Resolved[Id]]:
        """The things of some groups that a text names: a label as a whole, or `running` text in its passages."""
        if running:
            return self._in_passages(text, among)
        return [named for group in among for named in group.in_label(text, self.glossary.widened(text))]

    def _in_passages(self, text: str, among: Sequence[Group[Id]]) -> list[Resolved[Id]]:
        key = tuple(among)
        if key not in self._starting:
            self._starting[key] = defaultdict(list)
            for number, group in enumerate(among):
                for phrase in group.phrases(self.glossary, self._spoken):
                    self._starting[key][phrase.stems[0]].append((number, phrase))
        given, starting = words(text), self._starting[key]
        called: dict[int, dict[int, list[Resolved[Id]]]] = {}
        for at, word in enumerate(given):
            for number, phrase in starting.get(word.stem, ()):
                found = _follow(given, at, phrase.stems)
                if not found:
                    continue
                start, end = found[0].start, found[-1].end
                if phrase.letters and text[start:end].casefold() != phrase.letters:
                    continue
                if phrase.percent and not (text[end : end + 1] == "%" and _GIVEN.search(text[:start])):
                    continue
                passage = given[at : given.index(found[-1], at) + 1]
                close = all(word in found or not tells(word.stem) for word in passage)
                if _is_piece(text, start, end) or not (close or phrase.strength >= WORDS):
                    continue
                named = Resolved(among[number].things[phrase.place], phrase.strength if close else APART, found)
                called.setdefault(number, {}).setdefault(phrase.place, []).append(named)
        # `PageRank` and `k-NN` are one word where results call them `pagerank` and `knn`.
        for token in _TOKEN.finditer(text):
            for number, group in enumerate(among):
                for at in group.alike(squeezed(token[0])):
                    inside = tuple(word for word in given if token.start() <= word.start < token.end())
                    named = Resolved(group.things[group.owner[at]], LETTERS, inside)
                    called.setdefault(number, {}).setdefault(group.owner[at], []).append(named)
        return [named for things in called.values() for named in _without_pieces(things)]


def unambiguous(found: Sequence[Resolved[Id]]) -> Resolved[Id] | None:
    """The thing that is named best; None where nothing is named, or two things are named equally well."""
    best = sorted(found, key=lambda named: -named.strength)[:2]
    return best[0] if best and (len(best) == 1 or best[0].strength - best[1].strength >= MARGIN) else None


@lru_cache(maxsize=100_000)
def _share_said(label: tuple[str, ...], name: tuple[str, ...]) -> float:
    """Share of a name's words that a label says, in their order; nearly all where it says each in another order."""
    if not name or not label:
        return 0.0
    name = name[:_MOST_WORDS]
    best = [0.0] * (len(name) + 1)
    for word in label[:_MOST_WORDS]:
        before = 0.0
        for place, other in enumerate(name, 1):
            above = best[place]
            best[place] = max(above, best[place - 1], before + same_word(word, other))
            before = above
    if len(label) > len(name) + _MORE_WORDS:
        return best[-1] / len(name)  # Running text has many words.
    each = [max(same_word(word, other) for word in label) for other in name]
    return max(best[-1], _IN_ANY_ORDER * sum(each) if all(each) else 0.0) / len(name)


def _is_headed_otherwise(text: str, name: str, telling_words: tuple[str, ...]) -> bool:
    """Whether only a number tells a name, and a label has each such number behind another word than the name does."""
    if not all(word.isdecimal() for word in telling_words):
        return False
    own = {number: head for head, number in pairwise(stems(name)) if number in telling_words and head.isalpha()}
    heads = [
        (own[word.stem], before.stem) for before, word in pairwise((Word("", 0, 0), *words(text))) if word.stem in own
    ]
    return bool(heads) and not any(
        not (said.isalpha() and (tells(said) or said in _NUMBERED))
        or same_word(said, head)
        or (len(head) == 1 and said.startswith(head))
        for head, said in heads
    )


def _words_of(text: str, name: tuple[str, ...]) -> tuple[Word, ...]:
    """The words of a label that are like one of a name; all of them where it is named by its letters or meaning."""
    given = words(text)
    return tuple(word for word in given if any(same_word(word.stem, own) for own in name)) or given


def _spellings(name: str, spoken: _Spoken) -> Iterator[tuple[str, ...]]:
    """The stems of a name, also with what its abbreviations begin in the text: `Misinfo.` for misinformation, `5d` for
    5 days; and with the endings that its verbs have there: `train` for training."""
    choices = []
    for match in _SPELLED.finditer(name):
        own = stems(match[0])
        for stem in own:
            options = [stem, *(stem + ending for ending in ("ing", "ed") if stem + ending in spoken.words)]
            if match.start() and name[match.start() - 1].isdigit() and len(stem) < 3:
                options += sorted(word for word in spoken.units if word.startswith(stem) and word != stem)[:4]
            elif len(own) == 1 and len(stem) > 2 and (match[1] or (len(stem) > 3 and stem not in spoken.words)):
                longer = (word for word in spoken.words if word.startswith(stem) and len(word) > len(stem) + 1)
                options += sorted(longer)[:4]
            choices.append(options)
    if choices:
        yield from [said for said, _ in zip(product(*choices), range(_MOST_SPELLINGS), strict=False)]


def _is_name(said: tuple[str, ...]) -> bool:
    return bool(telling(said)) and any(stem[0].isalpha() for stem in said) and sum(map(len, said)) > 1


def _follow(given: tuple[Word, ...], at: int, name: tuple[str, ...]) -> tuple[Word, ...]:
    """The words of a name that begins at a place: one after the other, each with one word between at most."""
    found = [given[at]]
    for stem in name[1:]:
        after = (at + 1, at + 2) if tells(stem) else (at + 1,)
        at = next((other for other in after if other < len(given) and given[other].stem == stem), -1)
        if at < 0:
            return ()
        found.append(given[at])
    return tuple(found)


def _is_piece(text: str, start: int, end: int) -> bool:
    """Whether a short name is only a piece of a longer one: MT in MT-Deep."""
    if not re.fullmatch(r"[A-Z\d]+", text[start:end]):
        return False
    return re.match(r"[-_]\w", text[end:]) is not None or re.search(r"\w[-_]$", text[:start]) is not None


def _without_pieces(called: dict[int, list[Resolved[Id]]]) -> list[Resolved[Id]]:
    """Of each thing the passages that name it best, without those that are a piece of a longer name of its group."""
    kept = []
    for passages in called.values():
        best = max(named.strength for named in passages)
        kept += [named for named in passages if named.strength == best or named.strength >= WORDS]
    strong = [(*named.span, named.strength) for named in kept if named.strength > APART]

    def is_piece(named: Resolved[Id]) -> bool:
        start, end = named.span
        return any(
            a <= start and end <= b and (b - a > end - start or strength > named.strength) for a, b, strength in strong
        )

    return [named for named in kept if not is_piece(named)]


_SAID = re.compile(
    r"(?<![\w.])(?P<sign>[-−]?)(?P<digits>\d[\d,]*(?:\.\d+)?|\.\d+)"
    r"(?:\s*[×x·]\s*10\^?\{?(?P<ten>[-−]?\d+)\}?|\^\{?(?P<power>[-−]?\d+)\}?|[eE](?P<e>[-+−]?\d+))?"
    r"(?P<unit>\s?%|\s?[kKM]\b)?"
)
_SCALES = {"%": (1.0, 0.01), "k": (1000.0, 1024.0), "K": (1000.0, 1024.0), "M": (1e6, 1048576.0)}


def numbers_said(text: str) -> list[tuple[float, float]]:
    """Numbers that a label can mean, with the strength at which it names them: most where it says nothing else."""
    found = []
    matches = list(_SAID.finditer(text))
    for match in matches:
        value = float(match["digits"].replace(",", "")) * (-1 if match["sign"] else 1)
        power = match["ten"] or match["e"] or match["power"]
        if power and value:
            try:
                raised = (value if match["power"] else 10.0) ** int(power.replace("−", "-"))
            except OverflowError:
                continue
            value = raised if match["power"] else value * raised
        alone = not text[: match.start()].strip() + text[match.end() :].strip()
        strength = LETTERS if alone else WORDS * 0.9 / len(matches) ** 0.1
        scales = _SCALES.get((match["unit"] or "").strip(), (1.0,))
        found += [(value * scale, strength - MARGIN * rank) for rank, scale in enumerate(scales)]
    return found
