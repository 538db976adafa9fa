"""Words of labels and sentences: where a row or a column is spoken of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_TOKEN = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")
_IDLE = frozenset(
    re.findall(
        r"\w+",
        "a an the of in on at to for with by and or is are was were be as from per we our ours its it this that these "
        "those vs versus than all each every no not only over under mean means average avg total overall sum "
        "other others none n k x y z i yes value values result results method methods model models system row "
        "column table ref",
    )
)
_ABBREVIATIONS = {
    "acc": "accuracy", "acc.": "accuracy", "avg": "average", "prec": "precision", "rec": "recall", "viol": "violation",
    "recog": "recognition", "diff": "difference", "std": "deviation", "prob": "probability", "params": "parameters",
    "cert": "certification", "expl": "exploitability", "opp": "opponent", "med": "median", "calib": "calibrated",
    "sep": "separation", "stab": "stability", "gen": "generalization", "pred": "predicted", "max": "maximum",
    "min": "minimum", "ppl": "perplexity",
}  # fmt: skip
_DEFINED = re.compile(
    r"(?:^|[\s(;,.])([A-Za-z#%Δρκ][\w@%#./+-]{0,14}(?: [A-Z][\w.]{0,8})?)\s?(=|:|denotes|is|are|stands for)\s+"
    r"((?:the |a )?[a-z][a-z -]{3,50}?)(?=[;,.()]|$| and [A-Z])"
)
_BRACKETED = re.compile(r"\b((?:[A-Za-z][a-z]+[ -]){1,4}[A-Za-z]+)\s\(([A-Z][A-Za-z]{0,6}s?)\)")


def stem(word: str) -> str:
    """A word without its plural."""
    word = _ABBREVIATIONS.get(word, word)
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


@lru_cache(maxsize=65536)
def words(text: str) -> tuple[tuple[str, int, int], ...]:
    """Stems with the places where they stand."""
    return tuple((stem(word.group().casefold()), word.start(), word.end()) for word in _TOKEN.finditer(text))


@lru_cache(maxsize=65536)
def phrase(text: str) -> tuple[str, ...]:
    """The stems of a label."""
    return tuple(word for word, _start, _end in words(text))


@lru_cache(maxsize=8192)
def vocabulary(text: str) -> frozenset[str]:
    """The stems of a text."""
    return frozenset(word for word, _start, _end in words(text))


@lru_cache(maxsize=65536)
def tells(word: str) -> bool:
    """Whether a stem names something."""
    return word not in _IDLE and stem(word) not in _IDLE and (len(word) > 1 or word.isdecimal())


def telling(stems: Iterable[str]) -> list[str]:
    """Stems that name something."""
    return list(filter(tells, stems))


@lru_cache(maxsize=16384)
def named_by(label: str) -> frozenset[str]:
    """The stems of a label that name something."""
    return frozenset(telling(phrase(label)))


def aliases_of(texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """What short names stand for: `KU = knowledge update`, `generalized advantage (GA)`."""
    found: dict[str, list[str]] = {}
    for text in texts:
        for name, link, meaning in _DEFINED.findall(text):
            if link not in ("is", "are") or name.isupper():
                found.setdefault(name.strip(), []).append(meaning)
        for meaning, name in _BRACKETED.findall(text):
            if name[0].casefold() in meaning.casefold():
                found.setdefault(name, []).append(meaning)
    return {name: tuple(dict.fromkeys(meanings)) for name, meanings in found.items()}
