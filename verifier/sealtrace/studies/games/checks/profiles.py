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
    if not study.rules:
        outcome.not_applicable = "the study plays no game of its own"
        return
    outcome.inspected = 1
    if (problem := rules_problem(study.rules)) is not None:
        field, expected, found = problem
        outcome.at(study.rules_path).error(field, "The declared game cannot be dealt.", expected, found)


@check("profile.complete", "profiles", unless=_unprofiled)
def complete(study: GameStudy, outcome: Outcome) -> None:
    frame, sets = study.frame("profile"), study.information_sets
    outcome.rows(
        frame, sets < 0, "/information_set", "The game has no such information set.", "an information set of the game"
    )
    codes, names = frame.texts("profile")
    wanted = study.form.information_sets
    outcome.inspected = len(names)
    for code, name in enumerate(names):
        there = np.zeros(len(wanted), np.bool_)
        of_profile = sets[codes == code]
        there[of_profile[of_profile >= 0]] = True
        if not there.all():
            absent = [wanted[place].name for place in np.flatnonzero(~there)]
            outcome.at(frame.paths[0], {"profile": name}).error(
                "/information_set",
                "The profile leaves out information sets.",
                f"{len(wanted)} information sets",
                f"{there.sum()}, without {', '.join(absent[:3])}{', …' if len(absent) > 3 else ''}",
            )


@check("profile.player", "strategies", unless=_unprofiled)
def player(study: GameStudy, outcome: Outcome) -> None:
    frame, sets = study.frame("profile"), study.information_sets
    outcome.inspected = int((sets >= 0).sum())
    due = study.form.players[sets]
    outcome.rows(
        frame,
        (sets >= 0) & (frame.numbers("player") != due),
        "/player",
        "Another player acts at this information set.",
        lambda row: int(due[row]),
    )


@check("profile.actions", "strategies", unless=_unprofiled)
def actions(study: GameStudy, outcome: Outcome) -> None:
    frame, sets, matrix = study.frame("profile"), study.information_sets, study.strategies
    known = sets >= 0
    outcome.inspected = int(known.sum())
    legal = study.form.legal[sets]

    def vocabulary(row: int) -> str:
        return ", ".join(name for name, there in zip(study.form.actions, legal[row], strict=True) if there)

    outcome.rows(
        frame,
        known & (matrix.unknown | (matrix.named != legal).any(axis=1)),
        "/probabilities",
        "The strategy names other actions than the legal ones.",
        vocabulary,
        lambda row: ", ".join(name for name, _ in frame.column("probabilities")[row].as_py()) or "none",
    )
    with np.errstate(invalid="ignore"):
        wrong = matrix.named & ~(np.isfinite(matrix.values) & (matrix.values >= 0))
    for action in np.flatnonzero(wrong.any(axis=0)).tolist():
        outcome.rows(
            frame,
            known & wrong[:, action],
            f"/probabilities/{study.form.actions[action]}",
            "A probability that is negative or not finite.",
            "a finite number of at least 0",
            lambda row: float(matrix.values[row, action]),
        )


@check("profile.simplex", "strategies", unless=_unprofiled)
def simplex(study: GameStudy, outcome: Outcome) -> None:
    frame, matrix = study.frame("profile"), study.strategies
    outcome.inspected = frame.size
    with np.errstate(invalid="ignore", over="ignore"):
        sums = matrix.values.sum(axis=1)
        distance = np.abs(sums - 1)
    outcome.rows(
        frame,
        ~matrix.unknown & ~(distance <= study.tolerance),
        "/probabilities",
        "The probabilities do not sum to one.",
        f"1 within {study.rules['tolerance']}",
        lambda row: float(sums[row]),
    )
    if frame.size and np.isfinite(distance).any():
        worst = int(np.where(np.isfinite(distance), distance, -1).argmax())
        outcome.difference(float(distance[worst]), frame, worst, "/probabilities")
