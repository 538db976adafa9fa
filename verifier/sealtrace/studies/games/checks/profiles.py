"""A profile is a strategy of the whole game: complete, of the right player, legal, and a distribution."""

from __future__ import annotations

import numpy as np

from sealtrace.checks.outcome import Outcome
from sealtrace.checks.registry import check
from sealtrace.studies.games.evidence import GameStudy
from sealtrace.studies.games.rules import rules_problem


def _unprofiled(study: GameStudy, outcome: Outcome) -> bool:
    """Whether there is no profile of a game that can be dealt."""
    if not study.bundle.of_kind("profile"):
        outcome.not_applicable = "the study holds no profile"
        return True
    return not study.playable


@check("game.rules", "games")
def rules(study: GameStudy, outcome: Outcome) -> None:
    document = study.bundle.document("game")
    if study.rules is None or document is None:
        outcome.not_applicable = "the study plays no game of its own"
        return
    outcome.inspected = 1
    if (problem := rules_problem(study.rules)) is not None:
        field, expected, found = problem
        outcome.at(document.path).error(field, "The declared game cannot be dealt.", expected, found)
    outcome.at(document.path).tolerance("/tolerance", study.rules.tolerance)


@check("profile.complete", "profiles", unless=_unprofiled)
def complete(study: GameStudy, outcome: Outcome) -> None:
    frame, sets = study.frame("profile"), study.information_sets
    message = "The game has no such information set."
    outcome.rows(frame, sets < 0, "/information_set", message, "an information set of the game")
    codes, names = frame.texts("profile")
    wanted = study.form.information_sets
    outcome.inspected = len(names)
    for code, name in enumerate(names):
        there = np.zeros(len(wanted), np.bool_)
        of_profile = sets[codes == code]
        there[of_profile[of_profile >= 0]] = True
        if not there.all():
            absent = [wanted[place].name for place in np.flatnonzero(~there)]
            at, expected = outcome.at(frame.paths[0], {"profile": name}), f"{len(wanted)} information sets"
            found = f"{there.sum()}, without {', '.join(absent[:3])}{', …' if len(absent) > 3 else ''}"
            at.error("/information_set", "The profile leaves out information sets.", expected, found)


@check("profile.player", "strategies", unless=_unprofiled)
def player(study: GameStudy, outcome: Outcome) -> None:
    frame, sets = study.frame("profile"), study.information_sets
    outcome.inspected = int((sets >= 0).sum())
    due = study.form.players[sets]
    message = "Another player acts at this information set."
    outcome.rows(frame, (sets >= 0) & (frame.numbers("player") != due), "/player", message, due)


@check("profile.actions", "strategies", unless=_unprofiled)
def actions(study: GameStudy, outcome: Outcome) -> None:
    frame, sets, matrix = study.frame("profile"), study.information_sets, study.strategies
    known = sets >= 0
    outcome.inspected = int(known.sum())
    legal = study.form.legal[sets]

    def vocabulary(row: int) -> str:
        return ", ".join(name for name, there in zip(study.form.actions, legal[row], strict=True) if there)

    def named(row: int) -> str:
        return ", ".join(name for name, _ in frame.column("probabilities")[row].as_py()) or "none"

    other = known & (matrix.unknown | (matrix.named != legal).any(axis=1))
    message = "The strategy names other actions than the legal ones."
    outcome.rows(frame, other, "/probabilities", message, vocabulary, named)
    with np.errstate(invalid="ignore"):
        wrong = matrix.named & ~(np.isfinite(matrix.values) & (matrix.values >= 0))
    message, expected = "A probability that is negative or not finite.", "a finite number of at least 0"
    for place in np.flatnonzero(wrong.any(axis=0)).tolist():
        pointer = f"/probabilities/{study.form.actions[place]}"
        outcome.rows(frame, known & wrong[:, place], pointer, message, expected, matrix.values[:, place])


@check("profile.simplex", "strategies", unless=_unprofiled)
def simplex(study: GameStudy, outcome: Outcome) -> None:
    frame, matrix = study.frame("profile"), study.strategies
    outcome.inspected = frame.size
    rows = np.flatnonzero(~matrix.unknown)
    with np.errstate(invalid="ignore", over="ignore"):
        sums = matrix.values.sum(axis=1)[rows]
    outcome.normalized(frame, rows, "/probabilities", sums, study.rules.tolerance if study.rules else "0")
