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

SHARED = ("views", "macros")
DEFAULTS, WHOLE = "defaults", "*"


def read_recipes(path: Path) -> dict[str, Any]:
    """A file of recipes; `BundleError` where it is none."""
    with refusing(path):
        recipes = parse(path.read_bytes())
    if not isinstance(recipes, dict) or not all(isinstance(recipe, dict) for recipe in recipes.values()):
        raise BundleError(f"{path}: recipes are an object of tables, each an object of columns")
    return recipes


def fill_in(records: list[dict[str, Any]], recipes: dict[str, Any], path: Path) -> dict[str, Any] | None:
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
        defaults = _complete({**wanted.get(DEFAULTS, {}), "metric": ""}, recipes.get(DEFAULTS, {}))
        del defaults["metric"]
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
                columns[name]["recipe"] = _complete(recipe, defaults)
            elif (
                name in rows and isinstance(recipe, dict) and all(isinstance(value, dict) for value in recipe.values())
            ):
                rows[name]["recipes"] = {column: _complete(value, defaults) for column, value in recipe.items()}
            else:
                raise BundleError(f"{path}: {label} has no column {name!r}{nearest(name, columns)}")
        for pointer, expected, found in misfits_of("table", record):
            raise BundleError(f"{path}: {label}{pointer}: expected {expected}, found {found}")
    if not any(name in recipes for name in SHARED):
        return None
    shared = {"views": {}, **{name: recipes[name] for name in SHARED if name in recipes}}
    for pointer, expected, found in misfits_of("queries", shared):
        raise BundleError(f"{path}: {pointer.removeprefix('/')}: expected {expected}, found {found}")
    return shared


def _complete(recipe: Any, defaults: dict[str, Any]) -> Any:
    """A recipe with a metric, and what it leaves to the defaults; conditions are joined field by field."""
    if not isinstance(recipe, dict) or "metric" not in recipe:
        return recipe
    joined = {
        name: {**defaults[name], **(recipe.get(name) or {})}
        for name in ("where", "arguments")
        if isinstance(defaults.get(name), dict)
    }
    return {**defaults, **recipe, **joined}
