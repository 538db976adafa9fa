"""What a recipe says, with its placeholders filled in from the row of its cell; and that in words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sealtrace.recipes.cells import TableCell
from sealtrace.recipes.entities import EntityNames
from sealtrace.recipes.metrics import RecipeError
from sealtrace.statistics.arguments import CONDITIONS
from sealtrace.statistics.table import Statistic

_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
_COMPARED = re.compile(r"(\w+)\"?\s*(?:=|<>|!=|\bIN\s*\()\s*'\Z", re.IGNORECASE)


def filled_arguments(cell: TableCell, metric: Statistic | None, names: EntityNames) -> dict[str, str]:
    """A metric's arguments with their placeholders filled in."""
    # A cell that names its row may select the record of that name; a result may not select itself.
    own = metric is not None and metric.given and names_its_row(cell)
    return {key: filled(text, cell, names, key.partition(".")[2] or key, own=own) for key, text in cell.said.items()}


def names_its_row(cell: TableCell) -> bool:
    """Whether a cell is what its row is called by."""
    return bool(cell.text) and (cell.text in cell.row or cell.row in cell.text)


def filled(
    template: str,
    cell: TableCell,
    names: EntityNames | None = None,
    of: str | None = None,
    *,
    quoted: bool = False,
    own: bool = False,
) -> str:
    """A template with `{Column}`, `{label}` and the row's arguments filled in; a printed name as what it stands for.

    In a query it is of the field that it is compared with; else its name must be that of one field.
    """

    def fill(match: re.Match[str]) -> str:
        name = match.group(1)
        if name == cell.column and not own:
            raise RecipeError(f"{{{name}}} is the cell itself; a recipe may not read what it recomputes")
        known = {"label": cell.row, **cell.texts, **cell.arguments}
        if name not in known:
            raise RecipeError(f"{{{name}}} is neither a column nor an argument of the row")
        around = template[max(0, match.start() - 1) : match.start()], template[match.end() : match.end() + 1]
        # A part of a longer text (`residual@{Scale}`) is no name by itself.
        alone = around == (("'", "'") if quoted else ("", ""))
        compared = _COMPARED.search(template[: match.start()]) if quoted else None
        value = names.meant(known[name], of, compared and compared[1]) if names is not None and alone else known[name]
        # In a query a placeholder stands inside single quotes, where a quote is written twice.
        return value.replace("'", "''") if quoted else value

    return _PLACEHOLDER.sub(fill, template)


def in_words(metric: Statistic, arguments: dict[str, str]) -> str:
    if "where" in metric.optional:
        return metric_in_words(metric.name, arguments)
    rest = ", ".join(f"{name} {text}" for name, text in arguments.items())
    return f"{metric.formula} ({rest})" if rest else metric.formula


def metric_in_words(name: str, arguments: Mapping[str, str]) -> str:
    """What a metric is asked for, in words."""
    said = name.replace("_", " ")
    if "of" in arguments:
        said += f" of {arguments['of']}"
    said += f" against {arguments['against']}" if "against" in arguments else ""
    said += f" in {arguments['dataset']}" if "dataset" in arguments else ""
    told = {
        part: " and ".join(
            f"{key.partition('.')[2]} is {value}" for key, value in arguments.items() if key.startswith(f"{part}.")
        )
        for part in CONDITIONS
    }
    said += f" where {told['where']}" if told["where"] else ""
    said += f", versus the rows where {told['versus']}" if told["versus"] else ""
    if arguments.get("group"):
        average = arguments.get("average", "mean").replace("_", " ")
        said += f", {'averaged' if average == 'mean' else f'the {average}'} over {arguments['group']}"
    if arguments.get("over"):
        said += f", {arguments.get('show', 'mean')} over {arguments['over']}"
    said += f", less the same where {told['minus']}" if told["minus"] else ""
    said += f", relative to the same where {told['relative_to']}" if told["relative_to"] else ""
    known = {"of", "against", "dataset", "group", "average", "over", "show"}
    rest = [f"{key} {value}" for key, value in arguments.items() if key not in known and "." not in key]
    return f"{said}; {', '.join(rest)}" if rest else said


def described_recipe(cell: TableCell) -> str:
    """A cell's recipe as readers see it."""
    recipe = cell.followed
    if (reference := recipe.get("elsewhere")) is not None:
        return f"elsewhere({', '.join(f'{name}={text}' for name, text in reference.items())})"
    sql = recipe.get("sql")
    try:
        if sql is not None:
            return " ".join(filled(sql, cell, quoted=True).split())
        arguments = {name: filled(text, cell, own=True) for name, text in cell.said.items()}
    except RecipeError:
        if sql is not None:
            return " ".join(sql.split())
        arguments = cell.said
    listed = ", ".join(f"{name}={text}" for name, text in arguments.items())
    return f"{recipe.get('metric') or 'sql'}({listed})"
