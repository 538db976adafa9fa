"""The records of one bundle as columns, read once and shared by every check, metric and command."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import numpy as np

from sealtrace.bundle.budget import Asked, Budget
from sealtrace.bundle.frames import Frame, Mask
from sealtrace.bundle.model import Bundle, Document, Progress
from sealtrace.contract.packs import Pack, loaded, packs
from sealtrace.contract.result import Result

Arguments = ParamSpec("Arguments")
Computed = TypeVar("Computed")


class Remembering:
    """Keeps the results of functions that are computed `once`."""

    def __init__(self) -> None:
        self.answers: dict[Hashable, object] = {}


Subject = TypeVar("Subject", bound=Remembering)


def once(
    compute: Callable[Concatenate[Subject, Arguments], Computed],
) -> Callable[Concatenate[Subject, Arguments], Computed]:
    """A function of the evidence and hashable arguments that computes each result once, and forgets it with them."""

    @wraps(compute)
    def ask(subject: Subject, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Computed:
        # By the function, not by its name: modules may compute different things under one name.
        key = (compute, args, *sorted(kwargs.items()))
        if key not in subject.answers:
            subject.answers[key] = compute(subject, *args, **kwargs)
        return cast("Computed", subject.answers[key])

    return ask


def no_progress(*_: object) -> None:
    """Reports no progress."""


class View(Remembering):
    """Something computed from the evidence, such as the joins of a study pack; each part of it is computed once."""

    def __init__(self, evidence: Evidence) -> None:
        super().__init__()
        self.evidence = evidence

    @property
    def bundle(self) -> Bundle:
        return self.evidence.bundle

    def frame(self, kind: str) -> Frame:
        return self.evidence.frame(kind)


Seen = TypeVar("Seen", bound=View)


class Evidence(Remembering):
    """What a bundle holds, and what its reader asks of it."""

    def __init__(
        self,
        bundle: Bundle,
        asked: Asked | None = None,
        progress: Progress | None = None,
        frames: dict[str, Frame] | None = None,
        *,
        beside: tuple[Result, ...] = (),
        views: Iterable[View] = (),
        altered: bool = False,
    ) -> None:
        super().__init__()
        self.bundle = bundle
        self.asked = asked or Asked()
        self.beside = beside
        """What the verifier says of other bundles, which recomputed cells of this one."""
        self.progress = progress or no_progress
        """Told of steps that may last: a name, how much is done, how much there is."""
        self.frames: dict[str, Frame] = {} if frames is None else frames
        """The rows of each kind that was asked for, as columns."""
        self.altered = altered
        """Whether its rows are not those of the bundle, so that doubts about those do not touch them."""
        self.views: dict[type[View], View] = {type(view): view for view in views}

    def detached(self) -> Evidence:
        """A copy without what belongs to this process alone: open files, a budget."""
        # Nothing can be read again where the bundle is not at hand.
        bundle = replace(self.bundle, again=lambda _: [], streamed={}, budget=Budget())
        return Evidence(bundle, self.asked, frames=self.frames)

    def with_frames(self, frames: dict[str, Frame]) -> Evidence:
        """A copy with other rows of some kinds."""
        return Evidence(self.bundle, self.asked, frames={**self.frames, **frames}, beside=self.beside, altered=True)

    def view(self, kind: type[Seen]) -> Seen:
        """The same records as a study pack, or a stage of its computation, sees them."""
        if kind not in self.views:
            self.views[kind] = kind(self)
        return cast("Seen", self.views[kind])

    def require_memory(self, what: str, *sizes: int, width: int = 8) -> None:
        """Refuses an array of these sizes where it would not fit: a few rows can name millions of combinations."""
        shape = " x ".join(map(str, sizes))
        self.bundle.budget.require_memory(math.prod(sizes) * width, f"{what} ({shape})")

    def frame(self, kind: str) -> Frame:
        if kind not in self.frames:
            self.frames[kind] = Frame(kind, self.bundle.of_kind(kind), self.bundle.declared.get(kind))
        return self.frames[kind]

    def repeats(self, kind: str) -> bool:
        """Whether a key stands twice among the rows of a kind, or of the datasets for `dataset`."""
        kinds = self.bundle.declared if kind == "dataset" else [kind]
        return any(self.frame(each).repeats for each in kinds if self.bundle.of_kind(each))

    @cached_property
    def protocol_document(self) -> Document | None:
        return self.bundle.document("protocol")

    @property
    def protocol(self) -> dict[str, Any]:
        """The protocol. Checks that read it run only where it is there."""
        document = self.protocol_document
        return {} if document is None else document.value

    @property
    def protocol_path(self) -> str:
        return "" if self.protocol_document is None else self.protocol_document.path

    @cached_property
    def roles(self) -> dict[str, str]:
        """Split name to role."""
        return {split["name"]: split["role"] for split in self.protocol.get("splits") or []}

    @once
    def doubtful(self, kind: str) -> Mask:
        """Rows that may not be what they say: their key stands twice, or a study pack finds that they do not join."""
        frame = self.frame(kind)
        mask = np.zeros(frame.size, np.bool_)
        # Rows that were altered to see what a recipe notices stand in no file that could be doubted.
        if self.altered:
            return mask
        mask[[row for pair in frame.repeats.items() for row in pair]] = True
        for pack in packs():
            if pack.doubtful and frame.size and (more := loaded(pack.doubtful)(self, kind)) is not None:
                mask |= more
        mask.flags.writeable = False
        return mask

    def doubt(self, kind: str) -> str | None:
        """The first doubtful row of a kind, in words; None where there is none."""
        rows = np.flatnonzero(self.doubtful(kind))
        return (
            None
            if not len(rows)
            else "{}:{}, whose key is there twice or which does not join".format(*self.frame(kind).place(int(rows[0])))
        )

    def refusal(self, kind: str) -> str | None:
        """The first row of a kind that its schema refuses, in words; None where there is none."""
        refused = next((store.misfits.listed[0] for store in self.bundle.of_kind(kind) if store.misfits.listed), None)
        return None if refused is None else f"{refused.path}:{refused.row}, which its schema refuses"

    @once
    def unreadable(self, kind: str) -> str | None:
        """Why some records of a kind cannot be read at all; None where each can, or where the bundle lists none."""
        bundle = self.bundle
        for entry in bundle.entries:
            if kind in (entry.records, entry.kind) and entry.path not in bundle.digests:
                return bundle.lost.get(entry.path) or f"{entry.path} cannot be read"
        for store in bundle.of_kind(kind):
            if store.syntax.total:
                return f"{store.path} has rows that cannot be read"
        return None

    def spoilt(self, kind: str) -> str | None:
        """Why the records of a kind are not whole; None where they are, or where the bundle lists none."""
        # Bytes before text, text before schema: the first reason is the one that the others follow from.
        bundle = self.bundle
        if (reason := self.unreadable(kind)) is not None:
            return reason
        for document in bundle.documents:
            if document.kind == kind and not document.fits:
                return f"{document.path} does not fit its schema"
        for store in bundle.of_kind(kind):
            if store.misfits.total:
                return f"{store.path} has rows that its schema refuses"
        parsed = {document.path for document in bundle.documents} | {store.path for store in bundle.stores}
        for entry in bundle.entries:
            if entry.records == kind and entry.path not in parsed:
                return f"{entry.path} cannot be parsed"
        if kind == "protocol" and self.protocol_document is None:
            return "there is no protocol"
        return None


def seen_by(evidence: Evidence, pack: Pack) -> Evidence | View:
    """The records as a study pack sees them."""
    if not pack.evidence:
        return evidence
    view: type[View] = loaded(pack.evidence)
    return evidence.view(view)
