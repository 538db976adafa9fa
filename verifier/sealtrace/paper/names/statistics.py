"""Which statistics of the one table a heading names."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from sealtrace.paper.names.index import WORDS, Group, Names, Thing
from sealtrace.statistics.table import STATISTICS, Statistic


def named_in(heading: str, among: Collection[Statistic] | None = None) -> list[Statistic]:
    """The statistics that a heading names, in its order; a phrase in which a word means something else hides it.

    `among` are the statistics that it may name: those of everyday results where nothing else is said.
    """
    entries = {entry.name: entry for entry in (STATISTICS.values() if among is None else among)}
    names, group = _index(tuple((entry.name, entry.words, entry.not_words) for entry in entries.values()))
    found = [named for named in names.resolve(heading, (group,), running=True) if named.strength >= WORDS]
    found.sort(key=lambda named: named.span)
    return [
        entries[name] for name in dict.fromkeys(named.thing.id for named in found if named.thing.kind == "statistic")
    ]


@cache
def _index(entries: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]) -> tuple[Names, Group[str]]:
    """Packs register more entries, so that there is an index of each state of the table."""
    things = [Thing("statistic", name, words) for name, words, _not_words in entries]
    hiding = [Thing("phrase", name, not_words) for name, _words, not_words in entries]
    return Names(), Group([*things, *hiding], verbatim=True)
