"""Words of names: how labels, sentences, fields and file names are cut into comparable stems.

There is one list of abbreviations, and it holds what any paper uses; what is particular to one paper comes from its own
definitions (`glossary`).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

_PIECE = re.compile(
    r"\d+(?:[.,]\d+)*|\b[wW]/[oO]\b|(?:[^\W\d_][\u0300-\u036f]*)+|(?<!\d)(?<!\d )%|#(?!\s?\d)|^[-−–](?=\s?[^\W\d_])"
)
"""Numbers, words, and signs that stand for one: `%` above a column does, behind a number it is a part of that; a dash
before all of a label takes something away."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])|(?<=[a-z]{3})(?=[A-Z]{2})")
_FILLED = re.compile(r"(?<=\.)0+$|(?<=\.\d)0+$|(?<=\.\d\d)0+$")
"""Zeros that fill up a decimal number: 1.50 is 1.5."""
SEPARATORS = re.compile(r"[\s_/\\.,:;|()\[\]{}>=+-]+")
_ABBREVIATIONS = {
    "acc": "accuracy", "avg": "mean", "average": "mean", "std": "sd", "stdev": "sd", "stddev": "sd",
    "deviation": "sd", "med": "median", "prec": "precision", "rec": "recall", "sens": "sensitivity",
    "spec": "specificity", "auroc": "auc", "rocauc": "auc", "roc": "auc", "num": "count", "number": "count",
    "pct": "percent", "percentage": "percent", "#": "count", "second": "sec",
    "ms": "millisecond", "min": "minimum", "max": "maximum", "param": "parameter",
    "val": "validation", "dev": "validation", "freq": "frequency", "temp": "temperature",
    "corr": "correlation", "imp": "importance", "perm": "permutation", "diff": "difference", "gap": "difference",
    "delta": "difference", "δ": "difference", "err": "error", "pred": "predicted", "prediction": "predicted",
    "lat": "latency", "bal": "balanced", "tgt": "target", "src": "source", "cov": "covariate",
    "classe": "class", "cal": "calibrated", "calib": "calibrated", "prob": "probability", "ppl": "perplexity",
    "gold": "true", "truth": "true", "pval": "p", "pvalue": "p",
    "intercept": "constant", "const": "constant", "cons": "constant", "spearmanr": "spearman", "pearsonr": "pearson",
    "hi": "high", "lo": "low", "aged": "age",
    "w/o": "without", "wo": "without", "no": "without", "-": "without", "−": "without", "–": "without",
    "rho": "spearman", "ρ": "spearman", "σ": "sigma", "μ": "mu", "τ": "tau", "κ": "kappa", "α": "alpha", "β": "beta",
}  # fmt: skip
_SYMBOLS = {"n": "count", "p": "probability", "%": "percent"}
"""Signs that head columns. In running text they are variables and units, so that only a label is read by them."""
_BEGINNING, _INSIDE = 3, 5
"""Letters that a word must share with another one at its beginning, or anywhere in it."""


class Word(NamedTuple):
    """A stem, and where the word stands in its text."""

    stem: str
    start: int
    end: int


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """A word without capitals and plural, abbreviations written out; a number without what only fills it up."""
    plain = unicodedata.normalize("NFKC", word).casefold()
    if plain[:1].isdecimal():
        return _FILLED.sub("", plain).replace(".", "").replace(",", "")
    plain = _ABBREVIATIONS.get(plain, plain)
    if len(plain) > 3 and plain[-1] == "s" and plain[-2] not in "siu":
        plain = plain[:-1]
    return _ABBREVIATIONS.get(plain, plain)


@lru_cache(maxsize=200_000)
def words(text: str) -> tuple[Word, ...]:
    """Stems in order, with their places: `qwen05b` and `0.5B` share `05`, `BestRun` and `best_run` share both."""
    found = []
    for piece in _PIECE.finditer(text):
        start, letters = piece.start(), piece.group()
        cuts = [0, *(cut.start() for cut in _CAMEL.finditer(letters)), len(letters)]
        found += [Word(stem(letters[a:b]), start + a, start + b) for a, b in pairwise(cuts)]
    return tuple(found)


@lru_cache(maxsize=200_000)
def stems(text: str) -> tuple[str, ...]:
    """The stems of a text, in order."""
    return tuple(word.stem for word in words(text))


@lru_cache(maxsize=65536)
def vocabulary(text: str) -> frozenset[str]:
    return frozenset(stems(text))


@lru_cache(maxsize=200_000)
def squeezed(text: str) -> str:
    """Letters and digits only, without capitals."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", text).casefold() if sign.isalnum())


_IDLE = vocabulary(
    "a an the of in on at to for with by and or is are was were be as from per we our ours its it this that these "
    "those vs versus than all each every no not only over under mean total overall sum other none yes value result "
    "method model system row column table ref percent"
)


@lru_cache(maxsize=65536)
def tells(word: str) -> bool:
    """Whether a stem names something."""
    return word not in _IDLE and (len(word) > 1 or word.isdecimal())


def telling(found: Iterable[str]) -> list[str]:
    """Stems that name something."""
    return list(filter(tells, found))


@lru_cache(maxsize=65536)
def named_by(label: str) -> frozenset[str]:
    """The stems of a label that name something."""
    return frozenset(telling(stems(label)))


def distinguishing(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Of each name the stems that tell it from the others: a word that all of them hold tells nothing."""
    cut = [stems(name) for name in names]
    if len(names) < 2:
        return cut
    counts = Counter(word for own in cut for word in set(own))
    kept = [tuple(word for word in own if counts[word] < len(names)) for own in cut]
    return [short or whole for short, whole in zip(kept, cut, strict=True)]


def of_one_only(names: Sequence[Collection[str]]) -> list[frozenset[str]]:
    """Of the words of each name those that no other has; all of them where others have each."""
    counts = Counter(word for own in names for word in set(own))
    return [frozenset(word for word in own if counts[word] == 1) or frozenset(own) for own in names]


@lru_cache(maxsize=1_000_000)
def same_word(label: str, name: str) -> float:
    """How well a word of a label stands for a word of a name: 1 the same, less for beginnings."""
    if label == name or _SYMBOLS.get(label) == name or _SYMBOLS.get(name) == label:
        return 1.0
    if label.isdecimal() or name.isdecimal():
        return 0.0
    short, long = sorted((label, name), key=len)
    if len(short) >= _BEGINNING and long.startswith(short):
        return 0.8
    return 0.7 if len(short) >= _INSIDE and short in long else 0.0


@lru_cache(maxsize=500_000)
def likeness(label: tuple[str, ...], name: str) -> float:
    """How alike a label and a name are, in [0, 1]: shares of words both ways, order aside, to rank many names by."""
    told = stems(name)
    if not told or not label:
        return 0.0
    hit = sum(max(same_word(word, other) for word in label) for other in told)
    back = sum(max(same_word(word, other) for other in told) for word in label)
    return float((hit / len(told) + back / len(label)) / 2)


class Lookup:
    """Which of many names have a word like a given one: by equality, by beginning, or inside another word."""

    def __init__(self, names: Sequence[tuple[str, ...]]) -> None:
        self._holders: dict[str, list[int]] = {}
        for place, own in enumerate(names):
            for word in set(own):
                self._holders.setdefault(word, []).append(place)
        self._begun: dict[str, list[str]] = {}
        for word in self._holders:
            self._begun.setdefault(word[:_BEGINNING], []).append(word)
        self._inside = [word for word in self._holders if len(word) >= _INSIDE]
        self._joined = "\n".join(self._inside)
        self._known: dict[str, frozenset[int]] = {}

    def holding(self, word: str) -> frozenset[int]:
        """Places of the names that have such a word."""
        if word not in self._known:
            near = [*self._begun.get(word[:_BEGINNING], ()), _SYMBOLS.get(word, word)]
            near += [letter for letter, meaning in _SYMBOLS.items() if meaning == word]
            if len(word) >= _INSIDE:
                # Words that hold this one, or that it holds; few groups have any.
                near += self._inside if word in self._joined else ()
                near += [inner for inner in self._inside if inner in word]
            self._known[word] = frozenset(
                place for other in near if same_word(word, other) for place in self._holders.get(other, ())
            )
        return self._known[word]
