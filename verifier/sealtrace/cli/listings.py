"""`sealtrace checks`, `metrics`, `schema` and `completion`: what sealtrace itself knows."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from sealtrace.bundle.resources import schema_document
from sealtrace.checks.catalogue import BY_ID, CATALOGUE, Check
from sealtrace.cli.options import form_option, refuse_unknown
from sealtrace.cli.output import paint, text_width
from sealtrace.contract.kinds import SCHEMA_KINDS
from sealtrace.report.sheet import TextSheet
from sealtrace.statistics.arguments import MEANINGS
from sealtrace.statistics.table import StatisticKind

if TYPE_CHECKING:
    from sealtrace.statistics.table import Statistic


@click.command()
@click.argument("id", required=False)
@form_option
def checks(id: str | None, form: str) -> int:
    """List every check with its sentence and source, or explain the check ID.

    ID may be a family, such as replay.

    \b
    Examples:
      sealtrace checks
      sealtrace checks replay
      sealtrace checks threshold.stored
    """
    chosen = [check for check in CATALOGUE if id is None or id in (check.id, check.family)]
    known = [name for check in CATALOGUE for name in (check.id, check.family)]
    refuse_unknown("no check has the id", [id] if id is not None else [], known)
    if form == "json":
        click.echo(json.dumps([asdict(check) for check in chosen], indent=2))
    elif id in BY_ID:
        _explain(chosen[0])
    else:
        sheet = _sheet()
        for check in chosen:
            sheet.titled(check.id, "cyan")
            sheet.say(check.title, "  ")
            sheet.say(f"[{check.source}]", "  ")
        click.echo(str(sheet), nl=False)
    return 0


def _sheet() -> TextSheet:
    return TextSheet(text_width(), paint)


def _explain(check: Check) -> None:
    sheet = _sheet()
    sheet.titled(check.id, "cyan")
    for name, text in (
        ("says", check.title),
        ("enforces", check.source),
        ("broken by", f"for example: {check.breaks}"),
        ("reads", ", ".join(check.reads) or "the bundle's bytes and listing"),
        ("needs", ", ".join(check.needs) or "nothing"),
        ("may fail", ", ".join(check.consequences) or "no other check with it"),
    ):
        sheet.figure(name, text, 10)
    if check.despite:
        sheet.say(f"It looks around damage of {', '.join(check.despite)}, and says what it could not judge.")
    if check.whole:
        others = "another need" if check.despite else "a need"
        sheet.say(f"Where {others} fails it is not computed at all, and its status is missing.")
    click.echo(str(sheet), nl=False)


@click.command()
@click.argument("name", required=False)
@form_option
def metrics(name: str | None, form: str) -> int:
    """List the named metrics that a table's recipes can ask for, or explain those of a NAME.

    NAME is a metric's name, or a word of what headings call it.

    \b
    Examples:
      sealtrace metrics
      sealtrace metrics mcnemar
      sealtrace metrics welch
    """
    from sealtrace.recipes.metrics import all_metrics

    chosen = [metric for metric in all_metrics() if name in (None, metric.name)]
    chosen = chosen or [metric for metric in all_metrics() if name and name.casefold() in " ".join(metric.words)]
    if not chosen:
        refuse_unknown("no metric is called", [name] if name else [], [metric.name for metric in all_metrics()])
    if form == "json":
        listed = [
            {
                "name": metric.name,
                "formula": metric.formula,
                "source": metric.source,
                "arguments": list(metric.arguments),
                "optional": list(metric.optional),
            }
            for metric in chosen
        ]
        click.echo(json.dumps(listed, indent=2))
        return 0
    if name is not None:
        for metric in chosen:
            _explain_metric(metric)
        return 0
    by_source: dict[str, list[Statistic]] = {}
    for metric in all_metrics():
        by_source.setdefault(metric.source, []).append(metric)
    sheet = _sheet()
    for source, members in by_source.items():
        counts = Counter(name for metric in members for name in metric.optional)
        usual = [name for name, count in counts.items() if 3 < count > len(members) / 2]
        sheet.titled(source, "cyan")
        for metric in members:
            own = [f"[{metric.usage(name)}]" for name in metric.optional if name not in usual]
            more = ["…"] if usual and len(set(usual) & set(metric.optional)) > len(usual) / 2 else []
            sheet.say(f"{' '.join([metric.name, *metric.arguments, *own, *more])}: {metric.formula}", "  ", "      ")
        if usual:
            sheet.say(f"… stands for what most of them take: {', '.join(usual)}", "  ", "      ")
        sheet.gap()
    click.echo(str(sheet), nl=False)
    return 0


_OF_ALL = ("dataset", "where", "over", "show", "group", "average", "minus", "relative_to")
"""Arguments of all statistics of rows that make sense with each of them."""
_OF_KINDS: dict[StatisticKind, tuple[str, ...]] = {
    StatisticKind.ORDER: ("rule",),
    StatisticKind.REPEATS: ("rule", "divisor"),
    StatisticKind.INTERVAL: ("confidence",),
}


def _explain_metric(metric: Statistic) -> None:
    """One metric: what it is, what headings call it, what it takes, and a recipe to begin with."""
    from sealtrace.contract.printed import Recipe
    from sealtrace.statistics.entries import OF_ROWS

    known = {name: (field.description or "").rstrip(".") for name, field in Recipe.model_fields.items()}
    known |= {name: meaning for name, (meaning, _) in MEANINGS.items()} if metric.pack == "results" else {}
    sheet = _sheet()
    sheet.titled(metric.name, "cyan", f"  [{metric.source}]")
    sheet.figure("is", metric.formula, 10)
    sheet.figure("headings", ", ".join(metric.words) or metric.name.replace("_", " "), 10)
    low, high = metric.range
    if (low, high) != (None, None):
        sheet.figure("values", f"{metric.unit}, {'' if low is None else low} to {'' if high is None else high}", 10)
    if metric.sql:
        sheet.figure("in SQL", metric.sql, 10)
    # What every statistic of rows takes is only named where it is of other statistics than this one.
    takes = [
        name for name in metric.optional if name not in OF_ROWS or name in _OF_ALL + _OF_KINDS.get(metric.kind, ())
    ]
    for title, names in (("needs", metric.arguments), ("takes", sorted(takes, key=lambda name: name in OF_ROWS))):
        for place, name in enumerate(names):
            said = f"{name}: {known[name]}" if name in known else name
            sheet.figure("" if place else title, said, 10)
    if others := [name for name in metric.optional if name not in takes]:
        sheet.figure("", f"and, where repeats are shown with a spread or an interval: {', '.join(others)}", 10)
    own = {"dataset", "of", "against", "where", "group", "over", "show", "minus", "versus"}
    recipe: dict[str, object] = {"metric": metric.name}
    recipe |= {name: "answer" for name in metric.arguments if name in own}
    given = {name: MEANINGS[name][1] if name in MEANINGS else "…" for name in metric.arguments if name not in own}
    if "versus" in metric.optional:
        recipe["versus"] = {"system": "baseline"}
    sheet.figure("recipe", json.dumps(recipe | ({"arguments": given} if given else {}), ensure_ascii=False), 10)
    click.echo(str(sheet), nl=False)


@click.command()
@click.argument("kind", required=False, metavar="[KIND]")
def schema(kind: str | None) -> int:
    """Print the JSON Schema (2020-12) of a record KIND, or list the kinds.

    \b
    Examples:
      sealtrace schema
      sealtrace schema trace > trace.schema.json
    """
    if kind is not None:
        refuse_unknown("there is no kind", [kind], SCHEMA_KINDS)
        click.echo(json.dumps(schema_document(kind), indent=2, ensure_ascii=False))
        return 0
    sheet = _sheet()
    for name in SCHEMA_KINDS:
        sheet.figure(name, " ".join(schema_document(name)["description"].split()))
    click.echo(str(sheet), nl=False)
    return 0


SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> int:
    """Print a script that completes commands, options and their values in SHELL.

    Bash (4.4 or newer), in ~/.bashrc:

    \b
      eval "$(sealtrace completion bash)"

    Zsh, in ~/.zshrc, after compinit:

    \b
      eval "$(sealtrace completion zsh)"

    Fish, once:

    \b
      sealtrace completion fish > ~/.config/fish/completions/sealtrace.fish

    \b
    Examples:
      sealtrace completion bash
    """
    from click.shell_completion import get_completion_class

    from sealtrace.cli.main import cli

    kind = get_completion_class(shell)
    assert kind is not None
    # Asking bash for its version, as `source` does first, would be about another bash than the reader's.
    completion = kind(cli, {}, "sealtrace", "_SEALTRACE_COMPLETE")
    click.echo(completion.source_template % completion.source_vars())
    return 0
