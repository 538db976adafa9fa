"""Which names in results a label means: words in order, abbreviations, parts, and the paper's own definitions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from sealtrace.binding.frames import Dimension, Numbers
from sealtrace.binding.names import SEPARATORS, squeezed, telling_words, words

_IN_PARENTHESES = re.compile(r"((?:[\w-]+\s+){1,6})\(([A-Za-z][\w-]{1,9})\)")
_IS = re.compile(
    r"(?:^|[.;:,(]\s+|\band\s+)((?:[#%]\s?)?[A-Za-z][\w%-]*\.?(?:\s[\w(]+\.\)?){0,3})\s*"
    r"(?:=|is|are|denotes|stands for)\s+(?:the |a |an )?"
    r"([a-z][\w-]*(?:[ -][\w-]+){0,6})"
)


_PLAIN_WORDS = frozenset({"it", "we", "he", "i", "a", "an", "as", "so", "if", "or", "in", "this", "that", "th"})


@dataclass
class Glossary:
    """What the paper itself says its abbreviations mean."""

    meanings: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _known: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @staticmethod
    def of(texts: list[str]) -> Glossary:
        """From captions, notes and running text."""
        meanings: dict[str, tuple[str, ...]] = {}
        for text in texts:
            for match in _IN_PARENTHESES.finditer(text):
                phrase = match.group(1).split()
                short = match.group(2)
                letters = [letter for letter in short.lower() if letter.isalpha()]
                tail = phrase[-len(letters) :]
                pieces = [piece for word in tail for piece in word.split("-")]
                if [piece[0].lower() for piece in tail] == letters or [piece[0].lower() for piece in pieces] == letters:
                    meanings.setdefault(short.lower(), words(" ".join(tail)))
            for match in _IS.finditer(text):
                short = match.group(1).strip(" $")
                if short.lower() not in _PLAIN_WORDS and (len(short) <= 2 or short[0] in "#%" or "." in short):
                    meanings.setdefault(short.lower(), words(match.group(2)))
        return Glossary(meanings)

    def widened(self, text: str) -> tuple[str, ...]:
        """Words of a label, with the words that its abbreviations stand for behind them."""
        if text in self._known:
            return self._known[text]
        own = words(text)
        added: list[str] = []
        lowered = text.lower()
        for short, meaning in self.meanings.items():
            if short == lowered.strip() or re.search(rf"(?<!\w){re.escape(short)}(?!\w)", lowered):
                added.extend(meaning)
        self._known[text] = (*own, *added)
        return self._known[text]


_BEGINNING, _INSIDE = 3, 5
"""Letters that a word must share with another one at its beginning, or anywhere in it."""
_MOST_WORDS = 30
"""Words of a label, or of a name, that are compared in order."""


@lru_cache(maxsize=1_000_000)
def same_word(label: str, name: str) -> float:
    """How well a word of a label stands for a word of a name: 1 the same, less for beginnings."""
    if label == name:
        return 1.0
    if label.isdecimal() or name.isdecimal():
        return 0.0
    short, long = sorted((label, name), key=len)
    if len(short) >= _BEGINNING and long.startswith(short):
        return 0.8
    return 0.7 if len(short) >= _INSIDE and short in long else 0.0


@lru_cache(maxsize=100_000)
def coverage(label: tuple[str, ...], name: tuple[str, ...]) -> float:
    """Share of a name's words that a label says, in their order."""
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
    return best[-1] / len(name)


@lru_cache(maxsize=500_000)
def name_match(label: tuple[str, ...], name: str) -> float:
    """How well a label names a measure: shares of words both ways, order aside, numbers strict."""
    told = words(name)
    if not told or not label:
        return 0.0
    hit = sum(max(same_word(word, other) for word in label) for other in told)
    back = sum(max(same_word(word, other) for other in told) for word in label)
    return float((hit / len(told) + back / len(label)) / 2)


NAMED = 0.5
"""Score from which a label names a value."""
UNSURE = 0.6
"""Score at most of a value, where the label says another one as well."""
EXACT = 1.2
"""Score of a label that is the value, letter by letter."""


@dataclass(frozen=True)
class Match:
    """A value of a field that a label names."""

    code: int
    score: float


class FieldMatcher:
    """Finds the value of a field that a label names."""

    def __init__(self, dimension: Dimension) -> None:
        self._telling = telling_words(dimension.values)
        self._squeezed = [squeezed(value) for value in dimension.values]
        self._long = [(code, whole) for code, whole in enumerate(self._squeezed) if len(whole) >= 4]
        self._holders: dict[str, list[int]] = {}
        for code, told in enumerate(self._telling):
            for word in set(told):
                self._holders.setdefault(word, []).append(code)
        self._begun: dict[str, list[str]] = {}
        for word in self._holders:
            self._begun.setdefault(word[:_BEGINNING], []).append(word)
        self._inside = [word for word in self._holders if len(word) >= _INSIDE]
        self._joined = "\n".join(self._inside)
        self._like: dict[str, frozenset[int]] = {}
        self._spoken: dict[frozenset[str], bool] = {}
        self._numbers = number_values(dimension.values)
        self._known: dict[tuple[str, tuple[str, ...]], Match | None] = {}

    def find(self, text: str, label: tuple[str, ...]) -> Match | None:
        """The one value that fits best; None where nothing fits, or several fit as well."""
        key = (text, label)
        if key not in self._known:
            self._known[key] = self._search(text, label)
        return self._known[key]

    def spoken_of(self, texts: frozenset[str], glossary: Glossary) -> bool:
        """Whether any of the texts names a value well; most fields are not spoken of in a table at all."""
        if texts not in self._spoken:
            found = (self.find(text, glossary.widened(text)) for text in texts)
            self._spoken[texts] = any(match is not None and match.score >= NAMED for match in found)
        return self._spoken[texts]

    def _sharing(self, word: str) -> frozenset[int]:
        """The values that have a word like one of a label's."""
        if word not in self._like:
            near = self._begun.get(word[:_BEGINNING], [])
            if len(word) >= _INSIDE:
                # Words that hold this one, or that it holds; few fields have any.
                holding = self._inside if word in self._joined else ()
                near = [*near, *holding, *(inner for inner in self._inside if inner in word)]
            self._like[word] = frozenset(
                code for other in near if same_word(word, other) for code in self._holders[other]
            )
        return self._like[word]

    def _search(self, text: str, label: tuple[str, ...]) -> Match | None:
        plain = squeezed(text)
        if not plain:
            return None
        if self._numbers is not None:
            return self._by_number(text)
        if plain in self._squeezed:
            return Match(self._squeezed.index(plain), EXACT)
        pieces = {squeezed(piece) for piece in SEPARATORS.split(text)}
        shares: dict[int, float] = {}
        for code in set().union(*map(self._sharing, label)):
            whole = self._squeezed[code]
            if len(whole) > 2 or whole in pieces or (len(whole) == 2 and whole.isdecimal()):
                shares[code] = coverage(label, self._telling[code])
        for code, whole in self._long:
            if whole in plain:
                shares[code] = max(shares.get(code, 0.0), 0.95)
            elif len(plain) >= 4 and plain in whole:
                shares[code] = max(shares.get(code, 0.0), 0.75)
        scored = sorted(
            ((share, len(self._squeezed[code]), code) for code, share in shares.items() if share >= 0.3), reverse=True
        )
        if not scored:
            return None
        share, length, code = scored[0]
        near = [other for worse, _, other in scored[1:] if share - worse < 0.05]
        if near and scored[1][1] == length:
            return None
        # `GPT-5.5 Pro (think)` says `gpt-5.5-think` and `gpt-5.5-pro`: the longer name is not the one that is meant.
        told = set(self._telling[code])
        if any(not set(self._telling[other]) <= told for other in near):
            share = min(share, UNSURE)
        return Match(code, share)

    def _by_number(self, text: str) -> Match | None:
        """Of a field of numbers, the one that a label says: `1.50`, `K = 5`, `10^-6`, `60% depth`, `8K`."""
        assert self._numbers is not None
        found: dict[int, float] = {}
        for value, score in numbers_said(text):
            for code in np.nonzero(np.abs(self._numbers - value) <= 1e-9 * abs(value))[0].tolist():
                found[code] = max(found.get(code, 0.0), score)
        best = sorted(found.items(), key=lambda item: -item[1])[:2]
        if not best or (len(best) > 1 and best[0][1] == best[1][1]):
            return None
        return Match(*best[0])


_SAID = re.compile(
    r"(?<![\w.])(?P<sign>[-−]?)(?P<digits>\d[\d,]*(?:\.\d+)?|\.\d+)"
    r"(?:\s*[×x·]\s*10\^?\{?(?P<ten>[-−]?\d+)\}?|\^\{?(?P<power>[-−]?\d+)\}?|[eE](?P<e>[-+−]?\d+))?"
    r"(?P<unit>\s?%|\s?[kKM]\b)?"
)


def numbers_said(text: str) -> list[tuple[float, float]]:
    """Numbers that a label could mean, and how surely: most where it says nothing else."""
    found = []
    matches = list(_SAID.finditer(text))
    for match in matches:
        value = float(match["digits"].replace(",", "")) * (-1 if match["sign"] else 1)
        base = value if match["power"] else 10.0
        power = match["ten"] or match["e"] or match["power"]
        if power and value:
            try:
                raised = base ** int(power.replace("−", "-"))
            except OverflowError:
                continue
            value = raised if match["power"] else value * raised
        score = EXACT if not text[: match.start()].strip() + text[match.end() :].strip() else 0.9 / len(matches) ** 0.1
        unit = (match["unit"] or "").strip()
        scales = {"%": (1.0, 0.01), "k": (1000.0, 1024.0), "K": (1000.0, 1024.0), "M": (1e6, 1048576.0)}
        found += [(value * scale, score - 0.05 * rank) for rank, scale in enumerate(scales.get(unit, (1.0,)))]
    return found


def number_values(values: list[str]) -> Numbers | None:
    """The values of a field as numbers, where all of them are."""
    try:
        return np.array([float(value) for value in values]) if values else None
    except ValueError:
        return None


@lru_cache(maxsize=20_000)
def matcher_of(values: tuple[str, ...]) -> FieldMatcher:
    """The matcher of a field with these values; frames share many."""
    return FieldMatcher(Dimension.of("", list(values)))
