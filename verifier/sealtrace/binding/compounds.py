"""Compound names: the fields that names of files and values hold, as `qwen3b_full_seed42` does."""

from __future__ import annotations

import re
from itertools import combinations

from sealtrace.paper.names.words import SEPARATORS

_OUTER = re.compile(r"[\s_/\\]+")

OLD = re.compile(
    r"(^|[^a-z])(old|older|archive|archived|backup|bak|deprecated|superseded|stale|previous|prev|legacy|obsolete|"
    r"outdated|attic|v0|draft|tmp|wip|before)([^a-z]|$)",
    re.IGNORECASE,
)
"""Names of results that were replaced by others."""
MAX_PIECES = 80
"""Distinct pieces of names up to which alternatives are looked for."""


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
