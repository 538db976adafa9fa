"""Study packs: what a kind of study adds to the engine, and the one list of them; and what a record kind is.

A pack names its record kinds and its checks. The modules that do the work are named as text and imported
when a bundle needs them, so that listing checks or hashing a bundle costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from importlib import import_module
from typing import Any

STAGES = ("declare", "bank", "structure", "trace", "calibrate", "select", "replay", "report")
"""The freeze stages in their only order."""


def stages_due(protocol: Mapping[str, object]) -> tuple[str, ...]:
    """The stages that a study must seal: all of them where its protocol declares splits, else the first and the last.

    Stages between these freeze what is traced, calibrated and selected on splits, one after the other.
    """
    return STAGES if protocol.get("splits") else (STAGES[0], STAGES[-1])


class Form(StrEnum):
    """How the records of a kind lie in a file."""

    DOCUMENT = "document"
    """One JSON object."""
    ROWS = "rows"
    """JSON lines or Parquet."""
    BYTES = "bytes"
    """Kept and hashed, not parsed."""


@dataclass(frozen=True)
class Opening:
    """A place of a row whose fields a protocol may declare; where it declares none, they are the model's."""

    section: str
    """The protocol's section: field to JSON Schema."""
    kept: tuple[str, ...]
    """The fields that are there under every protocol."""
    at: str = ""
    """The field, a list of objects, that holds them; empty for the row itself."""


@dataclass(frozen=True)
class Kind:
    """One record kind of the contract."""

    name: str
    form: Form
    model: str
    """`module:Class`, imported when first needed; empty for bytes."""
    key: tuple[str, ...] = ()
    """The fields that identify a row."""
    stages: tuple[tuple[str, str], ...] = ()
    """(stage, role) pairs that may seal it; role `*` for any, or for files without a split."""
    open: tuple[Opening, ...] = ()
    """Where its fields are the protocol's to declare."""


def any_role(*stages: str) -> tuple[tuple[str, str], ...]:
    """Stages that may seal a kind whatever split it holds."""
    return tuple((stage, "*") for stage in stages)


SHIPPED = ("results", "policies", "games", "services")
"""The packs of this package, in the order of their checks."""
GROUP = "sealtrace.packs"
"""The entry point group in which other distributions offer packs: an object of type `Pack`."""


@dataclass(frozen=True)
class Check:
    """One check of the catalogue."""

    id: str
    title: str
    source: str
    """The part of the paper or of the bundle format that it enforces."""
    breaks: str
    """An example of what breaks it."""
    reads: tuple[str, ...] = ()
    """Record kinds that must be there and whole for a pass."""
    needs: tuple[str, ...] = ()
    """Checks that must hold for a pass."""
    whole: bool = False
    """It speaks of completeness or of an aggregate: with a need unmet it is not computed at all."""
    despite: tuple[str, ...] = ()
    """Of these kinds and checks, those that may be damaged: it judges the undamaged part, and says what it left out."""
    consequences: tuple[str, ...] = ()
    """Checks that may fail because this one does."""

    @property
    def family(self) -> str:
        """The id's first part."""
        return self.id.partition(".")[0]


def catalogue(text: str, **groups: str) -> tuple[Check, ...]:
    """The checks of a list in plain text, a paragraph each; what is too long for a line goes on below, further in.

        family.name: The sentence of the check
            enforces its part of the paper or of the bundle format
            broken where something breaks it
            reads kinds; needs checks; whole; despite kinds and checks; consequences checks

    A name in capitals stands for a group of names, which may hold other groups. Lines that begin with `#` are remarks.
    """

    def names(listed: str) -> Iterator[str]:
        for name in listed.split():
            yield from names(groups[name]) if name in groups else (name,)

    found = []
    for paragraph in re.split(r"^(?=[a-z])", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)[1:]:
        head, source, breaks, *clauses = (" ".join(clause.split()) for clause in re.split(r"\n {4}(?=\S)", paragraph))
        settings: dict[str, Any] = {}
        for clause in filter(None, " ".join(clauses).split("; ")):
            word, _, listed = clause.partition(" ")
            settings[word] = word == "whole" or tuple(names(listed))
        check_id, _, title = head.partition(": ")
        found.append(
            Check(check_id, title, source.removeprefix("enforces "), breaks.removeprefix("broken where "), **settings)
        )
    return tuple(found)


@dataclass(frozen=True)
class Pack:
    """What one kind of study adds to the engine."""

    name: str
    kinds: tuple[Kind, ...]
    """The record kinds that it understands."""
    catalogue: tuple[Check, ...] = ()
    """Its checks, in the order in which they run."""
    checks: str = ""
    """The module whose import registers the functions of those checks."""
    metrics: str = ""
    """The module whose import registers the pack's metrics; imported when a recipe asks for one of them."""
    listed: str = ""
    """What its metrics, and what headings could take for one, are called and say (`statistics.table.described`)."""
    paper: str = ""
    """The paper whose sections that list names."""
    entities: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Arguments of its metrics that name an entity, each with the field that the entity is a value of, as in
    `{"policy": "policy", "base": "policy", "split": "split?"}`. A `?` behind the field: a recipe may leave the argument
    out although its table prints such an entity."""
    evidence: str = ""
    """`module:Class` of the `View` that the pack's functions are given; empty where that is the evidence itself."""
    overview: str = ""
    """The module that says what the records amount to: its part of the summary, of the page, and its commands."""
    reported: tuple[str, ...] = ()
    """Kinds that state what is recomputed: no recipe may read them."""
    measured: tuple[str, ...] = ()
    """Kinds that hold measurements, which no recomputation can give again."""
    doubtful: str = ""
    """`module:function` that marks, among the rows of a kind, those that do not join; it returns None for none. Only
    what needs these rows is missing."""
    streamed: tuple[str, ...] = ()
    """Kinds whose rows can be judged a shard at a time, where their files are large and laid out for it."""
    streamer: str = ""
    """`module:function` that judges them so (`checks.streamed.Streamer`)."""
    absent: Callable[[Any], str | None] = lambda _: None
    """Why the pack's checks do not apply to this bundle; None where they do. Asked first."""
    unusable: Callable[[Any], str | None] = lambda _: None
    """Why nothing can be computed from the pack's records, such as a protocol that is lost; None where something can.
    Asked second; `doubtful` is about single rows."""

    @cached_property
    def entity_fields(self) -> Mapping[str, str]:
        """Argument to the field of its entity: as `entities` says; an argument called like a field of a key is one."""
        # Not only what a pack lists: a list that was forgotten would let a row print one entity and take another.
        keys = {name: name for kind in self.kinds for name in kind.key}
        return {**keys, **self.entities}


def unless_held(reason: str, *kinds: Kind) -> Callable[[Any], str | None]:
    """For `absent`: a pack's checks apply where the bundle holds records of one of its kinds."""
    names = {kind.name for kind in kinds}
    return lambda evidence: None if any(entry.kind in names for entry in evidence.bundle.entries) else reason


@cache
def packs() -> tuple[Pack, ...]:
    """Every pack: the shipped ones, then those that other installed distributions offer."""
    from importlib.metadata import entry_points  # start-up: not every command asks for packs

    shipped = [import_module(f"sealtrace.studies.{name}").PACK for name in SHIPPED]
    return (*shipped, *(offer.load() for offer in sorted(entry_points(group=GROUP), key=lambda offer: offer.name)))


def loaded(reference: str) -> Any:
    """The object of a `module:name`, or a module."""
    module, _, name = reference.partition(":")
    found = import_module(module)
    return getattr(found, name) if name else found
