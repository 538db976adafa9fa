"""What the value of a recipe makes of its cell: numbers, marks, words, factors and units as they are printed."""

from __future__ import annotations

import re
from dataclasses import replace

from sealtrace.paper.number_grammar import is_factor, is_unit
from sealtrace.paper.numbers import numbers_of
from sealtrace.recipes.arguments import names_its_row
from sealtrace.recipes.cells import TableCell
from sealtrace.recipes.headings import ARITHMETIC
from sealtrace.recipes.judgement import CellStatus, Judgement, in_print, judge, judge_text
from sealtrace.recipes.metrics import RecipeError, Value
from sealtrace.statistics.table import ARGUMENTS, Statistic, entry_of

_SHARES = ("share", "probability")


def part_of(value: Value, cell: TableCell, part: str) -> Value:
    """One number of a cell, by its place or by what it is: mean, sd, k, n, low, high."""
    names = part_names(cell)
    if part not in names:
        raise RecipeError(f"{cell.name} has no part {part!r}; its parts are {', '.join(names)}")
    place = names[part]
    return replace(value, numbers=value.numbers[place : place + 1], rounded=None)


def part_names(cell: TableCell) -> dict[str, int]:
    """What the numbers of a cell are called, with their places."""
    form = cell.printed.form if cell.printed is not None else ""
    parts = cell.printed.parts if cell.printed is not None else ()
    called = {"plus-minus": ("mean", "sd"), "ratio": ("k", "n"), "interval": ("low", "high")}.get(form, ())
    names = {str(place + 1): place for place in range(len(parts))}
    return names | {name: place for place, name in enumerate(called) if place < len(parts)}


def judged(cell: TableCell, value: Value, metric: Statistic | None) -> Judgement:
    if value.text is not None:
        judgement = judge_text(cell.text, value.text)
        return _attested(cell, value.fixed) if value.fixed and judgement.status is CellStatus.EXACT else judgement
    if cell.printed is None or not cell.printed.numeric:
        return Judgement(CellStatus.MISMATCH, f"The paper prints {cell.text!r}; the records give a number.")
    percent = bool(cell.followed.get("percent") or cell.printed.percent)
    numbers = in_print(cell.printed, value.numbers, percent=percent)
    judgement = judge(cell.printed, numbers, None if percent else value.rounded)
    if judgement.status is CellStatus.MISMATCH and not percent:
        hundredfold = judge(cell.printed, in_print(cell.printed, value.numbers, percent=True), None)
        if hundredfold.status is not CellStatus.MISMATCH:
            told = f'{judgement.sentence} A hundred times that is what is printed: add `"percent": true` to the recipe.'
            judgement = replace(judgement, sentence=told)
    said = f"The paper prints {cell.text}"
    if value.marks is not None and value.marks != cell.printed.marks:
        found, due = (marks or "no mark" for marks in (cell.printed.marks, value.marks))
        return Judgement(CellStatus.MISMATCH, f"{said} with {found}; the records give {due}.")
    printed_words = [number.suffix for number in cell.printed.parts if number.suffix]
    if value.words and printed_words != [" ".join(word.split()) for word in value.words]:
        found, due = (", ".join(map(repr, words)) or "no word" for words in (printed_words, value.words))
        return Judgement(CellStatus.MISMATCH, f"{said} with {found}; the records give {due}.")
    if (wrong := _unconverted(cell, value, metric) or _unscaled(cell, metric, percent=percent)) is not None:
        return Judgement(CellStatus.MISMATCH, f"{said}; {wrong}")
    exact = judgement.status in (CellStatus.EXACT, CellStatus.TIE)
    given = metric is not None and metric.given
    of_rows = metric is None or "where" in metric.optional
    if exact and value.fixed and not of_rows and not any(value.numbers):
        return replace(judgement, status=CellStatus.INPUT, sentence=f"{said}, which is zero by definition.")
    if exact and value.fixed and not (given and names_its_row(cell)):
        return _attested(cell, value.fixed)
    if exact and given:
        return replace(judgement, status=CellStatus.INPUT, sentence=f"{said}, as the records have it.")
    measured = value.measured or (metric is not None and metric.measured)
    if measured and exact:
        sentence = f"{said}, as the sealed measurements give it."
        return replace(judgement, status=CellStatus.MEASURED, sentence=sentence)
    return judgement


_HUNDREDTHS = re.compile(r"%|pp|per ?cent|percentage[ -]points?")
"""Units that the number itself tells from a share: a hundred times as much is printed."""


def _unconverted(cell: TableCell, value: Value, metric: Statistic | None) -> str | None:
    """Why a printed factor or unit is not what the recipe gives, where it is not."""
    assert cell.printed is not None
    told = f"{metric.name if metric else ''} {cell.followed.get('sql') or ''} {' '.join(cell.said.values())}"
    for part in cell.printed.parts:
        if part.suffix in ("", "×", "x", *value.words) or _HUNDREDTHS.fullmatch(part.suffix):
            continue
        stated = re.search(rf"(?<![^\W_]){re.escape(part.suffix)}(?![^\W_])", told)
        if (is_factor(part.suffix) or is_unit(part.suffix)) and not stated:
            return f"the recipe gives the number itself, not in {part.suffix}."
    return None


def _unscaled(cell: TableCell, metric: Statistic | None, *, percent: bool) -> str | None:
    """Why a factor, a unit or per cent in the heading is not what the recipe gives, where it is not."""
    said = cell.said
    read = f"{cell.followed.get('sql') or ''} {' '.join(said.values())} {metric.name if metric else ''}"
    for change in ARITHMETIC:
        if (stated := change.heading.search(cell.column)) is None or (change.hundredfold and percent):
            continue
        if not change.recipe.search(read):
            return f"the recipe gives the number itself, and the heading says {stated[0].strip()}."
    quantity = None if metric is None else entry_of(metric.pack, said.get("quantity", metric.name))
    ratio = {"quantity", "base"} <= set(said)
    result = quantity is not None and quantity.pack != "results" and not quantity.given
    if percent and quantity is not None and result and not ratio and quantity.unit not in _SHARES:
        return f"{quantity.name.replace('_', ' ')} is no share, so nothing is a hundred per cent of it."
    measured = said.get("of") or said.get("quantity") or (metric.name if metric else "")
    own = measured.rpartition("_")[2] if "_" in measured else ""  # the unit that the field is called by: latency_ms
    share = any(one.unit in _SHARES for one in (metric, quantity) if one)
    for unit in re.findall(r"[(\[]([^()\[\]]*)[)\]]", cell.column):
        factor = unit.strip().removeprefix("in ").removeprefix("×").removeprefix("x ").strip()
        if is_factor(factor) or re.fullmatch(r"10{2,}|10(\^|\*\*)?\{?[-−]?\d\}?|10[⁻]?[²³⁴⁵⁶⁷⁸⁹]", factor):
            return f"the recipe gives the number itself, and the heading says {unit}."
        # What multiplies a number behind it, as in 6 k, does so above it; `k` may be an argument of everyday results.
        if result and factor.isalpha() and any(one.value != 1 for one in numbers_of(f"1{factor}")):
            return f"the recipe gives the number itself, and the heading says {unit}."
        if is_unit(own) and is_unit(factor) and factor not in (own, "%"):
            return f"the recipe gives {measured}, and the heading says {unit}."
        if factor == "%" and share and not (percent or ratio):
            return "the recipe gives a fraction, and the heading says %."
    return None


def _attested(cell: TableCell, source: str) -> Judgement:
    return Judgement(
        CellStatus.ATTESTED, f"The paper prints {cell.text}, which comes from {source}: nothing checks it."
    )


def by_definition(cell: TableCell) -> Judgement:
    """A number that nothing could have made another: the difference of something from itself, or its ratio to itself.

    What is printed says which: a difference by its heading, a ratio by the sign behind it.
    """
    parts = cell.printed.parts if cell.printed is not None else ()
    ratio = bool(parts) and all(part.value == 1 and part.suffix in ("×", "x") for part in parts)
    difference = bool(parts) and not any(part.value for part in parts) and ARGUMENTS["minus"].stated(cell.column)
    if not (ratio or difference):
        raise RecipeError("only a ratio to itself (1×), or a 0 under a difference, is what it is by definition")
    return Judgement(CellStatus.INPUT, "it is so by definition: a difference from itself, or a ratio to itself")
