"""What a recipe chooses of the records, and whether the table says so.

The best of five seeds, the items that suit, another system than the row names: each follows from the records, and is
not what a reader of the table takes it for. A metric's choices stand in its recipe. Those of a query are found by
asking it of other records: with what rows are called exchanged, with one repeat spoilt, with its order turned round.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.frames import Frame
from sealtrace.recipes.cells import TableCell
from sealtrace.recipes.forms import Form, Renamed, Spoilt, Without

REPEATS = re.compile(r"(?:\w+_)?(?:seeds?|runs?|repeats?|trials?|folds?|replicates?|draws?|rep|replica)(?:_\w+)?", re.I)
"""How fields are called whose values are repeats of the same thing."""
MOST_NAMES = 1000
"""How many values of a field are looked for in print."""
_EXTREMES = ("best", "worst", "top", "highest", "lowest", "largest", "smallest", "greatest", "least", "peak", "max",
             "maximum", "min", "minimum", "most", "fewest", "longest", "shortest", "range", "oracle", "first", "last",
             "median", "commonest", "majority", "dominant", "mode", "final", "latest", "winner", "selected", "chosen",
             "rank", "quantile", "percentile", "quartile", "p50", "p90", "p95", "p99", "fastest", "slowest", "vote",
             "voting", "maj", "pass", "any", "floor", "ceiling", "truncated")  # fmt: skip
_SHOWN: dict[str, tuple[str, ...]] = {
    "max": ("max", "maximum", "best", "highest", "largest", "greatest", "peak", "top", "oracle", "longest", "slowest"),
    "min": ("min", "minimum", "worst", "lowest", "smallest", "least", "shortest", "fastest"),
    "min to max": ("min", "range", "minimum", "from", "between"),
    "median": ("median",),
    "sum": ("sum", "total", "all", "number", "#", "n"),
    "count": ("count", "number", "#", "n", "seeds", "runs", "repeats"),
    "sd": ("sd", "std", "deviation", "σ", "stdev"),
    "sem": ("sem", "se", "error"),
    "quantile": ("quantile", "percentile", "median", "quartile", "q", "p50", "p90", "p95", "p99"),
}
"""Words of which a table uses one where it does not show a mean."""
_WITHOUT = ("without", "w/o", "wo", "no", "except", "excluding", "other", "others", "rest", "but", "minus", "leave")
_SHIFTS = (1, 3)
_METRICS = {
    "maximum": "max", "minimum": "min", "quantile": "quantile", "median": "median", "sd": "sd", "sem": "sem"
}  # fmt: skip


@dataclass(frozen=True)
class RecipeChoice:
    """Something that a recipe chooses."""

    sentence: str
    words: tuple[str, ...] = ()
    """A table that uses one of these words says it."""
    names: tuple[str, ...] = ()
    """A table that prints all of these says it."""
    field: str = ""
    """The field whose values the names are: a short number says nothing without it."""
    rivals: tuple[str, ...] = ()
    """Other values of the field: a row that names one of these instead says something else."""


@dataclass(frozen=True)
class Print:
    """What a reader sees around a cell."""

    row: str
    everything: str

    @classmethod
    def around(cls, cell: TableCell, caption: str) -> Print:
        texts = [text for name, text in cell.texts.items() if name != cell.column]
        words = [text for text in texts if not _short_number(text)]
        # Where the label is only a part of what the row prints, or has other signs, a reader does not see it.
        printed, label = set(map(appearance, words)), _letters(cell.row)
        seen = appearance(cell.row) in printed or not any(label in _letters(text) for text in words)
        called = [cell.row] if seen else []
        return cls(
            "\n".join((*called, *words)).casefold(),
            "\n".join((*called, cell.column, cell.table, caption, *texts)).casefold(),
        )

    def without(self, name: str) -> Print:
        """The same where a name does not stand."""
        return Print(self.row, self.everything.replace(name.casefold(), " "))

    def says(self, choice: RecipeChoice) -> bool:
        """Whether it tells of a choice."""
        if any(_word(word, self.everything) for word in choice.words):
            return True
        return bool(choice.names) and all(self._names(name, choice.field) for name in choice.names)

    def instead(self, choice: RecipeChoice) -> str | None:
        """The other value that the row names, where it names one."""
        own = [_letters(name) for name in choice.names]
        mine = [appearance(name) for name in choice.names]
        shown, lines = appearance(self.row), [appearance(line) for line in self.row.splitlines()]
        for rival in choice.rivals:
            plain, other = _letters(rival), appearance(rival)
            if other in mine:
                continue
            if other in lines and not set(mine) & set(lines) and not _short_number(rival):
                return rival  # the row is called just so
            if plain in own and other in shown and shown.count(other) == sum(map(shown.count, mine)):
                return rival  # they differ in signs only, and the longer one stands there
            related = any(plain in name or name in plain for name in own)
            if not related and not _short_number(rival) and _word(rival, self.row):
                return rival
        return None

    def _names(self, name: str, field: str) -> bool:
        if _short_number(name):
            return _letters(field) in _letters(self.everything) and _word(name, self.everything)
        return names(name, self.everything)


_ALIKE = str.maketrans("аеорсухіѕјһԁԛԝьνвкмнтгοαικρτυχεη", "aeopcyxisjhdqwbvbkmhtroaikptuxen")
"""Small Cyrillic and Greek letters, and the Latin ones for which they, or their capitals, are taken in print."""


def appearance(text: str) -> str:
    """What a reader tells a name by: not what is invisible, nor which alphabet a letter is from."""
    shown = (sign for sign in unicodedata.normalize("NFKC", text).casefold() if unicodedata.category(sign) != "Cf")
    return " ".join("".join(shown).translate(_ALIKE).split())


def names(name: str, text: str) -> bool:
    """Whether a text names a value, however its words are joined."""
    return bool(_letters(name)) and (_word(name, text) or _letters(name) in _letters(text))


def _short_number(text: str) -> bool:
    return text.strip().lstrip("+-").replace(".", "").isdecimal() and len(text.strip()) < 3


def _word(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word.casefold())}(?!\w)", text) is not None


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFC", text).casefold()
    return "".join(character for character in plain if character.isalnum())


def unsaid(choices: Collection[RecipeChoice], around: Print, disclosed: Collection[str]) -> Iterator[tuple[str, bool]]:
    """The choices of which the table says nothing; and whether the recipe itself admits that the paper does not."""
    admitted = Print("", "\n".join(disclosed).casefold())
    for choice in choices:
        if choice.rivals:
            other = around.instead(choice)
            if other is None:
                continue
            # What is a part of the other name is not said by it.
            own = list(map(_letters, choice.names))
            seen = around.without(other) if any(name in _letters(other) for name in own) else around
            if not seen.says(choice) or _letters(other) in own:
                yield f"the row names {other}, and the recipe takes {choice.sentence}", False
        elif not around.says(choice):
            yield choice.sentence, admitted.says(choice)


# Metrics


def of_metric(name: str, arguments: Mapping[str, str], column: str, frame: Frame | None) -> Iterator[RecipeChoice]:
    """What a recipe without a query chooses: it stands in its arguments. The frame holds what it was computed from."""
    show, over = _METRICS.get(name, arguments.get("show", "")), arguments.get("over", "")
    # The largest p of several repeats claims less than any other.
    modest = show == "max" and column.strip().casefold() in ("p", "p-value", "p value")
    if show in _SHOWN and not modest:
        yield RecipeChoice(f"it shows the {show} over {over or 'all rows'}", _SHOWN[show])
    for argument, wanted in arguments.items():
        word, _, field = argument.partition(".")
        if word != "where":
            continue
        values = tuple(str(value) for value in (json.loads(wanted) if wanted.startswith("[") else [wanted]))
        flag = values[0] in ("true", "false")
        if flag or len(values) > 1 or field in map(str.strip, over.split(",")) or REPEATS.fullmatch(field):
            said = (field.replace("_", " "),) if flag else ()
            yield RecipeChoice(f"of {field} it takes only {', '.join(values[:5])}", said, values, field)
        elif frame is not None:
            yield from _exchanged(field, values[0], values_of(frame, field))


def of_other_bundle(reference: Mapping[str, str], cell: TableCell) -> Iterator[RecipeChoice]:
    """A cell of another bundle that is called otherwise there: a table must say so, or any equal number would do."""
    for part, own in (("row", cell.row), ("column", cell.column)):
        other = reference.get(part) or own
        if _letters(other) != _letters(own):
            yield RecipeChoice(f"{part} {other!r} of {reference['study']}", (other,))


def values_of(frame: Frame, field: str) -> pa.Array:
    """The values of a field, found once; where there are very many, and rows are not held, those of some rows."""
    known = frame.matrices
    if ("values", field) not in known:
        known["values", field] = frame.distinct(field, MOST_NAMES) if field in frame.names else pa.array([], pa.null())
    values: pa.Array = known["values", field]
    return values


def _exchanged(field: str, value: str, values: pa.Array) -> Iterator[RecipeChoice]:
    """One value is taken: a row that names another would say what is not so."""
    if pa.types.is_string(values.type) and 1 < len(values) <= MOST_NAMES:
        rivals = tuple(other for other in values.to_pylist() if other != value)
        yield RecipeChoice(f"{field} {value}", (), (value,), field, rivals)
        twin = next((rival for rival in rivals if appearance(rival) == appearance(value)), None)
        if twin is not None and len(rivals) < len(values):  # what is no value itself is how one is printed
            yield RecipeChoice(f"{field} {value!a} looks like {twin!a}, which is another: rename one")


# Queries


Asking = Callable[[Form], tuple[object, ...] | None]
"""What a query gives on a form of the records: the numbers of its column, None where it gives none."""


def of_query(
    sql: str,
    given: tuple[object, ...],
    on: Asking,
    fields: Mapping[str, pa.Array],
    turned: tuple[object, ...] | None,
) -> Iterator[RecipeChoice]:
    """What a query chooses by what it gives on other records, and with its choices turned round.

    `fields` are those that identify rows, each with its values in order.
    """
    if turned is not None and not _alike(turned, given):
        yield RecipeChoice("it picks rows by their results, or rounds one way", _EXTREMES)
    texts = texts_in(sql)
    written = sorted(texts | set(re.findall(r"(?<![\w.'])-?\d+(?![\w.'])", sql)))
    most = max(map(len, fields.values()), default=0)
    for field, values in fields.items():
        if len(values) < 2:
            continue
        known = pc.is_in(pa.array(written, pa.string()), value_set=values.cast(pa.string()))
        named = [text for text, there in zip(written, known.to_pylist(), strict=True) if there]
        # A text of the query that is a value of the field selects by it; a number may stand for anything.
        shifts = () if texts & set(named) else _SHIFTS if len(values) == most else _SHIFTS[:1]
        others = (on(Renamed(field, shift)) for shift in shifts if shift < len(values))
        if texts & set(named) or any(other is not None and not _alike(other, given) for other in others):
            yield from of_names(field, named, fields, others=takes_others(given, on, field, named))
        elif _repeats(field, values) and (ignored := _ignored(on, field, values)):
            told = ", ".join(ignored[:5])
            yield RecipeChoice(f"by their results, it leaves out some of {field}, {told} among them", _EXTREMES)


def of_names(
    field: str, named: list[str], fields: Mapping[str, pa.Array], *, others: bool = False
) -> Iterator[RecipeChoice]:
    """What a query chooses that takes rows by what a field calls them, or by what it does not."""
    values = fields[field]
    # One system or one test set may be called otherwise in print; one item or one seed is a choice.
    if len(named) != 1 or _repeats(field, values) or len(values) == max(map(len, fields.values())):
        yield RecipeChoice(
            f"it takes rows by their {field}{': ' * bool(named)}{', '.join(named[:5])}", (), tuple(named), field
        )
    elif others and len(values) <= MOST_NAMES:
        rest = tuple(str(value) for value in values.to_pylist() if value != named[0])
        yield RecipeChoice(f"{field} other than {named[0]}", _WITHOUT, rest, field, (named[0],))
    else:
        yield from _exchanged(field, named[0], values)


def takes_others(given: tuple[object, ...], on: Asking, field: str, named: list[str]) -> bool:
    """Whether a query names one value and takes the others: without what it names, it gives the same."""
    return len(named) == 1 and _alike(on(Without(field, named[0])), given)


def _repeats(field: str, values: pa.Array) -> bool:
    return bool(REPEATS.fullmatch(field)) or pa.types.is_integer(values.type)


def texts_in(sql: str) -> set[str]:
    """The texts that stand in a query between single quotes."""
    return {text.replace("''", "'") for text in re.findall(r"'((?:[^']|'')*)'", sql)}


def _ignored(on: Asking, field: str, values: pa.Array) -> list[str]:
    """Repeats that could be worse still where they are the worst, or better where they are the best, and none of
    it would show. Whoever leaves out the worst leaves out any that is made so; two are tried."""
    tried = [str(values[0]), str(values[-1])]
    for lower in (True, False):
        for repeat in tried:
            # A query to which the difference means nothing would not tell them apart where there is no other repeat.
            alone, among = (
                [on(Spoilt(field, repeat, lower, again, by_itself)) for again in (False, True)]
                for by_itself in (True, False)
            )
            if not _alike(*among) or (alone[0] and _alike(*alone)):
                break
        else:
            return tried
    return []


def _alike(given: tuple[object, ...] | None, other: tuple[object, ...] | None) -> bool:
    """Whether two results hold the same, in any order; sums in another order may differ in their last digits."""
    if given is None or other is None or len(given) != len(other):
        return given is None and other is None
    return all(
        math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
        if isinstance(a, (int, float)) and isinstance(b, (int, float))
        else a == b
        for a, b in zip(sorted(given, key=_order), sorted(other, key=_order), strict=True)
    )


def _order(value: object) -> tuple[bool, float, str]:
    number = isinstance(value, (int, float))
    return number, float(value) if isinstance(value, (int, float)) else 0.0, str(value)
