"""Writes docs/reference/ from the code: `python docs/generate.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sealtrace.checks.catalogue import CATALOGUE
from sealtrace.contract.kinds import KINDS, SCHEMA_KINDS, model_of
from sealtrace.contract.packs import packs
from sealtrace.contract.printed import Recipe
from sealtrace.recipes.judgement import DEFINITIONS
from sealtrace.recipes.metrics import all_metrics
from sealtrace.relations import decision, reading
from sealtrace.relations.families.registry import FAMILIES
from sealtrace.relations.syntax import FUNCTIONS, ORDERS
from sealtrace.report.formats import FORMATS
from sealtrace.statistics.entries import OF_ROWS
from sealtrace.statistics.queries import functions

HERE = Path(__file__).resolve().parent
NOTE = "This page is generated from the code by `make reference`."


def checks() -> Iterator[str]:
    """Every check in the order of verification."""
    yield from ("# Checks", "", NOTE, "")
    yield from ("`sealtrace checks ID` prints one of them; `--check` and `--skip` take ids or their first parts.", "")
    family = ""
    for check in CATALOGUE:
        if check.family != family:
            family = check.family
            yield from (f"## {family}", "")
        yield from (f"### `{check.id}`", "", f"{check.title}.", "")
        yield f"- Enforces: {check.source}."
        yield f"- Broken, for example, when {check.breaks}."
        if check.needs:
            yield f"- Needs: {', '.join(f'`{need}`' for need in check.needs)}."
        if check.despite:
            yield f"- Looks around damage of: {', '.join(f'`{name}`' for name in check.despite)}."
        yield ""


def recipes() -> Iterator[str]:
    """Statuses of cells, and every metric."""
    yield from ("# Recipes of printed cells", "", NOTE, "")
    yield from ("A recipe is a named metric with arguments, or SQL over the sealed records.", "")
    yield from ("## Status of a cell", "", "| status | meaning |", "|---|---|")
    yield from (f"| `{status.value}` | {meaning} |" for status, meaning in DEFINITIONS.items())
    yield from ("", "## What a recipe says", "", "| word | meaning |", "|---|---|")
    yield from (f"| `{name}` | {_cell(field.description or '')} |" for name, field in Recipe.model_fields.items())
    called = [f"`{name}`" for name in functions()]
    yield from ("", f"Queries may call {', '.join(called)}, on values and on lists (`list(field)`), and the views and")
    yield "macros that the bundle's `queries.json` shares."
    shared = ", ".join(f"`{name}`" for name in OF_ROWS)
    yield from ("", "## Metrics", "", f"`…` stands for what every statistic of rows takes: {shared}.", "")
    yield from ("| metric | arguments | what it is |", "|---|---|---|")
    order = [one.name for one in packs()]
    for metric in sorted(all_metrics(), key=lambda one: order.index(one.pack)):
        usual = OF_ROWS if set(OF_ROWS) <= set(metric.optional) else ()
        own = [f"[{metric.usage(name)}]" for name in metric.optional if name not in usual]
        words = " ".join([*metric.arguments, *own, *("…" for _ in usual[:1])])
        arguments = f"`{words}`" if words else "-"
        kind = " (given)" if metric.given else " (measured)" if metric.measured else ""
        yield f"| `{metric.name}` | {arguments} | {_cell(metric.formula)}{kind} |"
    yield ""


def records() -> Iterator[str]:
    """Every record kind with its fields."""
    yield from ("# Record kinds", "", NOTE, "")
    yield from ("`sealtrace schema KIND` prints the JSON Schema of a kind.", "")
    for kind in SCHEMA_KINDS:
        model = model_of(kind)
        yield from (f"## `{kind}`", "", _cell((model.__doc__ or "").strip().splitlines()[0]), "")
        if KINDS[kind].key:
            yield from (f"Key: {', '.join(f'`{name}`' for name in KINDS[kind].key)}.", "")
        yield from ("| field | required | meaning |", "|---|---|---|")
        for name, field in model.model_fields.items():
            required = "yes" if field.is_required() else "no"
            yield f"| `{field.alias or name}` | {required} | {_cell(field.description or '')} |"
        yield ""


def relations() -> Iterator[str]:
    """The language of relations files, and every automatic family."""
    yield from ("# Relations between printed numbers", "", NOTE, "")
    yield from ("## What is decided", "", "| status | meaning |", "|---|---|")
    yield from (f"| `{status.value}` | {meaning} |" for status, meaning in decision.DEFINITIONS.items())
    first, _, rest = (reading.__doc__ or "").partition("\n\n")
    example, _, after = rest.rpartition("\n\n")
    yield from ("", "## A relations file", "", first, "", "```text")
    yield from (line.removeprefix("    ") for line in example.splitlines())
    yield from ("```", "", after.strip(), "", "## Functions", "", "| function | arguments |", "|---|---|")
    for name, (least, most) in FUNCTIONS.items():
        yield f"| `{name}` | {least if most == least else f'{least} or more'} |"
    yield from ("", f"Predicates of lists: {', '.join(f'`{name}`' for name in ORDERS)}.", "")
    yield from ("## Automatic families", "", "| family | what it says | when it is claimed |", "|---|---|---|")
    yield from (f"| {one.name} | {_cell(one.sentence)} | {_cell(one.trigger)} |" for one in FAMILIES)
    yield ""


def formats() -> Iterator[str]:
    """The formats, which `verify`, `check`, `audit` and `diff` all write."""
    yield from ("# Formats", "", NOTE, "")
    yield from ("`--format F` prints one; `-o F=FILE` writes one, and may be given more than once.", "")
    yield from ("| format | files | what it is |", "|---|---|---|")
    for one in FORMATS:
        ending = f"`.{one.extension}`" if one.extension else "-"
        yield f"| `{one.name}` | {ending} | {one.description} |"
    yield ""


def _cell(text: str) -> str:
    """A text that stays within its table cell."""
    return " ".join(text.split()).replace("|", "\\|")


PAGES = {
    "checks.md": checks,
    "recipes.md": recipes,
    "relations.md": relations,
    "formats.md": formats,
    "records.md": records,
}


def rendered() -> dict[str, str]:
    """File name to content."""
    return {name: "\n".join(page()).rstrip("\n") + "\n" for name, page in PAGES.items()}


if __name__ == "__main__":
    for name, content in rendered().items():
        (HERE / "reference" / name).write_text(content, encoding="utf-8")
