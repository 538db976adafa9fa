"""Files of recipes: how records give the cells of some tables, written once and filled into table records.

    {"tab:main": {"defaults": {"of": "answer", "where": {"system": "{System}"}},
                  "Accuracy": {"metric": "accuracy", "over": "seed", "show": "mean±sd"},
                  "ours": {"Note": {"classification": "attested"}}},
     "views": {"scored": "SELECT ..."}, "macros": {"share(k, n)": "k / n"}}

Below a table, a name is a column, or a row with its columns, or `*` for the query that fills the table. `defaults` are
what its recipes with a metric say where they say nothing else; those beside the tables are for all of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sealtrace.bundle.defects import BundleError, nearest, refusing
from sealtrace.bundle.documents import misfits_of
from sealtrace.bundle.strict_json import parse
from sealtrace.contract.printed import Recipe
from sealtrace.paper.table_records import TableRecord
from sealtrace.statistics.arguments import CONDITIONS, MEANINGS

SHARED = ("views", "macros")
DEFAULTS, WHOLE = "defaults", "*"
OTHER_CELL = "cell"
"""The metric that takes the value of another cell."""


def read_recipes(path: Path) -> dict[str, object]:
    """A file of recipes; `BundleError` where it is none."""
    with refusing(path):
        recipes = parse(path.read_bytes())
    if not isinstance(recipes, dict) or not all(isinstance(recipe, dict) for recipe in recipes.values()):
        raise BundleError(f"{path}: recipes are an object of tables, each an object of columns")
    return recipes


def _is_of_row(recipe: object) -> bool:
    """Whether it has a recipe for each of some columns, as one for a row has."""
    return isinstance(recipe, dict) and bool(recipe) and all(isinstance(value, dict) for value in recipe.values())


def fill_in(records: list[TableRecord], recipes: dict[str, Any], path: Path) -> dict[str, object] | None:
    """Recipes in their places, one that finds none being a mistake; the queries that they share, where they do."""
    by_label = {record["label"]: record for record in records}
    for label, wanted in recipes.items():
        if label in (*SHARED, DEFAULTS):
            continue
        if label not in by_label:
            raise BundleError(f"{path}: the paper has no table {label!r}{nearest(label, by_label)}")
        record = by_label[label]
        columns = {column["label"]: column for column in record["columns"]}
        rows = {row["label"]: row for row in record["rows"]}
        place = f"{path}: {label}"
        shared = _written(recipes.get(DEFAULTS, {}), f"{path}: {DEFAULTS}")
        # What is said for all tables holds where there is such a column: the text has none.
        named = {"label", *columns, *(name for row in record["rows"] for name in row.get("arguments") or {})}
        if "where" in shared:
            kept = (one for one in shared["where"].items() if str(one[1])[:1] != "{" or str(one[1])[1:-1] in named)
            shared["where"] = dict(kept) or None
        defaults = _joined(_written(wanted.get(DEFAULTS, {}), place), shared)
        for name, recipe in wanted.items():
            if name == DEFAULTS:
                continue
            if name == WHOLE:
                record["recipe"] = recipe
                # What the table's query fills has no recipe of its own.
                for column in columns.values():
                    if column.get("recipe") == {}:
                        del column["recipe"]
            elif name in columns:
                columns[name]["recipe"] = _complete(recipe, defaults, f"{place}, {name}")
                for row in rows.values():  # what was tried for a cell of it
                    if set((known := row.get("recipes") or {}).get(name, ())) == {"note"}:
                        del known[name]
            elif name in rows and _is_of_row(recipe):
                own = {
                    column: _complete(value, defaults, f"{place}[{name}, {column}]") for column, value in recipe.items()
                }
                rows[name]["recipes"] = {**(rows[name].get("recipes") or {}), **own}
            else:
                noun, names = ("row", rows) if _is_of_row(recipe) else ("column", columns)
                raise BundleError(f"{place} has no {noun} {name!r}{nearest(name, names)}")
        for pointer, expected, found in misfits_of("table", record):
            raise BundleError(f"{place}{pointer}: expected {expected}, found {found}")
    if not any(name in recipes for name in SHARED):
        return None
    queries = {"views": {}, **{name: recipes[name] for name in SHARED if name in recipes}}
    for pointer, expected, found in misfits_of("queries", queries):
        raise BundleError(f"{path}: {pointer.removeprefix('/')}: expected {expected}, found {found}")
    return queries


def _complete(recipe: Any, defaults: dict[str, Any], place: str) -> Any:
    """A recipe with what it leaves to the defaults; those are for recipes with a metric, which may be theirs."""
    if not isinstance(recipe, dict) or any(recipe.get(name) is not None for name in _OTHER_WAYS):
        return recipe
    recipe = _written(recipe, place)
    if recipe.get("metric") == OTHER_CELL:  # what that cell is of, it says itself
        return recipe
    return _joined(recipe, defaults) if "metric" in recipe or defaults.get("metric") else recipe


_OTHER_WAYS = ("sql", "elsewhere", "derived", "classification")


def _joined(recipe: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Conditions and arguments are joined field by field."""
    joined = {
        name: {**defaults[name], **(recipe.get(name) or {})}
        for name in ("where", "arguments")
        if isinstance(defaults.get(name), dict)
    }
    return {**defaults, **recipe, **joined}


def _written(recipe: dict[str, Any], place: str) -> dict[str, Any]:
    """A recipe as records have it: `"seed": 42` is an argument, and arguments and conditions are texts."""
    words = (*Recipe.model_fields, *MEANINGS)
    for unknown in (name for name in recipe if name not in words):
        raise BundleError(f"{place}: a recipe has no field {unknown!r}{nearest(unknown, words)}")
    plain = {name: value for name, value in recipe.items() if name in Recipe.model_fields or name not in MEANINGS}
    given = {**(recipe.get("arguments") or {}), **{name: recipe[name] for name in recipe if name not in plain}}
    plain |= {"arguments": {name: _text(value) for name, value in given.items()}} if given else {}
    for name in CONDITIONS:
        if isinstance(plain.get(name), dict):
            plain[name] = {field: _text(value) for field, value in plain[name].items()}
    return plain


def _text(value: Any) -> Any:
    """A number as its text; of a list, each."""
    if isinstance(value, list):
        return [_text(one) for one in value]
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
