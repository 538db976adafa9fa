"""The records of games as arrays: profiles in the order of the game's information sets."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa

from sealtrace.bundle.frames import ActionMatrix, Index, Mask, action_matrix
from sealtrace.contract.scalars import exact
from sealtrace.evidence import View
from sealtrace.mathematics import Vector
from sealtrace.studies.games.mathematics.evaluation import Evaluation, GameTree, evaluate
from sealtrace.studies.games.mathematics.tables import Game
from sealtrace.studies.games.records import GameRules
from sealtrace.studies.games.rules import game_of, rules_problem, tree_of


class IncompleteProfileError(Exception):
    """A profile that is not a strategy of the whole game has no value."""


class GameStudy(View):
    """One bundle as the checks and metrics of games see it. Everything is computed when first asked for, once."""

    @cached_property
    def rules(self) -> GameRules | None:
        """The declared rules."""
        declared = self.bundle.only(GameRules)
        return None if declared is None else declared.record

    @cached_property
    def playable(self) -> bool:
        """Whether the declared game can be dealt."""
        return self.rules is not None and rules_problem(self.rules) is None

    @cached_property
    def form(self) -> Game | GameTree:
        """The game as profiles need it: information sets, who acts there, and what is legal; of a playable study."""
        assert self.rules is not None
        return game_of(self.rules) if self.rules.openspiel is None else tree_of(self.rules.openspiel)

    @cached_property
    def game(self) -> Game:
        """The game of cards, as hands and students need it; of a playable study."""
        assert self.rules is not None
        return game_of(self.rules)

    @cached_property
    def tolerance(self) -> float:
        return 0.0 if self.rules is None else float(exact(self.rules.tolerance))

    @cached_property
    def information_sets(self) -> Index:
        """The place of each profile row's information set in the game; -1 where the game has none of that name."""
        names = pa.array([each.name for each in self.form.information_sets], pa.string())
        return self.frame("profile").lookup("information_set", names)

    @cached_property
    def strategies(self) -> ActionMatrix:
        """The probabilities of each profile row."""
        return action_matrix(self.frame("profile"), "probabilities", list(self.form.actions))

    @cached_property
    def faulty(self) -> Mask:
        """Profile rows that are no strategy at their information set."""
        sets, matrix = self.information_sets, self.strategies
        legal = self.form.legal[sets]
        with np.errstate(invalid="ignore", over="ignore"):
            sound = np.isfinite(matrix.values) & (matrix.values >= 0)
            whole = np.abs(matrix.values.sum(axis=1) - 1) <= self.tolerance
        players = self.frame("profile").numbers("player")
        faulty: Mask = (
            (sets < 0)
            | matrix.unknown
            | (matrix.named != legal).any(axis=1)
            | ~sound.all(axis=1)
            | ~whole
            | (players != self.form.players[sets])
            | self.evidence.doubtful("profile")
        )
        return faulty

    @cached_property
    def profiles(self) -> dict[str, Vector]:
        """Profile to information set × action, where the profile is whole."""
        codes, names = self.frame("profile").texts("profile")
        found = {}
        for code, name in enumerate(names):
            rows = np.flatnonzero(codes == code)
            if len(rows) == len(self.form.information_sets) and not self.faulty[rows].any():
                strategy = np.zeros(self.form.legal.shape)
                strategy[self.information_sets[rows]] = self.strategies.values[rows]
                found[name] = strategy
        return found

    @cached_property
    def _evaluations(self) -> tuple[dict[str, int], Evaluation]:
        whole = self.profiles
        stacked = np.stack(list(whole.values())) if whole else np.zeros((0, *self.form.legal.shape))
        form = self.form
        values = form.evaluate(stacked) if isinstance(form, GameTree) else evaluate(form, stacked)
        return {name: place for place, name in enumerate(whole)}, values

    def evaluation(self, profile: str) -> tuple[int, Evaluation]:
        """The place of a profile among the exact values of all whole ones."""
        places, values = self._evaluations
        if profile not in places:
            raise IncompleteProfileError(profile)
        return places[profile], values

    def rows_of(self, profile: str) -> Index:
        """The rows of a profile."""
        codes, names = self.frame("profile").texts("profile")
        return np.flatnonzero(codes == names.index(profile)) if profile in names else np.zeros(0, np.int64)
