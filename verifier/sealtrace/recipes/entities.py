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
_PARTS = re.compile(r"(?<!\s)\s++/\s+|,\s+|;\s+|\n")
_ALIKE = str.maketrans("аеорсухіѕјһԁԛԝьνвкмнтгοαικρτυχεη", "aeopcyxisjhdqwbvbkmhtroaikptuxen")
"""Small Cyrillic and Greek letters, and the Latin ones for which they, or their capitals, are taken in print."""
_GREEK = re.compile(r"(?<![^\W\d_])[ακρτχεη](?![^\W\d_])")
"""Small letters that stand for themselves, as in χ² and κ, where no other letter is beside them."""
_KEPT = {ord(letter): chr(0xE000 + place) for place, letter in enumerate("ακρτχεη")}
_BACK = {ord(sign): chr(letter) for letter, sign in _KEPT.items()}


AS_WORDS = r"(?<!\w)(?<!\w[-/@.]){}(?!\w)(?![-/@.]\w)"
"""A name as whole words: `ours` stands neither in `ours-large` nor in `ours/2`."""


@lru_cache(maxsize=65536)
def appearance(text: str) -> str:
    """What a reader tells a name by: not what is invisible, nor which alphabet a letter is from."""
    signs = "".join(sign for sign in unicodedata.normalize("NFKC", text) if unicodedata.category(sign) != "Cf")
    kept = _GREEK.sub(lambda match: match[0].translate(_KEPT), signs).casefold()
    return " ".join(kept.translate(_ALIKE).translate(_BACK).split())


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

    @cached_property
    def _of_fields(self) -> dict[tuple[str, tuple[str, ...]], dict[str, str]]:
        """The names of fields with values that were asked for: cell after cell asks for the same."""
        return {}

    @cached_property
    def found(self) -> dict[tuple[object, ...], frozenset[str]]:
        """What rows, headings and captions were found to name: the cells of a row or a column share them."""
        return {}

    def of_field(self, name: str, values: Iterable[str] = ()) -> dict[str, str]:
        """Every name of a field, as it looks, and the value that it stands for; declared names come first."""
        asked = name, tuple(values)
        if asked not in self._of_fields:
            known: dict[str, str] = {}
            for value in asked[1]:
                for said in own_names(name, value):
                    known.setdefault(said, value)
            self._of_fields[asked] = known | self._by_appearance.get(name, {})
        return self._of_fields[asked]

    def meant(self, text: str, name: str | None = None, first: str | None = None) -> str:
        """The value that a printed name stands for, of a field, or of `first`; else of the one field that has it."""
        shown = appearance(text)
        name = first if first and shown in self._by_appearance.get(first, {}) else name
        fields = self._by_appearance.values() if name is None else [self._by_appearance.get(name, {})]
        found = {names[shown] for names in fields if shown in names} - {EVERY}
        return found.pop() if len(found) == 1 else text

    @cached_property
    def _all(self) -> dict[str, set[str]]:
        """Every declared name, and how the values look that it stands for."""
        found: dict[str, set[str]] = {}
        for names in self._by_appearance.values():
            for name, value in names.items():
                found.setdefault(name, set()).add(appearance(value))
        return found

    def in_words(self, text: str, known: Mapping[str, str]) -> set[str]:
        """The values whose names stand in a text as whole words.

        The longest name wins where names overlap, whichever field it is of: `Global dual` is not `Global`.
        """
        spans: list[tuple[int, int, str | None]] = []
        if not text:
            return set()
        said = {name for names in (known, self._all) for name in names if name in text}
        for name in sorted(said, key=lambda one: (-len(one), one)):
            # What a column calls `Scan`, a sentence calls `scans`; a short name with an s may be a word.
            plural = "s?" if len(name) > 3 and name[-1].isalpha() else ""
            for match in re.finditer(AS_WORDS.format(re.escape(name) + plural), text):
                start, end = match.span()
                if all(end <= other[0] or other[1] <= start for other in spans):
                    # `Held-out arrivals` may be a name of another field for what this one calls `held-out`.
                    same = (
                        known[value] for value in self._all.get(name, ()) if value in known and not is_number(value)
                    )
                    spans.append((start, end, known.get(name) or next(same, None)))
        return {value for _, _, value in spans if value is not None}


def own_names(name: str, value: str) -> Iterator[str]:
    """How a value is printed without a declared name: as it is; a number only beside its field, as in `seed 42`."""
    shown = appearance(value)
    if is_number(value):
        said = appearance(name).replace("_", " ")
        yield from (f"{said} {shown}", f"{said}={shown}", f"{said} = {shown}", f"{said}-{shown}")
    elif shown:
        yield shown


def fraction_of(text: str) -> Fraction | None:
    """The number that a text is, where it is one."""
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


@lru_cache(maxsize=4096)
def canonical(value: str) -> str:
    """A value however its scale is written: `residual@0.080` is `residual@2/25`."""
    arm, at, scale = value.rpartition("@")
    number = fraction_of(scale) if at else None
    return value if number is None else f"{arm}@{number}"


def is_number(text: str) -> bool:
    """Whether a value is a short number, which says nothing by itself."""
    return text.strip().lstrip("+-").replace(".", "", 1).isdecimal() and len(text.strip()) < 3


@lru_cache(maxsize=256)
def _numbers_among(values: tuple[str, ...]) -> tuple[str, ...]:
    """Those of a field's values that are short numbers; every cell asks for the same."""
    return tuple(value for value in values if is_number(value))


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
    sentence: str = ""
    """The words around a number of the running text. They may name more than the number is of, so they only permit."""

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
        said = appearance(cell.quotation)
        return cls(names, row, free, appearance(cell.column), appearance(caption), population, said)

    @property
    def key(self) -> tuple[object, ...]:
        """What is printed, without what the names stand for, which is the same in the whole bundle."""
        return self.row, self.label, self.heading, self.caption, frozenset(self.population.items()), self.sentence

    def in_row(self, name: str, values: Iterable[str] = ()) -> frozenset[str]:
        """The values of a field that the row prints."""
        asked = self.row, self.label, name, tuple(values)
        if asked not in self.names.found:
            self.names.found[asked] = self._named_by_row(self.names.of_field(name, asked[-1]))
        return self.names.found[asked]

    def _named_by_row(self, known: Mapping[str, str]) -> frozenset[str]:
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
        return self._named_in(self.heading, name, tuple(values))

    def in_caption(self, name: str, values: Iterable[str] = ()) -> frozenset[str]:
        """The values of a field that the caption prints by declared names, or as in `seed 42`."""
        return self._named_in(self.caption, name, _numbers_among(tuple(values)))

    def _named_in(self, text: str, name: str, values: tuple[str, ...]) -> frozenset[str]:
        asked = text, name, values
        if asked not in self.names.found:
            self.names.found[asked] = frozenset(self.names.in_words(text, self.names.of_field(name, values)))
        return self.names.found[asked]

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
        said |= self._named_in(self.sentence, name, (value,))
        return value in said or canonical(value) in map(canonical, said)


def disagreements(
    around: Around,
    used: Mapping[str, Collection[str]],
    known: Mapping[str, Collection[str]],
    *,
    as_printed: bool = True,
) -> Iterator[str]:
    """Where a recipe takes other entities than the table prints: each as a clause.

    `used` are the values that the recipe takes of each field, `known` the fields that it could take values of, with
    those values that are known.
    """
    # A recipe of a dataset may name an entity as tables print it; what is a value itself stands for that.
    known_as = around.names.of_field
    used = {
        name: {
            one if one in known.get(name, ()) or not as_printed else known_as(name).get(appearance(one), one)
            for one in ones
        }
        for name, ones in used.items()
    }
    for name, values in used.items():
        if unsaid := sorted(value for value in values if value != EVERY and not around.gives(name, value)):
            told = around.printed(name, known.get(name, ())) - {EVERY}
            instead = f", which prints {' and '.join(sorted(told))}" if told else ""
            yield (
                f"it takes {name} {' and '.join(unsaid)}, and no row, heading or declared name of the caption says so"
                f"{instead}. Print it, map its printed name in names.json, or declare a population"
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
