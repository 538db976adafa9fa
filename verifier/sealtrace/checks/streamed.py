"""What is known of rows that were judged a shard at a time, and not kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sealtrace.bundle.frames import StreamedFrame
from sealtrace.bundle.identity import ListedFile
from sealtrace.bundle.model import UnfinishedBundle
from sealtrace.bundle.shards import LaidOut, Workers
from sealtrace.checks.outcome import Outcome
from sealtrace.evidence import View

Sources = dict[str, tuple[ListedFile, LaidOut]]
"""The files that can be read a row group at a time, by path."""


@dataclass
class Streamed:
    """The result of one pass over the shards of some files."""

    beside: View
    """The records that are held, without those that were streamed, as the pack sees them."""
    passed_on: tuple[View, ...] = ()
    """Views of them that remain valid once their rows are gone."""
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    """What each check of rows says of the streamed ones."""
    beside_too: frozenset[str] = frozenset()
    """Of those checks, the ones that look at other records as well."""
    contents: dict[str, str] = field(default_factory=dict)
    """Content digest of each streamed file."""
    texts: dict[str, set[str]] = field(default_factory=dict)
    """Texts of each file that were not looked at for marks of people and digests of later files."""
    frames: dict[str, StreamedFrame] = field(default_factory=dict)


Streamer = Callable[[UnfinishedBundle, Sources, Workers], Streamed]
"""Has workers judge the shards of files that belong together; `NotLaidOutError` where they must be read whole."""
