"""Which statistics of the one table a heading names."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, lru_cache

from sealtrace.paper.names.index import WORDS, Group, Names, Thing
from sealtrace.statistics.table import STATISTICS, Statistic


def named_in(heading: str, among: Collection[Statistic] | None = None) -> list[Statistic]:
    """The statistics that a heading names, in its order; a phrase in which a word means something else hides it.

    `among` are the statistics that it may name: those of everyday results where nothing else is said.
    """
    return list(_named(heading, tuple(STATISTICS.values() if among is None else among)))


def other_statistics(heading: str, among: Collection[Statistic]) -> list[str]:
    """The statistics whose word a heading has as part of the name of another one, which the table has not."""
    return [entry.name for entry in _named(heading, tuple(entry for entry in among if entry.others), others=True)]


@lru_cache(maxsize=16384)
def _named(heading: str, among: tuple[Statistic, ...], *, others: bool = False) -> tuple[Statistic, ...]:
    """Remembered, because the cells of a table share their headings."""
    names, group = _index(among, others)
    found = [named for named in names.resolve(heading, (group,), running=True) if named.strength >= WORDS]
    found.sort(key=lambda named: named.span)
    return tuple(dict.fromkeys(named.thing.id for named in found if named.thing.kind == "statistic"))


@cache
def _index(among: tuple[Statistic, ...], others: bool) -> tuple[Names, Group[Statistic]]:
    """Packs register more entries, so that there is an index of each state of the table."""
    things = [Thing("statistic", entry, entry.others if others else entry.words) for entry in among]
    hiding = [] if others else [Thing("phrase", entry, entry.not_words) for entry in among]
    return Names(), Group([*things, *hiding], verbatim=True)
