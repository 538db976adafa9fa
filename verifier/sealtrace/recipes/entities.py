"""Which entities a table prints around a cell: systems, policies, runs, splits and whatever else records are of.

A printed name stands for one entity of its field in the whole bundle: for the value that it is, or for the one that the
bundle's `names` document declares. Rows print names as whole cells, headings and captions as whole words; in a caption
only declared names count, because a caption is prose. `All` and `Average` stand for every value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache

from sealtrace.recipes.cells import TableCell

EVERY = "*"
"""The value of a name that stands for all values of its field."""
_EVERY_NAMES = frozenset({"all", "average"})
_PARTS = re.compile(r"\s+/\s+|,\s+|;\s+|\n")
_ALIKE = str.maketrans("аеорсухіѕјһԁԛԝьνвкмнтгοαικρτυχεη", "aeopcyxisjhdqwbvbkmhtroaikptuxen")
"""Small Cyrillic and Greek letters, and the Latin ones for which they, or their capitals, are taken in print."""


AS_WORDS = r"(?<!\w)(?<!\w[-/@.]){}(?!\w)(?![-/@.]\w)"
"""A name as whole words: `ours` stands neither in `ours-large` nor in `ours/2`."""


@lru_cache(maxsize=65536)
def appearance(text: str) -> str:
    """What a reader tells a name by: not what is invisible, nor which alphabet a letter is from."""
    shown = (sign for sign in unicodedata.normalize("NFKC", text).casefold() if unicodedata.category(sign) != "Cf")
    return " ".join("".join(shown).translate(_ALIKE).split())


@dataclass(frozen=True)
class EntityNames:
    """What printed names stand for, by field."""

    declared: Mapping[str, Mapping[str, str]]
    """Field, printed name, and value."""

    @cached_property
    def _by_appearance(self) -> dict[str, dict[str, str]]:
        return {
            name: {appearance(printed): value for printed, value in names.items()}
            for name, names in self.declared.items()
        }

    def of_field(self, name: str, values: Iterable[str] = ()) -> dict[str, str]:
        """Every name of a field, as it looks, and the value that it stands for; declared names come first."""
        known: dict[str, str] = {}
        for value in values:
            for said in own_names(name, value):
                known.setdefault(said, value)
        return known | self._by_appearance.get(name, {})

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset(name for names in self._by_appearance.values() for name in names)

    def in_words(self, text: str, known: Mapping[str, str]) -> set[str]:
        """The values whose names stand in a text as whole words.

        The longest name wins where names overlap, whichever field it is of: `Global dual` is not `Global`.
        """
        spans: list[tuple[int, int, str | None]] = []
        if not text:
            return set()
        said = {name for names in (known, self._all) for name in names if name in text}
        for name in sorted(said, key=lambda one: (-len(one), one)):
            for match in re.finditer(AS_WORDS.format(re.escape(name)), text):
                start, end = match.span()
                if all(end <= other[0] or other[1] <= start for other in spans):
                    spans.append((start, end, known.get(name)))
        return {value for _, _, value in spans if value is not None}


def own_names(name: str, value: str) -> Iterator[str]:
    """How a value is printed without a declared name: as it is; a number only beside its field, as in `seed 42`."""
    shown = appearance(value)
    if is_number(value):
        said = appearance(name).replace("_", " ")
        yield from (f"{said} {shown}", f"{said}={shown}", f"{said} = {shown}", f"{said}-{shown}")
    elif shown:
        yield shown


def canonical(value: str) -> str:
    """A value however its scale is written: `residual@0.080` is `residual@2/25`."""
    arm, at, scale = value.rpartition("@")
    if not at:
        return value
    try:
        return f"{arm}@{Fraction(scale)}"
    except (ValueError, ZeroDivisionError):
        return value


def is_number(text: str) -> bool:
    """Whether a value is a short number, which says nothing by itself."""
    return text.strip().lstrip("+-").replace(".", "", 1).isdecimal() and len(text.strip()) < 3


@dataclass(frozen=True)
class Around:
    """What a table prints around a cell."""

    names: EntityNames
    row: tuple[str, ...]
    """Texts that name the row, as they look."""
    label: str
    """What the record calls the row, where nothing printed does."""
    heading: str
    caption: str
    population: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The conditions of the population that the table is about."""

    @classmethod
    def of(
        cls,
        cell: TableCell,
        caption: str,
        names: EntityNames,
        population: Mapping[str, frozenset[str]],
        *,
        own: bool = False,
    ) -> Around:
        """`own` says that the cell itself names its row."""
        texts = [text for column, text in cell.naming.items() if column != cell.column or own]
        beside = [
            f"{column} {text}" for column, text in cell.naming.items() if is_number(text) and column != cell.column
        ]
        words = [appearance(text) for text in texts if re.search(r"[^\W\d_]", text)]
        label = appearance(cell.row)
        shown = {part for text in texts for part in _PARTS.split(appearance(text))}
        composed = set(_PARTS.split(label)) <= shown
        called = [cell.row] if composed or not words else []
        row = tuple(dict.fromkeys(filter(None, map(appearance, (*called, *texts, *beside)))))
        free = "" if composed or words else label
        return cls(names, row, free, appearance(cell.column), appearance(caption), population)

    @property
    def key(self) -> tuple[object, ...]:
        """What is printed, without what the names stand for, which is the same in the whole bundle."""
        return self.row, self.label, self.heading, self.caption, frozenset(self.population.items())

    def in_row(self, name: str, values: Iterable[str] = ()) -> frozenset[str]:
        """The values of a field that the row prints."""
        known = self.names.of_field(name, values)
        found: set[str] = set()
        for text in self.row:
            if text in known:
                found.add(known[text])
            elif text in _EVERY_NAMES:
                found.add(EVERY)
            else:
                parts = [part.strip() for part in _PARTS.split(text)]
                found |= {known[part] for part in parts if part in known}
                found |= {EVERY for part in parts if part in _EVERY_NAMES}
        return frozenset(found or self.names.in_words(self.label, known))

    def in_heading(self, name: str, values: Iterable[str] = ()) -> frozenset[str]:
        """The values of a field that the heading prints, at any level."""
        return frozenset(self.names.in_words(self.heading, self.names.of_field(name, values)))

    def in_caption(self, name: str, values: Iterable[str] = ()) -> frozenset[str]:
        """The values of a field that the caption prints by declared names, or as in `seed 42`."""
        numbers = [value for value in values if is_number(value)]
        return frozenset(self.names.in_words(self.caption, self.names.of_field(name, numbers)))

    def printed(self, name: str, values: Iterable[str] = ()) -> frozenset[str]:
        """The values of a field that the cell is of, for a reader: the row's and the heading's, or the caption's."""
        known = list(values)
        near = self.in_row(name, known) | self.in_heading(name, known)
        return near or self.in_caption(name, known)

    def gives(self, name: str, value: str) -> bool:
        """Whether a value of a field is printed around the cell, or demanded by the table's population."""
        if value in self.population.get(name, ()):
            return True
        said = self.in_row(name, [value]) | self.in_heading(name, [value]) | self.in_caption(name, [value])
        return canonical(value) in map(canonical, said)


def disagreements(
    around: Around, used: Mapping[str, Collection[str]], known: Mapping[str, Collection[str]]
) -> Iterator[str]:
    """Where a recipe takes other entities than the table prints: each as a clause.

    `used` are the values that the recipe takes of each field, `known` the fields that it could take values of, with
    those values that are known.
    """
    # A recipe may name an entity as tables print it.
    known_as = around.names.of_field
    used = {name: {known_as(name).get(appearance(one), one) for one in ones} for name, ones in used.items()}
    for name, values in used.items():
        for value in sorted(values):
            if value != EVERY and not around.gives(name, value):
                told = around.printed(name, known.get(name, ())) - {EVERY}
                instead = f", which prints {' and '.join(sorted(told))}" if told else ""
                yield (
                    f"it takes {name} {value}, and no row, heading or declared name of the caption says so{instead}. "
                    f"Print it, map its printed name in names.json, or declare a population"
                )
    for name, values in known.items():
        near = around.in_row(name, values) | around.in_heading(name, values)
        # A caption says what the whole table is of where no label says it of a cell.
        printed = near or around.in_caption(name, values)
        taken = set(map(canonical, used.get(name, ())))
        left = sorted(value for value in printed if canonical(value) not in taken)
        if EVERY in printed or not left:
            continue
        takes = " and ".join(sorted(taken)) or f"every {name}"
        yield f"the table prints {name} {' and '.join(left)}, and the recipe takes {takes}"
