"""Words of names: how labels of a paper and names in results are cut into comparable tokens."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from itertools import combinations

_PIECE = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[%#]")
_FILLED = re.compile(r"(?<=\.)0+$|(?<=\.\d)0+$|(?<=\.\d\d)0+$")
"""Zeros that fill up a decimal number: 1.50 is 1.5."""
_GREEK = {"δ": "delta", "ρ": "rho", "σ": "sigma", "μ": "mu", "τ": "tau", "κ": "kappa", "α": "alpha", "β": "beta"}
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_OUTER = re.compile(r"[\s_/\\]+")
SEPARATORS = re.compile(r"[\s_/\\.,:;|()\[\]{}>=+-]+")

OLD = re.compile(
    r"(^|[^a-z])(old|older|archive|archived|backup|bak|deprecated|superseded|stale|previous|prev|legacy|obsolete|"
    r"outdated|attic|v0|draft|tmp|wip|before)([^a-z]|$)",
    re.IGNORECASE,
)
"""Names of results that were replaced by others."""
MAX_PIECES = 80
"""Distinct pieces of names up to which alternatives are looked for."""

SYNONYMS: dict[str, str] = {
    "acc": "accuracy", "avg": "mean", "average": "mean", "std": "sd", "stdev": "sd", "stddev": "sd",
    "deviation": "sd", "med": "median", "prec": "precision", "rec": "recall", "sens": "sensitivity",
    "spec": "specificity", "auroc": "auc", "rocauc": "auc", "roc": "auc", "num": "count", "number": "count",
    "pct": "percent", "%": "percent", "percentage": "percent", "#": "count", "second": "sec",
    "ms": "millisecond", "min": "minimum", "max": "maximum", "param": "parameter",
    "val": "validation", "dev": "validation", "n": "count", "freq": "frequency", "temp": "temperature", "lr": "rate",
    "corr": "correlation", "imp": "importance", "perm": "permutation", "diff": "difference", "gap": "difference",
    "delta": "difference", "err": "error", "pred": "predicted", "prediction": "predicted",
    "rows": "row", "lat": "latency", "bal": "balanced", "tgt": "target", "src": "source", "cov": "covariate",
    "classes": "class", "cal": "calibrated", "calib": "calibrated", "prob": "probability", "p": "probability",
    "gold": "true", "truth": "true",
    "rho": "spearman", "spearmanr": "spearman", "pearsonr": "pearson", "hi": "high", "lo": "low",
}  # fmt: skip
"""Everyday abbreviations of measures; anything particular to one study comes from its own text."""


@lru_cache(maxsize=200_000)
def words(text: str) -> tuple[str, ...]:
    """Lower-case words and numbers in order: `qwen05b` and `0.5B` share `05`, `MacroF1` and `macro_f1` share both."""
    plain = _CAMEL.sub(" ", unicodedata.normalize("NFKC", text)).lower()
    found = []
    for piece in _PIECE.findall(plain):
        token = _FILLED.sub("", piece).replace(".", "").replace(",", "") if piece[0].isdecimal() else piece
        token = _GREEK.get(token, token)
        if len(token) > 4 and token[-1] == "s" and token[-2] not in "siu":
            token = token[:-1]
        found.append(SYNONYMS.get(token, token))
    return tuple(found)


@lru_cache(maxsize=200_000)
def squeezed(text: str) -> str:
    """Letters and digits only, lower case."""
    return "".join(character for character in unicodedata.normalize("NFKC", text).lower() if character.isalnum())


def telling_words(values: list[str]) -> list[tuple[str, ...]]:
    """Of each value the words that tell it from the others: a word that all of them hold tells nothing."""
    cut = [words(value) for value in values]
    if len(values) < 2:
        return cut
    counts = Counter(word for tokens in cut for word in set(tokens))
    kept = [tuple(word for word in tokens if counts[word] < len(values)) for tokens in cut]
    return [short or whole for short, whole in zip(kept, cut, strict=True)]


def aligned_fields(names: list[str]) -> dict[str, list[str]]:
    """Fields that a list of compound names holds: `qwen3b_full_seed42` gives a model, an arm and a seed.

    Where all names have as many pieces, a piece's place is its field. Otherwise pieces of one skeleton (`seed#`) and
    pieces that never stand together in a name are alternatives of one field.
    """
    pieces: list[list[str]] = []
    # What people put between fields first: in `base+rerank_seed1` the plus belongs to a name.
    for separators in (_OUTER, SEPARATORS):
        pieces = [[piece for piece in separators.split(name) if piece] for name in names]
        lengths = {len(piece) for piece in pieces}
        if len(lengths) == 1 and (width := lengths.pop()) > 1:
            columns = [[piece[place] for piece in pieces] for place in range(width)]
            if _consistent(columns):
                return _named(columns)
    if (
        max(map(len, pieces), default=0) < 2
        or len({piece for alternatives in pieces for piece in alternatives}) > MAX_PIECES
    ):
        return {}
    return _named(_exclusive(pieces))


def _consistent(columns: list[list[str]]) -> bool:
    """Whether no piece moves between places: `medqa_qwen` beside `qwen_medqa` has no places."""
    home: dict[str, int] = {}
    for place, column in enumerate(columns):
        for piece in set(column):
            if piece in home and not _skeleton(piece).startswith("#") and len(set(column)) > 1:
                other = columns[home[piece]]
                shared = len(set(column) & set(other))
                if shared < min(len(set(column)), len(set(other))):
                    return False
            home.setdefault(piece, place)
    return True


def _skeleton(piece: str) -> str:
    return re.sub(r"\d+", "#", piece.lower())


_Alternatives = tuple[set[int], list[str]]
"""Names, and the pieces of which each of them holds one."""


def _exclusive(pieces: list[list[str]]) -> list[list[str]]:
    """Groups of alternatives over names whose pieces do not line up."""
    holders: dict[str, set[int]] = {}
    spots: dict[str, list[int]] = {}
    for index, alternatives in enumerate(pieces):
        for spot, piece in enumerate(alternatives):
            holders.setdefault(piece, set()).add(index)
            spots.setdefault(piece, []).append(spot)
    place = {piece: float(sorted(found)[(len(found) - 1) // 2]) for piece, found in spots.items()}
    groups: dict[str, list[str]] = {}
    for piece in holders:
        groups.setdefault(_skeleton(piece), []).append(piece)
    sets: list[_Alternatives] = []
    for members in groups.values():
        together = set().union(*(holders[member] for member in members))
        if sum(len(holders[member]) for member in members) == len(together):
            sets.append((together, members))
        else:
            sets.extend((holders[member], [member]) for member in members)

    def middle(alternative: _Alternatives) -> float:
        return sum(place[piece] for piece in alternative[1]) / len(alternative[1])

    def merit(pair: tuple[_Alternatives, _Alternatives]) -> float:
        """How many names two sets cover together, less where they stand far apart."""
        return sum(len(names) for names, _ in pair) / len(pieces) - abs(middle(pair[0]) - middle(pair[1])) / 10

    while pairs := [pair for pair in combinations(sets, 2) if not pair[0][0] & pair[1][0]]:
        first, second = best = max(pairs, key=merit)
        if merit(best) <= 0.5:
            break
        merged = (first[0] | second[0], first[1] + second[1])
        sets = [
            merged if alternatives is first else alternatives for alternatives in sets if alternatives is not second
        ]
    return [[next((piece for piece in alternatives if piece in members), "") for alternatives in pieces]
            for _, members in sorted(sets, key=middle)]  # fmt: skip


def _named(columns: list[list[str]]) -> dict[str, list[str]]:
    """Fields that vary, named after the word that all their values share, else after their place."""
    fields: dict[str, list[str]] = {}
    for place, column in enumerate(columns, 1):
        values = {text for text in column if text}
        if len(values) < 2 and "" not in column:
            continue
        stems = {re.sub(r"[\d.]+$", "", value.lower()) for value in values}
        stem = stems.pop() if len(stems) == 1 else ""
        name = stem if len(stem) > 1 and stem not in fields else f"part{place}"
        fields[name] = column
    return fields
