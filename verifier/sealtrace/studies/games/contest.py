"""Played hands as arrays: who met whom, what chance gave, and what it paid."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sealtrace.bundle.frames import Frame, Index, Mask
from sealtrace.bundle.model import TypedDocument
from sealtrace.evidence import once
from sealtrace.mathematics import Vector
from sealtrace.studies.games.evidence import GameStudy
from sealtrace.studies.games.mathematics import hands
from sealtrace.studies.games.mathematics.evaluation import expected_return, seated
from sealtrace.studies.games.records import Contest
from sealtrace.studies.games.students import students_of

MOST_PAIRS = 2_000_000
"""Hands of one contest that are replayed; more are refused, so that a declared number cannot keep the machine busy."""


class Hands:
    """The match records of a study that declares a contest."""

    def __init__(self, study: GameStudy, declared: TypedDocument[Contest]) -> None:
        self.study, self.path, self.declared = study, declared.path, declared.record

    @property
    def frame(self) -> Frame:
        return self.study.frame("match")

    @cached_property
    def profiles(self) -> dict[str, Vector]:
        """Whole profiles and the policies of students, by name."""
        students = students_of(self.study)
        return {**({} if students is None else students.policies), **self.study.profiles}

    @cached_property
    def matches(self) -> Index:
        """The number of each row's match; -1 for matches outside the contest."""
        codes, names = self.frame.texts("match")
        pairs = min(self.declared.pairs, MOST_PAIRS)
        numbers = [
            int(name) if name.isdecimal() and str(int(name)) == name and int(name) < pairs else -1 for name in names
        ]
        return np.array([*numbers, -1], np.int64)[codes]

    @cached_property
    def arms(self) -> Index:
        return self.frame.lookup("arm", pa.array(self.declared.arms))

    @cached_property
    def opponents(self) -> Index:
        return self.frame.lookup("opponent", pa.array(self.declared.opponents))

    def texts(self, field: str) -> npt.NDArray[np.object_]:
        """A text column, row by row; None where it is absent."""
        codes, names = self.frame.texts(field)
        return np.array([*names, None], dtype=object)[codes]

    @cached_property
    def seats(self) -> Index:
        return np.nan_to_num(self.frame.numbers("seat"), nan=-1).astype(np.int64)

    @cached_property
    def known(self) -> Mask:
        """Rows of the contest: a declared arm and opponent, a match that is dealt, a seat."""
        mask: Mask = (self.matches >= 0) & (self.arms >= 0) & (self.opponents >= 0) & (self.seats >= 0)
        return mask & ~self.study.evidence.doubtful("match")

    @cached_property
    def dealt(self) -> Index:
        """The matches that some row plays: a declared number alone costs nothing."""
        return np.unique(self.matches[self.known])

    @cached_property
    def deals(self) -> Index:
        """Match × (card 0, card 1, board), from the declared seed; zeros where nobody plays the match."""
        found = np.zeros((min(self.declared.pairs, MOST_PAIRS), 3), np.int64)
        for match in self.dealt.tolist():
            found[match] = hands.deal(self.study.game, self.declared.seed, str(match))
        return found

    @cached_property
    def endings(self) -> list[hands.Ending]:
        """Every legal way in which a hand ends."""
        return hands.endings(self.study.game)

    @cached_property
    def ended(self) -> Index:
        """The ending of each row; -1 where its history is not legal, or does not end."""
        return self.frame.lookup("history", pa.array([ending.history for ending in self.endings]))

    @cached_property
    def due_returns(self) -> Vector:
        """What each row's arm wins by the rules with the dealt cards and the recorded history; NaN where unknown."""
        values = np.full(self.frame.size, np.nan)
        rows = np.flatnonzero(self.known & (self.ended >= 0))
        dealt = self.deals[self.matches[rows]]
        won = hands.returns(self.study.game, self.endings, self.ended[rows], dealt[:, :2], dealt[:, 2])
        values[rows] = np.where(self.seats[rows] == 0, won, -won)
        return values

    @cached_property
    def replayed(self) -> tuple[Index, list[str]]:
        """Rows whose two profiles are known, and the history that profiles and draws give each of them."""
        names = pa.array(list(self.profiles), pa.string())
        mine, theirs = (self.frame.lookup(field, names) for field in ("arm", "opponent"))
        rows = np.flatnonzero(self.known & (mine >= 0) & (theirs >= 0))
        first = self.seats[rows] == 0
        seats = np.column_stack([np.where(first, mine[rows], theirs[rows]), np.where(first, theirs[rows], mine[rows])])
        matches = self.matches[rows]
        dealt = self.deals[matches]
        drawn: dict[int, Vector] = {}

        def draws(playing: Index, step: int) -> Vector:
            if step not in drawn:
                drawn[step] = np.zeros(len(self.deals))
                for match in self.dealt.tolist():
                    drawn[step][match] = hands.draw(self.declared.seed, str(match), f"action {step}")
            return drawn[step][matches[playing]]

        stacked = np.stack(list(self.profiles.values()))
        return rows, hands.play(self.study.game, stacked, seats, dealt[:, :2], dealt[:, 2], draws)

    # Aggregates

    def rows_of(self, arms: list[str], opponents: list[str]) -> Index:
        """The hands of some arms against some opponents."""
        wanted = np.isin(self.arms, [self.declared.arms.index(arm) for arm in arms])
        wanted &= np.isin(self.opponents, [self.declared.opponents.index(opponent) for opponent in opponents])
        return np.flatnonzero(wanted & self.known)

    def whole(self, arms: list[str], opponents: list[str]) -> bool:
        """Whether every pair of these is there, in both seats, with a legal history."""
        rows = self.rows_of(arms, opponents)
        expected = len(set(arms)) * len(set(opponents)) * 2 * self.declared.pairs
        return len(rows) == expected and bool((self.ended[rows] >= 0).all())

    def pair_means(self, rows: Index) -> Vector:
        """The mean return of each deal, over both seats and over whoever played it."""
        totals = np.bincount(self.matches[rows], self.due_returns[rows], minlength=self.declared.pairs)
        counts = np.bincount(self.matches[rows], minlength=self.declared.pairs)
        means: Vector = totals / counts
        return means

    def exact(self, arm: str, opponent: str) -> float | None:
        """The exact value of a pairing, both seats alike; None where a profile is not whole."""
        if arm not in self.profiles or opponent not in self.profiles:
            return None
        mine, theirs = self.profiles[arm], self.profiles[opponent]
        first = expected_return(self.study.game, seated(self.study.game, mine, theirs)[None], 0)[0]
        second = expected_return(self.study.game, seated(self.study.game, theirs, mine)[None], 1)[0]
        return float(first + second) / 2


@dataclass(frozen=True)
class Spread:
    """A mean of pairs and its standard error."""

    mean: float
    error: float


def spread(values: Vector) -> Spread:
    """The standard error takes the divisor n - 1."""
    return Spread(float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))))


@once
def hands_of(study: GameStudy) -> Hands | None:
    """The hands of a study, computed once; None where it declares no contest."""
    declared = study.bundle.only(Contest)
    return None if declared is None else Hands(study, declared)
