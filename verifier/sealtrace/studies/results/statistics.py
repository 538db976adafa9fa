"""Statistics of the selected rows: the columns that each is computed from, and what a recipe may say of it.

The mathematics takes columns first and options by name. A recipe gives an option by the same name, as text, and it is
read as the type that the function declares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sealtrace.bundle.content import combined_codes
from sealtrace.bundle.defects import nearest
from sealtrace.bundle.frames import plain
from sealtrace.mathematics import Mask, Numbers, Vector
from sealtrace.recipes.metrics import Arguments, RecipeError, constant_of
from sealtrace.statistics import labels, significance
from sealtrace.statistics.sums import Number
from sealtrace.statistics.table import Statistic
from sealtrace.studies.results.selection import SelectedRows, within

Computed = Callable[[SelectedRows, Arguments], Number]
Columns = Callable[[SelectedRows, Arguments], tuple[object, ...]]
"""What a statistic is computed from."""


def statistic_of(statistic: Statistic) -> Computed:
    """What computes a statistic of rows: its columns, and what becomes of them."""
    assert statistic.exact is not None
    columns, function = COLUMNS[statistic.reads], statistic.exact
    declared = list(signature(function).parameters.values())

    def computed(selection: SelectedRows, arguments: Arguments) -> Number:
        given = columns(selection, arguments)
        options = {
            parameter.name: _read(parameter.name, str(parameter.annotation), arguments)
            for parameter in declared[len(given) :]
            if parameter.name in arguments
        }
        found = function(*given, **options)
        if isinstance(found, np.ndarray):  # of each label, of which there is one
            (found,) = found.reshape(-1)
        found = _asked(found, arguments) if isinstance(found, significance.Tested) else found
        return found.item() if isinstance(found, np.generic) else found

    return computed


def _read(name: str, kind: str, arguments: Arguments) -> object:
    """An option of a recipe as what it stands for."""
    text = arguments[name]
    match kind.removesuffix(" | None"):
        case "int":
            return whole(arguments, name, text, most=_MOST.get(name, 10**12))
        case "Fraction":
            return constant_of(text)
        case "bool":
            return text == "true"
    return text


_MOST = {"bins": 10_000}


def whole(arguments: Arguments, name: str, default: str, most: int = 10**12) -> int:
    """A whole number of a recipe."""
    text = arguments.get(name, default)
    if not text.isdecimal() or len(text) > 12:
        raise RecipeError(f"{name} is a whole number, not {text!r}")
    if int(text) > most:
        raise RecipeError(f"{name} is at most {most}, not {text}")
    return int(text)


def _asked(tested: significance.Tested, arguments: Arguments) -> Number:
    give = arguments.get("give", "p")
    if give not in ("p", "statistic"):
        raise RecipeError(f"a test gives p or statistic, not {give!r}")
    return tested.p if give == "p" else tested.statistic


def names_of(text: str | None) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in text.split(",")] if text else []


# Columns of a selection


def numbers_of(selection: SelectedRows, field: str) -> Numbers:
    column = selection.column(field)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int64())
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise RecipeError(f"{field} holds text, not numbers")
    found: Numbers = column.to_numpy()
    return found


def texts_of(selection: SelectedRows, field: str) -> pa.ChunkedArray:
    return plain(selection.column(field)).cast(pa.string())


def _flags_of(selection: SelectedRows, field: str, otherwise: str) -> Mask:
    """A column of zeros and ones."""
    values = numbers_of(selection, field)
    if not np.isin(values, (0, 1)).all():
        raise RecipeError(f"{field} is not only 0 and 1; the recipe must say {otherwise}")
    return values.astype(np.bool_)


def _truth_field(selection: SelectedRows, arguments: Arguments) -> str:
    """The field of right answers: the recipe's, or the one that the dataset declares."""
    found = arguments.get("against") or selection.results.declarations[selection.dataset].truth
    if found is None:
        raise RecipeError(
            "against what? The recipe names no field of right answers, and the dataset declares no `truth`"
        )
    return str(found)


def _own(selection: SelectedRows, arguments: Arguments) -> tuple[Numbers]:
    return (numbers_of(selection, arguments["of"]),)


def _beside_truth(selection: SelectedRows, arguments: Arguments) -> tuple[Numbers, Numbers]:
    truth = numbers_of(selection, _truth_field(selection, arguments))
    return truth, numbers_of(selection, arguments["of"])


def _label_pair(selection: SelectedRows, arguments: Arguments) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """True labels and predicted ones."""
    return texts_of(selection, _truth_field(selection, arguments)), texts_of(selection, arguments["of"])


def _right(selection: SelectedRows, arguments: Arguments) -> Mask:
    found: Mask = pc.equal(*_label_pair(selection, arguments)).to_numpy()
    return found


def _counts(selection: SelectedRows, arguments: Arguments) -> tuple[labels.Counts]:
    """How often each value of a field is there."""
    return (np.array(list(_by_text(selection, arguments["of"]).values())),)


def _by_text(selection: SelectedRows, field: str) -> dict[str, int]:
    """How often each text of a field is there, in the order of the texts: sums of doubles depend on it."""
    coded = texts_of(selection, field).combine_chunks().dictionary_encode()
    counts = np.bincount(coded.indices.to_numpy(), selection.times, len(coded.dictionary)).astype(np.int64)
    return dict(sorted(zip(coded.dictionary.to_pylist(), counts.tolist(), strict=True)))


def _scored(selection: SelectedRows, arguments: Arguments) -> tuple[Mask, Vector]:
    """Whether what a probability speaks of was so (the truth is `positive`, is what was `predicted`, or is true)."""
    truth = _truth_field(selection, arguments)
    if "predicted" in arguments:
        was = pc.equal(texts_of(selection, truth), texts_of(selection, arguments["predicted"])).to_numpy()
    elif "positive" in arguments:
        was = pc.equal(texts_of(selection, truth), arguments["positive"]).to_numpy()
    else:
        was = _flags_of(selection, truth, "which label is `positive`")
    return was, numbers_of(selection, arguments["of"]).astype(np.float64)


def _given_to_truth(selection: SelectedRows, arguments: Arguments) -> tuple[Vector]:
    """The probability that was given to what happened."""
    was, scores = _scored(selection, arguments)
    return (np.where(was, scores, 1 - scores),)


def _names(selection: SelectedRows, arguments: Arguments) -> list[str]:
    """The labels that are there, after those that the recipe names."""
    there = {name for column in _label_pair(selection, arguments) for name in column.unique().to_pylist()}
    wanted = names_of(arguments.get("labels"))
    return [*wanted, *sorted(there - set(wanted))]


def _codes(selection: SelectedRows, arguments: Arguments) -> tuple[labels.Codes, labels.Codes, int]:
    """True and given labels as places among their names, and how many names there are."""
    names = _names(selection, arguments)
    truth, given = (
        pc.index_in(column, value_set=pa.array(names)).to_numpy().astype(np.int64)
        for column in _label_pair(selection, arguments)
    )
    return truth, given, len(names)


def _of_one_label(selection: SelectedRows, arguments: Arguments) -> tuple[labels.Margins]:
    names = _names(selection, arguments)
    if (label := arguments["label"]) not in names:
        raise RecipeError(f"there is no label {label!r}{nearest(label, names)}")
    return (labels.margins(*_codes(selection, arguments), selection.times).of_labels([names.index(label)]),)


def _of_labels(selection: SelectedRows, arguments: Arguments) -> tuple[object, ...]:
    """Counts of the labels, and those of them that count in averages, where the recipe names some."""
    wanted = names_of(arguments.get("labels"))
    counts = labels.margins(*_codes(selection, arguments), selection.times)
    return (counts, list(range(len(wanted)))) if wanted else (counts,)


def _paired(selection: SelectedRows, arguments: Arguments) -> tuple[SelectedRows, SelectedRows]:
    """The rows and those that they are compared `versus`, item by item in the same order."""
    changed = within(arguments, "versus")
    if not changed:
        raise RecipeError("versus what? The recipe names no rows to compare with")
    over = names_of(arguments.get("over"))
    other = _same_repeat(selection, selection.with_conditions(changed), over)
    if np.array_equal(selection.rows, other.rows):
        raise RecipeError("the rows would be compared with themselves")
    declared: Sequence[str] = selection.results.declarations[selection.dataset].key
    key = [name for name in selection.frame.names if name in declared and name not in (*changed, *over)]
    for field, within_one in selection.results.nested(selection.dataset):
        if field in key and not set(changed).isdisjoint(within_one):
            raise RecipeError(f"each {field} belongs to one {' and '.join(within_one)}, so nothing pairs the rows")
    left, right = (_in_order(side, key) for side in (selection, other))
    if left.num_rows != right.num_rows or not left.select(key).combine_chunks().equals(
        right.select(key).combine_chunks()
    ):
        raise RecipeError(_not_the_same(left, right, key))
    if len(np.unique(combined_codes(left, tuple(key)))) < left.num_rows:
        raise RecipeError(f"several rows have the same {', '.join(key)}; the recipe must say `over` what")
    first, second = (
        SelectedRows(selection.results, selection.dataset, selection.conditions, side.column(_PLACE).to_numpy())
        for side in (left, right)
    )
    return first, second


def _not_the_same(left: pa.Table, right: pa.Table, key: list[str]) -> str:
    """Why rows cannot be paired; a field that has one value here and another there may only be named as well."""
    for name in key:
        here, there = (pc.unique(side.column(name)).to_pylist() for side in (left, right))
        if len(here) == len(there) == 1 and here != there:
            return (
                f"the rows have {name} {here[0]}, and those that they are compared with {there[0]}: name it in `versus`"
            )
    return f"the rows and those that they are compared with are not about the same {', '.join(key)}"


def _same_repeat(selection: SelectedRows, other: SelectedRows, over: list[str]) -> SelectedRows:
    """The other side's rows of the same repeat; all of them where the other side was not repeated."""
    if not over:
        return other
    repeats = {part.level(over): part for part in other.groups(over)}
    found = repeats.get(selection.level(over)) or (other if len(repeats) == 1 else None)
    if found is None:
        raise RecipeError(f"the rows that are compared with have other {', '.join(over)}")
    return found


def _in_order(selection: SelectedRows, key: list[str]) -> pa.Table:
    """The key of each row, as plain text and numbers, with the row's place; in the key's order."""
    columns = {name: plain(column) for name, column in zip(key, selection.table(key).columns, strict=True)}
    table = pa.table({**columns, _PLACE: pa.array(selection.rows)})
    return table.sort_by([(name, "ascending") for name in key])


_PLACE = "\0row"


def _versus(selection: SelectedRows, arguments: Arguments) -> tuple[Numbers, ...]:
    return tuple(numbers_of(side, arguments["of"]) for side in _paired(selection, arguments))


def _with_others(selection: SelectedRows, arguments: Arguments) -> tuple[Numbers, Numbers | None]:
    """The rows and those that they are compared with, if any."""
    changed = within(arguments, "versus")
    there = numbers_of(selection.with_conditions(changed), arguments["of"]) if changed else None
    return numbers_of(selection, arguments["of"]), there


def _discordant(selection: SelectedRows, arguments: Arguments) -> tuple[int, int]:
    """Items that only the rows got right, and those that only the other side did."""
    left, right = (_right(side, arguments) for side in _paired(selection, arguments))
    return int((left & ~right).sum()), int((right & ~left).sum())


def _two_by_two(selection: SelectedRows, arguments: Arguments) -> tuple[int, int, int, int]:
    """Right and wrong of the rows, then of those that they are compared with."""
    other = selection.with_conditions(within(arguments, "versus"))
    first, second = (int(_right(side, arguments).sum()) for side in (selection, other))
    return first, len(selection.rows) - first, second, len(other.rows) - second


def _crossed(selection: SelectedRows, arguments: Arguments) -> tuple[list[list[int]]]:
    """The table of two fields."""
    truth, given, size = _codes(selection, arguments)
    selection.results.evidence.require_memory("labels x labels", size, size)
    counts = np.bincount(truth * size + given, selection.times, size * size).astype(np.int64).reshape(size, size)
    return (counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0].tolist(),)


def _tried(selection: SelectedRows, arguments: Arguments) -> tuple[list[int], list[int]]:
    """How often each problem was tried and passed."""
    parts = [numbers_of(part, arguments["of"]) for part in selection.groups(names_of(arguments["problem"]))]
    return [len(part) for part in parts], [int(part.sum()) for part in parts]


# Counts


def _count(selection: SelectedRows, arguments: Arguments) -> tuple[int]:
    if "is" not in arguments:
        return (selection.size,)
    return (selection.count(pc.equal(texts_of(selection, arguments["of"]), arguments["is"]).to_numpy()),)


def _rate(selection: SelectedRows, arguments: Arguments) -> tuple[int, int]:
    if "is" in arguments:
        return *_count(selection, arguments), selection.size
    flags = _flags_of(selection, arguments["of"], "which value it counts (`is`)")
    return selection.count(flags), selection.size


def _right_of_all(selection: SelectedRows, arguments: Arguments) -> tuple[int, int]:
    """How many rows are right, or have a value, and how many there are."""
    if "against" not in arguments:
        return _rate(selection, arguments)
    return selection.count(_right(selection, arguments)), selection.size


def _one_cell(selection: SelectedRows, arguments: Arguments) -> tuple[int]:
    truth, predicted = _label_pair(selection, arguments)
    both = pc.and_(pc.equal(truth, arguments["was"]), pc.equal(predicted, arguments["is"]))
    return (selection.count(both.to_numpy()),)


def _label_counts(selection: SelectedRows, arguments: Arguments) -> tuple[labels.Counts]:
    """How often each label is there; the labels that could be given are the recipe's, or those of the right answers."""
    counts = _by_text(selection, arguments["of"])
    truth = arguments.get("against") or selection.results.declarations[selection.dataset].truth
    names = names_of(arguments.get("labels")) or (
        sorted(texts_of(selection, truth).unique().to_pylist()) if truth else list(counts)
    )
    if set(counts) - set(names):
        raise RecipeError(f"{arguments['of']} has values beside {', '.join(names)}")
    return (np.array([counts.get(name, 0) for name in names]),)


COLUMNS: dict[str, Columns] = {
    "rows": _count,
    "flags": _rate,
    "values": _own,
    "texts": _counts,
    "label counts": _label_counts,
    "labels": _of_labels,
    "label": _of_one_label,
    "one cell": _one_cell,
    "scores": _scored,
    "probability of truth": _given_to_truth,
    "tries": _tried,
    "numbers": _beside_truth,
    "paired": _versus,
    "samples": _with_others,
    "discordant": _discordant,
    "two by two": _two_by_two,
    "crossed": _crossed,
    "right of all": _right_of_all,
}
"""What the entries of the table of statistics are computed from."""
