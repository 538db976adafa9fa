"""Whether recipes take the rows, entities and statistics that their tables print."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, partial

import pyarrow as pa

from sealtrace.bundle.frames import Frame
from sealtrace.evidence import Evidence
from sealtrace.recipes import headings
from sealtrace.recipes.arguments import filled_arguments
from sealtrace.recipes.cell_results import CellResult
from sealtrace.recipes.cells import TableCell
from sealtrace.recipes.entities import EVERY, Around, appearance, disagreements, fraction_of
from sealtrace.recipes.metrics import Value, metric_of
from sealtrace.recipes.populations import PopulationRows, field_types, taken_by_metric, used_by_metric, values_in
from sealtrace.recipes.printed_counts import Taken, TakenValues, numbers_unlike, seeds_of, standing_together
from sealtrace.recipes.queries import Queries
from sealtrace.recipes.recipe_files import OTHER_CELL
from sealtrace.recipes.sql_syntax import QueryDescription
from sealtrace.statistics.arguments import CONDITIONS
from sealtrace.statistics.table import Statistic

_BROUGHT = {"mu", "clip"}
"""Numbers that a metric compares fields with, or puts in their place: as a query's, they are declared."""
_NEXT_TO_NOTHING = Fraction(1, 10**6)
"""What keeps a logarithm finite is no choice that a number depends on."""


class PrintedAgreement:
    """Holds recipes of one bundle against what their tables print; what cells share is found once."""

    def __init__(
        self, evidence: Evidence, rows: PopulationRows, queries: Queries, other_cell: Callable[[str], TableCell | None]
    ) -> None:
        self._evidence, self._rows, self._queries, self._other_cell = evidence, rows, queries, other_cell
        self._heading_clauses: dict[Hashable, list[str]] = {}
        self._names: dict[tuple[str, ...], frozenset[str]] = {}
        self._flags: dict[tuple[str, str], bool] = {}

    def unsaid(self, around: Around, value: Value, metric: Statistic | None, result: CellResult) -> Iterator[str]:
        """Where a recipe takes other rows, entities or statistics than the table prints."""
        arguments = result.arguments
        if metric is None and value.description is None and "cell" in arguments:
            # The same quantity printed twice is of the same entities in both places.
            quoted = self._other_cell(arguments["cell"])
            recipe = {} if quoted is None else quoted.recipe or {}
            metric = metric_of(recipe.get("metric"), () if quoted is None else quoted.said)
            asked = None if quoted is None or metric is None else quoted
            arguments = {} if asked is None else filled_arguments(asked, metric, self._rows.names)
        over = _names(arguments, "over") - {""} if metric is not None and "over" in metric.optional else None
        yield from numbers_unlike(around, arguments, self.taken(value), over, self._numbered)
        if metric is not None:
            kind = value.frame.kind if value.frame is not None and "where" in metric.optional else None
            taken = taken_by_metric(metric, arguments)
            known = self._rows.entities(kind) if kind else dict.fromkeys(taken, ())
            used = used_by_metric(metric, arguments)
            # What is counted may be what the heading prints: the share of women, say.
            named, counted = used, arguments.get("of", "") if "is" in arguments else ""
            if counted and around.printed(counted, known.get(counted, ())) - {EVERY}:
                named = {**used, counted: used.get(counted, set()) | {arguments["is"]}}
            yield from disagreements(around, named, known, as_printed=bool(kind))
            if "population" in metric.defaults and "population" in taken and "population" not in used:
                # What the recipe leaves out is taken by default, and a label may say otherwise.
                splits, default = self._rows.splits, metric.defaults["population"]
                printed = around.in_row("population", splits) | around.in_heading("population", splits)
                if left := sorted(printed - {EVERY, default}):
                    yield f"the table prints population {' and '.join(left)}, and the recipe takes {default}"
            for key, text in arguments.items() if kind else ():
                word, _, name = key.partition(".")
                values = set(values_in(text))
                printed = around.in_row(name, values) - {EVERY}
                if word in CONDITIONS[:3] and printed and values > printed:
                    yield f"it takes {name} {' and '.join(sorted(values))} together"
            for word in _BROUGHT & arguments.keys():
                number = fraction_of(arguments[word])
                if number is None or (abs(number) > _NEXT_TO_NOTHING and number not in self._rows.constants):
                    yield f"its {word} {arguments[word]} is neither next to zero nor a declared constant"
            if kind:
                for name in sorted(_names(arguments, "over", "group") - {""}):
                    if not self._rows.is_entity(kind, name):
                        yield f"it averages what each {name} gives, which is a result itself"
                truth = result.arguments.get("against"), result.arguments.get("of"), result.arguments.get("predicted")
                restricting = {name for name in used if name not in _names(result.arguments, "over", "group")}
                outcomes = [name for name in truth if name]
                yield from self._rows.telling(kind, restricting, outcomes)
        elif value.description is not None:
            yield from self._unsaid_of_query(around, value, value.description)

    def _unsaid_of_query(self, around: Around, value: Value, description: QueryDescription) -> Iterator[str]:
        used: dict[str, set[str]] = {}
        for compared in description.compared:
            if not compared.restricts and compared.values == ("1",) and self._are_flags(value.kinds, [compared.field]):
                continue
            if compared.equal:
                used.setdefault(compared.field, set()).update(compared.values)
                continue
            numbers = [number for number in map(fraction_of, compared.values) if number is not None]
            if len(numbers) < len(compared.values) or not self._rows.constants.issuperset(numbers):
                told = ", ".join(compared.values)
                yield f"it compares {compared.field} with {told}, which nothing printed or declared gives"
        yield from disagreements(around, used, {}, as_printed=False)
        for one in description.compared:
            together = sorted(one.values)
            printed = around.in_row(one.field, one.values)
            # A heading may name one entity for all rows (`share of ours`), but none beside the row's own.
            if len(one.values) == 1:
                printed |= around.in_heading(one.field, one.values)
            if one.equal and one.restricts and printed - {EVERY} and not printed >= set(one.values):
                several = f"it takes {one.field} {' and '.join(together)} together"
                beside = (
                    f"it takes {one.field} {together[0]} beside the row's own: the heading may name it (Gain over …)"
                )
                yield several if len(together) > 1 else beside
        for _, _, pairs in description.joins:
            for name in sorted({name for pair in pairs for name in pair}):
                if not any(self._rows.is_entity(kind, name) for kind in value.kinds):
                    yield f"it joins records by {name}, which is a result"
        for name in description.equated:
            if not any(self._rows.is_entity(kind, name) for kind in value.kinds):
                yield f"it sets rows beside others with the same {name}, which is a result"
        for name in description.cut:
            if self._has_digits(value.kinds, name):
                yield f"it cuts digits off {name} before it sums them up"
        for name in description.averaged_by if description.totals else ():
            if not any(self._rows.is_entity(kind, name) for kind in value.kinds):
                yield f"it averages what each {name} gives, which is a result itself"
        yield from description.picks
        for name in description.present:
            if name.casefold() not in self._rows.absent and self._queries.some_absent(value, name):
                yield f"it takes only some rows, by whether there is {name}"
        for kind in value.kinds:
            restricting = {one.field for one in description.compared if one.equal and one.restricts}
            restricting |= set(self._rows.within(around, [kind], row=True).get(kind, {}))
            yield from self._rows.telling(kind, restricting, description.fields)

    def misnamed(self, caption: str, value: Value, metric: Statistic | None, result: CellResult) -> Iterator[str]:
        """Where labels name another statistic than the recipe computes."""
        cell, description = result.cell, value.description
        if cell.key or (metric is not None and (metric.name == OTHER_CELL or (metric.given and value.fixed))):
            return
        kinds = value.kinds if metric is None else (value.frame.kind,) if value.frame is not None else ()
        if metric is not None:
            flags = "where" in metric.optional and self._are_flags(kinds, [result.arguments.get("of", "")])
            # How often a field has some value is no share of what is right.
            flags = flags and result.arguments.get("is", "true").casefold() in ("true", "1")
            if "where" in metric.optional:  # those of packs read fields that no argument names
                yield from self._other_field(cell, kinds, set(result.arguments.values()))
            # Arguments that say of which rows a cell is change nothing of what its heading must say.
            read = {name: text for name, text in result.arguments.items() if headings.reads(name)}
            asked: tuple[object, ...] = (metric.pack, metric.name, *sorted(read.items()))
            compute = partial(headings.of_metric, metric, read, of_flags=flags)
        elif description is not None:
            flags = self._are_flags(kinds, description.fields)
            first = result.arguments.get("part") in ("1", "mean")
            yield from headings.functions_unnamed(cell, caption, description, self._hidden(kinds), first=first)
            yield from self._other_field(cell, kinds, set(description.fields), alone=True)
            asked = (repr(replace(description, words="", compared=())),)
            compute = partial(headings.of_query, description, of_flags=flags)
        else:
            return
        place = cell.column, cell.row if cell.own_recipe else None, cell.quotation, caption, kinds, flags
        if (place, asked) not in self._heading_clauses:
            clauses = headings.disagreement(cell, caption, compute(), self._hidden(kinds))
            self._heading_clauses[place, asked] = list(clauses)
        yield from self._heading_clauses[place, asked]

    def _hidden(self, kinds: tuple[str, ...]) -> frozenset[str]:
        """Names of entities of some kinds of record, which are no words of statistics."""
        if kinds not in self._names:
            # A name that stands for every value restricts nothing, so it hides no word of a statistic either.
            every = self._rows.names.declared.values()
            declared = {appearance(name) for names in every for name, value in names.items() if value != EVERY}
            self._names[kinds] = frozenset(declared | self._rows.values(kinds))
        return self._names[kinds]

    @cached_property
    def _numbered(self) -> frozenset[str]:
        """Declared names whose numbers are those of what they stand for."""
        names = [pair for names in self._rows.names.declared.values() for pair in names.items()]
        digits = re.compile(r"\d+").findall
        return frozenset(appearance(name) for name, value in names if set(digits(name)) <= set(digits(value)))

    def taken(self, value: Value) -> TakenValues:
        """Which values of its fields a recipe takes."""
        if value.repeats:
            taken = {name: frozenset((one,) for one in ones) for name, ones in value.repeats.items()}
            return TakenValues(tuple(taken), lambda names: taken[names[0]], lambda name: len(taken[name]))
        kinds = value.kinds or ((value.frame.kind,) if value.frame is not None else ())
        found = [(kind, self._evidence.frame(kind)) for kind in kinds]
        named = [(one, one.names if kind in self._rows.datasets else one.key_fields) for kind, one in found]
        frames = {name: one for one, names in named for name in names if self._rows.is_entity(one.kind, name)}

        def of(names: tuple[str, ...]) -> Taken:
            if names[0] not in frames:
                return frozenset((seed,) for seed in seeds_of(self._evidence, [run for (run,) in of(("run",))]))
            frame = frames[names[0]]
            asked = [name for name in names if name in frame.names]
            if value.frame is frame and value.rows is not None and len(value.rows) == value.count:
                return standing_together([frame.taken(asked, value.rows)], {}, len(asked))
            where = {name: set(values) for name, values in value.within.get(frame.kind, {}).items()}
            for one in () if value.description is None else value.description.compared:
                if one.equal and one.restricts and one.field in frame.names:
                    where[one.field] = where.get(one.field, set(one.values)) & set(one.values)
            return standing_together(frame.parts([*asked, *where.keys() - set(asked)]), where, len(asked))

        def whole(name: str) -> int:
            return len(frames[name].distinct(name)) if name in frames else len(of((name,)))

        seeds = ("seed",) if "run" in frames and "seed" not in frames else ()
        return TakenValues((*frames, *seeds), of, whole)

    def _other_field(
        self, cell: TableCell, kinds: Iterable[str], used: set[str], *, alone: bool = False
    ) -> Iterator[str]:
        """A heading that is the name of a measured field, where the recipe does not read it, or not it `alone`."""
        for kind in kinds:
            types = field_types(self._evidence.frame(kind))
            numeric = {name for name, form in types.items() if pa.types.is_floating(form) or pa.types.is_integer(form)}
            heading = appearance(cell.column)
            named = {name for name in numeric if appearance(name).replace("_", " ") == heading}
            measured = named - set(self._evidence.frame(kind).key_fields)
            read = {name for name in types if name in used or name.casefold() in used}
            results = {name for name in read & numeric if not self._rows.is_entity(kind, name)}
            if measured and (not measured & read or (alone and results - measured)):
                others = " and ".join(sorted(results or read))
                yield f"the heading is the field {min(measured)}, and the recipe is of {others or 'no field'}"

    def _are_flags(self, kinds: Iterable[str], fields: Iterable[str]) -> bool:
        """Whether what is averaged is right or wrong: flags, zeros and ones, or texts that are compared."""
        asked = {name.casefold() for name in fields}
        for kind in kinds:
            frame = self._evidence.frame(kind)
            for name, form in field_types(frame).items():
                numeric = pa.types.is_floating(form) or pa.types.is_integer(form)
                if name.casefold() in asked and numeric and not self._is_flag(frame, name):
                    return False
        return True

    def _has_digits(self, kinds: Iterable[str], name: str) -> bool:
        """Whether a field may have decimals that are no flags; so may whatever a macro is given."""
        frames = [self._evidence.frame(kind) for kind in kinds]
        types = [(frame, one, form) for frame in frames for one, form in field_types(frame).items()]
        named = [(frame, one, form) for frame, one, form in types if one.casefold() == name]
        measured = [pa.types.is_floating(form) and not self._is_flag(frame, one) for frame, one, form in named]
        return any(measured) or not named

    def _is_flag(self, frame: Frame, name: str) -> bool:
        if (frame.kind, name) not in self._flags:
            flag = name in frame.key_fields
            if not flag:
                values = {str(value) for value in frame.distinct(name, 3).to_pylist()}
                flag = values <= {"0", "1", "0.0", "1.0", "None"}
            self._flags[frame.kind, name] = flag
        return self._flags[frame.kind, name]


def _names(arguments: dict[str, str], *words: str) -> set[str]:
    return {name.strip() for word in words for name in arguments.get(word, "").split(",")}
