"""What a paper itself says that its short names stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from sealtrace.paper.names.words import stem, stems, words

_BRACKETED = re.compile(r"(?<![\w-])((?:[\w-]++\s++){1,9}+)\(([A-Za-z][\w-]{1,9})\)")
_DEFINED = re.compile(
    r"(?:^|[\s(;,.:])((?:[#%]\s?)?[A-Za-z#%Δρκ](?:[\w@%#/+-]|\.(?=\w)){0,14}(?:\.| [A-Z]\w{0,8}\.?)?)\s?"
    r"(=|:|denotes|is|are|stands for)\s+((?:the |a |an )?[a-z][\w -]{3,60}?)(?=[;,.()]|$| and [A-Z])"
)
_HYPHENED = re.compile(r"(?<![^\W_])([^\W\d_]{1,3})-([^\W\d_]+)")
_PRONOUNS = frozenset({"it", "we", "he", "i", "a", "an", "as", "so", "if", "or", "in", "this", "that", "th"})
# A short name with more definitions is a common word, whose meanings would name everything.
_MOST_MEANINGS = 3


@dataclass
class Glossary:
    """Short names, without capitals, with the texts that they stand for."""

    meanings: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _known: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @staticmethod
    def of(texts: Iterable[str]) -> Glossary:
        """From captions, notes and running text: `KU = knowledge update`, `generalized advantage (GA)`."""
        found: dict[str, list[str]] = {}
        for text in texts:
            for match in _DEFINED.finditer(text):
                short, link, meaning = match.groups()
                letters = short.isupper() or len(short) <= 2 or short[0] in "#%" or "." in short
                if short.casefold() not in _PRONOUNS and (letters or link not in ("is", "are")):
                    found.setdefault(short.casefold(), []).append(meaning)
            for match in _BRACKETED.finditer(text):
                if meaning := _long_form(match[1].split(), match[2]):
                    found.setdefault(match[2].casefold(), []).append(meaning)
        return Glossary({short: tuple(dict.fromkeys(told))[:_MOST_MEANINGS] for short, told in found.items()})

    def of_label(self, label: str) -> tuple[str, ...]:
        """What a whole label stands for."""
        return self.meanings.get(label.strip().casefold(), ())

    def widened(self, text: str) -> tuple[str, ...]:
        """The stems of a text, with words that a hyphen cuts (`k-NN`); behind them what its short names stand for."""
        if text not in self._known:
            lowered = text.casefold()
            added = [
                told[0]
                for short, told in self.meanings.items()
                if short in lowered and re.search(rf"(?<!\w){re.escape(short)}(?!\w)", lowered)
            ]
            whole = {cut.end(): stem(cut[1] + cut[2]) for cut in _HYPHENED.finditer(text)}
            own = [part for word in words(text) for part in (word.stem, whole.get(word.end, "")) if part]
            self._known[text] = (*own, *(word for meaning in added for word in stems(meaning)))
        return self._known[text]


def _long_form(before: list[str], short: str) -> str:
    """The words before a bracket that its letters abbreviate; empty where they do not.

    The letters are looked for from the last one backwards, and the first of them must begin a word: this reads
    initials (`Classifier Test Score (CTS)`) and beginnings (`exploitability (Expl)`) alike.
    """
    letters = [letter for letter in short.casefold() if letter.isalnum()]
    phrase = " ".join(before[-min(len(letters) + 5, 2 * len(letters)) :])
    lowered, place = phrase.casefold(), len(phrase)
    for number, letter in reversed(list(enumerate(letters))):
        place = lowered.rfind(letter, 0, place)
        while number == 0 and place > 0 and lowered[place - 1].isalnum():
            place = lowered.rfind(letter, 0, place)
        if place < 0:
            return ""
    return phrase[place:] if len(phrase) - place > len(short) else ""
