"""Numbers that a table prints beside the name of a field: which of its values there are (seed 11), or how many.

They must be those that the recipe takes. The fields are those that say which row it is: nothing here knows their words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa

from sealtrace.evidence import Evidence
from sealtrace.paper.numbers import NUMBER_WORD, count_in
from sealtrace.recipes.entities import Around, appearance
from sealtrace.recipes.headings import without

Taken = frozenset[tuple[str, ...]]
"""The values of some fields that stand together in the rows of a recipe."""
# Longer words may stand between, and are no prepositions: five different random seeds.
_BEFORE = (
    rf"(?<![\w.,@/^-])(?<!per )(\d[\d,]*|{NUMBER_WORD.pattern})"
    r"(?:[\s-]|(?:\s(?!hundred|thousand|million)[^\W\d][\w-]{4,}){1,2}[\s-])(?<!across )(?<!between )"
)
_LISTED = r"[\s=:#-]*(\d+(?:(?:\s*(?:,|and|&|,\s*and|-|–|to)\s*)\d+)*)(?!\.?\d|\w|%)"


@dataclass(frozen=True)
class TakenValues:
    """The values of fields that a recipe takes."""

    fields: tuple[str, ...]
    of: Callable[[tuple[str, ...]], Taken]
    """Asked with one field, or with two: which of their values stand together."""
    whole: Callable[[str], int]
    """How many values of a field there are, whatever the recipe takes."""


def together(evidence: Evidence, names: Collection[str], **others: Collection[str]) -> dict[str, Collection[str]]:
    """What a metric takes together that is asked of several runs, each perhaps `arm/run` or `run@scale`."""
    runs = {name.rpartition("@")[0] or name.rpartition("/")[2] for name in names}
    return {"run": runs, "seed": seeds_of(evidence, {*runs, *names}) or runs, **others}


def seeds_of(evidence: Evidence, runs: Collection[str]) -> frozenset[str]:
    """The seeds that runs were trained with."""
    rows = evidence.frame("run").columns(["run", "training_seed"]).to_pylist()
    return frozenset(str(row["training_seed"]) for row in rows if row["run"] in runs) - {"None"}


def standing_together(parts: Iterable[pa.Table], where: Mapping[str, Collection[str]], fields: int) -> Taken:
    """The values of the first fields of a table in rows that have given values of others."""
    rows = [row for part in parts for row in _different(part).to_pylist()]
    fits = [row for row in rows if all(str(row[name]) in values for name, values in where.items())]
    return frozenset(tuple(map(str, list(row.values())[:fields])) for row in fits)


def _different(table: pa.Table) -> pa.Table:
    """The different rows of a table: Arrow's own way to group would import what it has for files on networks."""
    codes = []
    for column in table.combine_chunks().columns:
        whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        coded = whole if isinstance(whole, pa.DictionaryArray) else whole.dictionary_encode()
        codes.append(coded.indices.fill_null(-1).to_numpy(zero_copy_only=False))
    # By column: one number for all of them would leave 64 bits where fields have many values.
    order = np.lexsort(codes)
    first = np.ones(len(table), bool)
    first[1:] = np.any([np.diff(code[order]) != 0 for code in codes], axis=0)
    return table.take(pa.array(order[first].tolist(), pa.int64()))


@lru_cache(maxsize=1024)
def _called(name: str) -> str:
    """The pattern of a field's name, or of its plural."""
    said = re.escape(appearance(name).replace("_", " "))
    return rf"(?<!\w){said[:-1]}(?:y|ies)(?!\w)" if said.endswith("y") else rf"(?<!\w){said}(?:e?s)?(?!\w)"


@lru_cache(maxsize=4096)
def _counts(text: str, name: str) -> frozenset[int]:
    """How many values of a field a text says there are."""
    return frozenset(filter(None, (count_in(match[1]) for match in re.finditer(_BEFORE + _called(name), text))))


@lru_cache(maxsize=4096)
def _members(text: str, name: str) -> tuple[frozenset[int], ...]:
    """Which values of a field a text says: one, several, or a range."""
    found = []
    for match in re.finditer(_called(name) + _LISTED, text):
        ends = [[int(number) for number in re.findall(r"\d+", part)] for part in re.split(r",|and|&", match[1])]
        # A range of very many is none of values that anyone lists.
        found.append(
            frozenset(number for one in ends if one for number in range(one[0], min(one[-1], one[0] + 999) + 1))
        )
    return tuple(found)


def numbers_unlike(
    around: Around,
    arguments: Mapping[str, str],
    taken: TakenValues,
    over: Collection[str] | None,
    names: frozenset[str],
) -> Iterator[str]:
    """Where a label or the caption says other values of a field than the recipe takes, or how many: as clauses.

    `over` are the fields of repeats of a metric that may have some; `names` are those of which numbers are a part.
    """
    # A declared name, as `ours, seed 11`, is an entity.
    *labels, caption = (without(text, names) for text in (around.heading, *around.row, around.caption))
    for name in taken.fields:
        for text in (labels[0], caption):
            if over is None or name in over:
                continue
            stated = re.search(r"\b(?:over|across) (?:(?:all|the|of|\d+) )*" + _called(name), text)
            if stated and (over or text is labels[0]):
                yield f"the table says over {name}, and the recipe has {' and '.join(sorted(over)) or 'no repeats'}"
        said = {count for text in (*labels, caption) for count in _counts(text, name)}
        listed = {text: _members(text, name) for text in (*labels, caption)}
        if not said and not any(listed.values()):
            continue
        own = {one[0] for one in taken.of((name,))}
        labelled = bool(around.in_row(name, own) | around.in_heading(name, own))
        # Beside how many the recipe takes, or above labels that say which, a table may say how many there are.
        allowed = {len(own), taken.whole(name) if len(own) in said or labelled else len(own)}
        for count in sorted(said - allowed):
            if not _for_each(count, name, " ".join((*labels, caption)), taken):
                yield f"the table says {count} of {name}, and the recipe takes {len(own)}"
        numbers = {int(one) for one in own if one.isdecimal()}
        due = {frozenset(numbers), frozenset({int(arguments[name])}) if arguments.get(name, "").isdecimal() else None}
        for text, sets in listed.items() if len(numbers) == len(own) else ():
            for members in set(sets) - due if text is not caption or not labelled else ():
                these, has = (", ".join(map(str, sorted(ones))) for ones in (members, numbers))
                yield f"the table says {name} {these}, and the recipe takes {name} {has}"


def _for_each(count: int, name: str, text: str, taken: TakenValues) -> bool:
    """Whether there are so many values for each of another field that the text names, too: 200 items per language."""
    others = [other for other in taken.fields if other != name and re.search(_called(other), text)]
    return any(len(taken.of((name, other))) == count * len(taken.of((other,))) for other in others)
