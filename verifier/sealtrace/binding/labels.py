"""Which names in results a label means: words in order, abbreviations, parts, and the paper's own definitions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sealtrace.binding.frames import Dimension, Numbers
from sealtrace.paper.names.glossary import Glossary
from sealtrace.paper.names.words import SEPARATORS, Lookup, distinguishing, same_word, squeezed, stems

_BEGINNING, _INSIDE = 3, 5
"""Letters that a word must share with another one at its beginning, or anywhere in it."""
_MOST_WORDS = 30
"""Words of a label, or of a name, that are compared in order."""


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
    told = stems(name)
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
        self._telling = distinguishing(dimension.values)
        self._squeezed = [squeezed(value) for value in dimension.values]
        self._long = [(code, whole) for code, whole in enumerate(self._squeezed) if len(whole) >= 4]
        self._lookup = Lookup(self._telling)
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
        for code in set().union(*map(self._lookup.holding, label)):
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
