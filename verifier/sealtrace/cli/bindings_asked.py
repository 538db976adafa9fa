"""`--ask`: bindings shown one by one, to be accepted, rejected or replaced by their next candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sealtrace.report.inert import harmless

if TYPE_CHECKING:
    from sealtrace.binding.bound import Bound


def ask_about(bound: Bound) -> None:
    """Asks about every binding, the least sure first; what is rejected is taken out."""
    from sealtrace.binding.wording import formula_of

    rejected = []
    for binding in sorted(bound.bindings, key=lambda one: one.score):
        options = [binding.candidate, *binding.others]
        place = 0
        while True:
            candidate = options[place]
            series = candidate.series
            click.echo(
                f"{harmless(series.grid.name)}, {series.kind} {harmless(series.constant[0][:60])}: "
                f"{int(candidate.agrees.sum())} of {int(candidate.covered.sum())} numbers, {binding.score:.0f} bits\n"
                f"  {harmless(formula_of(candidate))}",
                err=True,
            )
            more = f", [n]ext of {len(options)}" if len(options) > 1 else ""
            answer = click.prompt(
                f"[a]ccept, [r]eject{more}, [q]uit asking",
                type=click.Choice(["a", "r", "n", "q"]),
                default="a",
                show_choices=False,
                err=True,
            )
            if answer != "n":
                break
            place = (place + 1) % len(options)
        if answer == "q":
            break
        if answer == "r":
            rejected.append(binding)
        else:
            binding.others = [one for one in options if one is not candidate]
            binding.candidate = candidate
    bound.remove(rejected)
