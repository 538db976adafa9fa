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
    entries, key = _keyed(tuple(STATISTICS.values()) if among is None else tuple(among))
    return [entries[name] for name in _named(heading, key)]


def other_statistics(heading: str, among: Collection[Statistic]) -> list[str]:
    """The statistics whose word a heading has as part of the name of another one, which the table has not."""
    entries, _key = _keyed(tuple(among))
    said = [(entry.name, entry.others, ()) for entry in entries.values() if entry.others]
    return list(_named(heading, tuple(said)))


def _keyed(among: tuple[Statistic, ...]) -> tuple[dict[str, Statistic], Entries]:
    """Statistics by name, and what names them; the same tuple is asked for cell after cell, so the last are kept."""
    place = tuple(map(id, among))
    if place not in _KEPT:
        if len(_KEPT) >= 64:
            _KEPT.clear()
        entries = {entry.name: entry for entry in among}
        # The entries are kept with their ids, which therefore stay theirs.
        _KEPT[place] = entries, tuple((entry.name, entry.words, entry.not_words) for entry in entries.values())
    return _KEPT[place]


Entries = tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]
"""Name, words and phrases that hide them, of each statistic."""
_KEPT: dict[tuple[int, ...], tuple[dict[str, Statistic], Entries]] = {}


@lru_cache(maxsize=16384)
def _named(heading: str, entries: Entries) -> tuple[str, ...]:
    """Remembered, because the cells of a table share their headings."""
    names, group = _index(entries)
    found = [named for named in names.resolve(heading, (group,), running=True) if named.strength >= WORDS]
    found.sort(key=lambda named: named.span)
    return tuple(dict.fromkeys(named.thing.id for named in found if named.thing.kind == "statistic"))


@cache
def _index(entries: Entries) -> tuple[Names, Group[str]]:
    """Packs register more entries, so that there is an index of each state of the table."""
    things = [Thing("statistic", name, words) for name, words, _not_words in entries]
    hiding = [Thing("phrase", name, not_words) for name, _words, not_words in entries]
    return Names(), Group([*things, *hiding], verbatim=True)
