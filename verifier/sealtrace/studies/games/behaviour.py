"""Recorded behaviour: snapshots from sealed hands, and predictors refitted on the calibration split."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sealtrace.bundle.model import TypedDocument
from sealtrace.contract.scalars import exact
from sealtrace.evidence import once
from sealtrace.mathematics import Mask, Vector
from sealtrace.studies.games.evidence import GameStudy
from sealtrace.studies.games.mathematics.histories import HandDecision, HistoryError, decisions, size_of
from sealtrace.studies.games.mathematics.tables import ACTIONS
from sealtrace.studies.games.records import Behaviour as BehaviourRules

POLICIES = ("prior", "frequency", "top-1")
Key = tuple[str, int, int]
"""Entry, hand, action."""


@dataclass(frozen=True)
class SeenDecision:
    """A decision in its split."""

    key: Key
    split: str
    decision: HandDecision
    size: str | None


@dataclass(frozen=True)
class Forecast:
    """What a predictor says of the evaluation split."""

    probabilities: Vector
    """Snapshot × action."""
    sizes: list[str | None]
    """The predicted size of a raise, per snapshot; None where the predictor has none."""


class BehaviourRecords:
    """The behaviour records of a study that declares how they are predicted."""

    def __init__(self, study: GameStudy, declared: TypedDocument[BehaviourRules]) -> None:
        self.study, self.path, self.declared = study, declared.path, declared.record

    @cached_property
    def splits(self) -> dict[str, str]:
        return {each.entry: each.split for each in self.declared.entries}

    @cached_property
    def hands(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.study.frame("hand").table.to_pylist()
        return found

    @cached_property
    def read(self) -> tuple[list[SeenDecision], dict[int, HistoryError]]:
        """Every decision of every hand that can be read, in order; and the rows of hands that cannot."""
        limits = [float(exact(limit)) for limit in self.declared.sizes]
        seen, unread = [], {}
        for row, hand in enumerate(self.hands):
            try:
                found = decisions(hand)
            except HistoryError as error:
                unread[row] = error
                continue
            split = self.splits.get(hand["entry"], "")
            seen += [
                SeenDecision((hand["entry"], hand["hand"], each.action), split, each, size_of(each.raised, limits))
                for each in found
            ]
        return seen, unread

    def of_split(self, split: str) -> list[SeenDecision]:
        return [each for each in self.read[0] if each.split == split]

    def context(self, seen: SeenDecision) -> tuple[object, ...]:
        """The declared public features; whether there is a bet to face always belongs to them."""
        values = {"street": seen.decision.street, "facing": seen.decision.to_call > 0, "players": seen.decision.players}
        return (values["facing"], *(values[name] for name in self.declared.context))

    @cached_property
    def labels(self) -> Vector:
        """The evaluation labels as places of actions."""
        return np.array([ACTIONS.index(each.decision.label) for each in self.of_split("evaluation")], np.int64)

    @cached_property
    def raises(self) -> Mask:
        return np.array([each.decision.label == "raise" for each in self.of_split("evaluation")], np.bool_)

    def forecast(self, policy: str) -> Forecast:
        """The predictor, refitted, on the evaluation split."""
        evaluated = self.of_split("evaluation")
        if policy == "prior":
            prior = self.declared.prior
            rows = [prior.facing if each.decision.to_call > 0 else prior.free for each in evaluated]
            table = np.array([[row.get(action, 0.0) for action in ACTIONS] for row in rows]).reshape(-1, len(ACTIONS))
            return Forecast(table, [None] * len(evaluated))
        probabilities = np.array([self._frequencies(each) for each in evaluated]).reshape(-1, len(ACTIONS))
        if policy == "top-1":
            probabilities = np.eye(len(ACTIONS))[probabilities.argmax(axis=1)]
        return Forecast(probabilities, [self._common_size(each) for each in evaluated])

    @cached_property
    def _counts(self) -> dict[tuple[object, ...], Vector]:
        counts: dict[tuple[object, ...], Vector] = {}
        for each in self.of_split("calibration"):
            # Contexts that calibration never met fall back on what was done against a bet, or without one.
            for context in (self.context(each), (each.decision.to_call > 0,)):
                counts.setdefault(context, np.zeros(len(ACTIONS)))[ACTIONS.index(each.decision.label)] += 1
        return counts

    def _frequencies(self, seen: SeenDecision) -> Vector:
        facing = seen.decision.to_call > 0
        counts = self._counts.get(self.context(seen), self._counts.get((facing,), np.zeros(len(ACTIONS))))
        legal = np.array([facing, True, True])
        smoothed = (counts + float(exact(self.declared.smoothing))) * legal
        shares: Vector = smoothed / smoothed.sum()
        return shares

    @cached_property
    def _size_counts(self) -> dict[tuple[object, ...], Counter[str]]:
        counts: dict[tuple[object, ...], Counter[str]] = {}
        for each in self.of_split("calibration"):
            if each.size is not None:
                for context in (self.context(each), (each.decision.to_call > 0,)):
                    counts.setdefault(context, Counter())[each.size] += 1
        return counts

    def _common_size(self, seen: SeenDecision) -> str | None:
        """The commonest size of raises in the context; the smaller one among equals."""
        known = self._size_counts
        sizes = known.get(self.context(seen), known.get((seen.decision.to_call > 0,), Counter()))
        return min(sizes, key=lambda size: (-sizes[size], size)) if sizes else None


@once
def behaviour_of(study: GameStudy) -> BehaviourRecords | None:
    """The behaviour of a study, read once; None where it declares none."""
    declared = study.bundle.only(BehaviourRules)
    return None if declared is None else BehaviourRecords(study, declared)
